"""Training of the systems that learn from stories by gradient descent, and keeping what they learned.

A plain loop rather than a Lightning trainer: these networks are trained in minutes on one device, and a killed training
begins again, so that nothing but a trainer's loop would be used.
"""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

import pyarrow as pa
import torch
from torch import Tensor, nn

from denouement.console import progress
from denouement.errors import UserError
from denouement.files import file_digest
from denouement.kept import kept
from denouement.tensors import read_checkpoint, write_checkpoint

Batch = TypeVar("Batch")
Item = TypeVar("Item")
Checkpoint = dict[str, Any]


class Learner(nn.Module, ABC, Generic[Batch]):
    """A network that returns its loss on a batch."""

    @abstractmethod
    def loss(self, batch: Batch) -> tuple[Tensor, int]:
        """The loss summed over a batch's examples, a scalar in nats, and how many examples (or words) these are."""


def fit(
    network: Learner[Batch],
    training: Callable[[torch.Generator], Iterable[Batch]],
    validation: Sequence[Batch],
    *,
    what: str,
    epochs: int,
    patience: int,
    learning_rate: float,
    seed: int,
) -> list[dict[str, float]]:
    """Train `network` with Adam until the loss on `validation` rises, and leave it with its best weights.

    Gradients longer than 5 are shortened to 5. Where there is no validation batch the last epoch is the best.

    Args:
        network: changed in place; in eval mode at the end.
        training: the batches of an epoch, shuffled with the generator given.
        validation: batches.
        what: named on the progress bar.
        epochs: the most epochs.
        patience: epochs without a better loss on `validation` after which training stops.
        learning_rate: Adam's.
        seed: of the shuffling. The global one, which decides dropout, is the caller's; see `seeded`.

    Returns:
        The loss of each epoch on the training and the validation batches, in nats an example.

    Raises:
        UserError: training diverged.
    """
    optimizer = torch.optim.Adam(network.parameters(), learning_rate, fused=True)
    order = torch.Generator().manual_seed(seed)
    history: list[dict[str, float]] = []
    best: dict[str, Tensor] = {}
    best_epoch = 0
    for epoch in range(epochs):
        network.train()
        losses = []
        for batch in progress(list(training(order)), f"{what}: epoch {epoch + 1}", unit="batch"):
            summed, count = network.loss(batch)
            optimizer.zero_grad()
            (summed / count).backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimizer.step()
            losses.append((summed.item(), count))
        network.eval()
        with torch.no_grad():
            unseen = [(summed.item(), count) for summed, count in map(network.loss, validation)]
        history.append({"training_loss": _mean(losses), "validation_loss": _mean(unseen or losses)})
        if not all(map(math.isfinite, history[-1].values())):
            raise UserError(f"{what}: training diverged in epoch {epoch + 1}: lower learning_rate")
        if not unseen or history[-1]["validation_loss"] <= min(past["validation_loss"] for past in history):
            best, best_epoch = copy.deepcopy(network.state_dict()), epoch
        elif epoch - best_epoch >= patience:
            break
    network.load_state_dict(best)
    return history


def shuffled(items: Sequence[Item], size: int, generator: torch.Generator) -> Iterator[list[Item]]:
    """All items once, shuffled, in batches of `size`; the last one may have fewer."""
    order = torch.randperm(len(items), generator=generator).tolist()
    for start in range(0, len(order), size):
        yield [items[row] for row in order[start : start + size]]


def _mean(losses: Sequence[tuple[float, int]]) -> float:
    return sum(summed for summed, _ in losses) / sum(count for _, count in losses)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw torch's global random numbers from `seed` inside the block, and restore the earlier state after it."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


def kept_training(
    name: str,
    train: Callable[[], Checkpoint],
    *,
    settings: Mapping[str, Any],
    stories: pa.Table,
    seed: int,
    code: Sequence[str],
    cache: Path | None,
) -> Checkpoint:
    """What `train` returns, read from `cache` where it was trained before (`denouement.kept`).

    Args:
        name: of the system; its files are `NAME-DIGEST.parquet`.
        train: returns what `tensors.write_checkpoint` can write.
        settings: those that the weights depend on, JSON-ready.
        stories: learned from.
        seed: of everything random.
        code: source files (`__file__`) of what trains.
        cache: a folder; None trains anew each time.
    """
    if cache is None:
        return train()
    learned_from = stories.select(["sentences", "split"]).combine_chunks().to_pylist()
    sources = [file_digest(Path(file)) for file in (*code, __file__)]
    depends_on = [name, settings, seed, learned_from, sources]
    return kept(cache / f"{name}.parquet", depends_on, train, read_checkpoint, write_checkpoint)
