"""Can a model that never sees the story tell right endings from wrong ones? It should not.

The model is EndingReg of Sharma et al. 2018, section 4, cross-validated on the cases themselves, so that a collection
can be watched while it grows.
"""

import hashlib
import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement.cloze.case_sets import CaseSet
from denouement.cloze.ending_reg import EndingReg
from denouement.cloze.evaluate import Evaluation, evaluate
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.cloze.scoring import inputs_digest
from denouement.corpus.cases import CaseSets, right_and_wrong
from denouement.files import write_text
from denouement.schemas import TABLES
from denouement.text.syntax import parser_version

SYSTEM = EndingReg.name
VARIANTS = {
    "": "all features",
    "style": "length, sentiment, complexity",
    "ngrams": "words with parts of speech",
    "pos": "parts of speech",
    "characters": "characters",
}
"""Of EndingReg, and what each of them sees."""

_STRONGEST = 40
CERTAIN = 0.6
"""A case is given away when the model, whose strong penalty keeps it modest, gives its right ending so much."""


@dataclass(frozen=True)
class Thresholds:
    """What a collection may not exceed; None: anything.

    Attributes:
        accuracy: of the model with all features, from 0.5 (chance) to 1.
        effect: Cohen's d of a single feature (`ending_statistics`), whatever its sign.
    """

    accuracy: float | None = None
    effect: float | None = None

    def __post_init__(self) -> None:
        if self.accuracy is not None and not 0 <= self.accuracy <= 1:
            raise ValueError(f"accuracy: must be from 0 to 1, not {self.accuracy}")
        if self.effect is not None and not self.effect >= 0:
            raise ValueError(f"effect: must be at least 0, not {self.effect}")


ANYTHING = Thresholds()


def bias_monitor(
    sets: CaseSets, cache: Path | None, folds: int = 10
) -> dict[tuple[str, str], tuple[dict[str, Any], pa.Table]]:
    """Cross-validate EndingReg on the labelled cases of each release and split.

    Args:
        sets: labelled cases, each set by itself.
        cache: a folder that keeps parses, scores and weights.
        folds: of the cross-validation.

    Returns:
        By release and split what was found, and the table `bias_cases`: each case with the `probability` that the
        model, fitted to the other folds, gives the right ending, the surest first. Found are `variants`: rows
        `variant`, `n`, `correct`, `accuracy` with its exact 95% interval `low`, `high`; `missing`: why there are none,
        or None; `certain`: cases whose right ending the model gives `CERTAIN` or more; `misled`: those whose wrong
        ending it gives so much; and `features`: rows `feature`, `weight` of the model fitted to all cases, the
        strongest first.
    """
    resources = Resources(cache=cache)
    enough = [cases for cases in sets.values() if cases.num_rows >= fewest(folds)]
    evaluation = (
        evaluate([SYSTEM], pa.concat_tables(enough), None, resources, n_folds=folds, each_set_alone=True)
        if enough
        else None
    )
    return {of_set: _of_set(of_set, cases, evaluation, resources, folds) for of_set, cases in sets.items()}


def fewest(folds: int) -> int:
    """How many cases a cross-validation of so many folds takes: what is fitted to must do for EndingReg's own folds."""
    inside = 2 * EndingReg().n_folds
    return next(n for n in itertools.count(folds) if n - math.ceil(n / folds) >= inside)


