"""Training in epochs: the same seed, settings and stories give the same weights, even after an interruption.

After each epoch the whole state of training is written to a working folder. A run that finds a state there continues
from it, so at most the work of one epoch is lost. Dropout depends only on seed, epoch and step, and the order of
batches only on seed and epoch, so the run ends with exactly the weights of an uninterrupted one.
"""

from __future__ import annotations

import ctypes
import logging
import multiprocessing
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytorch_lightning as pl
import torch
from lightning_fabric.utilities.exceptions import MisconfigurationException
from torch.multiprocessing.spawn import ProcessRaisedException

from denouement import schemas
from denouement.console import warn
from denouement.encoders.embeddings import EmbeddingTable
from denouement.errors import UserError
from denouement.generators.base import LAST, OnEpoch
from denouement.generators.history import Counts, Epoch, History, Shares
from denouement.generators.neural.data import StorySet, read_stories, sentences
from denouement.generators.neural.decoder import NeuralGenerator
from denouement.generators.neural.lightning import (
    EpochLog,
    ParquetCheckpointIO,
    Resumable,
    StoryBatches,
    TrainedNetwork,
    epoch_values,
)
from denouement.generators.neural.memory import check_size, reported_if_short
from denouement.generators.neural.settings import NeuralSettings, TrainingSettings
from denouement.generators.vectors import open_embeddings
from denouement.tensors import read_checkpoint
from denouement.text.vocabulary import UNKNOWN, Vocabulary


def train_network(
    kind: type[NeuralGenerator],
    settings: NeuralSettings,
    stories: Path,
    folder: Path,
    *,
    embeddings: Path | None,
    on_epoch: OnEpoch | None = None,
) -> History:
    """Train a generator, and save its best and its last epoch in `folder`; see `Generator.fit`.

    `settings.best_epoch` says which epoch counts as the best. Where validation stories should decide but are missing,
    it is the last epoch, with a warning. The last checkpoint also holds the state of the optimizer.

    Args:
        kind: the class of the generator.
        settings: of the generator.
        stories: table `stories`; the generator learns from its split `train`; `validation` measures each epoch and may
            choose the best.
        folder: for the checkpoints; training continues from a state that a killed run left there.
        embeddings: table of sentence vectors, for generators that read vectors.
        on_epoch: called after each epoch with its number, from 0, and its values: those of `Epoch` and
            `words_per_second`. Epochs before an interruption are reported again, without the speed. With several
            devices all epochs are reported at the end.

    Returns:
        The course of the training. Losses are nats per token; END is a token, and all words that are not in the
        vocabulary count as the word UNKNOWN, in training and in validation.

    Raises:
        UserError: missing or unusable inputs, a device that does not exist, or training that diverged.
    """
    table = open_embeddings(kind, embeddings) if kind.reads_vectors else None
    vocabulary, training, validation = _read(stories, settings, table)
    check_held_out(stories, settings, validation is not None)
    if validation is not None and len(validation) < settings.devices:
        raise UserError(
            f"train: devices {settings.devices}, but {len(validation)} validation stories: each device needs one; "
            "use fewer devices"
        )
    make = partial(kind, settings, vocabulary, **({} if table is None else _encoder_of(table)))
    check_size(make, settings)
    with reported_if_short(settings):
        done = train_resumably(
            settings,
            folder,
            lambda: TrainedNetwork(make()),
            StoryBatches(training, validation, settings),
            on_epoch,
            devices=settings.devices,
        )
    return History(
        generator=kind.name,
        unit="nats per token",
        vocabulary=len(vocabulary),
        stories=Counts(len(training), 0 if validation is None else len(validation)),
        tokens=Counts(training.tokens, 0 if validation is None else validation.tokens),
        unknown_share=Shares(_unknown_share(training), None if validation is None else _unknown_share(validation)),
        best_epoch=done["best_epoch"],
        epochs=[Epoch(**entry) for entry in done["epochs"]],
    )


def check_held_out(stories: Path, settings: TrainingSettings, are_there: bool) -> None:
    """Refuse or warn of settings that need validation stories where there are none.

    Raises:
        UserError: `patience` is set.
    """
    if are_there:
        return
    if settings.patience is not None:
        raise UserError(f"{stories}: no validation stories, so patience has nothing to watch: set it to null")
    if settings.best_epoch == "validation":
        warn(f"{stories}: no validation stories, so the last epoch counts as the best")


def train_resumably(
    settings: TrainingSettings,
    folder: Path,
    make: Callable[[], Resumable],
    batches: pl.LightningDataModule,
    on_epoch: OnEpoch | None,
    *,
    devices: int = 1,
    unit: str = "words",
    callbacks: Sequence[pl.Callback] = (),
) -> dict[str, Any]:
    """Train a network from the state in `folder`, or from the start where there is none.

    Args:
        settings: of the training.
        folder: for the checkpoints.
        make: makes the module with the first weights, which may be drawn at random.
        batches: of both splits.
        on_epoch: as in `Generator.fit`.
        devices: how many.
        unit: of the speed, see `EpochLog`.
        callbacks: further ones of Lightning's.

    Returns:
        The entry `training` of the last checkpoint: the epochs, and which is the best.

    Raises:
        UserError: a device that does not exist, or training that diverged.
    """
    log = EpochLog(folder, settings, None if devices > 1 else on_epoch, unit)
    resumable = folder / LAST
    done = _report(resumable, 0, on_epoch)
    if not done["finished"]:
        folder.mkdir(parents=True, exist_ok=True)
        reported = len(done["epochs"]) if devices > 1 else settings.epochs
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            optimise(make(), settings, batches, [log, *callbacks], resumable, devices)
        done = _report(resumable, reported, on_epoch)
    return done


