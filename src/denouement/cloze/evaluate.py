"""Evaluating Story Cloze systems: fitted without leaks, scored on each release and split, cached a system."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from denouement import schemas
from denouement.cloze import statistics
from denouement.cloze.base import ClozeSystem, choices, load_system
from denouement.cloze.case_sets import CaseSet, case_sets, unseen_stories
from denouement.cloze.published import HUMAN, accuracy
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.cloze.scoring import Run, cached_scores, inputs_digest, score_table
from denouement.console import warn

FOLDS = 10


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation found.

    Attributes:
        rows: one for each system, variant and case set, in that order, ready for JSON: `system`, `variant`, `release`,
            `split`, `blind`; `n`, `correct`, `accuracy`, `low`, `high` (see `statistics.accuracy`; None where the set
            is blind or the system is missing something); `ties` (cases with equal scores); `paper`, the published
            accuracy or None; `trained_on`; `missing`, what the system lacks and how to give it, or None; `by_sentiment`
            and `by_length` (see `statistics.by_group`).
        comparisons: for each case set with labels, by name, `statistics.compare` of all rows of it.
        scores: the table `scores`.
        notes: by system what was met on the way, and how often.
    """

    rows: list[dict[str, Any]]
    comparisons: dict[str, list[dict[str, Any]]]
    scores: pa.Table
    notes: dict[str, dict[str, int]] = field(default_factory=dict)


def evaluate(
    names: Sequence[str],
    train: pa.Table | None,
    test: pa.Table | None,
    resources: Resources,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    n_folds: int = FOLDS,
) -> Evaluation:
    """Score cases with the systems `names` and say how often each is right.

    A system that learns from cases is fitted to `train`, or cross-validated on the scored cases where they are the same
    (`case_sets`). Training cases and stories that stand among the scored ones are left out, and counted.

    Args:
        names: of the registry, in the order of the rows.
        train: labelled cases, or None; the blind ones among them are passed over.
        test: cases to score, or None: those of `train`.
        resources: what systems learn from.
        options: by system its options.
        n_folds: of the cross-validation.

    Raises:
        UserError: no cases, an unknown system or option, or a file that cannot be read. A resource that a system misses
            is no error: its row says what.
    """
    sets = case_sets(train, test)
    for each in sets:
        if labels := each.cases.num_rows - each.cases["right_ending"].null_count if each.blind else 0:
            warn(
                f"{each.name}: {labels:,} labels are not used, since the other {each.cases.num_rows - labels:,} cases "
                "have none: there are predictions and no accuracy"
            )
    options = options or {}
    systems = {name: load_system(name, options.get(name)) for name in names}  # so that a wrong name is told at once
    resources = dataclasses.replace(resources, stories=unseen_stories(resources.stories, sets))
    digest = inputs_digest(sets, resources) if resources.cache else ""
    run = Run(sets, n_folds, train is not None, digest)
    rows: list[dict[str, Any]] = []
    tables: list[pa.Table] = []
    notes: dict[str, dict[str, int]] = {}
    right: dict[str, dict[str, statistics.Correct]] = {each.name: {} for each in sets}
    groups = {each.name: _groups(each) for each in sets if not each.blind}
    for name in names:
        own = resources.of_another_system()
        try:
            scores = cached_scores(systems[name], options.get(name, {}), own, run)
        except MissingResourceError as error:
            rows += [_row(name, "", each, missing=str(error)) for each in sets]
            continue
        notes[name] = {text: n for text, n in sorted(own.notes.items()) if n}
        for each in sets:
            for variant, of_set in scores[each.name].items():
                row = _row(name, variant, each, trained_on=_trained_on(systems[name], variant, each, own, n_folds))
                row["ties"] = int((of_set[:, 0] == of_set[:, 1]).sum())
                if not each.blind:
                    is_correct = statistics.correct(of_set, each.cases)
                    right[each.name][f"{name} {variant}".strip()] = is_correct
                    row |= statistics.accuracy(is_correct)
                    for key, of_case in groups[each.name].items():
                        row[key] = statistics.by_group(is_correct, of_case)
                rows.append(row)
                tables.append(score_table(name, variant, each, of_set))
    human = [_row(HUMAN, "", each, trained_on="as published") for each in sets if not each.blind]
    rows += [row for row in human if row["paper"] is not None]
    return Evaluation(
        rows=rows,
        comparisons={name: statistics.compare(of_set) for name, of_set in right.items() if len(of_set) > 1},
        scores=pa.concat_tables(tables or [schemas.empty_table("scores")]),
        notes={name: counts for name, counts in notes.items() if counts},
    )


def predictions(scores: pa.Table) -> dict[str, str]:
    """By name (`system[-variant]-release-split`) what the shared task asks for: `1` or `2` a line, a line a case.

    The lines stand in the order of the cases in their file.
    """
    texts: dict[str, list[str]] = {}
    both = np.column_stack([scores["score_1"].to_numpy(), scores["score_2"].to_numpy()])
    columns = (scores[name].to_pylist() for name in ("system", "variant", "release", "split"))
    for *key, choice in zip(*columns, choices(both).tolist(), strict=True):
        name = "-".join("_".join(part.split()) for part in key if part)
        texts.setdefault(name, []).append(f"{choice}\n")
    return {name: "".join(lines) for name, lines in texts.items()}


def _groups(each: CaseSet) -> dict[str, list[str]]:
    return {"by_sentiment": statistics.by_sentiment(each.cases), "by_length": statistics.by_length(each.cases)}


def _row(
    system: str, variant: str, each: CaseSet, trained_on: str | None = None, missing: str | None = None
) -> dict[str, Any]:
    return {
        "system": system,
        "variant": variant,
        "release": each.release,
        "split": each.split,
        "blind": each.blind,
        "n": each.cases.num_rows,
        "correct": None,
        "accuracy": None,
        "low": None,
        "high": None,
        "ties": None,
        "paper": accuracy(system, variant, each.release, each.split),
        "trained_on": trained_on,
        "missing": missing,
        "by_sentiment": None,
        "by_length": None,
    }


def _trained_on(system: ClozeSystem, variant: str, each: CaseSet, resources: Resources, n_folds: int) -> str:
    parts = []
    if system.learns_from_cases and each.train is None:
        parts.append(f"{each.cases.num_rows:,} cases, {n_folds} folds")
    elif system.learns_from_cases and each.train is not None:
        names = sorted({f"{row['release']} {row['split']}" for row in _kinds(each.train)})
        left_out = f", {each.left_out:,} left out" if each.left_out else ""
        parts.append(f"{each.train.num_rows:,} cases of {' and '.join(names)}{left_out}")
    if system.learns_from_stories(variant) and resources.stories is not None:
        parts.append(f"{resources.stories.num_rows:,} stories")
    return "; ".join(parts) or "nothing"


def _kinds(cases: pa.Table) -> list[dict[str, Any]]:
    kinds: list[dict[str, Any]] = cases.group_by(["release", "split"]).aggregate([]).to_pylist()
    return kinds
