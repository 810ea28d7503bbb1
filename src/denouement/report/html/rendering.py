"""Pages from templates: every value is escaped, and a value that is missing is an error."""

from importlib.resources import files
from typing import TYPE_CHECKING

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
    )


def asset(name: str) -> str:
    """The text of a file among the report's templates, such as its style."""
    return (files("denouement.report.html") / "templates" / name).read_text(encoding="utf-8")
