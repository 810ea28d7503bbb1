"""The scales of a rating study: a file describes its own, or names those of the literature."""

from collections.abc import Iterator
from dataclasses import dataclass

from denouement.legible import can_be_shown, seen
from denouement.study.design.mistakes import UNSHOWN, Mistake
from denouement.study.design.names import name_mistakes


@dataclass(frozen=True)
class Scale:
    """A question that people answer with a whole number from `low` to `high`.

    Attributes:
        name: the question's name in the table `ratings`.
        text: what annotators read.
        labels: a word for each value, from `low` on; those between the ends may be empty. None: `defaults.SCALE_ENDS`.
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


_ENDS = ("not at all", "", "", "", "", "fully")

# The scales of the related work (Mori et al. 2019, section 2); the wording is ours.
SCALES: dict[str, tuple[Scale, ...]] = {
    "consistency_readability": (  # Zhao et al. 2018
        Scale("consistency", "Does the last sentence agree with the story before it?", 0, 5, _ENDS),
        Scale("readability", "Is the last sentence easy to read and well written?", 0, 5, _ENDS),
    ),
    "bad_to_perfect": (  # Li et al. 2018
        Scale(
            "quality",
            "How good is the last sentence, by its grammar and fluency, its relevance to the story and its logic?",
            0,
            3,
            ("Bad", "Relevant", "Good", "Perfect"),
        ),
    ),
    "grammar_logicality": (  # Guan et al. 2019
        Scale("grammar", "Is the last sentence natural and free of mistakes?", 0, 2, ("no", "partly", "yes")),
        Scale("logicality", "Does the last sentence follow from the story?", 0, 2, ("no", "partly", "yes")),
    ),
}
