"""A request for a page of a study: who makes it, how often they may, and at which step of the study they are."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from denouement.errors import UserError
from denouement.study.design.description import Design
from denouement.study.design.share import asked_of_each
from denouement.study.languages import Texts, joined, texts
from denouement.study.store import Annotator, Outlook, Store, StoreUnavailableError
from denouement.study.web.render import message, page
from denouement.study.web.security import (
    HEAD,
    Limiter,
    RefusedVisit,
    address,
    form_token,
    read_form,
    require_form_token,
    set_cookie,
)
from denouement.study.web.typed import Typed, keep, kept

SESSION = "session"  # cookie: the person's key in the store
BROWSER = "browser"  # cookie: a random id by which an open study recognises a browser

# The step of a person in each state; in the other states the step is `end`.
STEPS = {
    "consenting": "consent",
    "declined": "declined",
    "asking": "before",
    "training": "training",
    "answering": "question",
}

Form = Annotated[dict[str, str], Depends(read_form)]


class Visits:
    """Limits how often a page may be requested: by each annotator, known by their key, and by each address.

    Args:
        of: makes the visit of a request to what has a name; by default a visit to the study of this name.
    """

    def __init__(self, of: "Callable[[Request, str], Visit] | None" = None) -> None:
        self.of: Callable[[Request, str], Visit] = of or Visit
        self.of_annotators = Limiter(rate=20, burst=60)
        self.of_strangers = Limiter(rate=10, burst=400)  # a hundred people may share one address

    def texts(self, store: Store, study: str) -> Texts:
        """The texts of a study's pages.

        Raises:
            UserError: there is no such study.
        """
        return texts(store.design(study).language)

    def check(self, request: Request, key: str) -> None:
        """Count a request, before the store is asked for it; a request with an unknown key counts for its address.

        Raises:
            Refused: requests come too fast.
        """
        if self.of_annotators.knows(key):
            self.of_annotators.check(key)
        else:
            self.of_strangers.check(address(request))

    def remember(self, key: str) -> None:
        """Count requests with this key, which is an annotator's, for the key from now on, and not for the address."""
        if not self.of_annotators.knows(key):
            self.of_annotators.wait(key)


