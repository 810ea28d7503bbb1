"""The scores of a system for each case set, kept as Parquet until something that they depend on changes."""

import copy
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement import schemas
from denouement.cloze.base import ClozeSystem, Scores, by_case, has_ending, of_endings, scores_once
from denouement.cloze.evaluation.case_sets import CaseSet
from denouement.cloze.evaluation.cross_validation import out_of_fold
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.corpus.cases import n_endings
from denouement.encoders.base import load_encoder
from denouement.errors import UserError
from denouement.files import file_digest
from denouement.kept import code_digest, kept


@dataclass(frozen=True)
class EvaluationPlan:
    """What is the same for all systems of an evaluation.

    Attributes:
        sets: what is scored.
        n_folds: of the cross-validation.
        digest: of cases, resources and the code of the package; see `inputs_digest`.
    """

    sets: Sequence[CaseSet]
    n_folds: int
    digest: str


@dataclass(frozen=True)
class Scored:
    """The scores of a system; each case set is in one of the two mappings.

    Attributes:
        scores: by case set and variant.
        missing: by case set what the system lacks to score it, and how to give it.
    """

    scores: Mapping[str, Mapping[str, Scores]]
    missing: Mapping[str, str]


def cached_scores(
    system: ClozeSystem, options: Mapping[str, Any], resources: Resources, plan: EvaluationPlan
) -> Scored:
    """The scores of a system, read from `resources.cache` where nothing has changed since they were made.

    Args:
        system: a fresh one.
        options: those it was made with.
        resources: see `Resources`.
        plan: the evaluation.

    Raises:
        MissingResourceError: what the system needs is not there; the message names all that is missing.
    """

    def make() -> tuple[Scored, Counter[str]]:
        own = resources.of_another_system()
        return _score(system, own, plan), own.notes

    path = resources.cache / "scores" / f"{system.name}.parquet" if resources.cache else None
    files = [file_digest(each) for each in system.files(resources)] if path else []
    scored, notes = kept(
        path,
        [system.name, options, plan.n_folds if system.learns_from_cases else None, plan.digest, files],
        make,
        read=lambda path: _read(path, plan.sets),
        write=lambda made, path: _write(*made, path, system.name, plan.sets),
    )
    resources.notes.update(notes)
    return scored


def score_table(system: str, variant: str, each: CaseSet, scores: Scores) -> pa.Table:
    """The scores of a case set as rows of the table `scores`."""
    n = len(scores)
    columns = {
        "system": pa.repeat(pa.scalar(system), n),
        "variant": pa.repeat(pa.scalar(variant), n),
        "case_id": each.cases["case_id"],
        **{name: each.cases[name] for name in ("language", "release", "split")},
        "scores": of_endings(scores, each.cases),
    }
    return pa.table(columns, schema=schemas.TABLES["scores"].schema)


def _score(system: ClozeSystem, resources: Resources, plan: EvaluationPlan) -> Scored:
    missing = {each.name: why for each in plan.sets if (why := system.cannot_score(each.cases))}
    sets = [each for each in plan.sets if each.name not in missing]
    if not sets:
        return Scored({}, missing)
    if not system.learns_from_cases:
        scored = {each.name: _checked(scores_once(system, each.cases, resources), system, each) for each in sets}
        return Scored(scored, missing)
    lacks = system.lacks(resources)
    if all(each.train is None and not each.is_learned_from for each in plan.sets):
        lacks.insert(0, f"{system.name} learns from labelled cases: give them with --train")
    if lacks:
        raise MissingResourceError("; ".join(lacks))
    system.prepare(resources)
    scores: dict[str, dict[str, Scores]] = {}
    for each in sets:
        try:
            scores[each.name] = _checked(_learned_scores(system, each, resources, plan.n_folds), system, each)
        except MissingResourceError as error:
            missing[each.name] = str(error)
    return Scored(scores, missing)


def _learned_scores(system: ClozeSystem, each: CaseSet, resources: Resources, n_folds: int) -> dict[str, Scores]:
    """The scores of a set by copies of a prepared system that were fitted to other cases.

    Raises:
        MissingResourceError: too few cases to learn from.
    """
    if not each.is_learned_from and (each.train is None or not each.train.num_rows):
        left_out = f" ({each.left_out:,} are in {each.name} and are left out)" if each.left_out else ""
        raise MissingResourceError(
            f"{system.name} learns from labelled cases of the splits train and validation, and --train has none for "
            f"{each.name}{left_out}: give other ones"
        )
    if each.is_learned_from:
        what = f"{system.name}, {each.name}"
        return out_of_fold(lambda: copy.copy(system), each.cases, resources, n_folds, what, each.train)
    fitted = copy.copy(system)
    fitted.fit(each.train, resources)
    return fitted.score(each.cases, resources)


