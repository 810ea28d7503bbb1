"""Who is the organiser: a browser in which the token was entered."""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, TypeVar

from fastapi import Depends, Request

from denouement.errors import UserError
from denouement.study.store import Store, StoreUnavailableError
from denouement.study.web.security import Limiter, Refused, address, same_secret

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
        """Open a session and return its key for the browser.

        Raises:
            Refused: the store cannot be written to, so it keeps no session.
        """
        if self._store.is_read_only:
            raise Refused(
                503,
                "The store can only be read",
                "The file of the store, or its folder, cannot be written to: nobody can log in or answer. Make both "
                "writable, then restart the server.",
            )
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


Organised = Annotated[Store, Depends(organised)]


def known(of_study: Callable[[str], Result], study: str) -> Result:
    """What `of_study` returns for a study.

    Raises:
        Refused: there is no study of this name.
    """
    try:
        return of_study(study)
    except StoreUnavailableError:
        raise
    except UserError as error:
        raise unknown() from error


def unknown() -> Refused:
    """What to raise where there is no such page."""
    return Refused(404, "There is no such page", f"The studies are listed at {HOME}.")


def shown_time(moment: datetime) -> str:
    """A time for people."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"
