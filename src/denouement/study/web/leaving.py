"""The pages at the end of a person's part, or before it where there is no question now, and leaving a question's page.

A person who gave no answer never gets the completion code, since it stands for work that is paid: they get the code of
`entry.no_place_code`, or are asked to return their submission.
"""

from typing import Any

from fastapi import APIRouter, Response

from denouement.study.store import Annotator
from denouement.study.web.render import message
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
    texts = ["This deletes all that you have answered, and ends your part in the study. It cannot be undone."]
    button = {"name": "withdraw", "value": "yes", "kind": "danger", "text": "Delete my answers"}
    return visit.form("Withdraw from the study?", texts, "withdraw", button, back=visit.step_of(visit.annotator))


@router.post("/withdraw")
def withdraw(visit: Visiting, form: Form) -> Response:
    """Delete what this person answered."""
    visit.require_form(form)
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
    outlook = visit.outlook
    if outlook.state == "closed":
        return _no_place(visit, "The study is closed", "Thank you for coming. There are no more questions.")
    if outlook.state == "full":
        text = "There is no question for you: others have answered all of them."
        return _no_place(visit, "All questions are answered", text)
    if outlook.state == "paused":
        return _wait(visit, "The study is paused", "Nobody gets a question at the moment.")
    text = "Others are answering all the questions at this moment, so there is none for you now."
    if outlook.minutes:  # busy; in any other state this person saw all that is free
        text += f" A place may get free within {_minutes(outlook.minutes)}."
    return _wait(visit, "All questions are being answered", text)


def _end(visit: Visit, annotator: Annotator) -> Response:
    entry, withdrawal = visit.design.entry, visit.url("withdraw")
    if annotator.state in ("consenting", "training"):
        return not_now(visit)
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
        ends = _ends(visit, entry.screen_out_code, entry.screen_out_url)
        return message("Thank you", *texts, *visit.contact, **ends)
    may_get_more = visit.store.may_get_more(visit.key)
    if not annotator.answered:
        if may_get_more:
            return not_now(visit)
        text = "There is no question for you: others have answered all of them."
        return _no_place(visit, "All questions are answered", text, withdraw=withdrawal)
    if visit.outlook.state == "paused" and may_get_more:
        saved = f"Your {_answers(annotator.answered)} saved."
        return _wait(visit, "The study is paused", saved, "Nobody gets a question at the moment.", withdraw=withdrawal)
    texts, onward = [_answered(visit, annotator)], dict[str, Any](withdraw=withdrawal)
    if entry.kind != "prolific" and may_get_more:
        texts.append("If one of these people stops, there may be a question for you: you may look again later.")
        onward |= {"back": visit.url("question"), "back_label": "Look for more questions"}
    ends = _ends(visit, entry.completion_code, entry.completion_url)
    return message("Thank you", *texts, *visit.contact, **ends, **onward)


def _wait(visit: Visit, title: str, *texts: str, **onward: Any) -> Response:
    """A page that looks by itself, without a script, whether there is a question now."""
    texts = (
        *texts,
        f"This page looks again by itself every {WAIT_SECONDS} seconds. You may also close it and come back later by "
        "the same link.",
    )
    if visit.design.entry.kind == "prolific":
        texts = (*texts, "If you do not want to wait, please return your submission on Prolific.")
    again: dict[str, Any] = {"again": visit.url("question" if visit.annotator else ""), "seconds": WAIT_SECONDS}
    return message(title, *texts, *visit.contact, **again, **onward)


def _no_place(visit: Visit, title: str, *texts: str, **onward: Any) -> Response:
    """The end for a person without an answer: with the code for those who came in vain, where the study has one."""
    entry = visit.design.entry
    if entry.kind == "prolific" and not entry.no_place_url:
        texts = (*texts, "Please return your submission on Prolific.")
    ends = _ends(visit, entry.no_place_code, entry.no_place_url)
    return message(title, *texts, *visit.contact, **ends, **onward)


def _ends(visit: Visit, code: str, url: str) -> dict[str, Any]:
    """The code of an end, and the button to where the person came from."""
    label = "Back to Prolific" if visit.design.entry.kind == "prolific" else "Go on"
    return {"code": code, "forward": url, "forward_label": label}


def _attempts_missed(attempts: int) -> str:
    return f"your {'answer' if attempts == 1 else f'{attempts:,} answers'} to the example did not fit"


def _answered(visit: Visit, annotator: Annotator) -> str:
    """How many questions a person answered and, where these are fewer than their pages announced, why."""
    saved = f"You have answered {_questions(annotator.answered)}, and all that you answered is saved."
    if visit.outlook.state == "closed":
        return f"{saved} The study is closed, so there are no more questions."
    most = visit.store.most_items(visit.study)
    if annotator.answered >= most:
        return saved
    if visit.store.left_any(visit.key):
        why = "since others have answered some questions, or are answering them now. Nothing is missing on your side."
        return f"{saved} That is fewer than the {most:,} announced, {why}"
    return f"{saved} There are no more for you: the {most:,} announced were the most that there might be."


def _answers(n: int) -> str:
    return "answer is" if n == 1 else f"{n:,} answers are"


def _minutes(n: int) -> str:
    return "a minute" if n == 1 else f"{n:,} minutes"


def _questions(n: int) -> str:
    return "1 question" if n == 1 else f"{n:,} questions"
