"""The web application of collections and studies, which share a store, a server and most addresses."""

from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI, Response

if TYPE_CHECKING:
    from denouement.collecting.store import CollectionStore
from denouement.collecting.web import ending, entering, preview, working
from denouement.collecting.web.render import PACKAGE
from denouement.collecting.web.visits import AllVisits
from denouement.study.web import app

STATIC = {"work.css": "text/css", "work.js": "text/javascript"}


def create_app(store: "CollectionStore", organiser_token: str, base_url: str = "") -> FastAPI:
    """The pages of all collections and studies in `store`; see `study.web.app.create_app`.

    Raises:
        UserError: a study whose language has no texts here.
    """
    routers = [entering.router, working.router, ending.router, preview.router, _static_router()]
    return app.create_app(store, organiser_token, base_url, routers, AllVisits())


def _static_router() -> APIRouter:
    router = APIRouter()
    for name in STATIC:
        router.add_api_route(f"/static/{{digest}}/{name}", _static(name), methods=["GET"])
    return router


def _static(name: str) -> "object":
    def file(digest: str) -> Response:
        return app.static(digest, name, STATIC[name], PACKAGE)

    return file
