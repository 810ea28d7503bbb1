"""How Lightning trains a generator: the module around it, its batches, its checkpoints and the log of epochs.

Only training imports this module, since Lightning takes seconds to import.
"""

from __future__ import annotations

import math
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

import pytorch_lightning as pl
import torch
from pytorch_lightning.plugins.io import CheckpointIO
from torch.utils.data import DataLoader

from denouement.errors import UserError
from denouement.generators.base import BEST, LAST, OnEpoch
from denouement.generators.history import Epoch
from denouement.generators.neural.data import OrderedBatches, RandomBatches, StorySet
from denouement.generators.neural.decoder import ContextBatch, NeuralGenerator
from denouement.generators.neural.settings import NeuralSettings, TrainingSettings
from denouement.tensors import read_checkpoint, write_checkpoint
from denouement.text.vocabulary import PAD

Batch: TypeAlias = tuple[ContextBatch, torch.Tensor]

_NETWORK = "network."


class Losses(TypedDict):
    """What a step returns.

    Attributes:
        loss: mean loss of a batch in nats per token.
        tokens: of how many tokens.
    """

    loss: torch.Tensor
    tokens: torch.Tensor


class Resumable(pl.LightningModule):
    """A network in training, whose checkpoints hold its weights under the names that they have in the network.

    Attributes:
        network: what is trained.
    """

    network: torch.nn.Module

    def described(self) -> dict[str, Any]:
        """What `restore` of the generator reads; the weights are its entry `state_dict`."""
        raise NotImplementedError

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Add that, in the place of the weights under the names of this module."""
        checkpoint.update(self.described())

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Give Lightning the weights under the names that they have in this module."""
        checkpoint["state_dict"] = {f"{_NETWORK}{name}": weights for name, weights in checkpoint["state_dict"].items()}


