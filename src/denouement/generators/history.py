"""The course of a generator's training, epoch by epoch: the document `history.json`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Epoch:
    """One pass over the training stories.

    Attributes:
        epoch: its number, from 0.
        train_loss: nats per token of the training batches, each before the step that learned from it.
        validation_loss: nats per token of the held-out stories; None without such stories.
        validation_perplexity: the exponential of `validation_loss`.
    """

    epoch: int
    train_loss: float
    validation_loss: float | None
    validation_perplexity: float | None


@dataclass(frozen=True)
class Counts:
    """Numbers of stories or tokens for training, and held out."""

    train: int
    validation: int


@dataclass(frozen=True)
class Shares:
    """Shares between 0 and 1, for training and held out; None where no stories were held out."""

    train: float
    validation: float | None


@dataclass(frozen=True)
class History:
    """The course of a training. Of a generator without epochs `epochs` is empty; what it does not count is None.

    Attributes:
        generator: its name.
        unit: of the losses.
        vocabulary: words that the generator knows, special ones among them.
        stories: how many it learned from, and how many measured it.
        tokens: in the endings of these stories; END counts as a token.
        unknown_share: which share of these tokens is not in the vocabulary.
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


def best_values(history: History) -> dict[str, Any]:
    """The metrics of a training: the values of the epoch that is used, or the number of training stories."""
    return {"stories": history.stories.train} if history.used is None else vars(history.used).copy()


def chief_values(history: History) -> dict[str, Any]:
    """The values by which trainings are compared: those of `best_values`, the epoch counted from 1."""
    values = best_values(history)
    return values | ({"epoch": values["epoch"] + 1} if "epoch" in values else {})


def logged_values(history: History) -> dict[str, Any]:
    """The values that are logged when a training ends; those of each epoch have been logged before."""
    return {"best": best_values(history), "vocabulary": history.vocabulary}


def epoch_line(epoch: int, epochs: int, values: Mapping[str, float]) -> str:
    """The values of an epoch that has ended, in words.

    >>> epoch_line(0, 15, {"train_loss": 5.0218, "words_per_second": 7427.2})
    'epoch 1 of 15: train loss 5.022, words per second 7,427'
    """
    shown = ", ".join(f"{name.replace('_', ' ')} {_number(value)}" for name, value in values.items())
    return f"epoch {epoch + 1} of {epochs}: {shown}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
