"""The pages of the practice items, and then of one question after the other until none is left."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from fastapi import APIRouter, Response

from denouement.study.languages import joined
from denouement.study.store import Annotator, Assignment
from denouement.study.store.answers import Unfit, answers_by_question, check_answer
from denouement.study.web.questions import boxes, given, markable, question
from denouement.study.web.render import paragraphs
from denouement.study.web.security import form_token
from denouement.study.web.typed import forget, refused
from denouement.study.web.visits import Form, Visit, Visiting

# About the answer before; in the address of the next question's page.
NOTES = ("duplicate", "surplus", "not_kept", "corrected", "skipped")

router = APIRouter(prefix="/s/{study}")


@router.get("/training")
def training_page(visit: Visiting) -> Response:
    """The practice item that the person is at; after a wrong answer, with feedback on that answer."""
    if not (visit.annotator and visit.is_at("training")):
        return visit.onward()
    typed = visit.typed(_token(visit.annotator))
    wrong = _about_wrong(visit, visit.annotator, typed.missed) if visit.annotator.training_failures else None
    return _training(visit, visit.annotator, typed.fields, typed.problem or wrong)


@router.post("/training")
def training(visit: Visiting, form: Form) -> Response:
    """Check the answer to a practice item; after a wrong one the person may try again."""
    visit.require_form(form)
    annotator = visit.annotator
    if not (annotator and visit.is_at("training")):
        return visit.onward()
    place = annotator.training_passed
    if form.get("assignment", "").partition(".")[0] != str(place):  # of an item that was passed since
        return visit.to("training")
    item = visit.store.training_items(visit.study)[place]
    order = visit.store.training_order(visit.study, annotator.id, place)
    reply = given(visit.design, form)
    try:
        check_answer(visit.design, len(order), reply.answer, reply.values, reply.order, reply.ranks)
    except Unfit as unfit:
        return visit.again("training", refused(form, str(unfit)))
    values, arranged = reply.values or {}, item.arrangement(reply.order or reply.ranks or (), order)
    answers = answers_by_question(visit.design, reply.answer)
    if item.is_right(item.chosen(answers.get(visit.design.asked[0].name), order), values, arranged):
        visit.store.passed_training(visit.key, place)
        return visit.to("passed")
    if form.get("assignment") == _token(annotator):  # else it was sent twice: counted already
        annotator = visit.store.failed_training(visit.key, place)
        if annotator.state != "training":
            return visit.onward(annotator)
    again = dict(form) | {"assignment": _token(annotator)}
    return visit.again("training", refused(again, missed=item.missed(values)))


@router.get("/passed")
def passed(visit: Visiting) -> Response:
    """Feedback on the right answer to the practice item that was passed last."""
    annotator = visit.annotator
    if not (annotator and annotator.training_passed and (visit.is_at("question") or visit.is_at("training"))):
        return visit.onward()
    texts = paragraphs(visit.design.training[annotator.training_passed - 1].feedback_right)
    label = visit.say("training.next" if annotator.state == "training" else "passed.button")
    return visit.message("passed.title", *texts, back=visit.url(visit.step_of(annotator)), back_label=label)


@router.get("/question")
def question_page(visit: Visiting, note: str = "") -> Response:
    """The question that this person was given and has not answered, or their next one."""
    if not visit.annotator:
        return visit.to("")
    assignment = visit.store.next(visit.key)
    if not assignment:
        return visit.onward(visit.store.annotator(visit.key))
    typed = visit.typed(assignment.id)
    shown = visit.say(f"note.{note}") if note in NOTES and not typed.problem else None
    return _question(visit, assignment, typed.fields, problem=typed.problem or None, note=shown)


@router.post("/answer")
def answer(visit: Visiting, form: Form) -> Response:
    """Keep an answer, or skip the question, then go to the next one."""
    visit.require_form(form)
    token = form.get("assignment", "")
    if "skip" in form:
        outcome, done = visit.store.skip(visit.key, token, form.get("remark")), "question?note=skipped"
    else:
        reply = given(visit.design, form)
        outcome, done = visit.store.submit(visit.key, token, **vars(reply), problem=form.get("remark")), "question"
    if outcome.status == "refused":
        assignment = visit.store.next(visit.key)
        if assignment and assignment.id == token:
            typed = refused(form, outcome.message)
            at_once = partial(_question, visit, assignment, form, 422, outcome.message)
            return visit.again("question", typed, or_else=at_once)
        return visit.to("question?note=not_kept")
    response = visit.to(done if outcome.status == "accepted" else f"question?note={outcome.status}")
    forget(response, visit.url(""))
    return response


def _training(visit: Visit, annotator: Annotator, form: Mapping[str, str], problem: str | None) -> Response:
    place, items = annotator.training_passed, visit.store.training_items(visit.study)
    item, say = items[place], visit.say
    texts = item.sentences if item.kind == "order" else item.endings
    left = _attempts_left(visit, annotator)
    several = say("training.several", number=place + 1, of=len(items))
    return question_form(
        visit,
        item.context,
        [texts[place] for place in visit.store.training_order(visit.study, annotator.id, place)],
        form,
        action="training",
        assignment=_token(annotator),
        heading=several if len(items) > 1 else say("training.heading"),
        button=say("training.button"),
        problem=problem,
        note=None if problem or left is None else say("training.attempts", n=left),
    )


def _token(annotator: Annotator) -> str:
    """What the form of a practice item sends back: the items passed, and the wrong answers to this one."""
    return f"{annotator.training_passed}.{annotator.training_failures}"


def _about_wrong(visit: Visit, annotator: Annotator, scales: Sequence[str]) -> str:
    """The feedback on a wrong answer to a practice item; of a rating, with the scales that were wrong."""
    say = visit.say
    asked = [scale.text for scale in visit.design.scales if scale.name in scales]
    if visit.design.questions:
        asked = [visit.design.asked[0].text]
    again = f"training.again.{visit.design.kind}"
    again = say(f"{again}_on", questions=joined(asked)) if asked else say(again)
    left = _attempts_left(visit, annotator)
    attempts = [] if left is None else [say("training.left", n=left)]
    return joined([say("training.wrong"), visit.design.training[annotator.training_passed].feedback, again, *attempts])


def _attempts_left(visit: Visit, annotator: Annotator) -> int | None:
    most = visit.design.training[annotator.training_passed].attempts
    return None if most is None else most - annotator.training_failures


def _question(
    visit: Visit,
    assignment: Assignment,
    form: Mapping[str, str],
    status: int = 200,
    problem: str | None = None,
    note: str | None = None,
) -> Response:
    design = visit.design
    return question_form(
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
        with_reason=design.reason.mode != "off",
        flag=design.flag,
        skip=design.skip is not None and visit.store.may_skip(visit.key),
        correct=visit.url("back") if design.back and visit.store.last(visit.key) else None,
        status=status,
        problem=problem,
        note=note,
    )


def question_form(
    visit: Visit,
    context: Sequence[str],
    shown: Sequence[str],
    form: Mapping[str, str],
    action: str,
    status: int = 200,
    with_reason: bool = False,
    **values: Any,
) -> Response:
    """The page with the form of a question.

    Args:
        visit: the visit.
        context: the item's sentences that are neither judged nor moved.
        shown: the texts to judge, in the order of the page.
        form: what the person has entered already.
        action: the step to which the form is sent.
        status: of HTTP.
        with_reason: whether it asks for the reason, as the design says.
        values: further values of the template.
    """
    design = visit.design
    shared = {"number": 0, "of": 0, "flag": False, "skip": False, "correct": None, "away": None}
    values = shared | values
    return visit.page(
        "question.html",
        status,
        title=design.title,
        question=question(design, context, shown),
        reason=design.reason if with_reason else None,
        boxes=boxes(design) if with_reason else [],
        marked=markable(design, context, shown) if with_reason else [],
        typed=defaultdict(str, form),
        action=visit.url(action),
        form_token=form_token(visit.key),
        instructions=paragraphs(design.instructions),
        open_instructions=not values["away"] and values["number"] < (1 if design.training else 2),
        withdraw=visit.url("withdraw"),
        **values,
    )
