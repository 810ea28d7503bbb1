"""The scores of a system for each case set, kept as Parquet and made again when anything they depend on has changed."""

import copy
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement import schemas
from denouement.cloze.base import ClozeSystem, Scores, scores_once
from denouement.cloze.case_sets import CaseSet
from denouement.cloze.cross_validation import out_of_fold
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.errors import UserError
from denouement.files import file_digest


@dataclass(frozen=True)
class Run:
    """What is the same for all systems of an evaluation.

    Attributes:
        sets: what is scored.
        n_folds: of the cross-validation.
        has_labels: whether there are labelled cases to learn from.
        digest: of cases, resources and the code of the package; see `inputs_digest`.
    """

    sets: Sequence[CaseSet]
    n_folds: int
    has_labels: bool
    digest: str


def cached_scores(
    system: ClozeSystem, options: Mapping[str, Any], resources: Resources, run: Run
) -> dict[str, dict[str, Scores]]:
    """By case set and variant the scores of a system, from `resources.cache` when nothing has changed since.

    Args:
        system: a fresh one.
        options: those it was made with.
        resources: see `Resources`.
        run: the evaluation.

    Raises:
        MissingResourceError: what the system needs is not there.
    """
    path = resources.cache / "scores" / f"{system.name}.parquet" if resources.cache else None
    key = _key(system, options, run)
    if path and (kept := _read(path, key, run.sets)):
        scores, notes = kept
        resources.notes.update(notes)
        return scores
    scores = _score(system, resources, run)
    if path:
        table = pa.concat_tables(
            [
                score_table(system.name, variant, each, of_set)
                for each in run.sets
                for variant, of_set in scores[each.name].items()
            ]
        )
        metadata = {"key": key, "notes": json.dumps(resources.notes, sort_keys=True)}
        schemas.write_table(table, path, "scores", metadata)
    return scores


def score_table(system: str, variant: str, each: CaseSet, scores: Scores) -> pa.Table:
    """The scores of a case set as rows of the table `scores`."""
    n = len(scores)
    columns = {
        "system": pa.repeat(pa.scalar(system), n),
        "variant": pa.repeat(pa.scalar(variant), n),
        "case_id": each.cases["case_id"],
        "release": each.cases["release"],
        "split": each.cases["split"],
        "score_1": scores[:, 0],
        "score_2": scores[:, 1],
    }
    return pa.table(columns, schema=schemas.TABLES["scores"].schema)


def _score(system: ClozeSystem, resources: Resources, run: Run) -> dict[str, dict[str, Scores]]:
    if system.learns_from_cases and not run.has_labels:
        raise MissingResourceError(f"{system.name} learns from labelled cases: give them with --train")
    if not system.learns_from_cases:
        return {each.name: _checked(scores_once(system, each.cases, resources), system, each) for each in run.sets}
    system.prepare(resources)
    scores = {}
    for each in run.sets:
        if each.train is None:
            what = f"{system.name}, {each.name}"
            of_set = out_of_fold(lambda: copy.copy(system), each.cases, resources, run.n_folds, what)
        elif not each.train.num_rows:
            raise MissingResourceError(
                f"{system.name} learns from labelled cases, and all of --train stand in {each.name}: give other ones"
            )
        else:
            fitted = copy.copy(system)
            fitted.fit(each.train, resources)
            of_set = fitted.score(each.cases, resources)
        scores[each.name] = _checked(of_set, system, each)
    return scores


def _checked(scores: dict[str, Scores], system: ClozeSystem, each: CaseSet) -> dict[str, Scores]:
    """The scores, once they are known to be two finite numbers a case: anything else is a defect of the system."""
    for variant, of_set in scores.items():
        if of_set.shape != (each.cases.num_rows, 2) or not np.isfinite(of_set).all():
            raise ValueError(f"{system.name} {variant}: scores are not two finite numbers for each case of {each.name}")
    return scores


def _read(path: Path, key: str, sets: Sequence[CaseSet]) -> tuple[dict[str, dict[str, Scores]], dict[str, int]] | None:
    try:
        table = schemas.read_table(path, "scores")
    except UserError:
        return None  # not there, damaged, or of another version: made again
    metadata = schemas.read_schema(path, "scores").metadata or {}
    if metadata.get(b"key") != key.encode():
        return None
    try:
        notes = {str(text): int(n) for text, n in json.loads(metadata[b"notes"]).items()}
    except (KeyError, ValueError, TypeError, AttributeError):
        return None
    scores: dict[str, dict[str, Scores]] = {each.name: {} for each in sets}
    names = pc.binary_join_element_wise(table["release"], table["split"], " ")
    for each in sets:
        part = table.filter(pc.equal(names, each.name))
        for variant in pc.unique(part["variant"]).to_pylist():
            rows = part.filter(pc.equal(part["variant"], variant))
            if rows["case_id"].to_pylist() != each.cases["case_id"].to_pylist():
                return None  # other cases, fewer or in another order
            scores[each.name][variant] = np.column_stack([rows["score_1"].to_numpy(), rows["score_2"].to_numpy()])
    variants = {tuple(of_set) for of_set in scores.values()}
    return (scores, notes) if len(variants) == 1 and () not in variants else None


def _key(system: ClozeSystem, options: Mapping[str, Any], run: Run) -> str:
    """A digest of all that a system's scores depend on."""
    folds = run.n_folds if system.learns_from_cases else None
    given = json.dumps([system.name, options, folds, run.digest], sort_keys=True, default=str)
    return hashlib.sha256(given.encode()).hexdigest()


def inputs_digest(sets: Sequence[CaseSet], resources: Resources) -> str:
    """A digest of what the scores of any system depend on: cases, resources and the code of the package."""
    digest = hashlib.sha256()
    given = {
        "seed": resources.seed,
        "encoders": resources.encoders,
        "files": [file_digest(path) for path in _files(resources)],
        "word_vectors": bool(resources.word_vectors),
    }
    digest.update(json.dumps(given, sort_keys=True, default=str).encode())
    for table in [resources.stories, *(table for each in sets for table in (each.cases, each.train))]:
        digest.update(_content(table) if table is not None else b"none")
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _files(resources: Resources) -> Iterable[Path]:
    yield from resources.corpora
    yield from resources.generators
    for path in (resources.word_vectors, resources.embeddings):
        if path:
            yield path


def _content(table: pa.Table) -> bytes:
    digest = hashlib.sha256()
    for row in table.to_pylist():
        digest.update(repr(row).encode())
    return digest.digest()
