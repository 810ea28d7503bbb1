"""The end of a person's part: all answered, withdrawn, screened out or excluded."""

from typing import Any

from fastapi import APIRouter, Response

from denouement.study.store import Annotator
from denouement.study.web.render import message
from denouement.study.web.visits import Form, Visit, Visiting, step_of

router = APIRouter(prefix="/s/{study}")


@router.get("/end")
def end(visit: Visiting) -> Response:
    """Thanks, and the way back to where the person came from."""
    if not visit.annotator:
        return visit.to("")
    if not visit.stands_at("end"):
        return visit.onward()
    return _end(visit, visit.annotator)


@router.get("/withdraw")
def withdraw_page(visit: Visiting) -> Response:
    """What withdrawal does, and whether to."""
    if not visit.annotator or visit.annotator.state in ("withdrawn", "declined"):
        return visit.onward()
    told = ["This deletes all that you have answered, and ends your part in the study. It cannot be undone."]
    button = {"name": "withdraw", "value": "yes", "kind": "danger", "text": "Delete my answers"}
    return visit.form("Withdraw from the study?", told, "withdraw", button, back=step_of(visit.annotator))


@router.post("/withdraw")
def withdraw(visit: Visiting, form: Form) -> Response:
    """Delete what this person answered."""
    visit.require_form(form)
    visit.store.withdraw(visit.key)
    return visit.to("end")


def _end(visit: Visit, annotator: Annotator) -> Response:
    ends = visit.design.entry
    onward: dict[str, Any] = {"forward_label": "Back to Prolific" if ends.kind == "prolific" else "Go on"}
    withdrawal = visit.url("withdraw")
    if annotator.state == "withdrawn":
        told = ["Your answers are deleted, and your part in the study has ended."]
        if ends.kind == "prolific":
            told.append("Please return your submission on Prolific.")
        return message("You have withdrawn", *told)
    if annotator.state == "excluded":
        text = "The organiser has ended your part in the study. If you have questions, please write to them."
        return message("Your part has ended", text, withdraw=withdrawal)
    if annotator.state == "screened_out":
        text = "You cannot take part in this study. Thank you for your time."
        return message("Thank you", text, code=ends.screen_out_code, forward=ends.screen_out_url, **onward)
    told = [_answered(annotator.answered, visit.store.most_items(visit.study))]
    onward |= {"code": ends.completion_code, "forward": ends.completion_url, "withdraw": withdrawal}
    if ends.kind != "prolific" and visit.store.may_get_more(visit.key):
        told.append("If one of them stops, a question may come free: you may look again later.")
        onward |= {"back": visit.url("question"), "back_label": "Look for more questions"}
    return message("Thank you", *told, **onward)


def _answered(answered: int, most: int) -> str:
    """How much a person did, and why it is less than the most that their pages told them."""
    if not answered:
        return "There is no question for you: others have answered all of them, or are answering them now."
    saved = f"You have answered {_questions(answered)}, and all that you answered is saved."
    if answered == most:
        return saved
    why = "others have answered the rest, or are answering it now. Nothing is missing on your side."
    return f"{saved} That is fewer than the {most:,} announced, since {why}"


def _questions(n: int) -> str:
    return "1 question" if n == 1 else f"{n:,} questions"
