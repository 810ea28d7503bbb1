"""Pages from templates: every value is escaped, without control characters, and one that is missing is an error."""

from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from denouement.legible import printed

if TYPE_CHECKING:  # heavy
    from jinja2 import Environment


def environment(*packages: str) -> "Environment":
    """The templates of the report, before them those in the folders `templates` of other `packages`."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in (*packages, "denouement.report.html")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printed,
    )


def asset(name: str) -> str:
    """The text of a file among the report's templates, such as its style."""
    return (files("denouement.report.html") / "templates" / name).read_text(encoding="utf-8")


def _printed(value: Any) -> Any:
    """A value of a template as a page may hold it; markup as it is, since its makers see to that."""
    return printed(value) if isinstance(value, str) and not isinstance(value, Markup) else value
