"""The pages at the end of a person's part, or before it where there is no question now, and leaving a question's page.

A person who gave no answer never gets the completion code, since it means work that is paid: they get the code of
`entry.no_place_code`, or are asked to return their submission.
"""

from typing import Any

from fastapi import APIRouter, Response

from denouement.study.languages import joined
from denouement.study.store import Annotator
from denouement.study.web.visits import Form, Visit, Visiting

WAIT_SECONDS = 20  # after which a page that waits for a free question looks again

router = APIRouter(prefix="/s/{study}")


@router.get("/end")
def end(visit: Visiting) -> Response:
    """The last page: thanks, and a link to where the person came from."""
    if not visit.annotator:
        return visit.to("")
    if not visit.is_at("end"):
        return visit.onward()
    return _end(visit, visit.annotator)


@router.get("/withdraw")
def withdraw_page(visit: Visiting) -> Response:
    """What withdrawal does, with a form to confirm."""
    if not visit.annotator or visit.annotator.state in ("withdrawn", "declined"):
        return visit.onward()
    say = visit.say
    button = {"name": "withdraw", "value": "yes", "kind": "danger", "text": say("withdraw.button")}
    back = visit.step_of(visit.annotator)
    return visit.form(say("withdraw.title"), [say("withdraw.text")], "withdraw", button, back=back)


@router.post("/withdraw")
def withdraw(visit: Visiting, form: Form) -> Response:
    """Delete what this person answered."""
    visit.require_form(form)
    if visit.annotator and visit.annotator.state == "declined":
        return visit.onward()
    visit.store.withdraw(visit.key)
    return visit.to("end")


@router.post("/leave")
def leave(visit: Visiting, form: Form) -> Response:
    """A question's page was left, as its script says: unless its person is back in a minute, others get the item."""
    visit.require_form(form)
    visit.store.leave(visit.key, form.get("assignment", ""))
    return Response(status_code=204)


@router.post("/stay")
def stay(visit: Visiting, form: Form) -> Response:
    """The same question is still open in another tab."""
    visit.require_form(form)
    visit.store.stay(visit.key, form.get("assignment", ""))
    return Response(status_code=204)


def not_now(visit: Visit) -> Response:
    """The page for a person who gave no answer and for whom there is no question now, before consent or after it."""
    say, outlook = visit.say, visit.outlook
    if outlook.state == "closed":
        return no_place(visit, "end.closed", say("end.closed_text"))
    if outlook.state == "full":
        return no_place(visit, "end.all_answered", say("end.full"))
    if outlook.state == "paused":
        return wait(visit, "wait.paused", say("wait.paused_text"))
    texts = [say("wait.busy_text")]
    if outlook.minutes:  # busy; in any other state this person saw all that is free
        texts.append(say("wait.free_within", n=outlook.minutes))
    return wait(visit, "wait.busy", joined(texts))


def _end(visit: Visit, annotator: Annotator) -> Response:
    entry, withdrawal, say = visit.design.entry, visit.url("withdraw"), visit.say
    if annotator.state in ("consenting", "asking", "training"):
        return not_now(visit)
    if annotator.state == "withdrawn":
        texts = [say("end.withdrawn_text")]
        if entry.kind == "prolific":
            texts.append(say("end.withdrawn_prolific"))
        return visit.message("end.withdrawn", *texts, *visit.contact)
    if annotator.state == "excluded":
        return visit.message("end.excluded", say("end.excluded_text"), *visit.contact, withdraw=withdrawal)
    if annotator.state == "screened_out":
        text = say("end.screened_out", n=annotator.training_failures)
        ends = way_back(visit, entry.screen_out_code, entry.screen_out_url)
        return visit.message("page.thanks", text, *visit.contact, **ends)
    may_get_more = visit.store.may_get_more(visit.key)
    if not annotator.answered:
        if may_get_more:
            return not_now(visit)
        if not visit.store.left_any(visit.key):
            return no_place(visit, "page.thanks", say("end.skipped_all"), withdraw=withdrawal)
        return no_place(visit, "end.all_answered", say("end.full"), withdraw=withdrawal)
    if visit.outlook.state == "paused" and may_get_more:
        saved = say("wait.saved", n=annotator.answered)
        return wait(visit, "wait.paused", saved, say("wait.paused_text"), withdraw=withdrawal)
    texts, onward = [_answered(visit, annotator)], dict[str, Any](withdraw=withdrawal)
    if entry.kind != "prolific" and may_get_more:
        texts.append(say("end.look_later"))
        onward |= {"back": visit.url("question"), "back_label": say("end.look")}
    if visit.store.last(visit.key):
        onward["correct"] = visit.url("back")
    ends = way_back(visit, entry.completion_code, entry.completion_url)
    return visit.message("page.thanks", *texts, *visit.contact, **ends, **onward)


def wait(visit: Visit, title: str, *texts: str, **onward: Any) -> Response:
    """A page that looks by itself, without a script, whether there is a question now; `title` is the key of a text."""
    texts = (*texts, visit.say("wait.looks_again", seconds=WAIT_SECONDS))
    if visit.design.entry.kind == "prolific":
        texts = (*texts, visit.say("wait.prolific"))
    again: dict[str, Any] = {"again": visit.url("question" if visit.annotator else ""), "seconds": WAIT_SECONDS}
    return visit.message(title, *texts, *visit.contact, **again, **onward)


def no_place(visit: Visit, title: str, *texts: str, **onward: Any) -> Response:
    """The end for a person without an answer: with the code for those who got no question, where the study has one."""
    entry = visit.design.entry
    if entry.kind == "prolific" and not entry.no_place_url:
        texts = (*texts, visit.say("end.withdrawn_prolific"))
    ends = way_back(visit, entry.no_place_code, entry.no_place_url)
    return visit.message(title, *texts, *visit.contact, **ends, **onward)


def way_back(visit: Visit, code: str, url: str) -> dict[str, Any]:
    """The code of an end, and the button to where the person came from."""
    label = visit.say("page.back_to_prolific" if visit.design.entry.kind == "prolific" else "page.go_on")
    return {"code": code, "forward": url, "forward_label": label}


def _answered(visit: Visit, annotator: Annotator) -> str:
    """How many questions a person answered and, where these are fewer than their pages announced, why."""
    say = visit.say
    saved = say("end.answered", n=annotator.answered)
    if visit.outlook.state == "closed":
        return joined([saved, say("end.closed_now")])
    most = visit.store.most_items(visit.study)
    if annotator.answered >= most:
        return saved
    return joined([saved, say("end.fewer" if visit.store.left_any(visit.key) else "end.no_more", most=most)])
