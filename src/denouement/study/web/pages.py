"""What annotators see: consent, a training item, one question a page, and the end.

Every page is a plain form, and its address says which step it is. Where a person stands is known by the store alone,
so reloading, going back or opening a second tab ends at the same step.
"""

import re
import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from denouement.errors import UserError
from denouement.study.design import Design
from denouement.study.store import Annotator, Assignment, Store, StoreUnavailableError
from denouement.study.store.answers import Unfit, check_answer
from denouement.study.web.questions import given, question, training_order
from denouement.study.web.render import message, page, paragraphs
from denouement.study.web.security import (
    Limiter,
    Refused,
    address,
    form_token,
    read_form,
    require_form_token,
    set_cookie,
)

SESSION = "session"  # cookie: the person's key in the store
BROWSER = "browser"  # cookie: the own random id by which an open study knows a browser
PROLIFIC = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")

# Where a person in each state belongs; in any other, at the end.
STEPS = {"consenting": "consent", "training": "training", "answering": "question"}

# What the next question's page says of the answer before; its address names one.
NOTES = {
    "duplicate": "You had answered that question before. Your first answer stands.",
    "surplus": "Your last answer came late, when others had answered the question. It is kept, but does not count.",
}

router = APIRouter(prefix="/s/{study}")
Form = Annotated[dict[str, str], Depends(read_form)]


class Visits:
    """How fast pages may be asked for: by each annotator, whom their key tells, and by an address without one."""

    def __init__(self) -> None:
        self.of_annotators = Limiter(rate=20, burst=60)
        self.of_strangers = Limiter(rate=10, burst=400)  # a hundred people may come in from behind one address

    def check(self, request: Request, key: str) -> None:
        """Count a request before anything is looked up for it; a key that was not seen to be someone's is a stranger's.

        Raises:
            Refused: requests come too fast.
        """
        if self.of_annotators.knows(key):
            self.of_annotators.check(key)
        else:
            self.of_strangers.check(address(request))

    def remember(self, key: str) -> None:
        """From now on count what comes with this key, which is an annotator's, for them."""
        if not self.of_annotators.knows(key):
            self.of_annotators.wait(key)


class Visit:
    """A request to a study, and who makes it.

    Raises:
        Refused: there is no such study, or requests come too fast.
    """

    def __init__(self, request: Request, study: str) -> None:
        self.request, self.study = request, study
        self.store: Store = request.app.state.store
        self.key = request.cookies.get(SESSION, "")
        visits: Visits = request.app.state.visits
        visits.check(request, self.key)
        found = self.store.annotator(self.key) if self.key else None
        self.annotator = found if found and found.study == study else None
        if self.annotator:
            visits.remember(self.key)
        try:
            self.design: Design = self.store.design(study)
        except StoreUnavailableError:
            raise
        except UserError as error:
            text = "Open the link that you were given once more, or ask the person who gave it to you."
            raise Refused(404, "There is no such study", text) from error

    def url(self, step: str) -> str:
        """The address of a step of the study."""
        return f"/s/{self.study}/{step}"

    def to(self, step: str) -> Response:
        """Go to a step; the script of a question's page is told where to go instead."""
        if self.request.headers.get("accept") == "application/json":
            return JSONResponse({"next": self.url(step)})
        return RedirectResponse(self.url(step), 303)

    def onward(self, annotator: Annotator | None = None) -> Response:
        """Go to where the person stands; without one, to the entry."""
        annotator = annotator or self.annotator
        return self.to(_step(annotator) if annotator else "")

    def stands_at(self, step: str) -> bool:
        """Whether this is the page of the step at which the person stands."""
        return self.annotator is not None and _step(self.annotator) == step

    def require_form(self, form: Mapping[str, str]) -> None:
        """Let only the forms of this person's own pages through.

        Raises:
            Refused: it is none.
        """
        if not self.annotator:
            text = "Open the link that you were given once more: it leads to where you were. Your answers are saved."
            raise Refused(403, "We do not know who you are", text)
        require_form_token(self.key, form)

    def entered(self, external_id: str, entry: Mapping[str, str] | None = None) -> Annotator:
        """The person with this id, new or come back.

        Raises:
            Refused: there is no such person.
        """
        annotator = self.store.enter(self.study, external_id, entry)
        if not annotator:
            raise Refused(404, "This link is not valid", "Copy it once more from the message that it came with.")
        return annotator

    def remembering(self, annotator: Annotator) -> Response:
        """Go to where `annotator` stands, whom the browser is from now on."""
        response = self.onward(annotator)
        set_cookie(response, self.request, SESSION, annotator.key, self.url(""))
        return response


Visiting = Annotated[Visit, Depends(Visit)]