def optimise(
    module: Resumable,
    settings: TrainingSettings,
    batches: pl.LightningDataModule,
    callbacks: Sequence[pl.Callback],
    resumable: Path,
    devices: int = 1,
) -> None:
    """Train `module`, from the state in `resumable` if there is one.

    Raises:
        UserError: a device that does not exist, or training that diverged.
        KeyboardInterrupt: Ctrl-C. `resumable` keeps the epochs that have ended.
    """
    keep_memory()
    with _quiet():
        try:
            trainer = pl.Trainer(
                accelerator=settings.accelerator,
                devices=devices,
                # Spawned processes; Lightning's default would run the caller's script again for each device.
                strategy="ddp_spawn" if devices > 1 else "auto",
                precision=settings.precision,
                max_epochs=settings.epochs,
                max_time=settings.time_limit(),
                plugins=[ParquetCheckpointIO()],
                callbacks=[*callbacks],
                logger=False,
                enable_checkpointing=False,  # the log writes them
                enable_model_summary=False,
                enable_progress_bar=sys.stderr.isatty(),
                num_sanity_val_steps=0,
                use_distributed_sampler=False,  # the samplers know the devices
                default_root_dir=resumable.parent,
            )
        except (MisconfigurationException, ValueError, RuntimeError, ImportError) as error:
            problem = str(error).splitlines()[0]
            raise UserError(f"train: accelerator {settings.accelerator}, devices {devices}: {problem}") from error
        with _interruptible(), _errors_of_other_processes():
            trainer.fit(module, batches, ckpt_path=str(resumable) if resumable.exists() else None)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Make Ctrl-C raise KeyboardInterrupt: Lightning turns it into an exit with status 1, and ignores further ones.

    The processes of other devices are ended too, also where Ctrl-C did not reach them.
    """
    handler = signal.getsignal(signal.SIGINT)
    others = multiprocessing.active_children()
    try:
        yield
    except SystemExit as error:
        if not isinstance(error.__context__, KeyboardInterrupt):
            raise
        for process in multiprocessing.active_children():
            if process not in others:
                process.terminate()
        signal.signal(signal.SIGINT, handler)
        raise KeyboardInterrupt from error


@contextmanager
def _errors_of_other_processes() -> Iterator[None]:
    """Raise a UserError of another device's process in this process."""
    try:
        yield
    except ProcessRaisedException as error:
        kind, _, message = str(error).strip().rpartition("\n")[2].partition(": ")
        if kind != f"{UserError.__module__}.{UserError.__name__}":
            raise
        raise UserError(message) from error


def keep_memory() -> None:
    """Make glibc keep freed memory for the next allocation instead of returning it to the system.

    Each step allocates and frees logits and gradients as large as the vocabulary. Getting their memory from the system
    again, page by page, takes up to a tenth of the time.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(-3, 2**27)  # M_MMAP_THRESHOLD: smaller blocks come from the heap
        mallopt(-1, 2**30)  # M_TRIM_THRESHOLD: so many unused bytes may stay at the heap's end


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Lightning's remarks about devices, workers and loggers out of the log; errors are still shown."""
    loggers = [logging.getLogger(name) for name in ("pytorch_lightning", "lightning.pytorch", "lightning.fabric")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="pytorch_lightning|lightning_fabric")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _read(
    stories: Path, settings: NeuralSettings, table: EmbeddingTable | None
) -> tuple[Vocabulary, StorySet, StorySet | None]:
    rows = schemas.read_table(stories, "stories")
    training, validation = (rows.filter(pc.equal(rows["split"], split)) for split in ("train", "validation"))
    if training.num_rows < 2:
        raise UserError(f"{stories}: {training.num_rows} training stories; at least 2 are needed")
    vocabulary = Vocabulary.build(
        (sentence for story in sentences(training) for sentence in story), settings.min_count, settings.max_size
    )
    return (
        vocabulary,
        read_stories(training, vocabulary, table, training=True),
        read_stories(validation, vocabulary, table, training=False) if validation.num_rows else None,
    )


def _report(resumable: Path, first: int, on_epoch: OnEpoch | None) -> dict[str, Any]:
    """The entry of the epoch log in a state of training; epochs from `first` on are reported to `on_epoch`."""
    if not resumable.exists():
        return {"epochs": [], "finished": False}
    try:
        done: dict[str, Any] = read_checkpoint(resumable)["training"]
    except UserError as error:
        warn(f"{error}: it does so now, from the start")
        resumable.unlink()
        return {"epochs": [], "finished": False}
    for entry in done["epochs"][first:]:
        if on_epoch is not None:
            on_epoch(entry["epoch"], epoch_values(Epoch(**entry)))
    return done


def _encoder_of(table: EmbeddingTable) -> dict[str, Any]:
    return {"encoder": table.encoder, "fingerprint": table.fingerprint, "dimension": table.dimension}


def _unknown_share(stories: StorySet) -> float:
    """Share of the endings' tokens that are not in the vocabulary."""
    return float((stories.endings.flat == UNKNOWN).mean())
