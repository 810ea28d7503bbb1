"""The test before a step: five items, each to be judged acceptable or not."""

from fastapi import APIRouter, Response

from denouement.collecting.qualification import Attempt, Qualification
from denouement.collecting.web.routes import CollectionRoute
from denouement.collecting.web.visits import Collecting, CollectionVisit
from denouement.collecting.web.words import STEP_WORDS
from denouement.study.web.render import paragraphs
from denouement.study.web.security import form_token
from denouement.study.web.typed import forget, refused
from denouement.study.web.visits import Form

router = APIRouter(prefix="/s/{study}/work", route_class=CollectionRoute)

_ANSWERS = {"yes": True, "no": False}


@router.get("/test/{step}")
def test_page(visit: Collecting, step: str) -> Response:
    """The test of a step, for a person who has not passed it and may take it once more."""
    test = _test(visit, step)
    if not test:
        return visit.onward()
    made = visit.store.attempts(visit.key, step)
    typed = visit.typed(_token(step, made))
    described = getattr(visit.collection, step)
    return visit.page(
        "work_test.html",
        title=f"{STEP_WORDS[step].title}: a test first",
        said=STEP_WORDS[step],
        test=test,
        attempts_left=test.attempts - len(made),
        instructions=paragraphs(described.instructions),
        examples=described.examples,
        typed=typed.fields,
        problem=typed.problem or None,
        action=visit.url(f"work/test/{step}"),
        assignment=_token(step, made),
        form_token=form_token(visit.key),
        withdraw=visit.url("withdraw"),
    )


@router.post("/test/{step}")
def test(visit: Collecting, step: str, form: Form) -> Response:
    """Keep an attempt; one that is sent twice counts once."""
    visit.require_form(form)
    test = _test(visit, step)
    made = visit.store.attempts(visit.key, step) if test else []
    if not test or form.get("assignment") != _token(step, made):
        return visit.to(f"work/result/{step}")
    given = {place: form.get(f"item-{place}", "") for place in range(len(test.items))}
    if not all(value in _ANSWERS for value in given.values()):
        return visit.again(f"work/test/{step}", refused(form, "Please answer all five."))
    judged = {place: _ANSWERS[value] for place, value in given.items()}
    visit.store.attempt(visit.key, step, judged, made_before=len(made))
    response = visit.to(f"work/result/{step}")
    forget(response, visit.url(""))
    return response


@router.get("/result/{step}")
def result(visit: Collecting, step: str) -> Response:
    """What came out of the last attempt."""
    if not visit.may_work or step not in {offer.step for offer in visit.store.offers(visit.key)}:
        return visit.onward()
    made = visit.store.attempts(visit.key, step)
    if not made:
        return visit.onward()
    test: Qualification = getattr(visit.collection, step).qualification
    last = made[-1]
    return visit.page(
        "work_result.html",
        title="You have passed the test" if last.passed else "Not passed",
        said=STEP_WORDS[step],
        test=test,
        last=last,
        n_right=sum(last.right),
        onward=visit.url(f"work/begin/{step}" if not last.screened_out else "work"),
        withdraw=visit.url("withdraw"),
    )


def _test(visit: CollectionVisit, step: str) -> Qualification | None:
    """The test of a step that this person may take now; None where there is none for them."""
    if not visit.may_work:
        return None
    if "test" not in {offer.state for offer in visit.store.offers(visit.key) if offer.step == step}:
        return None
    test: Qualification = getattr(visit.collection, step).qualification
    return test


def _token(step: str, made: list[Attempt]) -> str:
    """What the form of an attempt sends back: the step, and how many attempts were made before."""
    return f"test.{step}.{len(made)}"