class Visit:
    """A request to a study, with the annotator who makes it.

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
            self.design = self._design()
        except StoreUnavailableError:
            raise
        except UserError as error:
            raise RefusedVisit(404, "no_study") from error
        self.say: Texts = texts(self.design.language)

    def _design(self) -> Design:
        """What is asked.

        Raises:
            UserError: there is no such study.
        """
        return self.store.design(self.study)

    def url(self, step: str) -> str:
        """The address of a step of the study."""
        return f"{self.request.scope.get('root_path', '')}/s/{self.study}/{step}"

    def to(self, step: str) -> Response:
        """Go to a step; the script of a question's page gets the address as JSON instead."""
        if self.request.headers.get("accept") == "application/json":
            return JSONResponse({"next": self.url(step)})
        return RedirectResponse(self.url(step), 303)

    def typed(self, about: str) -> Typed:
        """The refused form about this assignment that the browser keeps; an empty one where it keeps none."""
        return kept(self.request, self.key, about)

    def again(self, step: str, typed: Typed, or_else: Callable[[], Response] | None = None) -> Response:
        """Go to the step of a refused form, whose page shows what was sent.

        Args:
            step: the step.
            typed: the form.
            or_else: makes the page at once where the form is too long for the browser to keep it. A page's script keeps
                a form of any length.
        """
        is_script = self.request.headers.get("accept") == "application/json"
        response = JSONResponse({"next": self.url(step), "refused": True}) if is_script else self.to(step)
        fits = keep(response, self.request, self.key, self.url(""), typed)
        if not fits and is_script:
            keep(response, self.request, self.key, self.url(""), replace(typed, fields={}))
        return or_else() if or_else and not fits and not is_script else response

    def onward(self, annotator: Annotator | None = None) -> Response:
        """Go to the step that the person is at; without a person, to the entry."""
        annotator = annotator or self.annotator
        return self.to(self.step_of(annotator) if annotator else "")

    def step_of(self, annotator: Annotator) -> str:
        """The step at which a person is; `end`, even before a first question, where the study has none for them now.

        A person in the training stays there while others hold all that is left: it may come free until they passed.
        """
        step = STEPS.get(annotator.state, "end")
        if annotator.state == "done" and self._has_questions_after(annotator):
            return "after"
        gone = ("full", "paused", "closed")
        none_now = {"consent": ("busy", *gone), "before": gone, "training": gone}
        return "end" if step in none_now and self.outlook.state in none_now[step] else step

    @property
    def length(self) -> list[str]:
        """How much a person is asked, in words for the page of consent."""
        most, minutes = asked_of_each(self.design, self.store.items(self.study))
        return [joined([self.say("consent.questions", n=most), self.say("consent.minutes", n=minutes)])]

    def _has_questions_after(self, annotator: Annotator) -> bool:
        """Whether a person who is done is still to reply to the last questions: not while more items may come."""
        if not annotator.answered or not self.design.ask.after or annotator.has_replied:
            return False
        return self.outlook.state != "paused" or not self.store.may_get_more(annotator.key)

    @cached_property
    def outlook(self) -> Outlook:
        """What the study has for a person who comes now, so that nobody agrees and then gets no question."""
        return self.store.outlook(self.study)

    def is_at(self, step: str) -> bool:
        """Whether the person is at this step."""
        return self.annotator is not None and self.step_of(self.annotator) == step

    def require_form(self, form: Mapping[str, str]) -> None:
        """Accept only forms of this person's own pages.

        Raises:
            Refused: the form is of another page, or it is not known who sent it.
        """
        if not self.annotator:
            raise RefusedVisit(403, "no_person")
        require_form_token(self.key, form)

    @property
    def is_only_a_look(self) -> bool:
        """Whether a program asks for the page in advance, or for its head alone, so that nobody may ever see it."""
        headers = self.request.headers
        ahead = headers.get("sec-purpose", "") + headers.get("purpose", "") + headers.get("x-moz", "")
        return bool(self.request.scope.get(HEAD)) or "prefetch" in ahead or "preview" in ahead

    def may_enter(self, external_id: str) -> bool:
        """Whether anybody can enter with this id. It adds nobody."""
        try:
            self.store.annotator_id(self.study, external_id)
        except StoreUnavailableError:
            raise
        except UserError:
            return False
        return True

    def entered(self, external_id: str, entry: Mapping[str, str] | None = None) -> Annotator:
        """The person with this id, new or not.

        Raises:
            Refused: there is no such person.
        """
        annotator = self._enter(external_id, entry)
        if not annotator and self.outlook.state == "closed":
            if self.design.entry.kind == "prolific":
                raise RefusedVisit(403, "closed_prolific")
            raise RefusedVisit(403, "closed")
        if not annotator:
            raise RefusedVisit(404, "no_link")
        return annotator

    def _enter(self, external_id: str, entry: Mapping[str, str] | None) -> Annotator | None:
        return self.store.enter(self.study, external_id, entry)

    def remembering(self, annotator: Annotator) -> Response:
        """Go to the step of `annotator`; the browser keeps that person's key from now on."""
        response = self.onward(annotator)
        set_cookie(response, self.request, SESSION, annotator.key, self.url(""))
        return response

    @property
    def contact(self) -> list[str]:
        """A paragraph with the study's contact; none where the design has no contact."""
        return [self.say("page.contact", contact=self.design.contact)] if self.design.contact else []

    @property
    def browser(self) -> str:
        """The random id that an open study gave this browser; empty where it has none, or one of another form."""
        given = self.request.cookies.get(BROWSER, "")
        return given if re.fullmatch(r"[A-Za-z0-9_-]{22}", given) else ""

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page in the study's language."""
        return page(template, status, say=self.say, **values)

    def message(self, title: str, *paragraphs: str, status: int = 200, **values: Any) -> Response:
        """A page of text without a question, in the study's language; `title` is the key of its heading."""
        return message(self.say(title), *paragraphs, status=status, say=self.say, **values)

    def form(
        self,
        title: str,
        texts: Sequence[str],
        action: str,
        button: Mapping[str, str],
        back: str,
        back_label: str | None = None,
        key: str | None = None,
    ) -> Response:
        """A page of text with a form of one button, and a link to go back.

        Args:
            title: its heading.
            texts: its paragraphs.
            action: the step to which the form is sent.
            button: its `name`, `value`, `kind` and `text`.
            back: the step to which the link leads.
            back_label: the text of the link; None: go back.
            key: the key that signs the form; None is the person's key.
        """
        return self.page(
            "form.html",
            title=title,
            paragraphs=texts,
            action=self.url(action),
            form_token=form_token(self.key if key is None else key),
            button=button,
            back=self.url(back),
            back_label=back_label or self.say("page.go_back"),
        )


def _visit(request: Request, study: str) -> Visit:
    visits: Visits = request.app.state.visits
    return visits.of(request, study)


Visiting = Annotated[Visit, Depends(_visit)]
