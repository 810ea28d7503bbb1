"""Who asks for a page of a study, how often they may ask, and which step of the study they are at."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import Depends, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from denouement.errors import UserError
from denouement.study.design.design import Design
from denouement.study.store import Annotator, Store, StoreUnavailableError
from denouement.study.web.render import page
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

# The step of a person in each state; in the other states it is the end.
STEPS = {"consenting": "consent", "declined": "declined", "training": "training", "answering": "question"}

Form = Annotated[dict[str, str], Depends(read_form)]


class Visits:
    """How often pages may be asked for: by each annotator, known by their key, and by each address without a key."""

    def __init__(self) -> None:
        self.of_annotators = Limiter(rate=20, burst=60)
        self.of_strangers = Limiter(rate=10, burst=400)  # a hundred people may come in from behind one address

    def check(self, request: Request, key: str) -> None:
        """Count a request before anything is looked up for it; an unknown key counts for its address.

        Raises:
            Refused: requests come too fast.
        """
        if self.of_annotators.knows(key):
            self.of_annotators.check(key)
        else:
            self.of_strangers.check(address(request))

    def remember(self, key: str) -> None:
        """From now on count the requests with this key, an annotator's, for the key and not for the address."""
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
        """Go to a step; the script of a question's page gets the address as JSON instead."""
        if self.request.headers.get("accept") == "application/json":
            return JSONResponse({"next": self.url(step)})
        return RedirectResponse(self.url(step), 303)

    def onward(self, annotator: Annotator | None = None) -> Response:
        """Go to the step that the person is at; without a person, to the entry."""
        annotator = annotator or self.annotator
        return self.to(self.step_of(annotator) if annotator else "")

    def step_of(self, annotator: Annotator) -> str:
        """The step that a person is at; the end, even before a first question, in a study that has all its answers."""
        step = STEPS.get(annotator.state, "end")
        return "end" if step in ("consent", "training") and self.is_full else step

    @property
    def is_full(self) -> bool:
        """Whether the study has all its answers, so that nobody who comes now is asked for their consent or work."""
        return self.store.is_full(self.study)

    def is_at(self, step: str) -> bool:
        """Whether the person is at this step."""
        return self.annotator is not None and self.step_of(self.annotator) == step

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
        """Go to the step of `annotator`; the browser keeps that person's key from now on."""
        response = self.onward(annotator)
        set_cookie(response, self.request, SESSION, annotator.key, self.url(""))
        return response

    @property
    def contact(self) -> list[str]:
        """Whom to write to, as a paragraph; none where the design has no contact."""
        return [f"Questions? Write to {self.design.contact}."] if self.design.contact else []

    @property
    def browser(self) -> str:
        """The random id that this browser was given by an open study; empty if it has none, or one not made here."""
        given = self.request.cookies.get(BROWSER, "")
        return given if re.fullmatch(r"[A-Za-z0-9_-]{22}", given) else ""

    def form(
        self,
        title: str,
        texts: Sequence[str],
        action: str,
        button: Mapping[str, str],
        back: str,
        back_label: str = "Go back",
        key: str | None = None,
    ) -> Response:
        """A page of text with a form of one button, and a link to go back.

        Args:
            title: its heading.
            texts: its paragraphs.
            action: the step that the form is sent to.
            button: its `name`, `value`, `kind` and `text`.
            back: the step to go to instead.
            back_label: the text of that link.
            key: what the form is signed with; None is the person's key.
        """
        return page(
            "form.html",
            title=title,
            paragraphs=texts,
            action=self.url(action),
            form_token=form_token(self.key if key is None else key),
            button=button,
            back=self.url(back),
            back_label=back_label,
        )


Visiting = Annotated[Visit, Depends(Visit)]
