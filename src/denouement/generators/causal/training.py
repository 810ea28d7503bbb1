"""Fine-tuning a language model: it learns to end stories. Only the tokens of endings count; the context is read.

The loop is that of `neural.training`: a killed run goes on after the last whole epoch, and ends with the same bytes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pytorch_lightning as pl
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import DataLoader

from denouement import schemas
from denouement.console import note, warn
from denouement.errors import UserError
from denouement.generators.base import BEST, LAST, OnEpoch
from denouement.generators.causal.data import BudgetBatches, TokenBatch, TokenStories, read_token_stories
from denouement.generators.causal.settings import FineTuningSettings
from denouement.generators.causal.weights import make_trainable
from denouement.generators.history import Counts, Epoch, History
from denouement.generators.neural.lightning import Losses, Resumable, mix
from denouement.generators.neural.memory import reported_if_short
from denouement.generators.neural.training import check_held_out, train_resumably
from denouement.language_models.model import load
from denouement.tensors import read_state

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from denouement.generators.fine_tuned import FineTunedModel

_MEASURED = 10.0  # seconds of training after which the whole is estimated
_PLACES = 64


def fine_tune(
    kind: type[FineTunedModel],
    settings: FineTuningSettings,
    stories: Path,
    folder: Path,
    on_epoch: OnEpoch | None = None,
) -> History:
    """Fine-tune a language model, and save its best and its last epoch in `folder`; see `Generator.fit`.

    Args:
        kind: the class of the generator.
        settings: of the generator.
        stories: table `stories`; the model learns from its split `train`; `validation` measures each epoch and may
            choose the best.
        folder: for the checkpoints; training continues from a state that a killed run left there, unless that run had
            another model.
        on_epoch: as for `neural.training.train_network`; the speed is `ending_tokens_per_second`.

    Returns:
        The course of the training. Losses are nats per token of the model, the one that ends an ending included.

    Raises:
        UserError: missing or unusable inputs, or training that diverged.
    """
    rows = schemas.read_table(stories, "stories")
    training, validation = (rows.filter(pc.equal(rows["split"], split)) for split in ("train", "validation"))
    if not training.num_rows:
        raise UserError(f"{stories}: no training stories; at least 1 is needed")
    check_held_out(stories, settings, validation.num_rows > 0)
    generator = kind(settings, load(settings.model, device="cpu"))
    _leave_other_bases(folder, generator.model.source.digest)
    learned = read_token_stories(training, generator.model, generator.end, "training stories")
    held_out = (
        read_token_stories(validation, generator.model, generator.end, "validation stories")
        if validation.num_rows
        else None
    )

    def make() -> FineTuning:
        make_trainable(generator.model.network, settings)
        generator.model.network.train()
        return FineTuning(generator.model.network, settings, generator.checkpoint)

    with reported_if_short(settings):
        done = train_resumably(
            settings,
            folder,
            make,
            TokenBatches(learned, held_out, settings),
            on_epoch,
            unit="ending_tokens",
            callbacks=[TimeEstimate(learned, settings.epochs, kind.name)],
        )
    return History(
        generator=kind.name,
        unit="nats per token",
        vocabulary=None,
        stories=Counts(len(learned), 0 if held_out is None else len(held_out)),
        tokens=Counts(learned.n_learned, 0 if held_out is None else held_out.n_learned),
        unknown_share=None,
        best_epoch=done["best_epoch"],
        epochs=[Epoch(**entry) for entry in done["epochs"]],
    )


class FineTuning(Resumable):
    """A language model with the steps and the optimizer of its fine-tuning."""

    network: PreTrainedModel

    def __init__(
        self, network: PreTrainedModel, settings: FineTuningSettings, described: Callable[[], dict[str, Any]]
    ) -> None:
        """Make the module.

        Args:
            network: of the language model; those weights that require gradients are changed.
            settings: of the fine-tuning.
            described: returns what `restore` of the generator reads.
        """
        super().__init__()
        self.network = network
        self.strict_loading = False  # a checkpoint has the trained weights alone
        self._settings = settings
        self._described = described

    def described(self) -> dict[str, Any]:
        """The generator's checkpoint."""
        return self._described()

    def on_train_batch_start(self, batch: TokenBatch, batch_index: int) -> None:
        """Set the learning rate, which depends on the number of the step alone, as dropout does."""
        n_steps = self._settings.epochs * int(self.trainer.num_training_batches)
        done = (self.current_epoch * int(self.trainer.num_training_batches) + batch_index + 0.5) / n_steps
        for group in self.trainer.optimizers[0].param_groups:
            group["lr"] = self._settings.learning_rate * _share_of_rate(done, self._settings.warmup)
        torch.manual_seed(mix(self._settings.seed, self.current_epoch, batch_index))

    def training_step(self, batch: TokenBatch, batch_index: int) -> Losses:
        """The loss of a batch."""
        return losses(self.network, batch)

    def validation_step(self, batch: TokenBatch, batch_index: int) -> Losses:
        """The loss of a batch."""
        return losses(self.network, batch)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Adam without decay of weights, in one pass over them."""
        weights = [weight for weight in self.network.parameters() if weight.requires_grad]
        return torch.optim.Adam(weights, self._settings.learning_rate, fused=True)


class TokenBatches(pl.LightningDataModule):
    """The batches of both splits."""

    def __init__(self, training: TokenStories, validation: TokenStories | None, settings: FineTuningSettings) -> None:
        super().__init__()
        self._training = training
        self._validation = validation
        self._settings = settings

    def train_dataloader(self) -> DataLoader[TokenBatch]:
        """Of the training stories."""
        return self._loader(self._training, self._settings.seed)

    def val_dataloader(self) -> DataLoader[TokenBatch] | list[DataLoader[TokenBatch]]:
        """Of the validation stories, if there are any."""
        return [] if self._validation is None else self._loader(self._validation, None)

    def _loader(self, stories: TokenStories, seed: int | None) -> DataLoader[TokenBatch]:
        sampler = BudgetBatches(stories.widths, self._settings.batch_tokens, seed)
        return DataLoader(stories, batch_size=None, sampler=sampler)


class TimeEstimate(pl.Callback):
    """Says once, on standard error, how long all epochs will take."""

    def __init__(self, stories: TokenStories, epochs: int, name: str) -> None:
        self._tokens = len(stories.ids.flat)
        self._epochs = epochs
        self._name = name
        self._read = 0
        self._began: float | None = None
        self._said = False

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, outputs: Any, batch: TokenBatch, batch_idx: int
    ) -> None:
        """Measure from the end of the first batch on, which warms up."""
        if self._said:
            return
        if self._began is None:
            self._began = time.perf_counter()
            return
        self._read += batch.ids.numel()
        seconds = time.perf_counter() - self._began
        if seconds < _MEASURED:
            return
        self._said = True
        speed = self._read / seconds
        left = self._epochs - trainer.current_epoch
        minutes = left * self._tokens / speed / 60
        note(
            f"{self._name}: {self._tokens:,} tokens an epoch, {speed:,.0f} a second: {left} epochs take about "
            f"{minutes:,.0f} minutes, without validation"
        )


def losses(network: PreTrainedModel, batch: TokenBatch) -> Losses:
    """The mean loss of a batch in nats per token of its endings.

    Logits, a number for each token of the vocabulary, are made only at the places from which those are predicted.
    """
    before = functional.pad(batch.learned[:, 1:], (0, 1))
    with _output_reads(network, before):
        logits: Tensor = network(input_ids=batch.ids, use_cache=False).logits
    wanted = batch.ids[batch.learned]
    loss = functional.cross_entropy(logits[: len(wanted)].float(), wanted)
    return {"loss": loss, "tokens": torch.tensor(len(wanted), device=loss.device)}


@contextmanager
def _output_reads(network: PreTrainedModel, places: Tensor) -> Iterator[None]:
    """Let the output layer read the states [B, T, H] at the places [B, T] alone, as [N, H], with rows of 0 after them.

    N is a multiple of `_PLACES`, so that it is seldom another one than in an earlier batch (see `data._COLUMNS`).
    """
    more = -int(places.sum()) % _PLACES
    output: torch.nn.Module = network.get_output_embeddings()  # type: ignore[no-untyped-call]
    hook = output.register_forward_pre_hook(lambda _, inputs: (functional.pad(inputs[0][places], (0, 0, 0, more)),))
    try:
        yield
    finally:
        hook.remove()


def _share_of_rate(done: float, warmup: float) -> float:
    """Which share of the learning rate is used when a share of all steps is done: it rises from 0, and falls to 0."""
    return done / warmup if done < warmup else (1 - done) / (1 - warmup)


def _leave_other_bases(folder: Path, digest: str) -> None:
    """Remove a state of a training that had another language model."""
    resumable = folder / LAST
    try:
        of_state = read_state(resumable)["generator"]["architecture"]["digest"] if resumable.exists() else digest
    except UserError:  # damaged, which is said where it is read
        return
    if of_state != digest:
        warn(f"{resumable}: of another language model; the training begins anew")
        for file in (resumable, folder / BEST):
            file.unlink(missing_ok=True)
