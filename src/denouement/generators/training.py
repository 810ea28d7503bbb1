"""Training a generator of any kind: its settings from `params.yaml`, and the files that training leaves."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Literal

from denouement import settings as settings_module
from denouement.documents import write_document
from denouement.errors import UserError
from denouement.files import atomic_write, file_digest
from denouement.generators import GENERATORS
from denouement.generators.base import BEST, LAST, Generator, GeneratorSettings, OnEpoch, generator_class
from denouement.generators.history import History
from denouement.generators.neural.settings import NeuralSettings

HISTORY = "history.json"


def settings_for(
    name: str,
    section: Mapping[str, Any],
    corpus: Literal["sample", "official"],
    kinds: Mapping[str, str] | None = None,
) -> GeneratorSettings:
    """The settings of the generator `name` from the section `train` of `params.yaml`.

    The keys in `common` hold for every generator that has such settings. `preset` names the generator's own preset for
    this kind of corpus, whose keys replace those of `common`.

    Args:
        name: of the generator.
        section: the keys and values from YAML.
        corpus: what it is trained on.
        kinds: the kind of each generator of the graph (`names.kinds`); one that is not in it is named as its kind.

    Raises:
        UserError: an unknown generator, preset or setting, or a value out of its range.
    """
    where = "params.yaml: train"
    kinds = kinds or {}
    known = dict.fromkeys(("preset", "common", *GENERATORS, *kinds))
    if unknown := [str(key) for key in section if key not in known]:
        raise UserError(f"{where}: unknown key {', '.join(unknown)}; known keys are {', '.join(known)}")
    own_class = generator_class(kinds.get(name, name)).settings_class
    own = {field.name for field in fields(own_class)}
    named, common, presets = (_mapping(section, key, where) for key in ("preset", "common", name))
    if strange := [str(key) for key in named if key not in ("sample", "official")]:
        raise UserError(f"{where}.preset: unknown key {', '.join(strange)}; known keys are sample, official")
    if not own and not presets:
        return own_class()  # a generator without settings needs no presets
    preset = named.get(corpus)
    if not isinstance(preset, str) or preset not in presets:
        there = ", ".join(map(str, presets)) or "none"
        raise UserError(f"{where}.preset.{corpus}: is {preset!r}, but {where}.{name} has {there}")
    shared = {field.name for field in fields(NeuralSettings)}
    merged = {
        **{key: value for key, value in common.items() if key in own or key not in shared},
        **_mapping(presets, preset, f"{where}.{name}"),
    }
    return settings_module.build(own_class, merged, f"{where} (common and {name}.{preset})")


def train(
    name: str,
    stories: Path,
    out: Path,
    settings: GeneratorSettings,
    *,
    kind: str | None = None,
    embeddings: Path | None = None,
    work: Path,
    on_epoch: OnEpoch | None = None,
) -> History:
    """Train a generator, and write its checkpoints and the course of its training.

    Args:
        name: of the generator.
        stories: table `stories`; the generator learns from its split `train`, and `validation` may measure each epoch.
        out: folder for `best.parquet`, which `load_generator` reads; `last.parquet`, the state after the last epoch (of
            a generator without epochs the same file); and `history.json`, the course of training.
        settings: of the generator.
        kind: its row in the registry; None: its name is.
        embeddings: table of sentence vectors, which generators that read vectors need.
        work: folder for the state from which a killed run continues; it is deleted when the training ends well.
        on_epoch: called after each epoch with its number, from 0, and its values.

    Returns:
        The content of `history.json`.

    Raises:
        UserError: missing or unusable inputs, and as `Generator.fit` of this generator.
    """
    made = generator_class(kind or name, name)
    folder = state_folder(work, made, settings, stories, embeddings)
    history = made.fit(settings, stories, folder, embeddings=embeddings, on_epoch=on_epoch)
    last = folder / LAST
    for source, file in ((folder / BEST, BEST), (last if last.exists() else folder / BEST, LAST)):
        with atomic_write(out / file) as part:
            shutil.copyfile(source, part)
    write_document(history, out / HISTORY)
    shutil.rmtree(folder)
    return history


def state_folder(
    work: Path, generator: type[Generator], settings: GeneratorSettings, stories: Path, embeddings: Path | None
) -> Path:
    """The folder in `work` for the state of a training; two trainings share it only if they end with the same weights.

    Raises:
        UserError: there are no stories.
    """
    if not stories.is_file():
        raise UserError(f"{stories}: no such file; the stage ingest makes it")
    # A state that other code wrote may not fit, or lead to other weights.
    code = sorted(Path(__file__).parent.rglob("*.py"))
    contents = [
        file_digest(path) if path is not None and path.is_file() else None for path in (stories, embeddings, *code)
    ]
    described = json.dumps([generator.name, generator.kind, asdict(settings), contents])
    return work / f"{generator.name}-{hashlib.sha256(described.encode()).hexdigest()[:16]}"


def _mapping(section: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    """The section under `key` of `section`; empty when it is missing."""
    found = section.get(key)
    if found is not None and not isinstance(found, Mapping):
        raise UserError(f"{where}.{key}: must be a section of `key: value` lines, not {found!r}")
    return found or {}
