"""What a chooser learns from, and how it is trained."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from denouement.cloze.parts.asked_model import before
from denouement.schemas import set_name
from denouement.settings import above_zero, at_least


class Example(NamedTuple):
    """A case to learn from.

    Attributes:
        context: its sentences.
        endings: k >= 2.
        right: the place of the right one, from 0.
        question: asked after the context.
        of: what it is from: the release and split of a case, or the stories.
        story: the whole context of its story, where `context` is only a part of that.
    """

    context: Sequence[str]
    endings: Sequence[str]
    right: int
    question: str | None = None
    of: str = "stories"
    story: Sequence[str] = ()

    @property
    def before(self) -> str:
        """What is read before the endings."""
        return before(self.context, self.question)


def examples(cases: pa.Table) -> list[Example]:
    """Labelled cases of the table `cloze` as examples."""
    columns = ("context", "endings", "right_ending", "question", "release", "split", "language")
    return [
        Example(
            row["context"],
            row["endings"],
            row["right_ending"] - 1,
            row["question"],
            set_name(row["release"], row["split"], row["language"]),
        )
        for row in cases.select(list(columns)).to_pylist()
    ]


@dataclass
class ChooserTraining:
    """How a chooser is trained.

    Attributes:
        layers: how many of the language model's layers are used; null: four fifths of them.
        epochs: passes over the cases.
        learning_rate: the highest of AdamW's; it rises in the first tenth of the steps and then falls to 0.
        batch_size: cases in a batch.
        seeds: how many networks are trained, each with a seed of its own; their scores are averaged.
        max_minutes: after which the training of a network ends, wherever it is; null: never.
    """

    layers: int | None = None
    epochs: int = 3
    learning_rate: float = 3e-5
    batch_size: int = 16
    seeds: int = 1
    max_minutes: float | None = None

    def __post_init__(self) -> None:
        at_least(self, 1, "layers", "epochs", "batch_size", "seeds")
        above_zero(self, "learning_rate")
        if self.max_minutes is not None:
            above_zero(self, "max_minutes")
