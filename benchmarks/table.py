"""One measured comparison, how to time it, and how it is printed."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from denouement.present import markdown


@dataclass(frozen=True)
class Row:
    """A speed of ours beside that of the plain way to do the same.

    Attributes:
        what: what was done, with the amount.
        against: the plain way.
        ours: our value, in `unit`.
        theirs: the plain way's value, in `unit`; None: it is not measured, and `against` says why.
        unit: such as s or words/s.
        ratio: how many times as fast ours is, whichever way `unit` counts; None where `theirs` is.
        at_least: the ratio that must be reached; None: measured for information.
    """

    what: str
    against: str
    ours: float
    theirs: float | None
    unit: str
    ratio: float | None
    at_least: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the ratio is as high as it must be."""
        return self.at_least is None or self.ratio is None or self.ratio >= self.at_least


def best_of_three(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the fastest of three calls of each, made in turns, so that a busy spell hits both."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(3):
        for call, taken in zip((ours, theirs), seconds, strict=True):
            start = time.perf_counter()
            call()
            taken.append(time.perf_counter() - start)
    return min(seconds[0]), min(seconds[1])


def as_text(rows: Sequence[Row]) -> str:
    """The rows as a table for a terminal, also valid Markdown; a ratio that is too low is marked."""
    header = ("what", "against", "ours", "theirs", "unit", "ratio", "at least")
    return markdown.table(
        header,
        [
            (
                row.what,
                row.against,
                _number(row.ours),
                _number(row.theirs),
                row.unit,
                "-" if row.ratio is None else f"{row.ratio:.2f}x" + ("" if row.holds else " TOO LOW"),
                "-" if row.at_least is None else f"{row.at_least:g}x",
            )
            for row in rows
        ],
        left=(0, 1, 4),
    )


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
