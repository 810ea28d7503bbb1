"""Charts as SVG or PNG: the same bytes from the same values, without dates and random ids."""

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from denouement.charts.fonts import CHARACTER, families
from denouement.console import warn
from denouement.files import atomic_write
from denouement.legible import cleaned, printed

if TYPE_CHECKING:  # heavy
    from matplotlib.figure import Figure

_LACKING = re.compile(r"Glyph ([0-9]+) ")  # how a warning of a character that no font has begins
_NOT_IN_XML = re.compile("[\ufffe\uffff]")


def save(figure: "Figure", path: Path) -> None:
    """Write `figure` to `path`, as SVG or PNG by its suffix, byte for byte the same each time."""
    with atomic_write(path) as beside:
        _save(figure, beside, path.suffix.removeprefix("."))


def as_svg(figure: "Figure") -> str:
    """`figure` as the text of an SVG file, the same each time."""
    buffer = io.BytesIO()
    _save(figure, buffer, "svg")
    return buffer.getvalue().decode("utf-8")


def literal(text: str) -> str:
    """The text as a chart may hold it: each of its characters can be drawn and may be written in XML."""
    return _NOT_IN_XML.sub("\ufffd", printed(cleaned(text))).replace("\t", " ")


def _save(figure: "Figure", target: "Path | BinaryIO", kind: str) -> None:
    import warnings

    import matplotlib
    from matplotlib.text import Text

    metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
    fonts = families(_take_literally(figure))
    for text in figure.findobj(Text) if fonts else ():
        text.set_fontfamily(fonts)
    of_later_text = fonts or matplotlib.rcParams["font.family"]  # such as labels of ticks that are made when drawn
    with (
        warnings.catch_warnings(record=True) as raised,
        matplotlib.rc_context({"svg.hashsalt": "denouement", "text.parse_math": False, "font.family": of_later_text}),
    ):
        warnings.simplefilter("always")
        figure.savefig(target, format=kind, dpi=150, metadata=metadata)
    for message in dict.fromkeys(str(each.message) for each in raised):
        if fonts or not _is_said_once(message):
            warn(f"a chart: {message}")  # such as a character that the font lacks, which is drawn as a box


def _is_said_once(message: str) -> bool:
    """Whether a warning is of a character of which `families` says that no font has it."""
    found = _LACKING.match(message)
    return found is not None and CHARACTER.match(chr(int(found[1]))) is not None


def _take_literally(figure: "Figure") -> list[str]:
    """Draw each text, which may be a name or words of a story, as it is: no TeX, no control characters.

    Returns:
        All texts.
    """
    from matplotlib.category import StrCategoryLocator
    from matplotlib.text import Text
    from matplotlib.ticker import FixedFormatter, FixedLocator

    texts = []
    for panel in figure.axes:
        for axis in (panel.xaxis, panel.yaxis):
            locator = axis.get_major_locator()
            if isinstance(locator, FixedLocator | StrCategoryLocator):  # labels that were given, made when drawn
                places = list(locator())
                labels = [*map(literal, axis.get_major_formatter().format_ticks(places))]
                axis.set_major_locator(FixedLocator(places))
                axis.set_major_formatter(FixedFormatter(labels))
                texts += labels
    for text in figure.findobj(Text):
        text.set_parse_math(False)
        text.set_text(literal(text.get_text()))
        texts.append(text.get_text())
    return texts
