"""The page on which a person sees and corrects the last answer, where the study lets them."""

from collections.abc import Mapping
from functools import partial
from string import ascii_uppercase

from fastapi import APIRouter, Response

from denouement.study.design.description import Design
from denouement.study.store import Answer, Assignment
from denouement.study.web.answering import question_form
from denouement.study.web.questions import answer_name, given
from denouement.study.web.typed import forget, refused
from denouement.study.web.visits import Form, Visit, Visiting

router = APIRouter(prefix="/s/{study}")


@router.get("/back")
def back_page(visit: Visiting, note: str = "") -> Response:
    """The last answer, as it was given; after a correction that was refused, as that has it."""
    last = visit.store.last(visit.key) if visit.annotator else None
    if not last:
        return visit.onward()
    typed = visit.typed(last[0].id)
    shown = visit.say("note.too_late") if note == "too_late" else None
    return _page(visit, *last, typed.fields if typed.problem else None, typed.problem or None, note=shown)


@router.post("/back")
def back(visit: Visiting, form: Form) -> Response:
    """Put the answer in the form in the place of the last one."""
    visit.require_form(form)
    token = form.get("assignment", "")
    outcome = visit.store.correct(visit.key, token, **vars(given(visit.design, form)))
    if outcome.status == "refused":
        last = visit.store.last(visit.key)
        if last and last[0].id == token:
            at_once = partial(_page, visit, *last, form, outcome.message, 422)
            return visit.again("back", refused(form, outcome.message), or_else=at_once)
        return visit.to("back?note=too_late")
    response = visit.to("question?note=corrected" if outcome.status == "accepted" else "question")
    forget(response, visit.url(""))
    return response


def _page(
    visit: Visit,
    assignment: Assignment,
    answer: Answer,
    form: Mapping[str, str] | None = None,
    problem: str | None = None,
    status: int = 200,
    note: str | None = None,
) -> Response:
    return question_form(
        visit,
        assignment.item.context,
        assignment.shown,
        _entered(visit.design, answer) if form is None else form,
        action="back",
        status=status,
        assignment=assignment.id,
        heading=visit.say("more.back_heading"),
        button=visit.say("more.back_button"),
        number=assignment.number,
        of=assignment.of,
        with_reason=visit.design.reason.mode != "off",
        problem=problem,
        note=note,
        away=visit.url("question"),
    )


def _entered(design: Design, answer: Answer) -> dict[str, str]:
    """The fields of a form from which `questions.given` reads this answer."""
    fields = {"reason": answer.reason or "", **{f"box-{box}": "on" for box in answer.elements or ()}}
    fields |= {answer_name(design, name): code for name, code in answer.answers.items()}
    fields |= {f"scale-{name}": str(value) for name, value in answer.values.items()}
    arranged = answer.arranged_on_page
    if design.kind == "best_worst":
        fields |= {name: ascii_uppercase[arranged.index(rank)] for name, rank in (("best", 1), ("worst", 3))}
    elif design.kind == "ranking":
        fields |= {f"place-{number}": str(rank) for number, rank in enumerate(arranged, 1)}
    else:
        fields |= {f"place-{shown + 1}": str(place) for place, shown in enumerate(arranged, 1)}
    context = answer.item.context
    for each in answer.highlights or ():
        text = each.sentence
        if each.system is not None:
            text = len(context) + answer.order.index(answer.item.systems.index(each.system))
        fields |= {f"mark-{text}-{word}": "on" for word in range(each.start, each.end)}
    return fields
