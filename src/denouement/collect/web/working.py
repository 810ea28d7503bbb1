"""What a person may do in a collection, and the pages on which they do it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from denouement.collect.checks import Remark
from denouement.collect.store.records import Offer, Piece
from denouement.collect.web import pieces, remarks
from denouement.collect.web.knowing import Knowing
from denouement.collect.web.routes import CollectionRoute
from denouement.collect.web.visits import Collecting, CollectionVisit
from denouement.collect.web.words import STEP_WORDS, paid
from denouement.study.web.leaving import WAIT_SECONDS
from denouement.study.web.render import paragraphs
from denouement.study.web.security import form_token
from denouement.study.web.typed import forget, refused
from denouement.study.web.visits import Form

router = APIRouter(prefix="/s/{study}", route_class=CollectionRoute)

# What the next page says about the piece before; in its address. The step's own words are said where it was accepted.
_NOTES = {
    "surplus": "That came after its time, when others had done it. It is kept, but does not count.",
    "duplicate": "You had handed that in before. It counts once.",
    "gone": "What you sent was not kept: the piece is no longer yours. Others have it, or it is not needed any more.",
    "given_back": "You have left that one to others.",
}

_OVER = (
    "Your time for this one is over, so the draft is not saved. You may still hand it in: it counts unless others have "
    "done it since."
)
_AT_THE_BOXES = "This is not handed in yet. What to change is said below the boxes."

# Pages of studies that a collection has not.
_OF_STUDIES = ("question", "answer", "training", "passed", "before", "after", "back", "leave", "stay")


def elsewhere(visit: Collecting) -> Response:
    """To where the person is; among them is the page where people go after their consent in a study."""
    return visit.onward()


for _page in _OF_STUDIES:
    router.add_api_route(f"/{_page}", elsewhere, methods=["GET", "POST"])


@router.get("/work")
def work(visit: Collecting, note: str = "") -> Response:
    """To the piece that the person holds, or to the only thing that they may do; else what they may do."""
    if not visit.is_at("work"):
        return visit.onward()
    return _to_next(visit, note) or _hub(visit, note)


@router.get("/overview")
def overview(visit: Collecting, note: str = "") -> Response:
    """What a person may do, and what became of what they did; also for those who are done, who may go on."""
    return _hub(visit, note) if visit.may_work else visit.onward()


@router.get("/work/begin/{step}")
def begin(visit: Collecting, step: str) -> Response:
    """A piece of work of a step, or the test before it; who holds a piece goes on with that one."""
    if not visit.may_work:
        return visit.onward()
    if held := visit.store.held(visit.key):
        return _to_piece(visit, held.id)
    offers = [offer for offer in visit.store.offers(visit.key) if offer.step == step]
    return _begun(visit, offers) or visit.to("overview")


@router.get("/work/piece/{piece_id}")
def piece_page(visit: Collecting, piece_id: str, note: str = "") -> Response:
    """A piece of work that the person holds, or a story of theirs to improve."""
    found = visit.store.piece(visit.key, piece_id) if visit.may_work else None
    if not found:
        return visit.onward()
    typed = visit.typed(piece_id)
    fields = typed.fields or pieces.shown(visit.collection, found)
    return _piece(visit, found, fields, typed.problem, note)


@router.post("/work/draft")
def draft(visit: Collecting, form: Form) -> Response:
    """Keep what was typed so far; answer with the remarks on it, by box."""
    visit.require_form(form)
    found = visit.store.piece(visit.key, form.get("assignment", "")) if visit.may_work else None
    if not found:
        return JSONResponse({"saved": False, "over": _OVER})
    saved = visit.store.save_draft(visit.key, found.id, pieces.kept(visit.collection, found.step, form))
    at_boxes = remarks.while_writing(
        visit.collection, found, form, _knowing(visit.request), form.get("at", ""), "all" in form
    )
    boxes = {box: [[each.words, each.refuses] for each in about] for box, about in remarks.by_box(at_boxes).items()}
    response = JSONResponse({"saved": saved, "remarks": boxes})
    forget(response, visit.url(""))  # the draft is newer than a form that was refused before
    return response


@router.post("/work/hand_in")
def hand_in(visit: Collecting, form: Form) -> Response:
    """Hand in a piece, or leave it to others; then go to the next one."""
    visit.require_form(form)
    if not visit.may_work:
        return visit.onward()
    piece_id = form.get("assignment", "")
    if "give_back" in form:
        visit.store.give_back(visit.key, piece_id)
        return _done(visit, "given_back")
    step = form.get("step", "")
    if step not in visit.collection.of_people:
        return _done(visit, "gone")
    given = pieces.work_of(visit.collection, step, form)
    refusals: Sequence[Remark] = [given] if isinstance(given, Remark) else ()
    if not isinstance(given, Remark):
        outcome = visit.store.hand_in(visit.key, piece_id, given)
        if outcome.status != "refused":
            return _done(visit, step if outcome.status == "accepted" else outcome.status)
        refusals = outcome.remarks
    found = visit.store.piece(visit.key, piece_id)
    return _again(visit, found, form, refusals) if found and found.step == step else _done(visit, "gone")


@router.post("/work/finish")
def finish(visit: Collecting, form: Form) -> Response:
    """End a person's part for now. What they hold is free for others a minute later, unless they are back by then."""
    visit.require_form(form)
    if held := visit.store.held(visit.key):
        visit.store.leave(visit.key, held.id)
    visit.store.finish(visit.key)
    return visit.to("end")


