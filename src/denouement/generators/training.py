"""Training a generator: the same seed, settings and stories give the same weights, even when it was killed midway.

After each epoch the whole state of training is written to a working folder. A run that finds one there goes on from
it; since dropout depends on seed, epoch and step alone and the order of batches on seed and epoch, it ends with exactly
the weights that it would have had without the break, an epoch's work being the most that is lost.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import logging
import math
import multiprocessing
import shutil
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pyarrow.compute as pc
import pytorch_lightning as pl
import torch
from lightning_fabric.utilities.exceptions import MisconfigurationException
from torch.multiprocessing.spawn import ProcessRaisedException
from torch.utils.data import DataLoader

from denouement import schemas
from denouement import settings as settings_module
from denouement.console import warn
from denouement.encoders.embeddings import EmbeddingTable
from denouement.errors import UserError
from denouement.files import atomic_write, file_digest, write_text
from denouement.generators import GENERATORS
from denouement.generators.base import Generator, GeneratorSettings, Inputs, generator_class
from denouement.generators.checkpoints import ParquetCheckpointIO
from denouement.generators.data import OrderedBatches, RandomBatches, StorySet, read_stories, sentences
from denouement.generators.memory import check_size, told_if_short
from denouement.tensors import read_checkpoint
from denouement.text.vocabulary import PAD, UNKNOWN, Vocabulary

Batch = tuple[Inputs, torch.Tensor]
OnEpoch = Callable[[int, dict[str, float]], None]

BEST = "best.parquet"
LAST = "last.parquet"
HISTORY = "history.json"


def settings_for(name: str, section: Mapping[str, Any], kind: Literal["sample", "official"]) -> GeneratorSettings:
    """The settings of the generator `name` from the section `train` of `params.yaml`.

    `common` holds for every generator; the generator's own preset, the one that `preset` names for this kind of corpus,
    goes before it.

    Raises:
        UserError: an unknown generator, preset or setting, or a value out of its range.
    """
    where = "params.yaml: train"
    unknown = [str(key) for key in section if key not in {"preset", "common", *GENERATORS}]
    if unknown:
        raise UserError(
            f"{where}: unknown key {', '.join(unknown)}; known keys are preset, common, {', '.join(GENERATORS)}"
        )
    own_class = generator_class(name).settings_class
    named, common, presets = (_mapping(section, key, where) for key in ("preset", "common", name))
    if strange := [str(key) for key in named if key not in ("sample", "official")]:
        raise UserError(f"{where}.preset: unknown key {', '.join(strange)}; known keys are sample, official")
    preset = named.get(kind)
    if not isinstance(preset, str) or preset not in presets:
        there = ", ".join(map(str, presets)) or "none"
        raise UserError(f"{where}.preset.{kind}: is {preset!r}, but {where}.{name} has {there}")
    merged = {**common, **_mapping(presets, preset, f"{where}.{name}")}
    return settings_module.build(own_class, merged, f"{where} (common and {name}.{preset})")


def _mapping(section: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    """What `section` has below `key`; nothing when it is left out."""
    found = section.get(key)
    if found is not None and not isinstance(found, Mapping):
        raise UserError(f"{where}.{key}: must be a section of `key: value` lines, not {found!r}")
    return found or {}


def train(
    name: str,
    stories: Path,
    out: Path,
    settings: GeneratorSettings,
    *,
    embeddings: Path | None,
    work: Path,
    on_epoch: OnEpoch | None = None,
) -> dict[str, Any]:
    """Train a generator and keep its best and its last epoch.

    `settings.best_epoch` says which epoch counts as the best. Where validation stories are to choose it and there are
    none, it is the last, and a warning says so.

    Args:
        name: of the registered generator.
        stories: table `stories`; its split `train` is learned from, `validation` measures each epoch and may
            choose one.
        out: folder for `best.parquet` (weights, vocabulary, settings), `last.parquet` (those and the state of the
            optimizer) and `history.json`.
        settings: of the generator.
        embeddings: table of sentence vectors, for generators that read vectors.
        work: folder for what a killed run goes on from; nothing of this run is left there when it ends well.
        on_epoch: called after each epoch with its number, from 0, and its figures: those of `history.json` and
            `words_per_second`. Epochs done before a break are told again, without the speed. With several devices all
            are told at the end.

    Returns:
        The content of `history.json`. Losses are nats per token; END is a token, and a word that is not in the
        vocabulary counts as one more word of it (UNKNOWN), in training and in validation.

    Raises:
        UserError: missing or unusable inputs, a device that is not there, or training that diverged.
    """
    kind = generator_class(name)
    folder = work / f"{name}-{_digest(name, settings, stories, embeddings)}"
    table = _open_embeddings(kind, embeddings)
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
    done = _tell(resumable, 0, on_epoch)
    if not done["finished"]:
        folder.mkdir(parents=True, exist_ok=True)
        told = len(done["epochs"]) if settings.devices > 1 else settings.epochs
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            with told_if_short(settings):
                fit(make(), StoryBatches(training, validation, settings), log, resumable)
        done = _tell(resumable, told, on_epoch)

    history = {
        "generator": name,
        "unit": "nats per token",
        "vocabulary": len(vocabulary),
        "stories": {"train": len(training), "validation": 0 if validation is None else len(validation)},
        "tokens": {"train": training.tokens, "validation": 0 if validation is None else validation.tokens},
        "unknown_share": {
            "train": _unknown_share(training),
            "validation": None if validation is None else _unknown_share(validation),
        },
        "best_epoch": done["best_epoch"],
        "epochs": done["epochs"],
    }
    for file in (BEST, LAST):
        with atomic_write(out / file) as beside:
            shutil.copyfile(folder / file, beside)
    write_text(out / HISTORY, json.dumps(history, indent=2, allow_nan=False) + "\n")
    shutil.rmtree(folder)
    return history


class EpochLog(pl.Callback):
    """After each epoch: notes its figures, keeps the best weights and the whole state, and decides whether to stop."""

    def __init__(self, folder: Path, settings: GeneratorSettings, on_epoch: OnEpoch | None) -> None:
        self._folder = folder
        self._settings = settings
        self._on_epoch = on_epoch
        self._epochs: list[dict[str, Any]] = []
        self._finished = False
        self._sums: dict[str, torch.Tensor] = {}  # of each split: nats and tokens of this epoch on this device
        self._began = 0.0
        self._seconds = 0.0

    @property
    def _lowest(self) -> int:
        """Number of the epoch with the lowest validation loss, the first of equals; the last if there is no loss."""
        losses = [epoch["validation_loss"] for epoch in self._epochs]
        return len(losses) - 1 if None in losses else losses.index(min(losses))

    @property
    def _best(self) -> int:
        """Number of the epoch whose weights are used."""
        return len(self._epochs) - 1 if self._settings.best_epoch == "last" else self._lowest

    def on_load_checkpoint(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, checkpoint: dict[str, Any]
    ) -> None:
        """Take up the figures of the epochs that were done before a break."""
        self._epochs = checkpoint["training"]["epochs"]

    def on_save_checkpoint(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, checkpoint: dict[str, Any]
    ) -> None:
        """Write them down, and leave out what other callbacks know: a clock would make each file another."""
        checkpoint["training"] = {"epochs": self._epochs, "best_epoch": self._best, "finished": self._finished}
        checkpoint["callbacks"] = {}

    def on_train_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Start the clock and the sums."""
        self._sums = {split: torch.zeros(2, device=pl_module.device) for split in ("train", "validation")}
        self._began = time.perf_counter()

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, outputs: Any, batch: Batch, batch_idx: int
    ) -> None:
        """Count the batch, and read the clock: validation, which follows the last batch, is not training."""
        self._count("train", outputs["loss"], batch)
        self._seconds = time.perf_counter() - self._began

    def on_validation_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, outputs: Any, batch: Batch, *_: Any
    ) -> None:
        """Count the batch."""
        self._count("validation", outputs, batch)

    def _count(self, split: str, loss: torch.Tensor, batch: Batch) -> None:
        """Sums, so that an epoch's loss is a mean over tokens whatever the batches and the devices."""
        tokens = (batch[1] != PAD).sum()
        self._sums[split] += torch.stack([loss.detach() * tokens, tokens])

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Note, keep, decide."""
        settings = self._settings
        sums = {split: trainer.strategy.reduce(kept, reduce_op="sum") for split, kept in self._sums.items()}
        losses = {split: float(nats / tokens) for split, (nats, tokens) in sums.items() if tokens}
        if not all(map(math.isfinite, losses.values())):
            raise UserError(f"training diverged in epoch {trainer.current_epoch}: lower learning_rate")
        epoch = trainer.current_epoch
        validation_loss = losses.get("validation")
        perplexity = None if validation_loss is None else math.exp(min(validation_loss, 700.0))  # above: overflow
        entry = {
            "epoch": epoch,
            "train_loss": losses["train"],
            "validation_loss": validation_loss,
            "validation_perplexity": perplexity,
        }
        self._epochs.append(entry)
        if settings.patience is not None and epoch - self._lowest >= settings.patience:
            trainer.should_stop = True
        self._finished = trainer.should_stop or epoch + 1 == settings.epochs
        # The best weights first: a break between the two repeats this epoch, which writes the same best weights again.
        if epoch == self._best:
            trainer.save_checkpoint(self._folder / BEST, weights_only=True)
        trainer.save_checkpoint(self._folder / LAST)
        if self._on_epoch is not None:
            words = float(sums["train"][1])  # fewer than an epoch has when the time limit has stopped it
            self._on_epoch(epoch, {**_figures(entry), "words_per_second": words / self._seconds})


class StoryBatches(pl.LightningDataModule):
    """The batches of each device."""

    def __init__(self, training: StorySet, validation: StorySet | None, settings: GeneratorSettings) -> None:
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


def fit(generator: Generator, stories: StoryBatches, log: EpochLog, resumable: Path) -> None:
    """Train `generator` on, from the state in `resumable` if there is one.

    Raises:
        UserError: a device that is not there, or training that diverged.
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
        with _interruptible(), _told_by_other_processes():
            trainer.fit(generator, stories, ckpt_path=str(resumable) if resumable.exists() else None)


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
def _told_by_other_processes() -> Iterator[None]:
    """A UserError of another device's process as one of this process."""
    try:
        yield
    except ProcessRaisedException as error:
        kind, _, told = str(error).strip().rpartition("\n")[2].partition(": ")
        if kind != f"{UserError.__module__}.{UserError.__name__}":
            raise
        raise UserError(told) from error


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
    stories: Path, settings: GeneratorSettings, table: EmbeddingTable | None
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


