"""What a cell of a table holds, and the one way in which each kind of value is written."""

from dataclasses import dataclass
from typing import TypeAlias

NO_VALUE = "-"


@dataclass(frozen=True)
class Share:
    """A share between 0 and 1, written in percent: `44.1%`; None is a dash."""

    value: float | None
    decimals: int = 1

    def __str__(self) -> str:
        return NO_VALUE if self.value is None else f"{self.value:.{self.decimals}%}"


@dataclass(frozen=True)
class CountAndShare:
    """How many, and which share of all that is: `1,652 (44.1%)`."""

    n: int
    share: float

    def __str__(self) -> str:
        return f"{self.n:,} ({self.share:.1%})"


@dataclass(frozen=True)
class CountOf:
    """How many of how many: `1,652 of 3,744`."""

    n: int
    of: int

    def __str__(self) -> str:
        return f"{self.n:,} of {self.of:,}"


@dataclass(frozen=True)
class Number:
    """A number with so many decimals: `1,024.50`; None is a dash."""

    value: float | None
    decimals: int

    def __str__(self) -> str:
        return NO_VALUE if self.value is None else f"{self.value:,.{self.decimals}f}"


@dataclass(frozen=True)
class Interval:
    """The two ends of an interval, such as `0.157 to 0.843`, or of shares `15.7% to 84.3%`; without ends, a dash."""

    low: float | None
    high: float | None
    decimals: int
    of_share: bool = False

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return NO_VALUE
        style = f".{self.decimals}{'%' if self.of_share else 'f'}"
        return f"{self.low:{style}} to {self.high:{style}}"


@dataclass(frozen=True)
class ShareAndInterval:
    """A share with its interval, such as `44.1% (40.2% to 48.0%)`; without ends, a dash in place of the interval."""

    share: float
    low: float | None
    high: float | None

    def __str__(self) -> str:
        return f"{Share(self.share)} ({Interval(self.low, self.high, 1, of_share=True)})"


@dataclass(frozen=True)
class PValue:
    """A p-value: three decimals from 0.001 upwards, scientific below; `<1e-300` where float64 ends; None is a dash."""

    p: float | None

    def __str__(self) -> str:
        if self.p is None:
            return NO_VALUE
        if self.p < 1e-300:
            return "<1e-300"
        return f"{self.p:.3f}" if self.p >= 0.001 else f"{self.p:.2e}"


Cell: TypeAlias = str | int | Share | CountAndShare | CountOf | Number | Interval | ShareAndInterval | PValue
"""A text, a count (an int, written `1,652`), or one of the kinds above."""


def written(cell: Cell) -> str:
    """The cell as people read it."""
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def is_number(cell: Cell) -> bool:
    """Whether a cell is set to the right, as numbers are; a text never is, even if it looks like a number."""
    return not isinstance(cell, str)
