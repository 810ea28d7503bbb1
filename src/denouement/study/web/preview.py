"""The preview: the pages of annotators themselves, on a store that is thrown away, mounted in the organiser's pages.

So a preview shows what annotators see, whatever is added to their pages, and changes nothing in the real store.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from fastapi import APIRouter, FastAPI, Request
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from denouement.study.store import Store, open_store
from denouement.study.store.preview import Page, stand_at
from denouement.study.web.organiser_guard import organised
from denouement.study.web.render import PREVIEWED
from denouement.study.web.visits import Visits

ROOT = "/organiser/preview"


class Preview:
    """An ASGI application with the pages of annotators, for the organiser alone.

    Its store, which takes a moment to make, is made when the organiser first asks for a page.

    Args:
        routers: the pages.
        app: an application without pages, which turns errors into pages.
    """

    def __init__(self, routers: Sequence[APIRouter], app: FastAPI) -> None:
        self._app, self._folder, self._lock = app, TemporaryDirectory(prefix="denouement-preview-"), Lock()
        app.state.visits = Visits()
        for router in routers:
            app.include_router(router)

    def begin(self, store: Store, study: str, page: Page) -> str:
        """The key of a new person who is at this page of the study."""
        scratch = self._store()
        with self._lock:  # several clicks at once: the study is made anew once
            return stand_at(scratch, store, study, page)

    def _store(self) -> Store:
        with self._lock:
            if not hasattr(self._app.state, "store"):
                self._app.state.store = open_store(f"sqlite:///{Path(self._folder.name) / 'preview.db'}")
            made: Store = self._app.state.store
        return made

    def _admit(self, request: Request) -> None:
        organised(request)
        self._store()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI asks.

        Raises:
            Refused: a browser in which the organiser's token was not entered.
        """
        await run_in_threadpool(self._admit, Request(scope))
        study = scope["path"].removeprefix(f"{ROOT}/s/").partition("/")[0]
        before = PREVIEWED.set(study)
        try:
            await self._app(scope, receive, send)
        finally:
            PREVIEWED.reset(before)
