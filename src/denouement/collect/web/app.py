"""The web application of collections and studies, which share a store, a server and most addresses."""

from collections.abc import Callable

from fastapi import APIRouter, FastAPI, Response

from denouement.collect.store import CollectionStore
from denouement.collect.web import ending, entering, organiser, organiser_life, preview, qualifying, working
from denouement.collect.web.knowing import Knowing
from denouement.collect.web.monitor import Monitor
from denouement.collect.web.render import PACKAGE
from denouement.collect.web.visits import AllVisits
from denouement.study.web import app
from denouement.study.web.render import prepare

STATIC = {"work.css": "text/css", "work.js": "text/javascript", "organiser.css": "text/css"}


def create_app(store: CollectionStore, organiser_token: str, base_url: str = "") -> FastAPI:
    """The pages of all collections and studies in `store`; see `study.web.app.create_app`.

    Raises:
        UserError: a study whose language has no texts here.
    """
    of_people = [entering.router, qualifying.router, working.router, ending.router]
    of_organiser = [preview.router, organiser.home_router, organiser.router, organiser_life.router]
    prepare(PACKAGE)
    made = app.create_app(store, organiser_token, base_url, [*of_people, *of_organiser, _static_router()], AllVisits())
    made.state.knowing = Knowing(store)
    made.state.monitor = Monitor(store.url)
    return made


def _static_router() -> APIRouter:
    """The static files of collections, at addresses as those of studies have."""
    router = APIRouter()
    for name in STATIC:
        router.add_api_route(f"/static/{{digest}}/{name}", _static(name), methods=["GET"])
    return router


def _static(name: str) -> Callable[[str], Response]:
    return lambda digest: app.static(digest, name, STATIC[name], PACKAGE)
