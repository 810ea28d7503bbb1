"""Rules such as `failed_checks>1` and `median_seconds<5s`, which flag people or exclude them."""

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from denouement.errors import UserError
from denouement.study.results.conduct import Conduct

Unit = Literal["count", "seconds", "share"]

MEASURES: dict[str, Unit] = {
    "answers": "count",
    "median_seconds": "seconds",
    "fast_answers": "share",
    "failed_checks": "count",
    "repeated_reasons": "share",
    "copied_reasons": "share",
    "wordless_reasons": "share",
    "one_side": "share",
    "one_answer": "share",
}
"""What a rule may name, each a field of `Conduct`, and how it is measured."""

_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
_FORM = re.compile(r"([a-z_]+)\s*(<=|>=|<|>|=)\s*([0-9]+(?:\.[0-9]+)?)\s*(%|s|min|)", re.ASCII)
_UNITS: dict[Unit, dict[str, float]] = {
    "count": {"": 1},
    "seconds": {"": 1, "s": 1, "min": 60},
    "share": {"": 1, "%": 0.01},
}
_EXAMPLE = {"count": "failed_checks>1", "seconds": "median_seconds<5s", "share": "one_side>90%"}


@dataclass(frozen=True)
class ConductRule:
    """A comparison of one measure with a limit.

    Attributes:
        measure: one of `MEASURES`.
        sign: how it is compared.
        limit: in seconds, as a share from 0 to 1, or a count.
        text: the rule as it was written.
    """

    measure: str
    sign: str
    limit: float
    text: str

    def value(self, conduct: Conduct) -> float | None:
        """The person's value of the measure; None where there is none."""
        value: float | None = getattr(conduct, self.measure)
        return value

    def holds(self, conduct: Conduct) -> bool:
        """Whether the rule holds for this person; never where there is no value to compare."""
        value = self.value(conduct)
        return value is not None and _SIGNS[self.sign](value, self.limit)


def rule(text: str) -> ConductRule:
    """The rule of a text: a measure, one of < <= > >= =, and a number, with the unit s, min or % where it fits.

    >>> rule("one_side > 90%")
    ConductRule(measure='one_side', sign='>', limit=0.9, text='one_side>90%')

    Raises:
        UserError: another form, an unknown measure, a unit that the measure does not have, or a share above 1.
    """
    parts = _FORM.fullmatch(text.strip())
    name = parts[1] if parts else re.split(r"[^a-z_]", text.strip(), maxsplit=1)[0]
    if name not in MEASURES:
        raise UserError(f"rule {text!r}: unknown measure; there are {', '.join(MEASURES)}")
    unit = MEASURES[name]
    if parts is None or parts[4] not in _UNITS[unit]:
        raise UserError(f"rule {text!r}: must be like {_EXAMPLE[unit]}")
    limit = round(float(parts[3]) * _UNITS[unit][parts[4]], 9)
    if unit == "share" and limit > 1:
        raise UserError(f"rule {text!r}: a share is at most 100%; write {parts[3]}%, or a number from 0 to 1")
    return ConductRule(name, parts[2], limit, "".join(parts.groups()))


def rules(texts: Sequence[str]) -> list[ConductRule]:
    """`rule` of each text; one that is given twice counts once."""
    return list({each.text: each for each in map(rule, texts)}.values())


FLAGS = tuple(
    map(
        rule,
        (
            "median_seconds<5s",
            "fast_answers>20%",
            "failed_checks>0",
            "repeated_reasons>20%",
            "copied_reasons>20%",
            "wordless_reasons>0",
            "one_side>90%",
            "one_answer>90%",
        ),
    )
)
"""What flags a person unless the caller says otherwise."""


def flags_with(given: Sequence[ConductRule]) -> list[ConductRule]:
    """`FLAGS`, in which rules that are given replace those of the same measure."""
    replaced = {each.measure for each in given}
    return [*(each for each in FLAGS if each.measure not in replaced), *given]
