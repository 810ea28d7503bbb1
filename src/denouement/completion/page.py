"""The page of `denouement try`: type a story, and see the endings of several systems side by side.

It is for the person at this computer. Each story that is sent is kept for a while under an address of its own, so that
the page with its endings can be loaded again without sending the form once more.
"""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware

from denouement.completion.reading import TypedStory, read_story, remarks, unknown_words
from denouement.completion.writing import DECODINGS, WrittenSide, write_side_by_side
from denouement.errors import UserError, is_defect, one_line
from denouement.generators.base import Generator
from denouement.generators.decoding import Decoding
from denouement.present.html import environment
from denouement.study.web.security import (
    HEADERS,
    NOT_KEPT,
    Refused,
    SecurityHeaders,
    form_token,
    read_form,
    require_form_token,
)
from denouement.text.words import tokenize

MOST_ENDINGS = 5
_MOST_KEPT = 50
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
_EXAMPLE = "Tom had a big test on Monday. He studied all weekend. He slept well. The test was easy."


@dataclass(frozen=True)
class Asked:
    """What was sent, and what came of it.

    Attributes:
        text: as it was typed.
        systems: whose endings were asked for.
        decodings: the titles in `DECODINGS` of the ways to decode.
        n: endings of each.
        seed: of samples.
        problem: why there are no endings; empty where there are.
        sentences: each in parts, with whether a part is a word that one of the systems does not know.
        remarks: what was understood.
        written: for each way to decode its title, its settings in words (empty where nothing was decoded), and what
            each system wrote.
    """

    text: str
    systems: tuple[str, ...]
    decodings: tuple[str, ...]
    n: int = 3
    seed: int = 1
    problem: str = ""
    sentences: list[list[tuple[str, bool]]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    written: list[tuple[str, str, list[WrittenSide]]] = field(default_factory=list)


def create_app(systems: Mapping[str, Generator]) -> FastAPI:
    """The page for these generators, by name."""
    app = FastAPI(openapi_url=None)
    app.state.base_url = ""  # `serve` puts its address here, as for a study's pages
    app.add_middleware(SecurityHeaders)
    # a page elsewhere whose name was made to lead here sends that name
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])
    kept: OrderedDict[str, Asked] = OrderedDict()
    one_at_a_time = threading.Lock()
    key = secrets.token_urlsafe(16)  # of this server's forms

    def page(asked: Asked, status: int = 200) -> HTMLResponse:
        shown = (
            environment(__package__)
            .get_template("try.html")
            .render(
                title="Endings for your story",
                asked=asked,
                systems=systems,
                decodings=DECODINGS,
                most_endings=MOST_ENDINGS,
                form_token=form_token(key),
            )
        )
        return HTMLResponse(shown, status, {"content-security-policy": _POLICY})

    @app.get("/")
    def start() -> Response:
        return page(Asked(_EXAMPLE, tuple(systems), tuple(DECODINGS)[:2]))

    @app.post("/endings")
    async def send(request: Request) -> Response:
        form = await read_form(request)
        require_form_token(key, form)
        name = secrets.token_urlsafe(6)
        asked = kept[name] = await run_in_threadpool(write, form)
        while len(kept) > _MOST_KEPT:
            kept.popitem(last=False)
        return RedirectResponse(f"/endings/{name}{'' if asked.problem else '#read'}", 303)

    def write(form: Mapping[str, str]) -> Asked:
        with one_at_a_time:
            return answer(form, systems)

    @app.get("/endings/{name}")
    def endings(name: str) -> Response:
        if name not in kept:
            raise HTTPException(404)
        return page(kept[name], 422 if kept[name].problem else 200)

    def message(text: str, status: int) -> Response:
        return page(Asked("", tuple(systems), tuple(DECODINGS)[:2], problem=text), status)

    @app.exception_handler(Refused)
    async def refused(request: Request, error: Refused) -> Response:
        return message(f"{error.title}. {error.message}", error.status)

    @app.exception_handler(HTTPException)
    async def not_found(request: Request, error: HTTPException) -> Response:
        gone = request.method == "GET" and request.url.path.startswith("/endings/")
        text = "These endings are no longer kept: send the story again." if gone else "There is no such page here."
        return message(text, error.status_code)

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Response:
        response = message("Something went wrong; the terminal shows what.", 500)
        response.headers.update({**HEADERS, **NOT_KEPT, "content-security-policy": _POLICY})  # no middleware sees this
        return response

    return app