def _to_next(visit: CollectionVisit, note: str = "") -> Response | None:
    """To the piece that the person holds, or to a new one of the only step that is theirs; None where they choose."""
    if held := visit.store.held(visit.key):
        return _to_piece(visit, held.id, note)
    if visit.store.has_returned(visit.key):
        return None
    offers = visit.store.offers(visit.key)
    return _begun(visit, offers, note) if len(offers) == 1 else None


def _begun(visit: CollectionVisit, offers: Sequence[Offer], note: str = "") -> Response | None:
    """To a new piece of the step of one offer, or to the test before it; None where there is neither."""
    for offer in offers:
        if offer.state == "test":
            return visit.to(f"work/test/{offer.step}")
        if offer.state == "free" and (begun := visit.store.begin(visit.key, offer.step)):
            return _to_piece(visit, begun.id, note)
    return None


def _again(visit: CollectionVisit, piece: Piece, form: Mapping[str, str], refusals: Sequence[Remark]) -> Response:
    """The piece's page once more, with what is wrong with what was sent."""
    boxes = {box.about for box in pieces.boxes(visit.collection, piece.step)}
    problem = " ".join(each.words for each in refusals if each.box not in boxes) or _AT_THE_BOXES
    at_once = partial(_piece, visit, piece, form, problem, status=422)
    return visit.again(f"work/piece/{piece.id}", refused(form, problem), or_else=at_once)


def _done(visit: CollectionVisit, note: str) -> Response:
    """On from a piece; what is said of it goes along."""
    response = (_to_next(visit, note) if visit.is_at("work") else None) or visit.to(_path("work", note))
    forget(response, visit.url(""))
    return response


def _piece(
    visit: CollectionVisit,
    piece: Piece,
    fields: Mapping[str, str],
    problem: str = "",
    note: str = "",
    status: int = 200,
) -> Response:
    collection, step = visit.collection, piece.step
    if step == "endings":
        _knowing(visit.request).parser.begin()
    at_boxes = remarks.while_writing(collection, piece, fields, _knowing(visit.request), was_refused=bool(problem))
    done = visit.store.handed_in(visit.key)[step]
    described = getattr(collection, step)
    return visit.page(
        "work_piece.html",
        status,
        title=STEP_WORDS[step].title,
        said=STEP_WORDS[step],
        done=done,
        paid=paid(collection, step),
        instructions=paragraphs(described.instructions),
        examples=getattr(described, "examples", ()),
        open_instructions=not done and not piece.feedback,
        piece=piece,
        boxes=pieces.boxes(collection, step),
        choices=pieces.choices(collection, step),
        question={"review": "What do you say of it?", "verification": "Do they make sense as one story?"}.get(step),
        has_bonus=bool(collection.stories and collection.stories.payment.bonus),
        remarks=remarks.by_box(at_boxes),
        typed=defaultdict(str, fields),
        problem=problem or None,
        note=None if problem else _note(note),
        action=visit.url("work/hand_in"),
        draft=visit.url("work/draft"),
        overview=visit.url("overview"),
        form_token=form_token(visit.key),
        withdraw=visit.url("withdraw"),
    )


def _hub(visit: CollectionVisit, note: str = "") -> Response:
    """What a person may do now; where that is nothing, and more may come, a page that looks again by itself."""
    offers = visit.store.offers(visit.key)
    waits = {offer.state for offer in offers} & {"busy", "none", "paused"}
    is_free = any(offer.state in ("free", "test") for offer in offers)
    held = visit.store.held(visit.key)
    return visit.page(
        "work_hub.html",
        title=visit.design.title,
        offers=offers,
        words=STEP_WORDS,
        paid={offer.step: paid(visit.collection, offer.step) for offer in offers},
        held=held,
        stories=visit.store.own_stories(visit.key),
        has_review=visit.collection.review is not None,
        seconds=WAIT_SECONDS if waits and not is_free and not held else None,
        again=visit.url("work" if visit.is_at("work") else "overview"),
        work=visit.url("work"),
        finish=visit.url("work/finish"),
        note=_note(note),
        contact=visit.contact,
        form_token=form_token(visit.key),
        withdraw=visit.url("withdraw"),
    )


def _to_piece(visit: CollectionVisit, piece_id: str, note: str = "") -> Response:
    return visit.to(_path(f"work/piece/{piece_id}", note))


def _path(step: str, note: str) -> str:
    return f"{step}?{urlencode({'note': note})}" if _note(note) else step


def _note(note: str) -> str | None:
    return STEP_WORDS[note].handed_in if note in STEP_WORDS else _NOTES.get(note)


def _knowing(request: Request) -> Knowing:
    knowing: Knowing = request.app.state.knowing
    return knowing
