"""The scales of a rating study: a file describes its own, or names those of the literature."""

from collections.abc import Iterator
from dataclasses import dataclass

from denouement.legible import can_be_shown, seen
from denouement.study.design.mistakes import UNSHOWN, Mistake
from denouement.study.design.names import name_mistakes
from denouement.study.languages import Texts


@dataclass(frozen=True)
class Scale:
    """A question that people answer with a whole number from `low` to `high`.

    Attributes:
        name: the question's name in the table `ratings`.
        text: what annotators read.
        labels: a word for each value, from `low` on; those between the ends may be empty. None: `scales.ends` of the
            language.
    """

    name: str = ""
    text: str = ""
    low: int = 0
    high: int = 5
    labels: tuple[str, ...] = ()

    @property
    def values(self) -> range:
        """The values that annotators choose from."""
        return range(self.low, self.high + 1)

    def mistakes(self) -> Iterator[Mistake]:
        """What is missing or out of range."""
        yield from name_mistakes(self.name)
        if not seen(self.text):
            yield Mistake(
                ("text",), f"text: is missing: write what annotators read, or name one of {', '.join(SCALES)}"
            )
        if not all(map(can_be_shown, (self.text, *self.labels))):
            yield Mistake(("text", "labels"), f"text, labels: {UNSHOWN}")
        if not 0 <= self.low < self.high <= 100:
            yield Mistake(("low", "high"), f"low, high: must be 0 <= low < high <= 100, not {self.low} and {self.high}")
        elif self.labels and len(self.labels) != len(self.values):
            yield Mistake(
                ("labels", "low", "high"), f"labels: must be none or {len(self.values)}, not {len(self.labels)}"
            )


# The scales of the related work (Mori et al. 2019, section 2): the name, lowest and highest value of each.
SCALES: dict[str, tuple[tuple[str, int, int], ...]] = {
    "consistency_readability": (("consistency", 0, 5), ("readability", 0, 5)),  # Zhao et al. 2018
    "bad_to_perfect": (("quality", 0, 3),),  # Li et al. 2018
    "grammar_logicality": (("grammar", 0, 2), ("logicality", 0, 2)),  # Guan et al. 2019
}


def named_scales(name: str, say: Texts) -> tuple[Scale, ...]:
    """The scales of a name in `SCALES`, in a language."""
    return tuple(
        Scale(scale, say(f"scales.{scale}.text"), low, high, say.several(f"scales.{scale}.labels"))
        for scale, low, high in SCALES[name]
    )
