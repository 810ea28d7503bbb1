"""The pages of a study's own questions: one before the items, one after the last."""

from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from typing import Literal

from fastapi import APIRouter, Response

from denouement.study.design.ask import MOST_CHARACTERS, OwnQuestion
from denouement.study.web.security import form_token
from denouement.study.web.typed import forget, refused
from denouement.study.web.visits import Form, Visit, Visiting

Page = Literal["before", "after"]

router = APIRouter(prefix="/s/{study}")


@router.get("/before")
def before_page(visit: Visiting) -> Response:
    """The questions before the items."""
    return _shown(visit, "before")


@router.post("/before")
def before(visit: Visiting, form: Form) -> Response:
    """Keep the replies to the questions before the items."""
    return _keep(visit, "before", form)


@router.get("/after")
def after_page(visit: Visiting) -> Response:
    """The questions after the last item."""
    return _shown(visit, "after")


@router.post("/after")
def after(visit: Visiting, form: Form) -> Response:
    """Keep the replies to the questions after the last item."""
    return _keep(visit, "after", form)


def _shown(visit: Visit, page: Page) -> Response:
    if not visit.is_at(page):
        return visit.onward()
    typed = visit.typed(page)
    return _page(visit, page, typed.fields, typed.problem or None)


def _keep(visit: Visit, page: Page, form: Mapping[str, str]) -> Response:
    visit.require_form(form)
    asked = _asked(visit, page)
    given = {question.name: _given(question, number, form) for number, question in enumerate(asked)}
    outcome = visit.store.reply(visit.key, page, given)
    if outcome.status == "refused":
        at_once = partial(_page, visit, page, form, outcome.message, 422)
        return visit.again(page, refused(form, outcome.message), or_else=at_once)
    response = visit.onward(visit.store.annotator(visit.key))
    forget(response, visit.url(""))
    return response


def _given(question: OwnQuestion, number: int, form: Mapping[str, str]) -> list[str]:
    """What a form says in reply to the question with this number; options are known by their numbers."""
    if question.type == "several":
        return [option for place, option in enumerate(question.options) if f"reply-{number}-{place}" in form]
    value = form.get(f"reply-{number}", "")
    if question.type == "choice":
        return [option for place, option in enumerate(question.options) if value == str(place)]
    return [value]


def _asked(visit: Visit, page: Page) -> tuple[OwnQuestion, ...]:
    return visit.design.ask.before if page == "before" else visit.design.ask.after


def _page(visit: Visit, page: Page, form: Mapping[str, str], problem: str | None = None, status: int = 200) -> Response:
    may_correct = page == "after" and visit.design.back
    return visit.page(
        "ask.html",
        status,
        title=visit.say("ask.before" if page == "before" else "ask.after"),
        questions=_asked(visit, page),
        most=MOST_CHARACTERS,
        typed=defaultdict(str, form),
        problem=problem,
        action=visit.url(page),
        assignment=page,
        form_token=form_token(visit.key),
        correct=visit.url("back") if may_correct else None,
        withdraw=visit.url("withdraw"),
    )
