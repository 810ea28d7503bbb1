"""The web application: its pages, its error pages, and its server."""

import logging
import re
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from http import HTTPStatus

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import PlainTextResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from denouement.errors import UserError
from denouement.study.languages import ENGLISH, Texts, languages, texts
from denouement.study.store import Store, StoreUnavailableError
from denouement.study.web import (
    answering,
    asking,
    correcting,
    entering,
    leaving,
    organiser,
    organiser_life,
    organiser_review,
)
from denouement.study.web.organiser_guard import HOME, Guard
from denouement.study.web.preview import ROOT, Preview
from denouement.study.web.render import PACKAGE, asset, message, prepare
from denouement.study.web.security import HEAD, HEADERS, NOT_KEPT, Refused, SecurityHeaders
from denouement.study.web.visits import Visits

STATIC = {
    "study.css": "text/css",
    "study.js": "text/javascript",
    "lease.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
_KEPT = {"cache-control": "public, max-age=31536000, immutable"}


def create_app(
    store: Store,
    organiser_token: str,
    base_url: str = "",
    routers: Sequence[APIRouter] = (),
    visits: Visits | None = None,
) -> FastAPI:
    """The pages of all studies in `store`: for annotators under `/s/STUDY/`, for the organiser under `/organiser/`.

    Args:
        store: where studies and answers are kept.
        organiser_token: opens the organiser's pages.
        base_url: the address that people open, such as `https://study.example.org`, with which the organiser's pages
            show links; where it is empty, `serve` puts the address at which it listens.
        routers: further pages, which come before those of studies.
        visits: makes the visits of annotators' pages; by default to studies alone.

    Raises:
        UserError: a study whose language has no texts here.
    """
    for study in store.studies():
        texts(store.design(study).language)  # a missing file of texts is reported now, and not to annotators
    prepare()
    app = FastAPI(openapi_url=None)  # no page describes the interface to strangers
    app.add_middleware(SecurityHeaders)
    app.add_middleware(HeadAsGet)
    app.state.store = store
    app.state.base_url = base_url
    app.state.visits = visits or Visits()
    app.state.guard = Guard(organiser_token, store)
    pages_of_annotators = [part.router for part in (entering, asking, answering, correcting, leaving)]
    for router in (*routers, *pages_of_annotators, organiser_review.router, organiser_life.router, organiser.router):
        app.include_router(router)
    app.state.preview = Preview(pages_of_annotators, _with_error_pages(FastAPI(openapi_url=None)))
    app.mount(ROOT, app.state.preview)
    app.add_api_route("/", _home, methods=["GET"])
    app.add_api_route("/static/{digest}/{name}", _static, methods=["GET"])
    app.add_api_route("/robots.txt", lambda: PlainTextResponse("User-agent: *\nDisallow: /\n"), methods=["GET"])
    return _with_error_pages(app)


def _with_error_pages(app: FastAPI) -> FastAPI:
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(HTTPException, _not_found)
    app.add_exception_handler(StoreUnavailableError, _unavailable)
    app.add_exception_handler(Exception, _failed)
    return app


class HeadAsGet:
    """Answers HEAD as GET, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI asks."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_head(sent: Message) -> None:
            await send({**sent, "body": b""} if sent["type"] == "http.response.body" else sent)

        await self.app({**scope, "method": "GET", HEAD: True}, receive, send_head)


def _home(request: Request) -> Response:
    """The page of the address without a study. It lists no study, since visitors need not know which there are."""
    say = _say(request)
    return message(say("home.title"), say("home.text"), say=say)


def _static(digest: str, name: str) -> Response:
    if name not in STATIC:
        raise HTTPException(404)
    return static(digest, name, STATIC[name])


def static(digest: str, name: str, media_type: str, package: str = PACKAGE) -> Response:
    """A static file of a package, which browsers keep since its address changes with its content.

    Raises:
        HTTPException: the address is of another content.
    """
    content, right = asset(name, package)
    if digest != right:
        raise HTTPException(404)
    return Response(content, media_type=media_type, headers=_KEPT)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    say = _say(request)
    response = message(*error.words(say), status=error.status, say=say)
    if error.retry_after:
        response.headers["retry-after"] = str(max(1, round(error.retry_after)))
    return response


async def _not_found(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    say = _say(request)
    title = say("refused.no_page.title") if error.status_code == 404 else HTTPStatus(error.status_code).phrase
    return message(title, say("refused.no_page.text"), status=error.status_code, say=say)


async def _failed(request: Request, error: Exception) -> Response:
    """The page after a defect of this package; only the server's log has the traceback."""
    say = _say(request)
    response = message(say("refused.failed.title"), say("refused.failed.text"), status=500, say=say)
    response.headers.update(HEADERS | NOT_KEPT)  # `SecurityHeaders` does not see this response
    return response


async def _unavailable(request: Request, error: Exception) -> Response:
    """The page when the database does not answer; the browser's script or the person tries again."""
    logging.getLogger(__name__).error("%s", error)
    say = _say(request)
    response = message(say("refused.unavailable.title"), say("refused.unavailable.text"), status=503, say=say)
    response.headers["retry-after"] = "5"
    return response


def _say(request: Request) -> Texts:
    """The texts of a page that belongs to no visit: those of the study in its address, or of the browser's language."""
    visits: Visits = request.app.state.visits
    with suppress(UserError, OSError):
        if found := re.match("/s/([^/]+)", request.url.path):
            return visits.texts(request.app.state.store, found[1])
    wanted = request.headers.get("accept-language", "") if not request.url.path.startswith(HOME) else ""
    tags = [each.partition(";")[0].strip() for each in wanted.split(",")]
    known = (tag for each in tags for tag in (each, each.partition("-")[0]) if tag in languages())
    return texts(next(known, ENGLISH))


def serve(app: FastAPI, host: str, port: int, started: Callable[[str], None]) -> None:
    """Serve `app` until Ctrl-C or SIGTERM; answers that are being saved are saved first.

    Args:
        app: what `create_app` returns.
        host: name or address to listen at.
        port: port to listen at; 0: any free one.
        started: called with the address once the server can be reached.

    Raises:
        UserError: the server cannot listen at this host and port.
    """
    import uvicorn

    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        raise UserError(
            f"cannot listen at {host}, port {port}: {error.strerror}; name another --host or --port"
        ) from error
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=10
    )
    with listening:
        address = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
        app.state.base_url = app.state.base_url or address
        started(address)
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run([listening])
