"""The organiser's pages, which need a token: how far each study is, its people, and the export."""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, TypeVar

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import RedirectResponse

from denouement.errors import UserError
from denouement.study.results.ballot import count
from denouement.study.results.pairs import PairItems, pair_items
from denouement.study.store import Answer, Progress, Store, StoreUnavailableError
from denouement.study.store.export import ANSWER_TABLES, answers_table, study_tables, table_file, table_names
from denouement.study.web.render import message, page
from denouement.study.web.security import (
    Limiter,
    Refused,
    address,
    form_token,
    require_form_token,
    same_secret,
    set_cookie,
)
from denouement.study.web.visits import Form

Result = TypeVar("Result")

COOKIE = "organiser"
HOME = "/organiser/"
SESSION_DAYS = 1


class Guard:
    """Opens the organiser's pages to a browser in which the token was entered; a few wrong attempts are allowed.

    Such a browser keeps a random key, and the store a digest of the key, made with the token. So no cookie contains the
    token, no content of the store opens a page, and a new token ends all sessions.

    Args:
        token: the secret.
        store: keeps the sessions.
    """

    def __init__(self, token: str, store: Store) -> None:
        self._token, self._store = token, store
        self._attempts = Limiter(rate=0.1, burst=5)
        self._visits = Limiter(rate=10, burst=100)

    def opens(self, request: Request, token: str) -> bool:
        """Whether `token` is the right one.

        Raises:
            Refused: there were too many attempts from this address.
        """
        wait = self._attempts.wait(address(request))
        if wait:
            raise Refused(429, "Too many attempts", "Wait a while, then try again.", retry_after=wait)
        return same_secret(token, self._token)

    def begin(self) -> str:
        """Open a session and return its key for the browser."""
        key = secrets.token_urlsafe(32)
        self._store.open_session(self._session(key), datetime.now(UTC) + timedelta(days=SESSION_DAYS))
        return key

    def knows(self, request: Request) -> bool:
        """Whether the token was entered in the request's browser, without a logout since.

        Raises:
            Refused: requests come too fast.
        """
        key = request.cookies.get(COOKIE, "")
        if key:
            self._visits.check(address(request))
        return bool(key) and self._store.has_session(self._session(key))

    def end(self, request: Request) -> None:
        """Close the session of the request's browser: copies of its cookie open no page any more."""
        if key := request.cookies.get(COOKIE, ""):
            self._store.close_session(self._session(key))

    def _session(self, key: str) -> str:
        return hmac.new(self._token.encode(), key.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def organised(request: Request) -> Store:
    """The store, for a browser in which the token was entered.

    Raises:
        Refused: another browser.
    """
    guard: Guard = request.app.state.guard
    if not guard.knows(request):
        raise Refused(403, "This page is the organiser's", f"Open {HOME} and enter the token.")
    store: Store = request.app.state.store
    return store


router = APIRouter(prefix="/organiser")
Organised = Annotated[Store, Depends(organised)]


@router.get("/")
def home(request: Request) -> Response:
    """The list of studies; in a browser without the token, the form for it."""
    guard: Guard = request.app.state.guard
    if not guard.knows(request):
        return page("login.html", title="Organiser")
    store: Store = request.app.state.store
    return page("studies.html", title="Studies", studies=store.studies(), logout=True)


@router.post("/login")
def login(request: Request, form: Form) -> Response:
    """Check the token, and open a session."""
    guard: Guard = request.app.state.guard
    if not guard.opens(request, form.get("token", "")):
        return page("login.html", 403, title="Organiser", problem="That is not the token.")
    response = RedirectResponse(HOME, 303)
    set_cookie(response, request, COOKIE, guard.begin(), HOME, days=SESSION_DAYS)
    return response


@router.post("/logout")
def logout(request: Request, form: Form) -> Response:
    """End the session of this browser."""
    guard: Guard = request.app.state.guard
    guard.end(request)
    response = RedirectResponse(HOME, 303)
    response.delete_cookie(COOKIE, HOME)
    return response


@router.get("/{study}")
def overview(request: Request, store: Organised, study: str) -> Response:
    """How far a study is."""
    design = _known(store.design, study)
    answers = store.answers(study)
    progress = store.progress(study, answers=answers)
    return page(
        "study.html",
        title=f"Study {study}",
        study=study,
        design=design,
        progress=progress,
        pairs=_pairs_so_far(progress, design.answers_per_item, answers) if design.kind == "pair" else [],
        tables=[name for name in table_names(design) if answers or name != ANSWER_TABLES[design.kind]],
        flags=store.flags(study),
        links=[(f"{_address(request)}/s/{study}/link/{token}", who) for token, who in store.opened_by(study).items()],
        entry=f"{_address(request)}/s/{study}/",
        shown_time=_shown_time,
        logout=True,
    )


@router.get("/{study}/exclude")
def exclude_page(request: Request, store: Organised, study: str, annotator: str = "") -> Response:
    """What excluding a person does, with a form to confirm. The id may have any character, so it is in no path."""
    people = {person.annotator_id for person in _known(store.progress, study).people}
    if annotator not in people:
        raise _unknown()
    return page(
        "form.html",
        title=f"Exclude {annotator}?",
        paragraphs=[
            "Their answers stay in the export, marked as excluded, and no longer count. Their items are handed out "
            "again to others, and they can answer no more questions. This cannot be undone."
        ],
        action=f"{HOME}{study}/exclude",
        form_token=form_token(request.cookies[COOKIE]),
        hidden={"annotator": annotator},
        button={"name": "exclude", "value": "yes", "kind": "danger", "text": "Exclude"},
        back=f"{HOME}{study}",
        back_label="Go back",
        logout=True,
    )


@router.post("/{study}/exclude")
def exclude(request: Request, store: Organised, study: str, form: Form) -> Response:
    """Exclude a person."""
    require_form_token(request.cookies[COOKIE], form)
    annotator = form.get("annotator", "")
    answers = _known(lambda known: store.exclude(known, annotator), study)
    text = f"Marked as excluded, those to checks included: {answers:,} answers. The items are open again."
    return message(f"{annotator} is excluded", text, back=f"{HOME}{study}", back_label="Go back", logout=True)


@router.get("/{study}/export/{name}.parquet")
def export(store: Organised, study: str, name: str) -> Response:
    """A table of a study, as `denouement study export` writes it."""
    tables = _known(lambda known: study_tables(store, known), study)
    if name not in tables:
        raise _unknown()
    return Response(
        table_file(tables[name], name),
        media_type="application/vnd.apache.parquet",
        headers={"content-disposition": f'attachment; filename="{study}-{name}.parquet"'},
    )


def _pairs_so_far(progress: Progress, k: int, answers: Sequence[Answer]) -> list[PairItems]:
    """`pairs.pair_items` of each pair, over the items that have all `k` answers."""
    complete = {item.item_id for item in progress.items if item.accepted >= k}
    ballot = count(answers_table("pair", progress.study, [each for each in answers if each.item.id in complete]))
    counts, pair_of_item = ballot.counts(), ballot.items["pair"].to_numpy()
    return [pair_items(pair, counts[pair_of_item == place]) for place, pair in enumerate(ballot.pairs)]


def _known(of_study: Callable[[str], Result], study: str) -> Result:
    """What `of_study` returns for a study.

    Raises:
        Refused: there is no study of this name.
    """
    try:
        return of_study(study)
    except StoreUnavailableError:
        raise
    except UserError as error:
        raise _unknown() from error


def _unknown() -> Refused:
    return Refused(404, "There is no such page", f"The studies are listed at {HOME}.")


def _address(request: Request) -> str:
    return str(request.app.state.base_url)


def _shown_time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
