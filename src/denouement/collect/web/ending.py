"""The last page of a person's part in a collection. Who handed in nothing gets no completion code."""

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Response

from denouement.collect.store.records import Offer
from denouement.collect.waiting import PIECES
from denouement.collect.web.routes import CollectionRoute
from denouement.collect.web.visits import Collecting, CollectionVisit
from denouement.study.web import leaving

router = APIRouter(prefix="/s/{study}", route_class=CollectionRoute)


@router.get("/end")
def end(visit: Collecting) -> Response:
    """Thanks, what was handed in, and a link to where the person came from."""
    if not visit.annotator or visit.annotator.state not in ("done", "screened_out"):
        return leaving.end(visit)
    entry = visit.design.entry
    if visit.annotator.state == "screened_out":
        text = "You cannot take part, since you did not pass the test. Thank you for your time."
        back = leaving.way_back(visit, entry.screen_out_code, entry.screen_out_url)
        return visit.message("page.thanks", text, *visit.contact, **back)
    offers, onward = visit.store.offers(visit.key), dict[str, Any](withdraw=visit.url("withdraw"))
    texts = [_handed_in(offers)]
    if waiting := _waiting(visit):
        texts.append(waiting)
    if waiting or visit.store.may_get_more(visit.key):
        onward |= {"back": visit.url("overview"), "back_label": "See my work, and what there is to do"}
    wanted = [offer.done for offer in offers if visit.step_kept in ("", offer.step)]
    if not any(wanted):  # also who did another step, for which they came, and were paid, another time
        return leaving.no_place(visit, "page.thanks", *texts, **onward)
    back = leaving.way_back(visit, entry.completion_code, entry.completion_url)
    return visit.message("page.thanks", *texts, *visit.contact, **back, **onward)


def _handed_in(offers: Sequence[Offer]) -> str:
    done = [PIECES[offer.step].count(offer.done) for offer in offers if offer.done]
    if not done:
        return "You have handed in nothing."
    *before, last = done
    counted = f"{', '.join(before)} and {last}" if before else last
    return f"You have handed in {counted}. All of it is saved."


def _waiting(visit: CollectionVisit) -> str:
    """That some stories are not decided yet; empty where all are."""
    statuses = [story.status for story in visit.store.own_stories(visit.key)]
    if n := statuses.count("returned"):
        which = "One of your stories was returned to you" if n == 1 else f"{n} of your stories were returned to you"
        return f"{which} to be improved."
    if n := statuses.count("open"):
        which = "One of your stories is being reviewed" if n == 1 else f"{n} of your stories are being reviewed"
        return f"{which}. Come back by the same link to see what became of it."
    return ""