def _checked(scores: dict[str, Scores], system: ClozeSystem, each: CaseSet) -> dict[str, Scores]:
    """The scores; a ValueError where they are not a finite number an ending, which is a defect of the system."""
    is_there = has_ending(each.cases)
    for variant, of_set in scores.items():
        if of_set.shape != is_there.shape or not np.where(is_there, np.isfinite(of_set), of_set == -np.inf).all():
            raise ValueError(
                f"{system.name} {variant}: not a finite number for each ending of each case of {each.name}"
            )
    return scores


def _write(scored: Scored, notes: Mapping[str, int], path: Path, system: str, sets: Sequence[CaseSet]) -> None:
    tables = [
        score_table(system, variant, each, of_set)
        for each in sets
        for variant, of_set in scored.scores.get(each.name, {}).items()
    ]
    metadata = {
        name: json.dumps(dict(value), sort_keys=True) for name, value in (("missing", scored.missing), ("notes", notes))
    }
    schemas.write_table(pa.concat_tables(tables or [schemas.empty_table("scores")]), path, "scores", metadata)


def _read(path: Path, sets: Sequence[CaseSet]) -> tuple[Scored, Counter[str]]:
    """The scores that `_write` wrote, and the notes.

    Raises:
        UserError: a damaged file, or the scores of other cases, fewer of them, or in another order.
    """
    table = schemas.read_table(path, "scores")
    metadata = table.schema.metadata or {}
    try:
        notes = Counter({str(text): int(n) for text, n in json.loads(metadata[b"notes"]).items()})
        missing = {str(name): str(text) for name, text in json.loads(metadata[b"missing"]).items()}
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: the notes are missing") from error
    scores: dict[str, dict[str, Scores]] = {each.name: {} for each in sets if each.name not in missing}
    groups = pc.binary_join_element_wise(table["release"], table["split"], table["language"], "\n")
    for each in sets:
        of_set = table.filter(pc.equal(groups, f"{each.release}\n{each.split}\n{each.language}"))
        for variant in pc.unique(of_set["variant"]).to_pylist():
            rows = of_set.filter(pc.equal(of_set["variant"], variant))
            if each.name in missing or rows["case_id"].to_pylist() != each.cases["case_id"].to_pylist():
                raise UserError(f"{path}: scores of other cases")
            if pc.list_value_length(rows["scores"]).to_pylist() != n_endings(each.cases).tolist():
                raise UserError(f"{path}: scores of other endings")
            scores[each.name][variant] = by_case(pc.list_flatten(rows["scores"]).to_numpy(), each.cases)
    variants = {tuple(of_set) for of_set in scores.values()}
    if len(variants) > 1 or () in variants:
        raise UserError(f"{path}: not all of the scores")
    return Scored(scores, missing), notes


def inputs_digest(sets: Sequence[CaseSet], resources: Resources) -> str:
    """A digest of what the scores of any system depend on: cases, resources and the code of the package."""
    digest = hashlib.sha256(resources_digest(resources).encode())
    for table in (table for each in sets for table in (each.cases, each.train)):
        digest.update(_content(table) if table is not None else b"none")
    digest.update(repr([each.is_learned_from for each in sets]).encode())
    return digest.hexdigest()


def resources_digest(resources: Resources) -> str:
    """A digest of the content of resources and of the code of the package; the language model is not among them."""
    given = {
        "seed": resources.seed,
        "encoders": {name: _of_encoder(name, options) for name, options in resources.encoders.items()},
        "files": [file_digest(path) for path in _files(resources)],
        "word_vectors": bool(resources.word_vectors),
        "code": code_digest(),
    }
    digest = hashlib.sha256(json.dumps(given, sort_keys=True, default=str).encode())
    digest.update(_content(resources.stories) if resources.stories is not None else b"none")
    return digest.hexdigest()


def _of_encoder(name: str, options: Mapping[str, Any]) -> Any:
    """What the vectors of an encoder depend on: its options, and the content of the files that these name."""
    try:
        return [options, load_encoder(name, **options).fingerprint]
    except UserError:  # which the systems that need it will report
        return options


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
