"""Sections as parts of a page, and the page around them: every text is escaped, and a browser fetches nothing."""

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from denouement.charts.output import as_svg
from denouement.charts.svg import inline
from denouement.legible import printed
from denouement.present.cells import written
from denouement.present.sections import Block, Chart, Stories, Table

if TYPE_CHECKING:  # heavy
    from jinja2 import Environment

_LONG = 28  # characters from which on a cell of words may break into lines


def render(blocks: Iterable[Block], level: int = 2, name: str = "chart") -> Markup:
    """The blocks as HTML.

    Args:
        blocks: what to show.
        level: of the headings of sections, whose inner ones are a level below.
        name: what the ids of charts begin with; unique in the page.

    Raises:
        UserError: a chart given as the text of an SVG file that a page must not hold (`charts.svg.inline`).
    """
    used: Counter[str] = Counter()

    def drawn(chart: Chart) -> Markup:
        stem = Path(chart.file).stem
        used[stem] += 1
        assert chart.picture is not None, "a chart without a picture is a line of text"
        svg = chart.picture if isinstance(chart.picture, str) else as_svg(chart.picture)
        return inline(svg, f"{name}-{stem}{f'-{used[stem]}' if used[stem] > 1 else ''}", chart.caption)

    template = environment().get_template("blocks.html")
    return Markup(template.render(blocks=list(blocks), level=level, drawn=drawn))  # noqa: S704 -- of our own template


def page(title: str, body: Markup) -> str:
    """A page of its own, in the look of the report.

    Args:
        title: its heading.
        body: what `render` returned.
    """
    return environment().get_template("page.html").render(title=title, body=body)


@cache
def environment(package: str = "denouement.present") -> "Environment":
    """The templates of pages, before them those in the folder `templates` of another package.

    Every value is escaped and without control characters, and one that is missing is an error.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=ChoiceLoader([PackageLoader(each) for each in dict.fromkeys((package, "denouement.present"))]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printed,
    )
    script = _asset("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    made.globals |= {
        "style": _asset("page.css"),
        "script": script,
        "script_digest": f"sha256-{digest}",  # what a page's policy knows the script by: the browser runs no other
        "written": written,
        "styles": _styles,
        "systems": _systems,
        "search_data": _search_data,
    }
    made.filters["kind"] = lambda block: type(block).__name__
    return made


def _styles(table: Table) -> list[str]:
    """By column how it is set: `number` to the right, `long` words in lines, `short` ones in one line."""

    def style(place: int) -> str:
        if table.is_of_numbers(place):
            return "number"
        return "long" if any(len(written(row[place])) > _LONG for row in table.rows) else "short"

    return [style(place) for place in range(len(table.columns))]


def _systems(block: Stories) -> list[str]:
    """Whose endings the stories have, first of whom the others are compared with."""
    return list(dict.fromkeys([block.compared_with, *(e.whose for story in block.stories for e in story.endings)]))


def _search_data(block: Stories) -> Markup:
    """What the script searches: `systems`, and `stories`, each `[id, context, [[place of system, text, remark]]]`."""
    place_of = {system: place for place, system in enumerate(_systems(block))}
    stories = [
        [story.case_id, story.context, [[place_of[each.whose], each.text, each.remark] for each in story.endings]]
        for story in block.stories
    ]
    data = json.dumps({"systems": list(place_of), "stories": stories}, ensure_ascii=False, separators=(",", ":"))
    # in a script element nothing but "<" can end the element or change how its text is read
    return Markup(printed(data).replace("<", "\\u003c"))  # noqa: S704


def _asset(name: str) -> str:
    """The text of a file among the templates, such as the style of pages."""
    return (files("denouement.present") / "templates" / name).read_text(encoding="utf-8")


def _printed(value: Any) -> Any:
    """A value of a template as a page may hold it; markup as it is, since its makers see to that."""
    return printed(value) if isinstance(value, str) and not isinstance(value, Markup) else value
