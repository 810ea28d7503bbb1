"""Training a neural generator: the same seed, settings and stories give the same weights, even after a kill midway.

After each epoch the whole state of training is written to a working folder. A run that finds one there goes on from
it; since dropout depends on seed, epoch and step alone and the order of batches on seed and epoch, it ends with exactly
the weights that it would have had without the break, an epoch's work being the most that is lost.
"""

from __future__ import annotations

import ctypes
import logging
import multiprocessing
import signal
import sys
import warnings
from collections.abc import Iterator
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
    StoryBatches,
    TrainedNetwork,
    epoch_values,
)
from denouement.generators.neural.memory import check_size, reported_if_short
from denouement.generators.neural.settings import NeuralSettings
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
    """Train a generator, and keep its best and its last epoch in `folder`; see `Generator.fit`.

    `settings.best_epoch` says which epoch counts as the best. Where validation stories are to choose it and there are
    none, it is the last, and a warning says so. The last checkpoint holds the state of the optimizer, too.

    Args:
        kind: the class of the generator.
        settings: of the generator.
        stories: table `stories`; its split `train` is learned from, `validation` measures each epoch and may
            choose one.
        folder: for the checkpoints; a state of training that a killed run left there is gone on from.
        embeddings: table of sentence vectors, for generators that read vectors.
        on_epoch: called after each epoch with its number, from 0, and its values: those of `Epoch` and
            `words_per_second`. Epochs done before a break are reported again, without the speed. With several devices
            all are reported at the end.

    Returns:
        The course of the training. Losses are nats per token; END is a token, and a word that is not in the vocabulary
        counts as one more word of it (UNKNOWN), in training and in validation.

    Raises:
        UserError: missing or unusable inputs, a device that does not exist, or training that diverged.
    """
    table = open_embeddings(kind, embeddings) if kind.reads_vectors else None
    vocabulary, training, validation = _read(stories, settings, table)
    if validation is None:
        if settings.patience is not None:
            raise UserError(f"{stories}: no validation stories, so patience has nothing to watch: set it to null")
        if settings.best_epoch == "validation":
            warn(f"{stories}: no validation stories, so the last epoch counts as the best")
    elif len(validation) < settings.devices:
        raise UserError(
            f"train: devices {settings.devices}, but {len(validation)} validation stories: each device needs one; "
            "use fewer devices"
        )
    make = partial(kind, settings, vocabulary, **({} if table is None else _encoder_of(table)))
    check_size(make, settings)
    log = EpochLog(folder, settings, None if settings.devices > 1 else on_epoch)
    resumable = folder / LAST
    done = _report(resumable, 0, on_epoch)
    if not done["finished"]:
        folder.mkdir(parents=True, exist_ok=True)
        reported = len(done["epochs"]) if settings.devices > 1 else settings.epochs
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            with reported_if_short(settings):
                optimise(make(), StoryBatches(training, validation, settings), log, resumable)
        done = _report(resumable, reported, on_epoch)
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


def optimise(generator: NeuralGenerator, stories: StoryBatches, log: EpochLog, resumable: Path) -> None:
    """Train `generator` on, from the state in `resumable` if there is one.

    Raises:
        UserError: a device that does not exist, or training that diverged.
        KeyboardInterrupt: Ctrl-C. The epochs that ended are kept in `resumable`.
    """
    settings = generator.settings
    keep_memory()
    with _quiet():
        try:
            trainer = pl.Trainer(
                accelerator=settings.accelerator,
                devices=settings.devices,
                # Processes of our own rather than the caller's script started again on each device.
                strategy="ddp_spawn" if settings.devices > 1 else "auto",
                precision=settings.precision,
                max_epochs=settings.epochs,
                max_time=settings.time_limit(),
                plugins=[ParquetCheckpointIO()],
                callbacks=[log],
                logger=False,
                enable_checkpointing=False,  # the log keeps them
                enable_model_summary=False,
                enable_progress_bar=sys.stderr.isatty(),
                num_sanity_val_steps=0,
                use_distributed_sampler=False,  # the samplers know the devices
                default_root_dir=resumable.parent,
            )
        except (MisconfigurationException, ValueError, RuntimeError, ImportError) as error:
            problem = str(error).splitlines()[0]
            raise UserError(
                f"train: accelerator {settings.accelerator}, devices {settings.devices}: {problem}"
            ) from error
        with _interruptible(), _errors_of_other_processes():
            trainer.fit(TrainedNetwork(generator), stories, ckpt_path=str(resumable) if resumable.exists() else None)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C as Python has it: Lightning makes it an exit with status 1, and ignores it from then on.

    The processes of other devices end too, also those that it did not reach.
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
    """A UserError of another device's process as one of this process."""
    try:
        yield
    except ProcessRaisedException as error:
        kind, _, message = str(error).strip().rpartition("\n")[2].partition(": ")
        if kind != f"{UserError.__module__}.{UserError.__name__}":
            raise
        raise UserError(message) from error


def keep_memory() -> None:
    """Have memory that is freed kept for what this process asks for next; with glibc alone.

    A step asks for logits and gradients as large as the vocabulary and frees them; to get them from the system each
    time, page by page, takes up to a tenth of the time.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(-3, 2**27)  # M_MMAP_THRESHOLD: what is smaller comes from the heap
        mallopt(-1, 2**30)  # M_TRIM_THRESHOLD: so much may lie unused at the heap's end


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Lightning's remarks on a machine's devices, workers and loggers out of the log; errors come through."""
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
    """What the log left in a state of training; its epochs from `first` on are reported."""
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