def _of_set(
    of_set: tuple[str, str], cases: pa.Table, evaluation: Evaluation | None, resources: Resources, folds: int
) -> tuple[dict[str, Any], pa.Table]:
    found: dict[str, Any] = {"variants": [], "missing": None, "certain": 0, "misled": 0, "features": []}
    if evaluation is None or cases.num_rows < fewest(folds):
        found["missing"] = f"{cases.num_rows:,} labelled cases; {folds} folds take {fewest(folds):,} or more"
        return found, TABLES["bias_cases"].schema.empty_table()
    rows = [row for row in evaluation.rows if row["system"] == SYSTEM and (row["release"], row["split"]) == of_set]
    if missing := rows[0]["missing"]:
        return found | {"missing": missing}, TABLES["bias_cases"].schema.empty_table()
    keys = ("variant", "n", "correct", "accuracy", "low", "high")
    found["variants"] = [{key: row[key] for key in keys} for row in rows]
    scores = evaluation.scores
    wanted = {"release": of_set[0], "split": of_set[1], "variant": ""}
    for name, value in wanted.items():
        scores = scores.filter(pc.equal(scores[name], value))
    table = _by_case(cases, scores)
    given = table["probability"].to_numpy()
    found |= {"certain": int((given >= CERTAIN).sum()), "misled": int((given <= 1 - CERTAIN).sum())}
    found["features"] = _features(cases, resources)
    return found, table


def exceeded(
    name: str, monitor: Mapping[str, Any], features: Sequence[Mapping[str, Any]], most: Thresholds
) -> list[str]:
    """What is above the thresholds, a sentence each.

    Args:
        name: of the cases.
        monitor: of `bias_monitor`.
        features: of `ending_statistics`.
        most: the thresholds.

    Raises:
        MissingResourceError: a threshold for a model that could not be fitted.
    """
    told = []
    if most.accuracy is not None:
        if monitor["missing"]:
            raise MissingResourceError(monitor["missing"])
        accuracy = next(row["accuracy"] for row in monitor["variants"] if not row["variant"])
        if accuracy > most.accuracy:
            told.append(
                f"{name}: a model that sees only the endings is right in {accuracy:.1%} of the cases; at most "
                f"{most.accuracy:.1%} are allowed"
            )
    if most.effect is not None:
        told += [
            f"{name}: right and wrong endings differ in {row['feature']} by d = {row['effect']:.2f}; at most "
            f"{most.effect:.2f} is allowed"
            for row in features
            if row["effect"] is not None and abs(row["effect"]) > most.effect
        ]
    return told


def _by_case(cases: pa.Table, scores: pa.Table) -> pa.Table:
    right, wrong = (column.to_pylist() for column in right_and_wrong(cases))
    place = {case_id: row for row, case_id in enumerate(scores["case_id"].to_pylist())}
    rows = np.array([place[case_id] for case_id in cases["case_id"].to_pylist()], np.int64)
    both = np.column_stack([scores["score_1"].to_numpy(), scores["score_2"].to_numpy()])[rows]
    log_odds = np.where(cases["right_ending"].to_numpy() == 1, 1, -1) * (both[:, 0] - both[:, 1])
    table = pa.table(
        {
            "release": cases["release"],
            "split": cases["split"],
            "case_id": cases["case_id"],
            "right": right,
            "wrong": wrong,
            "probability": 1 / (1 + np.exp(-np.clip(log_odds, -500, 500))),
        }
    ).cast(TABLES["bias_cases"].schema)
    return table.sort_by([("probability", "descending"), ("case_id", "ascending")])


def _features(cases: pa.Table, resources: Resources) -> list[dict[str, Any]]:
    """The strongest weights of the model fitted to all cases; kept, since fitting takes a minute."""
    kept = resources.cache / f"bias-{_digest(cases, resources)}.json" if resources.cache else None
    if kept and kept.exists():
        try:
            rows = json.loads(kept.read_text(encoding="utf-8"))
            if rows:
                return [{"feature": str(row["feature"]), "weight": float(row["weight"])} for row in rows]
        except (OSError, ValueError, TypeError, KeyError):
            pass  # damaged, so made again
    system = EndingReg()
    system.fit(cases, resources)
    rows = [{"feature": name, "weight": weight} for name, weight in system.weights()[:_STRONGEST]]
    if kept:
        write_text(kept, json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    return rows


def _digest(cases: pa.Table, resources: Resources) -> str:
    """Of what the weights depend on, the code of the package among it."""
    release, split = (str(cases[name][0]) for name in ("release", "split"))
    depends = [parser_version(), inputs_digest([CaseSet(release, split, cases)], resources)]
    return hashlib.sha256(json.dumps(depends).encode()).hexdigest()[:16]
