"""Evaluation of Story Cloze systems: each is fitted without leaks, and scored on each release, split and language."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from denouement import schemas
from denouement.cloze.base import ClozeSystem, Scores, load_system
from denouement.cloze.evaluation import published, statistics
from denouement.cloze.evaluation.brought_scores import BroughtScores, check_against
from denouement.cloze.evaluation.case_sets import CaseSet, case_sets, counted, learnable, unseen_stories
from denouement.cloze.evaluation.published import HUMAN
from denouement.cloze.evaluation.results import (
    ClozeResult,
    Evaluation,
    FittedTo,
    SystemComparison,
    SystemRow,
    by_language,
)
from denouement.cloze.evaluation.scoring import EvaluationPlan, Scored, cached_scores, inputs_digest, score_table
from denouement.cloze.evaluation.statistics import Correct
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.console import warn
from denouement.errors import is_defect, one_line
from denouement.schemas import ENGLISH

FOLDS = 10


def evaluate(
    names: Sequence[str],
    train: pa.Table | None,
    test: pa.Table | None,
    resources: Resources,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    n_folds: int = FOLDS,
    *,
    releases: Sequence[str] = (),
    splits: Sequence[str] = (),
    languages: Sequence[str] = (),
    brought: Sequence[BroughtScores] = (),
) -> Evaluation:
    """Score cases with the systems `names`, and return how often each is right.

    A system that learns from cases is fitted to those of `train` whose split is train or validation (`learnable`), and
    cross-validated where the scored cases are these (`case_sets`). Training cases and stories that are among the
    scored ones are left out, and counted. The rows of a system that lacks something, or fails, say so, and the other
    systems are still evaluated.

    Example:
        >>> import pyarrow as pa
        >>> import denouement
        >>> from denouement.schemas import TABLES
        >>> case = {
        ...     **{"case_id": "1", "context": ["Kim lost her dog.", "She was very sad.", "She looked for it all day."]},
        ...     **{"endings": ["Ice melts!", "Kim was happy when it came home to her."], "right_ending": 2},
        ...     **{"question": None, "language": "en", "release": "v1.0", "split": "validation"},
        ... }
        >>> cases = pa.Table.from_pylist([case], TABLES["cloze"].schema)
        >>> found = denouement.evaluate(["constant_first", "ngram_overlap"], None, cases, denouement.Resources())
        >>> [(row.system, row.correct, row.n, row.paper) for row in found.result.systems]
        [('constant_first', 0, 1, 0.514), ('ngram_overlap', 1, 1, 0.477), ('human', None, 1, 1.0)]
        >>> found.scores["scores"].to_pylist()[0]
        [1.0, 0.0]

    Args:
        names: of the registry, in the order of the rows.
        train: labelled cases of the table `cloze`, or None; blind ones are left out, and counted.
        test: cases to score, or None: those of `train`.
        resources: what systems learn from.
        options: by system its options.
        n_folds: of the cross-validation.
        releases: only cases of these are scored; empty: all. Systems learn from cases of all releases and splits.
        splits: only cases of these are scored; empty: all.
        languages: only cases of these are scored; empty: all. Systems learn from cases in the language of those scored.
        brought: scores made elsewhere, whose rows follow those of the systems.

    Raises:
        UserError: no cases, an unknown system or option, or scores that are not of these cases.
        Exception: what ended the systems, where all of them failed.
    """
    learned = learnable(train, test)
    scored = train if test is None else test
    sets = case_sets(scored, learned.cases, releases, splits, languages)
    for each in sets:
        if labels := each.cases.num_rows - each.cases["right_ending"].null_count if each.blind else 0:
            warn(
                f"{each.name}: {labels:,} labels are not used, since the other {each.cases.num_rows - labels:,} cases "
                "have none: there are predictions and no accuracy"
            )
    options = options or {}
    # All are loaded before the long work begins, since a name or an option may be wrong.
    systems = {name: load_system(name, options.get(name)) for name in names}
    notes = {"scores made elsewhere": check_against(brought, sets, names)}
    if any(system.learns_from_cases for system in systems.values()):
        notes["cases to learn from"] = learned.passed_over
    resources = replace(resources, stories=unseen_stories(resources.stories, sets))
    plan = EvaluationPlan(sets, n_folds, inputs_digest(sets, resources) if resources.cache else "")
    outcomes: list[_Outcome] = []
    failures: dict[str, Exception] = {}
    for name, system in systems.items():
        own = resources.of_another_system()
        try:
            of_system = cached_scores(system, options.get(name, {}), own, plan)
        except MissingResourceError as error:
            missing = {each.name: system.cannot_score(each.cases) or str(error) for each in sets}
            outcomes += [_Outcome(each, replace(_row(name, "", each), missing=missing[each.name])) for each in sets]
        except Exception as error:  # an error of one system must not lose the hours of work of the others
            failures[name] = error
            what = f"{type(error).__name__}: {one_line(error)}" if is_defect(error) else one_line(error)
            outcomes += [_Outcome(each, replace(_row(name, "", each), failed=what)) for each in sets]
        else:
            notes[name] = {text: n for text, n in sorted(own.notes.items()) if n}
            outcomes += _outcomes(system, of_system, own, plan)
    if failures and len(failures) == len(systems) and not brought:
        raise next(iter(failures.values()))
    outcomes += [_brought_outcome(made, each) for made in brought for each in sets]
    rows, comparisons = _compared(outcomes, sets)
    tables = [
        score_table(of.row.system, of.row.variant, of.cases, of.scores) for of in outcomes if of.scores is not None
    ]
    return Evaluation(
        ClozeResult(
            systems=[*rows, *_human_rows(sets)],
            comparisons=comparisons,
            notes={name: counts for name, counts in notes.items() if counts},
            by_language=by_language(rows),
        ),
        scores=pa.concat_tables(tables or [schemas.empty_table("scores")]),
        failures=failures,
    )


@dataclass(frozen=True)
class _Outcome:
    """What a system, or one variant of it, gave for one set of cases: a row without accuracies, and any scores."""

    cases: CaseSet
    row: SystemRow
    scores: Scores | None = None


def _row(system: str, variant: str, each: CaseSet) -> SystemRow:
    """A row that has the published accuracy alone."""
    return SystemRow(
        *(system, variant, each.release, each.split, each.blind, each.cases.num_rows),
        paper=published.accuracy(system, variant, each.release, each.split),
        language=each.language,
        chance=statistics.chance(each.cases),
    )


def _outcomes(system: ClozeSystem, scored: Scored, resources: Resources, plan: EvaluationPlan) -> Iterator[_Outcome]:
    for each in plan.sets:
        if each.name in scored.missing:
            yield _Outcome(each, replace(_row(system.name, "", each), missing=scored.missing[each.name]))
        for variant, scores in scored.scores.get(each.name, {}).items():
            fitted_to = _fitted_to(system, each, plan.n_folds)
            trained_on = _trained_on(system, variant, each, resources, fitted_to)
            row = replace(_row(system.name, variant, each), trained_on=trained_on, fitted_to=fitted_to)
            yield _Outcome(each, row, scores)


def _brought_outcome(made: BroughtScores, each: CaseSet) -> _Outcome:
    row = replace(_row(made.system, made.variant, each), paper=None)  # its name may be that of a published system
    try:
        scores = made.of_set(each)
    except MissingResourceError as error:
        return _Outcome(each, replace(row, missing=str(error)))
    return _Outcome(each, replace(row, trained_on=f"not known: {made.file}"), scores)


def _compared(
    outcomes: Sequence[_Outcome], sets: Sequence[CaseSet]
) -> tuple[list[SystemRow], dict[str, list[SystemComparison]]]:
    """The row of each outcome, and the comparisons of every two that have an accuracy on the same set."""
    right: dict[str, dict[str, Correct]] = {each.name: {} for each in sets if not each.blind}
    for of in outcomes:
        if of.scores is not None and not of.cases.blind:
            right[of.cases.name][of.row.name] = statistics.correct(of.scores, of.cases.cases)
    comparisons = {name: statistics.compare(of_set) for name, of_set in right.items() if len(of_set) > 1}
    best = {name: max(of_set, key=lambda row: of_set[row].sum()) for name, of_set in right.items() if of_set}
    groups = {
        each.name: (statistics.by_sentiment(each.cases), statistics.by_length(each.cases))
        for each in sets
        if each.name in best and each.language == ENGLISH
    }
    p_best = {
        (name, frozenset((pair.one, pair.other))): pair.p_holm for name, pairs in comparisons.items() for pair in pairs
    }

    def with_accuracy(of: _Outcome) -> SystemRow:
        name, row = of.cases.name, of.row
        if of.scores is None:
            return row
        if of.cases.blind:
            return replace(row, ties=int((statistics.n_best(of.scores) > 1).sum()))
        is_correct = right[name][row.name]
        of_groups = [statistics.by_group(is_correct, names) for names in groups.get(name, ())]
        by_sentiment, by_length = of_groups or (None, None)
        return replace(
            row,
            **vars(statistics.accuracy(is_correct)),
            **vars(statistics.half_ties(of.scores, of.cases.cases)),
            best=row.name == best[name],
            p_best=p_best.get((name, frozenset((row.name, best[name])))),
            by_sentiment=by_sentiment,
            by_length=by_length,
        )

    return [with_accuracy(of) for of in outcomes], comparisons


def _human_rows(sets: Sequence[CaseSet]) -> list[SystemRow]:
    """The published accuracy of people on each set with labels that has one."""
    rows = [replace(_row(HUMAN, "", each), trained_on="as published") for each in sets]
    return [row for row in rows if not row.blind and row.paper is not None]


def _fitted_to(system: ClozeSystem, each: CaseSet, n_folds: int) -> FittedTo | None:
    if not system.learns_from_cases:
        return None
    own = {each.name: each.cases.num_rows} if each.is_learned_from else {}
    others = {} if each.train is None else counted(each.train)
    return FittedTo(own | others, n_folds if own else None, each.left_out)


def _trained_on(
    system: ClozeSystem, variant: str, each: CaseSet, resources: Resources, fitted_to: FittedTo | None
) -> str:
    """What a system learned from to score a set, in words."""
    parts = []
    if fitted_to:
        for name, n in fitted_to.cases.items():
            folds = f" in {fitted_to.folds} folds" if fitted_to.folds and name == each.name else ""
            parts.append(f"{n:,} cases of {name}{folds}")
        if fitted_to.left_out:
            parts.append(f"{fitted_to.left_out:,} cases left out as leaks")
    if system.learns_from_stories(variant) and resources.stories is not None:
        parts.append(f"{resources.stories.num_rows:,} stories")
    if elsewhere := system.learned_elsewhere(variant, resources):
        parts.append(elsewhere)
    return "; ".join(parts) or "nothing"