class TrainedNetwork(Resumable):
    """A neural generator with the steps and the optimizer of its training."""

    network: NeuralGenerator

    def __init__(self, network: NeuralGenerator) -> None:
        super().__init__()
        self.network = network

    def described(self) -> dict[str, Any]:
        """The generator's checkpoint."""
        return self.network.checkpoint()

    def training_step(self, batch: Batch, batch_index: int) -> Losses:
        """The loss of a batch. Its dropout depends on seed, epoch, step and device rank alone."""
        inputs, targets = batch
        noise = torch.Generator(self.device).manual_seed(
            mix(self.network.settings.seed, self.current_epoch, batch_index, self.global_rank)
        )
        return self._losses(self.network.disturb(inputs, noise), targets)

    def validation_step(self, batch: Batch, batch_index: int) -> Losses:
        """The loss of a batch."""
        return self._losses(*batch)

    def _losses(self, inputs: ContextBatch, targets: torch.Tensor) -> Losses:
        return {"loss": self.network.loss(inputs, targets), "tokens": (targets != PAD).sum()}

    def on_validation_epoch_start(self) -> None:
        """Average the running means of batch normalisation over the devices, each of which has seen other batches."""
        if self.trainer.world_size > 1:
            for buffer in self.buffers():
                if buffer.is_floating_point():
                    buffer.copy_(self.trainer.strategy.reduce(buffer.clone(), reduce_op="mean"))

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Adam as in Mori et al. 2019, A.1; fused: each step makes one pass over the weights instead of a dozen."""
        settings = self.network.settings
        return torch.optim.Adam(
            self.parameters(),
            settings.learning_rate,
            (settings.beta_1, settings.beta_2),
            settings.epsilon,
            fused=True,
        )


class ParquetCheckpointIO(CheckpointIO):
    """Lets Lightning save and resume training with Parquet files: `Trainer(plugins=[ParquetCheckpointIO()])`."""

    def save_checkpoint(self, checkpoint: dict[str, Any], path: str | Path, storage_options: Any = None) -> None:
        """Write `checkpoint` to `path`, atomically. See `write_checkpoint`."""
        write_checkpoint(checkpoint, Path(path))

    def load_checkpoint(self, path: str | Path, *_: Any, **__: Any) -> dict[str, Any]:
        """What was saved, with its tensors on the CPU. See `read_checkpoint`."""
        return read_checkpoint(Path(path))

    def remove_checkpoint(self, path: str | Path) -> None:
        """Delete the file."""
        Path(path).unlink(missing_ok=True)


class EpochLog(pl.Callback):
    """After each epoch: records its values, saves the best weights and the whole state, and decides whether to stop."""

    def __init__(self, folder: Path, settings: TrainingSettings, on_epoch: OnEpoch | None, unit: str = "words") -> None:
        """Log to a folder.

        Args:
            folder: for the checkpoints.
            settings: of the training.
            on_epoch: see `Generator.fit`.
            unit: what the tokens that are learned to be predicted are called in the speed.
        """
        self._folder = folder
        self._settings = settings
        self._on_epoch = on_epoch
        self._unit = unit
        self._epochs: list[Epoch] = []
        self._finished = False
        self._sums: dict[str, torch.Tensor] = {}  # of each split: nats and tokens of this epoch on this device
        self._began = 0.0
        self._seconds = 0.0

    @property
    def _lowest(self) -> int:
        """Number of the epoch with the lowest validation loss, the first of equals; the last if there is no loss."""
        losses = [entry.validation_loss for entry in self._epochs if entry.validation_loss is not None]
        return losses.index(min(losses)) if losses else len(self._epochs) - 1

    @property
    def _best(self) -> int:
        """Number of the epoch whose weights are used."""
        return len(self._epochs) - 1 if self._settings.best_epoch == "last" else self._lowest

    def on_load_checkpoint(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, checkpoint: dict[str, Any]
    ) -> None:
        """Continue with the values of the epochs before an interruption."""
        self._epochs = [Epoch(**entry) for entry in checkpoint["training"]["epochs"]]

    def on_save_checkpoint(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, checkpoint: dict[str, Any]
    ) -> None:
        """Save them, without the states of other callbacks: their clocks would make each file different."""
        checkpoint["training"] = {
            "epochs": [asdict(entry) for entry in self._epochs],
            "best_epoch": self._best,
            "finished": self._finished,
        }
        checkpoint["callbacks"] = {}

    def on_train_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Start the clock, and set the sums to 0."""
        self._sums = {split: torch.zeros(2, device=pl_module.device) for split in ("train", "validation")}
        self._began = time.perf_counter()

    def on_train_batch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule, outputs: Any, *_: Any) -> None:
        """Count the batch, and read the clock here: validation follows the last batch and is not to be timed."""
        self._count("train", outputs)
        self._seconds = time.perf_counter() - self._began

    def on_validation_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, outputs: Any, *_: Any
    ) -> None:
        """Count the batch."""
        self._count("validation", outputs)

    def _count(self, split: str, losses: Losses) -> None:
        """Add a batch to the sums: an epoch's loss is a mean over tokens, for any batches and number of devices."""
        tokens = losses["tokens"]
        self._sums[split] += torch.stack([losses["loss"].detach() * tokens, tokens])

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Record the epoch, save what is to be kept, and decide whether to stop."""
        settings = self._settings
        sums = {split: trainer.strategy.reduce(kept, reduce_op="sum") for split, kept in self._sums.items()}
        losses = {split: float(nats / tokens) for split, (nats, tokens) in sums.items() if tokens}
        if not all(map(math.isfinite, losses.values())):
            raise UserError(f"training diverged in epoch {trainer.current_epoch}: lower learning_rate")
        epoch = trainer.current_epoch
        validation_loss = losses.get("validation")
        perplexity = None if validation_loss is None else math.exp(min(validation_loss, 700.0))  # above: overflow
        entry = Epoch(epoch, losses["train"], validation_loss, perplexity)
        self._epochs.append(entry)
        if settings.patience is not None and epoch - self._lowest >= settings.patience:
            trainer.should_stop = True
        self._finished = trainer.should_stop or epoch + 1 == settings.epochs
        # The best weights first: an interruption between the two repeats this epoch and writes the same weights again.
        if epoch == self._best:
            trainer.save_checkpoint(self._folder / BEST, weights_only=True)
        trainer.save_checkpoint(self._folder / LAST)
        if self._on_epoch is not None:
            tokens = float(sums["train"][1])  # fewer than in a whole epoch if the time limit stopped it
            self._on_epoch(epoch, {**epoch_values(entry), f"{self._unit}_per_second": tokens / self._seconds})


class StoryBatches(pl.LightningDataModule):
    """The batches of each device."""

    def __init__(self, training: StorySet, validation: StorySet | None, settings: NeuralSettings) -> None:
        super().__init__()
        self._training = training
        self._validation = validation
        self._settings = settings

    def train_dataloader(self) -> DataLoader[Batch]:
        """Of the training stories."""
        rank, devices = self._place()
        sampler = RandomBatches(self._training, self._settings.batch_size, self._settings.seed, rank, devices)
        return DataLoader(self._training, batch_size=None, sampler=sampler)

    def val_dataloader(self) -> DataLoader[Batch] | list[DataLoader[Batch]]:
        """Of the validation stories, if there are any."""
        if self._validation is None:
            return []
        sampler = OrderedBatches(self._validation, self._settings.batch_size, *self._place())
        return DataLoader(self._validation, batch_size=None, sampler=sampler)

    def _place(self) -> tuple[int, int]:
        assert self.trainer is not None
        return self.trainer.global_rank, self.trainer.world_size


def epoch_values(entry: Epoch) -> dict[str, float]:
    """The values of an epoch by name, without its number and without values that were not measured."""
    return {name: value for name, value in vars(entry).items() if name != "epoch" and value is not None}


def mix(*numbers: int) -> int:
    """One seed from several numbers; similar numbers give unrelated seeds."""
    mixed = 0
    for number in numbers:  # splitmix64
        mixed = (mixed + number + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        mixed ^= mixed >> 31
    return mixed >> 1
