"""The pages at the end of a person's part: all answered, withdrawn, screened out or excluded."""

from typing import Any

from fastapi import APIRouter, Response

from denouement.study.store import Annotator
from denouement.study.web.render import message
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
    texts = ["This deletes all that you have answered, and ends your part in the study. It cannot be undone."]
    button = {"name": "withdraw", "value": "yes", "kind": "danger", "text": "Delete my answers"}
    return visit.form("Withdraw from the study?", texts, "withdraw", button, back=visit.step_of(visit.annotator))


@router.post("/withdraw")
def withdraw(visit: Visiting, form: Form) -> Response:
    """Delete what this person answered."""
    visit.require_form(form)
    visit.store.withdraw(visit.key)
    return visit.to("end")


def nothing_left(visit: Visit) -> Response:
    """The page for a person who comes when the study has all its answers: no consent, no work."""
    return _thanks(visit, "There is no question for you: others have answered all of them.")


def _end(visit: Visit, annotator: Annotator) -> Response:
    entry, withdrawal = visit.design.entry, visit.url("withdraw")
    if annotator.state in ("consenting", "training"):
        return nothing_left(visit)
    if annotator.state == "withdrawn":
        texts = ["Your answers are deleted, and your part in the study has ended."]
        if entry.kind == "prolific":
            texts.append("Please return your submission on Prolific.")
        return message("You have withdrawn", *texts, *visit.contact)
    if annotator.state == "excluded":
        text = "The organiser has ended your part in the study."
        return message("Your part has ended", text, *visit.contact, withdraw=withdrawal)
    if annotator.state == "screened_out":
        texts = [
            f"You cannot take part in this study, since {_attempts_missed(annotator.training_failures)}. "
            "Thank you for your time."
        ]
        ends: dict[str, Any] = {
            "code": entry.screen_out_code,
            "forward": entry.screen_out_url,
            "forward_label": _forward(visit),
        }
        return message("Thank you", *texts, *visit.contact, **ends)
    texts, onward = [_answered(visit, annotator)], {"withdraw": withdrawal}
    if entry.kind != "prolific" and visit.store.may_get_more(visit.key):
        texts.append("If one of these people stops, there may be a question for you: you may look again later.")
        onward |= {"back": visit.url("question"), "back_label": "Look for more questions"}
    return _thanks(visit, *texts, **onward)


def _thanks(visit: Visit, *texts: str, **onward: Any) -> Response:
    entry = visit.design.entry
    ends: dict[str, Any] = {
        "code": entry.completion_code,
        "forward": entry.completion_url,
        "forward_label": _forward(visit),
    }
    return message("Thank you", *texts, *visit.contact, **ends, **onward)


def _forward(visit: Visit) -> str:
    return "Back to Prolific" if visit.design.entry.kind == "prolific" else "Go on"


def _attempts_missed(attempts: int) -> str:
    return f"your {'answer' if attempts == 1 else f'{attempts:,} answers'} to the example did not fit"


def _answered(visit: Visit, annotator: Annotator) -> str:
    """How many questions a person answered and, where these are fewer than their pages announced, why."""
    if not annotator.answered:
        return "There is no question for you: others have answered all of them, or are answering them now."
    saved = f"You have answered {_questions(annotator.answered)}, and all that you answered is saved."
    most = visit.store.most_items(visit.study)
    if annotator.answered >= most:
        return saved
    if visit.store.left_any(visit.key):
        why = "since others have answered some questions, or are answering them now. Nothing is missing on your side."
        return f"{saved} That is fewer than the {most:,} announced, {why}"
    return f"{saved} There are no more for you: the {most:,} announced were the most that there might be."


def _questions(n: int) -> str:
    return "1 question" if n == 1 else f"{n:,} questions"
