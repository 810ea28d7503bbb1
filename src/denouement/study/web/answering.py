"""The pages of the training item, and then of one question after the other until none is left."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Response

from denouement.study.languages import joined
from denouement.study.store import Annotator, Assignment
from denouement.study.store.answers import Unfit, check_answer
from denouement.study.web.questions import given, question
from denouement.study.web.render import paragraphs
from denouement.study.web.security import form_token
from denouement.study.web.visits import Form, Visit, Visiting

NOTES = ("duplicate", "surplus")  # about the answer before; in the address of the next question's page

router = APIRouter(prefix="/s/{study}")


@router.get("/training")
def training_page(visit: Visiting) -> Response:
    """The training item; after a wrong answer, with feedback on that answer."""
    if not (visit.annotator and visit.is_at("training")):
        return visit.onward()
    failures = visit.annotator.training_failures
    return _training(visit, visit.annotator, {}, _about_wrong(visit, failures, ()) if failures else None)


@router.post("/training")
def training(visit: Visiting, form: Form) -> Response:
    """Check the answer to the training item; after a wrong one the person may try again."""
    visit.require_form(form)
    item, annotator = visit.store.training_item(visit.study), visit.annotator
    if not (item and annotator and visit.is_at("training")):
        return visit.onward()
    order = visit.store.training_order(visit.study, annotator.id)
    reply = given(visit.design, form)
    try:
        check_answer(visit.design, len(order), reply.answer, reply.values, reply.order)
    except Unfit as unfit:
        return _training(visit, annotator, form, str(unfit))
    values, arranged = reply.values or {}, [order[place] for place in reply.order or ()]
    if item.is_right(item.chosen(reply.answer, order), values, arranged):
        visit.store.passed_training(visit.key)
        return visit.to("passed")
    if form.get("assignment") == str(annotator.training_failures):  # else it was sent twice: counted already
        annotator = visit.store.failed_training(visit.key)
        if annotator.state != "training":
            return visit.onward(annotator)
    return _training(visit, annotator, form, _about_wrong(visit, annotator.training_failures, item.missed(values)))


@router.get("/passed")
def passed(visit: Visiting) -> Response:
    """Feedback on the right answer to the training item."""
    if not (visit.is_at("question") and visit.design.training):
        return visit.onward()
    texts = paragraphs(visit.design.training.feedback_right)
    return visit.message("passed.title", *texts, back=visit.url("question"), back_label=visit.say("passed.button"))


@router.get("/question")
def question_page(visit: Visiting, note: str = "") -> Response:
    """The question that this person was given and has not answered, or their next one."""
    if not visit.annotator:
        return visit.to("")
    assignment = visit.store.next(visit.key)
    if not assignment:
        return visit.onward(visit.store.annotator(visit.key))
    return _question(visit, assignment, {}, note=visit.say(f"note.{note}") if note in NOTES else None)


@router.post("/answer")
def answer(visit: Visiting, form: Form) -> Response:
    """Keep an answer, then go to the next question."""
    visit.require_form(form)
    token = form.get("assignment", "")
    reply = given(visit.design, form)
    outcome = visit.store.submit(visit.key, token, reply.answer, reply.reason, reply.values, reply.order)
    if outcome.status == "refused":
        assignment = visit.store.next(visit.key)
        if assignment and assignment.id == token:
            return _question(visit, assignment, form, problem=outcome.message)
        onward = {"back": visit.url("question"), "back_label": visit.say("page.go_on")}
        return visit.message("unfit.title", outcome.message, status=409, **onward)
    return visit.to("question" if outcome.status == "accepted" else f"question?note={outcome.status}")


def _training(visit: Visit, annotator: Annotator, form: Mapping[str, str], problem: str | None) -> Response:
    item = visit.store.training_item(visit.study)
    assert item is not None
    texts = item.sentences if item.kind == "order" else item.endings
    left = _attempts_left(visit, annotator.training_failures)
    return _question_page(
        visit,
        item.context,
        [texts[place] for place in visit.store.training_order(visit.study, annotator.id)],
        form,
        action="training",
        assignment=str(annotator.training_failures),
        heading=visit.say("training.heading"),
        button=visit.say("training.button"),
        problem=problem,
        note=None if problem or left is None else visit.say("training.attempts", n=left),
    )


def _about_wrong(visit: Visit, failures: int, scales: Sequence[str]) -> str:
    """The feedback on a wrong answer to the training item; of a rating, with the scales that were wrong."""
    assert visit.design.training is not None
    say = visit.say
    asked = [scale.text for scale in visit.design.scales if scale.name in scales]
    again = say("training.again_on", scales=joined(asked)) if asked else say(f"training.again.{visit.design.kind}")
    left = _attempts_left(visit, failures)
    told = [] if left is None else [say("training.left", n=left)]
    return joined([say("training.wrong"), visit.design.training.feedback, again, *told])


def _attempts_left(visit: Visit, failures: int) -> int | None:
    most = visit.design.training.attempts if visit.design.training else None
    return None if most is None else most - failures


def _question(visit: Visit, assignment: Assignment, form: Mapping[str, str], **values: str | None) -> Response:
    return _question_page(
        visit,
        assignment.item.context,
        assignment.shown,
        form,
        action="answer",
        assignment=assignment.id,
        heading=visit.say("question.heading", number=assignment.number, of=assignment.of),
        button=visit.say("question.button"),
        number=assignment.number,
        of=assignment.of,
        reason=visit.design.reason if visit.design.reason.mode != "off" else None,
        **values,
    )


def _question_page(
    visit: Visit, context: Sequence[str], shown: Sequence[str], form: Mapping[str, str], action: str, **values: Any
) -> Response:
    values = {"number": 0, "of": 0, "reason": None} | values
    return visit.page(
        "question.html",
        422 if form else 200,
        title=visit.design.title,
        question=question(visit.design, context, shown),
        typed=defaultdict(str, form),
        action=visit.url(action),
        form_token=form_token(visit.key),
        instructions=paragraphs(visit.design.instructions),
        open_instructions=values["number"] < (1 if visit.design.training else 2),
        withdraw=visit.url("withdraw"),
        **values,
    )
