"""What training a generator was like, epoch by epoch: the document `history.json`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Epoch:
    """One pass over the training stories.

    Attributes:
        epoch: its number, from 0.
        train_loss: nats per token of the batches as they were learned from.
        validation_loss: nats per token of the stories held out; None without such stories.
        validation_perplexity: its exponential.
    """

    epoch: int
    train_loss: float
    validation_loss: float | None
    validation_perplexity: float | None


@dataclass(frozen=True)
class Counts:
    """How many stories or tokens were learned from, and how many were held out."""

    train: int
    validation: int


@dataclass(frozen=True)
class Shares:
    """Shares between 0 and 1 of what was learned from, and of what was held out; None where nothing was."""

    train: float
    validation: float | None


@dataclass(frozen=True)
class History:
    """The course of a training. A generator without epochs has none, and None for what it does not count.

    Attributes:
        generator: its name.
        unit: of the losses.
        vocabulary: words that the generator knows, special ones among them.
        stories: that it learned from, and that measured it.
        tokens: of their endings, ENDs counted.
        unknown_share: of these tokens, those that are not in the vocabulary.
        best_epoch: number of the epoch whose weights are used.
        epochs: in order.
    """

    generator: str
    unit: str | None
    vocabulary: int | None
    stories: Counts
    tokens: Counts | None
    unknown_share: Shares | None
    best_epoch: int | None
    epochs: Sequence[Epoch]

    @property
    def used(self) -> Epoch | None:
        """The epoch whose weights are used; None where there are no epochs."""
        return next((entry for entry in self.epochs if entry.epoch == self.best_epoch), None)


def history_from(content: Mapping[str, Any]) -> History:
    """The course of a training from the content of `history.json`, as much of it as the report reads."""
    return History(
        generator=content.get("generator", ""),
        unit=content.get("unit"),
        vocabulary=content["vocabulary"],
        stories=Counts(**content["stories"]),
        tokens=None,
        unknown_share=None,
        best_epoch=content["best_epoch"],
        epochs=[Epoch(**entry) for entry in content["epochs"]],
    )


def best_values(history: History) -> dict[str, Any]:
    """The metrics of a training: the values of the epoch that is used, or how many stories were learned from."""
    return {"stories": history.stories.train} if history.used is None else vars(history.used).copy()


def logged_values(history: History) -> dict[str, Any]:
    """What is logged of a training beside the values of each epoch."""
    return {"best": best_values(history), "vocabulary": history.vocabulary}