def _open_embeddings(kind: type[Generator], embeddings: Path | None) -> EmbeddingTable | None:
    if not kind.reads_vectors:
        return None
    if embeddings is None:
        raise UserError(f"{kind.name} reads sentence vectors: name an embeddings table (stage encode makes it)")
    return EmbeddingTable.open(embeddings)


def _tell(resumable: Path, first: int, on_epoch: OnEpoch | None) -> dict[str, Any]:
    """What the log left in a state of training; its epochs from `first` on are told."""
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
            on_epoch(entry["epoch"], _figures(entry))
    return done


def _encoder_of(table: EmbeddingTable) -> dict[str, Any]:
    return {"encoder": table.encoder, "fingerprint": table.fingerprint, "dimension": table.dimension}


def _digest(name: str, settings: GeneratorSettings, stories: Path, embeddings: Path | None) -> str:
    """Tells trainings apart that would not end with the same weights."""
    if not stories.is_file():
        raise UserError(f"{stories}: no such file; the stage ingest makes it")
    code = sorted(Path(__file__).parent.glob("*.py"))  # a state that older code left may not fit, or not be exact
    contents = [
        file_digest(path) if path is not None and path.is_file() else None for path in (stories, embeddings, *code)
    ]
    described = json.dumps([name, asdict(settings), contents])
    return hashlib.sha256(described.encode()).hexdigest()[:16]


def _figures(entry: Mapping[str, Any]) -> dict[str, float]:
    return {key: value for key, value in entry.items() if key != "epoch" and value is not None}


def _unknown_share(stories: StorySet) -> float:
    """Share of the endings' tokens that are not in the vocabulary."""
    return float((stories.endings.flat == UNKNOWN).mean())