@router.get("/")
def entry(visit: Visiting) -> Response:
    """The one link of an open study or of one on Prolific; who came before goes on."""
    kind, query = visit.design.entry.kind, visit.request.query_params
    if kind == "prolific" and PROLIFIC[0] in query:
        told = {name: query.get(name, "") for name in PROLIFIC}
        if not all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value) for value in told.values()):
            raise Refused(400, "This link is incomplete", "Go back to Prolific and open the study from there.")
        return visit.remembering(visit.entered(told.pop(PROLIFIC[0]), told))
    if visit.annotator:
        return visit.onward()
    if kind == "prolific":
        raise Refused(403, "Open this study from Prolific", "Its link there tells us who you are.")
    if kind == "links":
        raise Refused(403, "Open your own link", "Each person who takes part was given one.")
    browser = _browser(visit) or secrets.token_urlsafe(16)
    response = _consent(visit, browser, "enter")
    set_cookie(response, visit.request, BROWSER, browser, visit.url(""))
    return response


@router.get("/link/{token}")
def private_link(visit: Visiting, token: str) -> Response:
    """The link of one person."""
    if visit.design.entry.kind != "links":
        return visit.to("")
    return visit.remembering(visit.entered(token))


@router.post("/enter")
def enter_open(visit: Visiting, form: Form) -> Response:
    """Consent in an open study: only now is there a person in the store, so that mere visits leave no trace."""
    browser = _browser(visit)
    if visit.design.entry.kind != "open" or not browser:
        return visit.to("")
    require_form_token(browser, form)
    annotator = visit.entered(browser)
    return visit.remembering(_consented(visit, annotator.key, form))


@router.get("/consent")
def consent_page(visit: Visiting) -> Response:
    """What the study is, and whether to take part."""
    return _consent(visit, visit.key, "consent") if visit.stands_at("consent") else visit.onward()


@router.post("/consent")
def consent(visit: Visiting, form: Form) -> Response:
    """To take part or not."""
    visit.require_form(form)
    return visit.onward(_consented(visit, visit.key, form))


@router.get("/training")
def training_page(visit: Visiting) -> Response:
    """The training item, with feedback after a wrong answer."""
    if not visit.stands_at("training"):
        return visit.onward()
    return _training(visit, {})


@router.post("/training")
def training(visit: Visiting, form: Form) -> Response:
    """Tell a right answer to the training item from a wrong one, which may be mended."""
    visit.require_form(form)
    item = visit.store.training_item(visit.study)
    if not (item and visit.annotator and visit.annotator.state == "training"):
        return visit.onward()
    if form.get("assignment") != str(visit.annotator.training_failures):  # sent twice
        return visit.onward()
    order = training_order(item)
    told = given(visit.design, form)
    try:
        check_answer(visit.design, len(order), told.answer, told.values, told.order)
    except Unfit as unfit:
        return _training(visit, form, problem=str(unfit))
    arranged = [order[place] for place in told.order or ()]
    if item.is_right(item.chosen(told.answer, order), told.values or {}, arranged):
        visit.store.passed_training(visit.key)
        return visit.to("passed")
    return visit.onward(visit.store.failed_training(visit.key))


@router.get("/passed")
def passed(visit: Visiting) -> Response:
    """Feedback on the right answer to the training item."""
    if not (visit.stands_at("question") and visit.design.training):
        return visit.onward()
    told = paragraphs(visit.design.training.feedback)
    return message("That is right", *told, back=visit.url("question"), back_label="Begin")


@router.get("/question")
def question_page(visit: Visiting, note: str = "") -> Response:
    """The question that this person holds, or their next one."""
    if not visit.annotator:
        return visit.to("")
    assignment = visit.store.next(visit.key)
    if not assignment:
        return visit.onward(visit.store.annotator(visit.key))
    return _question(visit, assignment, {}, note=NOTES.get(note))


@router.post("/answer")
def answer(visit: Visiting, form: Form) -> Response:
    """Keep an answer, then go to the next question."""
    visit.require_form(form)
    token = form.get("assignment", "")
    told = given(visit.design, form)
    outcome = visit.store.submit(visit.key, token, told.answer, told.reason, told.values, told.order)
    if outcome.status == "refused":
        assignment = visit.store.next(visit.key)
        if assignment and assignment.id == token:
            return _question(visit, assignment, form, problem=outcome.message)
        onward = {"back": visit.url("question"), "back_label": "Go on"}
        return message("That answer was not kept", outcome.message, status=409, **onward)
    return visit.to("question" if outcome.status == "accepted" else f"question?note={outcome.status}")


@router.get("/end")
def end(visit: Visiting) -> Response:
    """Thanks, and the way back to where the person came from."""
    if not visit.annotator:
        return visit.to("")
    if _step(visit.annotator) != "end":
        return visit.onward()
    return _end(visit, visit.annotator)


