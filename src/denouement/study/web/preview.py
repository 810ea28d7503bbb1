"""The preview: the pages of annotators themselves, on a store that is thrown away, mounted in the organiser's pages.

So a preview shows what annotators see, whatever is added to their pages, and changes nothing in the real store.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from fastapi import APIRouter, FastAPI
from starlette.types import Receive, Scope, Send

from denouement.study.store import Store, open_store
from denouement.study.store.preview import Page, stand_at
from denouement.study.web.render import PREVIEWED
from denouement.study.web.visits import Visits

ROOT = "/organiser/preview"


class Preview:
    """An ASGI application with the pages of annotators. Its store is made when it is first used.

    Args:
        routers: the pages.
        app: an application without pages, which turns errors into pages.
    """

    def __init__(self, routers: Sequence[APIRouter], app: FastAPI) -> None:
        self._app, self._folder = app, TemporaryDirectory(prefix="denouement-preview-")
        app.state.visits = Visits()
        for router in routers:
            app.include_router(router)

    def begin(self, store: Store, study: str, page: Page) -> str:
        """The key of a new person who is at this page of the study."""
        if not hasattr(self._app.state, "store"):
            self._app.state.store = open_store(f"sqlite:///{Path(self._folder.name) / 'preview.db'}")
        return stand_at(self._app.state.store, store, study, page)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI asks. Only who began a preview has a person's key; others get no page."""
        study = scope["path"].removeprefix(f"{ROOT}/s/").partition("/")[0]
        before = PREVIEWED.set(study)
        try:
            await self._app(scope, receive, send)
        finally:
            PREVIEWED.reset(before)
