"""From templates to pages; every value is escaped."""

import hashlib
import re
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from denouement.study.languages import ENGLISH, joined, texts

PACKAGE = "denouement.study.web"
"""Where the templates and static files are. A package with pages of its own has what it lacks itself from here."""

# The study whose pages are shown to its organiser as a preview; else empty.
PREVIEWED: ContextVar[str] = ContextVar("previewed", default="")


def page(template: str, status: int = 200, package: str = PACKAGE, **values: Any) -> HTMLResponse:
    """A page from `templates/`; every value is escaped. Its own texts are those of the value `say`, or English."""
    shared: dict[str, Any] = {"note": None, "problem": None, "hidden": {}, "logout": False, "say": texts(ENGLISH)}
    return HTMLResponse(_environment(package).get_template(template).render(shared | values), status_code=status)


def message(title: str, *paragraphs: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page of text without a question."""
    names = ("code", "forward", "forward_label", "back", "back_label", "correct", "withdraw", "again", "seconds")
    shared: dict[str, Any] = dict.fromkeys(names)
    return page("message.html", status, title=title, paragraphs=paragraphs, **shared | values)


def prepare(package: str = PACKAGE) -> None:
    """Compile all templates, so that not each of the people who come first has to wait for that."""
    environment = _environment(package)
    for name in environment.list_templates():
        environment.get_template(name)


@cache
def _environment(package: str) -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(each) for each in dict.fromkeys((package, PACKAGE))]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["joined"] = joined
    environment.globals["previewed"] = PREVIEWED.get
    environment.globals["asset"] = lambda name: f"/static/{asset(name, package)[1]}/{name}"
    return environment


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, which are separated by empty lines."""
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]


@cache
def asset(name: str, package: str = PACKAGE) -> tuple[bytes, str]:
    """The content of a static file, and the part of its address that changes with the content."""
    file = files(package) / "static" / name
    if package != PACKAGE and not file.is_file():
        return asset(name)
    content = file.read_bytes()
    return content, hashlib.sha256(content).hexdigest()[:12]
