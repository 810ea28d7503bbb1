"""Works out automatic scores of endings, as a table and as a summary by system."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from denouement import schemas
from denouement.cloze.evaluation.scoring import resources_digest
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.console import note
from denouement.errors import UserError
from denouement.kept import kept
from denouement.metrics.base import Direction, EndingMetric, EndingRows, Measure, Metric, SetMetric, Values, measure_of
from denouement.metrics.reading import EndingsToScore

_CHIEF = ("rouge_l", "reference_similarity", "coherence")

Found = dict[str, Values]
"""By score the values of all endings, float64 [endings]; of a score of a set float64 [systems]."""


@dataclass(frozen=True)
class SystemScore:
    """A score of a system.

    Attributes:
        system: whose endings.
        n: endings that have a value; of a score of a set: endings in it.
        missing: endings that have none.
        value: their mean; or the value of the set.
        low, high: the 95% interval of the mean over cases by Student's t; None for a set, or for a single value.
    """

    system: str
    n: int
    missing: int
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ScoreSummary:
    """A score of all systems.

    Attributes:
        score: as in the column `score`.
        metric: the row of the registry that gives it.
        what: in a few words.
        better: which values are better: higher, lower, or neither.
        unit: of the values; empty for a number between the ends of its range.
        lowest, highest: the ends of the range; None: without an end.
        of_set: whether its values are of all endings of a system together.
        systems: those that have a value.
    """

    score: str
    metric: str
    what: str
    better: Direction
    unit: str
    lowest: float | None
    highest: float | None
    of_set: bool
    systems: Sequence[SystemScore]


@dataclass(frozen=True)
class EndingScores:
    """Automatic scores of endings.

    Attributes:
        cases: the cases that the endings are of.
        endings: how many are scored, by system.
        scores: in the order of the registry.
        not_scored: by name of the registry what a score lacks, and how to give it.
        missing: a sentence for the scores that the same endings have no value of.
        left_out: a sentence with the number of endings or references of each kind that do not count.
    """

    cases: int
    endings: Mapping[str, int]
    scores: Sequence[ScoreSummary]
    not_scored: Mapping[str, str]
    missing: Sequence[str]
    left_out: Sequence[str]


def score_endings(
    metrics: Sequence[Metric], read: EndingsToScore, resources: Resources
) -> tuple[pa.Table, EndingScores]:
    """The scores of endings.

    A score that lacks something it needs does not stop the others.

    Returns:
        A table `ending_scores`, score by score, in the order of the endings; and the summary.

    Raises:
        UserError: a file that cannot be read; or no score has what it needs.
    """
    tables, summaries = {}, []
    missing: dict[str, list[str]] = {}
    lacking: dict[str, str] = {}
    digest = [read.digest, resources_digest(resources)] if resources.cache else []
    for metric in sorted(metrics, key=lambda each: not each.goes_first):
        if lacks := _lacks(metric, read, resources):
            lacking[metric.name] = "; ".join(lacks)
            continue
        note(f"score {metric.name}")
        try:
            tables[metric.name] = _kept_table(metric, read, resources, digest)
        except MissingResourceError as error:
            lacking[metric.name] = str(error)
    scored = [metric for metric in metrics if metric.name in tables]
    not_scored = {metric.name: lacking[metric.name] for metric in metrics if metric.name in lacking}
    for metric in scored:
        of_metric = _summaries(metric, tables[metric.name], read)
        summaries += of_metric
        for score, which in _missing(metric, of_metric, read):
            missing.setdefault(which, []).append(score)
    if not tables:
        raise UserError("; ".join(f"{name}: {why}" for name, why in not_scored.items()) or "no score is named")
    endings = {system: len(places) for system, places in read.of_system().items()}
    sentences = [f"{', '.join(scores)}: {which}" for which, scores in missing.items()]
    result = EndingScores(read.cases.num_rows, endings, summaries, not_scored, sentences, read.left_out)
    return pa.concat_tables(tables[metric.name] for metric in scored), result


def chief_values(result: EndingScores, most: int = 12) -> dict[str, dict[str, float]]:
    """A few values, by which runs are compared: of `_CHIEF` scores, or else of all, by system the first `most`."""
    chosen = [each for each in result.scores if each.score.partition(" ")[0] in _CHIEF] or result.scores
    chief = [(each.score.replace(" ", "_"), of_system) for each in chosen for of_system in each.systems]
    found: dict[str, dict[str, float]] = {}
    for score, of_system in chief[:most]:
        found.setdefault(score, {})[of_system.system] = of_system.value
    return found


def values_of(metric: EndingMetric, rows: EndingRows, resources: Resources) -> Found:
    """The values of each ending, by score; NaN where it has none.

    Raises:
        MissingResourceError: `resources` lacks what the score needs.
    """
    places = np.arange(len(rows))
    if metric.needs_references:
        places = np.flatnonzero([bool(of_ending) for of_ending in rows.references])
    found = {}
    for score, values in metric.score(rows.take(places.tolist()), resources).items():
        if values.shape != places.shape or np.isinf(values).any() or (np.isnan(values).any() and not metric.unscorable):
            raise ValueError(f"{score}: not a finite number for each ending")
        found[score] = np.full(len(rows), np.nan)
        found[score][places] = values
    return found


def _lacks(metric: Metric, read: EndingsToScore, resources: Resources) -> list[str]:
    lacks = metric.lacks(resources)
    if isinstance(metric, EndingMetric) and metric.needs_references and not any(read.rows.references):
        lacks.append(f"{metric.name} compares with human endings: give labelled cases, or --references")
    others = sorted(set(read.cases["language"].to_pylist()) - {schemas.ENGLISH})
    if metric.only_english and others:
        lacks.append(f"{metric.name} reads English alone, and cases are in {', '.join(others)}")
    return lacks


def _kept_table(metric: Metric, read: EndingsToScore, resources: Resources, digest: Sequence[str]) -> pa.Table:
    return kept(
        resources.cache / "metrics" / f"{metric.name}.parquet" if resources.cache else None,
        [repr(metric), *digest, metric.files(resources) if resources.cache else None],
        lambda: _table(metric, read, resources),
        read=lambda path: schemas.read_table(path, "ending_scores").replace_schema_metadata(None),
        write=lambda table, path: schemas.write_table(table, path, "ending_scores"),
    )


def _table(metric: Metric, read: EndingsToScore, resources: Resources) -> pa.Table:
    """The rows of the table `ending_scores` of a score."""
    parts = []
    if isinstance(metric, EndingMetric):
        for score, values in values_of(metric, read.rows, resources).items():
            there = np.flatnonzero(~np.isnan(values))
            case_ids = pa.array(read.case_ids, pa.string()).take(pa.array(there))
            systems = pa.array(read.systems, pa.string()).take(pa.array(there))
            parts.append(_rows(case_ids, systems, score, values[there]))
    else:
        assert isinstance(metric, SetMetric)
        of_system = {
            system: metric.score_set([read.rows.endings[place] for place in places])
            for system, places in read.of_system().items()
        }
        for score in metric.measures:
            values_by_system = {name: value for name, of in of_system.items() if (value := of[score]) is not None}
            n = len(values_by_system)
            systems = pa.array([*values_by_system], pa.string())
            parts.append(_rows(pa.nulls(n, pa.string()), systems, score, np.array([*values_by_system.values()], float)))
    return pa.concat_tables(parts)


def _rows(case_ids: pa.Array, systems: pa.Array, score: str, values: Values) -> pa.Table:
    columns = {
        "case_id": case_ids,
        "system": systems,
        "score": pa.repeat(pa.scalar(score), len(values)),
        "value": pa.array(values),
    }
    return pa.table(columns, schema=schemas.TABLES["ending_scores"].schema)


def _summaries(metric: Metric, table: pa.Table, read: EndingsToScore) -> list[ScoreSummary]:
    of_set = isinstance(metric, SetMetric)
    n_endings = {system: len(places) for system, places in read.of_system().items()}
    values: dict[str, dict[str, list[float]]] = {}
    for score, system, value in zip(*(table[name].to_pylist() for name in ("score", "system", "value")), strict=True):
        values.setdefault(score, {}).setdefault(system, []).append(value)
    found = []
    for score, by_system in values.items():
        of = measure_of(metric, score)
        systems = [
            SystemScore(system, n_endings[system], 0, by_system[system][0], None, None)
            if of_set
            else _mean(system, by_system[system], n_endings[system], of)
            for system in n_endings
            if system in by_system
        ]
        found.append(ScoreSummary(score, metric.name, of.what, of.better, of.unit, of.low, of.high, of_set, systems))
    return found


def _mean(system: str, values: Sequence[float], n_endings: int, of: Measure) -> SystemScore:
    """The mean of a system's values, in whatever order they come, with its interval, which ends where values can."""
    from scipy.stats import t

    n = len(values)
    ordered = np.sort(values)
    mean = float(ordered.mean())
    half = float(t.ppf(0.975, n - 1) * ordered.std(ddof=1) / np.sqrt(n)) if n > 1 else None
    low, high = (None, None) if half is None else (mean - half, mean + half)
    if low is not None and of.low is not None:
        low = max(low, of.low)
    if high is not None and of.high is not None:
        high = min(high, of.high)
    return SystemScore(system, n, n_endings - n, mean, low, high)


def _missing(metric: Metric, summaries: Sequence[ScoreSummary], read: EndingsToScore) -> list[tuple[str, str]]:
    """Each score that some endings have no value of, with a clause that says how many, and why."""
    why = [metric.unscorable] if metric.unscorable else []
    if isinstance(metric, EndingMetric) and metric.needs_references:
        why.append("without a reference")
    found = []
    for summary in summaries:
        n_scored = {each.system: each.n for each in summary.systems}
        for system, places in read.of_system().items():
            if n := len(places) - n_scored.get(system, 0):
                found.append((summary.score, f"{n:,} endings of {system} (those {' or '.join(why)})"))
    return found