def answer(form: Mapping[str, str], systems: Mapping[str, Generator]) -> Asked:
    """What a form asks for, with the endings, or with the reason why there are none.

    Args:
        form: its fields: `story`, `n`, `seed`, and one for each chosen system and way to decode.
        systems: generators by name.
    """
    text = form.get("story", "").replace("\r\n", "\n")
    chosen = tuple(name for name in systems if f"system {name}" in form)
    decodings = tuple(title for title in DECODINGS if f"decoding {title}" in form)
    n, seed = _whole(form.get("n", ""), 1, MOST_ENDINGS, 3), _whole(form.get("seed", ""), 0, 2**32 - 1, 1)
    try:
        if not chosen:
            raise UserError("choose at least one system")
        if not decodings:
            raise UserError("choose at least one way to decode")
        story = read_story(text)
        writing = {name: systems[name] for name in chosen}
        return Asked(
            text,
            chosen,
            decodings,
            n,
            seed,
            sentences=_marked(story, writing),
            remarks=remarks(story, writing) + _left_out(writing, decodings),
            written=_written(story, writing, decodings, n, seed),
        )
    except Exception as error:
        if is_defect(error):
            raise
        problem = one_line(error)
        return Asked(text, chosen, decodings, n, seed, f"{problem[0].upper()}{problem[1:]}.")


def _written(
    story: TypedStory, systems: Mapping[str, Generator], decodings: tuple[str, ...], n: int, seed: int
) -> list[tuple[str, str, list[WrittenSide]]]:
    """As `Asked.written`; last those systems that decode no words."""
    decoding = {name: generator for name, generator in systems.items() if generator.decodes}
    whole = {name: generator for name, generator in systems.items() if not generator.decodes}
    written = []
    if decoding:
        for title in decodings:
            settings = DECODINGS[title]
            if settings.method == "sample":
                settings = replace(settings, seed=seed)
            knowing = {name: generator for name, generator in decoding.items() if settings.method in generator.methods}
            if knowing:
                written.append((title, str(settings), write_side_by_side(story, knowing, settings, n)))
    if whole:
        written.append(("Chosen as a whole", "", write_side_by_side(story, whole, Decoding(), n)))
    return written


def _left_out(systems: Mapping[str, Generator], decodings: tuple[str, ...]) -> list[str]:
    """A remark for each chosen way to decode, and each system that does not know it.

    Raises:
        UserError: a system that decodes knows none of them.
    """
    remarks = []
    for name, generator in systems.items():
        unknown = [title for title in decodings if DECODINGS[title].method not in generator.methods]
        if not generator.decodes or not unknown:
            continue
        known = " or ".join(generator.methods)
        if len(unknown) == len(decodings):
            raise UserError(f"choose another way to decode: {name} decodes by {known}")
        remarks.append(f"{' and '.join(unknown)}: left out for {name}, which decodes by {known}")
    return remarks


def _marked(story: TypedStory, systems: Mapping[str, Generator]) -> list[list[tuple[str, bool]]]:
    """Each sentence in parts, with whether a part is a word that a system does not know."""
    unknown = {word for generator in systems.values() for word in unknown_words(story, generator)}
    marked = []
    for sentence in story.sentences:
        parts: list[tuple[str, bool]] = []
        start = 0
        for word in tokenize(sentence):
            at = sentence.find(word, start)
            if at < 0 or word not in unknown:  # a quotation mark is written otherwise than it is read
                continue
            parts += [(sentence[start:at], False), (word, True)]
            start = at + len(word)
        marked.append([*parts, (sentence[start:], False)])
    return marked


def _whole(text: str, least: int, most: int, otherwise: int) -> int:
    """The whole number that a field holds, within its bounds; `otherwise` where it holds none."""
    digits = text.strip()
    return (
        min(max(int(digits), least), most) if digits.isascii() and digits.isdigit() and len(digits) < 12 else otherwise
    )
