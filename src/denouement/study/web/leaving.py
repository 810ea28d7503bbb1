"""The pages at the end of a person's part: all answered, withdrawn, screened out or excluded."""

from typing import Any

from fastapi import APIRouter, Response

from denouement.study.languages import joined
from denouement.study.store import Annotator
from denouement.study.web.visits import Form, Visit, Visiting

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
    visit.store.withdraw(visit.key)
    return visit.to("end")


def nothing_left(visit: Visit) -> Response:
    """The page for a person who comes when the study has all its answers: no consent, no work."""
    return _thanks(visit, visit.say("end.full"))


def _end(visit: Visit, annotator: Annotator) -> Response:
    entry, withdrawal, say = visit.design.entry, visit.url("withdraw"), visit.say
    if annotator.state in ("consenting", "asking", "training"):
        return nothing_left(visit)
    if annotator.state == "withdrawn":
        texts = [say("end.withdrawn_text")]
        if entry.kind == "prolific":
            texts.append(say("end.withdrawn_prolific"))
        return visit.message("end.withdrawn", *texts, *visit.contact)
    if annotator.state == "excluded":
        return visit.message("end.excluded", say("end.excluded_text"), *visit.contact, withdraw=withdrawal)
    if annotator.state == "screened_out":
        text = say("end.screened_out", n=annotator.training_failures)
        ends: dict[str, Any] = {
            "code": entry.screen_out_code,
            "forward": entry.screen_out_url,
            "forward_label": _forward(visit),
        }
        return visit.message("page.thanks", text, *visit.contact, **ends)
    texts, onward = [_answered(visit, annotator)], {"withdraw": withdrawal}
    if entry.kind != "prolific" and visit.store.may_get_more(visit.key):
        texts.append(say("end.look_later"))
        onward |= {"back": visit.url("question"), "back_label": say("end.look")}
    if visit.store.last(visit.key):
        onward["correct"] = visit.url("back")
    return _thanks(visit, *texts, **onward)


def _thanks(visit: Visit, *texts: str, **onward: Any) -> Response:
    entry = visit.design.entry
    ends: dict[str, Any] = {
        "code": entry.completion_code,
        "forward": entry.completion_url,
        "forward_label": _forward(visit),
    }
    return visit.message("page.thanks", *texts, *visit.contact, **ends, **onward)


def _forward(visit: Visit) -> str:
    return visit.say("page.back_to_prolific" if visit.design.entry.kind == "prolific" else "page.go_on")


def _answered(visit: Visit, annotator: Annotator) -> str:
    """How many questions a person answered and, where these are fewer than their pages announced, why."""
    say = visit.say
    if not annotator.answered:
        return say("end.none" if visit.store.left_any(visit.key) else "end.skipped_all")
    saved = say("end.answered", n=annotator.answered)
    most = visit.store.most_items(visit.study)
    if annotator.answered >= most:
        return saved
    return joined([saved, say("end.fewer" if visit.store.left_any(visit.key) else "end.no_more", most=most)])
