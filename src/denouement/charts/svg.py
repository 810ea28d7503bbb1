"""Charts as parts of a page, in which all charts share one set of ids and styles; as files they have their own.

The text of a chart may come from anywhere, and a browser runs what is in a page. So it is read as XML, and only the
elements, attributes and styles that Matplotlib and `charts.sunburst` write are written again; any other is refused.
"""

import re
from collections.abc import Mapping
from html import escape
from xml.parsers import expat

from markupsafe import Markup

from denouement.errors import UserError
from denouement.legible import printed

_PAINT = "fill stroke stroke-width opacity style transform clip-path"
_TEXT = "x y text-anchor dominant-baseline font-size font-family"
_ALLOWED = {
    name: {"id", "class", *attributes.split()}
    for name, attributes in {
        "g": _PAINT,
        "defs": "",
        "path": f"d {_PAINT}",
        "use": f"x y xlink:href {_PAINT}",
        "rect": f"x y width height {_PAINT}",
        "clipPath": "",
        "style": "type",
        "title": "",
        "text": f"{_TEXT} {_PAINT}",
        "tspan": f"{_TEXT} {_PAINT}",
    }.items()
}
_ROOT = {"class", "font-family", "font-size"}  # what its parts rely on
_DROPPED = "metadata"  # with all that is in it
_NUMBER = r"-?\d+(?:\.\d+)?"
_VIEW = re.compile(rf"{_NUMBER} {_NUMBER} (\d+(?:\.\d+)?) \d+(?:\.\d+)?")
_WIDTH = re.compile(r"(\d+(?:\.\d+)?)(pt|px|)")
_PIXELS = {"pt": 4 / 3, "px": 1.0, "": 1.0}
_NAME = re.compile(r"[A-Za-z][\w-]*")
_REFERENCE = re.compile(r"url\(#([\w.-]+)\)")
_LINK = re.compile(r"#([\w.-]+)")
_SHEET = re.compile(r"\s*(?:(?:\*|\.sunburst [a-z:]+)\s*\{[^{}]*\}\s*)*")  # it must not style other parts of the page
# what can run or fetch within a value or a style; in CSS a backslash and a comment can hide it
_UNSAFE = re.compile(r"url\s*\((?!#[\w.-]+\))|\\|@|/\*|:\s*expression|javascript:|<", re.IGNORECASE)


def inline(svg: str, name: str, what: str) -> Markup:
    """An SVG file's text as an element of a page.

    Args:
        svg: the text of the file.
        name: unique in the page; its ids begin with it.
        what: what the chart shows, for those who do not see it.

    Raises:
        UserError: a name that is no id, no SVG, or one that holds what no chart of ours does, such as a script or
            something to fetch.
    """
    if not _NAME.fullmatch(name):
        raise UserError(f"chart {name}: a name of other than letters, digits, - and _; make it again")
    reading = _Reading(name)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.text
    parser.EntityDeclHandler = reading.entity
    try:
        parser.Parse(svg.encode("utf-8", "replace"), True)
    except (expat.ExpatError, ValueError) as error:
        raise UserError(f"chart {name}: is no SVG ({error}); make it again") from error
    root = reading.root
    view = _VIEW.fullmatch(root.get("viewBox", ""))
    width = _WIDTH.fullmatch(root.get("width", "")) if "width" in root else None
    if view is None or (width is None and "width" in root):
        raise UserError(f"chart {name}: no viewBox or width that is a number; make it again")
    pixels = float(width[1]) * _PIXELS[width[2]] if width else float(view[1])
    kept = " ".join(f'{key}="{escape(root[key])}"' for key in root if key == "viewBox" or key in _ROOT)
    made = (
        f'<svg id="{name}" role="img" aria-label="{escape(what)}" {kept} '
        f'style="width: {pixels:.0f}px" xmlns="http://www.w3.org/2000/svg" '
        f'xmlns:xlink="http://www.w3.org/1999/xlink">{"".join(reading.parts).strip()}</svg>'
    )
    return Markup(printed(made))  # noqa: S704 -- put together from what is allowed, all texts escaped


class _Reading:
    """What a parser calls: it keeps the root's attributes, and the rest to be written again, without comments."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.root: Mapping[str, str] = {}
        self.parts: list[str] = []
        self._open: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._open.append(tag)
        if len(self._open) == 1:
            if tag != "svg":
                raise self._refused(f"<{tag}> instead of <svg>")
            self.root = attributes
        elif _DROPPED not in self._open:
            if tag not in _ALLOWED:
                raise self._refused(f"<{tag}>")
            written = "".join(f' {key}="{escape(self._value(tag, key, value))}"' for key, value in attributes.items())
            self.parts.append(f"<{tag}{written}>")

    def end(self, tag: str) -> None:
        if len(self._open) > 1 and _DROPPED not in self._open:
            self.parts.append(f"</{tag}>")
        self._open.pop()

    def text(self, text: str) -> None:
        if _DROPPED in self._open:
            return
        if self._open[-1] == "style":
            self._check(text)
            if not _SHEET.fullmatch(text):
                raise self._refused("a style of more than itself")
            text = text.replace("*{", f"#{self.name} *{{")  # Matplotlib's style for all of the chart
        self.parts.append(escape(text, quote=False))

    def entity(self, name: str, *_: object) -> None:
        raise self._refused(f"the entity {name}")

    def _value(self, tag: str, key: str, value: str) -> str:
        """An attribute's value, once it is known to be harmless, with its references changed to this chart's ids."""
        link = _LINK.fullmatch(value) if key == "xlink:href" else None
        if key not in _ALLOWED[tag] or (key == "xlink:href" and not link):
            raise self._refused(f"{key}= in <{tag}>")
        if key == "id":
            return f"{self.name}-{value}"
        if link:
            return f"#{self.name}-{link[1]}"
        self._check(value)
        return _REFERENCE.sub(rf"url(#{self.name}-\g<1>)", value)

    def _check(self, style: str) -> None:
        if unsafe := _UNSAFE.search(style):
            raise self._refused(repr(unsafe[0]))

    def _refused(self, held: str) -> UserError:
        return UserError(f"chart {self.name}: holds {held}, which a page must not run; make it again")