@router.get("/withdraw")
def withdraw_page(visit: Visiting) -> Response:
    """What withdrawal does, and whether to."""
    if not visit.annotator or visit.annotator.state == "withdrawn":
        return visit.onward()
    told = ("This deletes all that you have answered, and ends your part in the study. It cannot be undone.",)
    buttons = [{"name": "withdraw", "value": "yes", "kind": "danger", "text": "Delete my answers"}]
    return _form(visit, "Withdraw from the study?", told, "withdraw", buttons, back=visit.url(_step(visit.annotator)))


@router.post("/withdraw")
def withdraw(visit: Visiting, form: Form) -> Response:
    """Delete what this person answered."""
    visit.require_form(form)
    visit.store.withdraw(visit.key)
    return visit.to("end")


def _step(annotator: Annotator) -> str:
    return STEPS.get(annotator.state, "end")


def _browser(visit: Visit) -> str:
    """The random id that this browser was given by an open study; empty if it has none, or one that we did not make."""
    given = visit.request.cookies.get(BROWSER, "")
    return given if re.fullmatch(r"[A-Za-z0-9_-]{22}", given) else ""


def _consent(visit: Visit, key: str, action: str) -> Response:
    buttons = [
        {"name": "consent", "value": "yes", "kind": "", "text": "I agree, begin"},
        {"name": "consent", "value": "no", "kind": "plain", "text": "I do not agree"},
    ]
    told = paragraphs(visit.design.consent)
    if visit.design.contact:
        told.append(f"Questions? Write to {visit.design.contact}.")
    return _form(visit, visit.design.title, told, action, buttons, key=key)


def _consented(visit: Visit, key: str, form: Mapping[str, str]) -> Annotator:
    decided = visit.store.consent if form.get("consent") == "yes" else visit.store.decline
    return decided(key)


def _training(visit: Visit, form: Mapping[str, str], problem: str | None = None) -> Response:
    item = visit.store.training_item(visit.study)
    assert item is not None
    assert visit.annotator is not None
    assert visit.design.training is not None
    if visit.annotator.training_failures and not problem:
        problem = f"Not quite. {visit.design.training.feedback} Please choose again."
    return _question_page(
        visit,
        item.context,
        [(item.sentences if item.kind == "order" else item.endings)[place] for place in training_order(item)],
        form,
        action="training",
        assignment=str(visit.annotator.training_failures),
        heading="First, an example",
        button="Check my answer",
        problem=problem,
    )


def _question(visit: Visit, assignment: Assignment, form: Mapping[str, str], **told: str | None) -> Response:
    return _question_page(
        visit,
        assignment.item.context,
        assignment.shown,
        form,
        action="answer",
        assignment=assignment.id,
        heading=f"Question {assignment.number} of {assignment.of}",
        button="Next",
        number=assignment.number,
        of=assignment.of,
        reason=visit.design.reason if visit.design.reason.mode != "off" else None,
        **told,
    )


def _question_page(
    visit: Visit, context: Sequence[str], shown: Sequence[str], form: Mapping[str, str], action: str, **told: Any
) -> Response:
    values = {"number": 0, "of": 0, "reason": None} | told
    return page(
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


def _form(
    visit: Visit,
    title: str,
    told: Sequence[str],
    action: str,
    buttons: Sequence[Mapping[str, str]],
    key: str | None = None,
    back: str | None = None,
) -> Response:
    return page(
        "form.html",
        title=title,
        paragraphs=told,
        action=visit.url(action),
        form_token=form_token(visit.key if key is None else key),
        buttons=buttons,
        back=back,
        back_label="Go back",
    )


def _end(visit: Visit, annotator: Annotator) -> Response:
    ends = visit.design.entry
    back = "Back to Prolific" if ends.kind == "prolific" else "Go on"
    if annotator.state == "withdrawn":
        told = ["Your answers are deleted, and your part in the study has ended."]
        if ends.kind == "prolific":
            told.append("Please return your submission on Prolific.")
        return message("You have withdrawn", *told)
    if annotator.state == "excluded":
        text = "The organiser has ended your part in the study. If you have questions, please write to them."
        return message("Your part has ended", text, withdraw=visit.url("withdraw"))
    if annotator.state == "screened_out":
        told = ["You cannot take part in this study. Thank you for your time."]
        return message("Thank you", *told, code=ends.screen_out_code, forward=ends.screen_out_url, forward_label=back)
    questions = "1 question" if annotator.answered == 1 else f"{annotator.answered} questions"
    told = [f"You have answered {questions}, and all that you answered is saved."]
    return message(
        "Thank you",
        *told,
        code=ends.completion_code,
        forward=ends.completion_url,
        forward_label=back,
        back=visit.url("question") if ends.kind != "prolific" else None,
        back_label="Look for more questions",
        withdraw=visit.url("withdraw"),
    )
