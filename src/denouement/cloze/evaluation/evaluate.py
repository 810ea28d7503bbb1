"""Evaluating Story Cloze systems: fitted without leaks, scored on each release and split, cached a system."""

import csv
import dataclasses
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from denouement import schemas
from denouement.cloze.base import ClozeSystem, Scores, choices, load_system
from denouement.cloze.evaluation import statistics
from denouement.cloze.evaluation.brought_scores import BroughtScores, check_against
from denouement.cloze.evaluation.case_sets import CaseSet, case_sets, counted, learnable, unseen_stories
from denouement.cloze.evaluation.published import HUMAN, accuracy
from denouement.cloze.evaluation.scoring import Run, cached_scores, inputs_digest, score_table
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.console import warn
from denouement.errors import UserError, is_defect, one_line

FOLDS = 10


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation found.

    Attributes:
        rows: one for each system, variant and case set, in that order, ready for JSON: `system`, `variant`, `release`,
            `split`, `blind`; `n`, `correct`, `accuracy`, `low`, `high` (see `statistics.accuracy`; None where the set
            is blind or the system could not score it); `ties` (cases with equal scores) and `accuracy_half_ties` (see
            `statistics.half_ties`); `best`, whether it has the highest accuracy of the set, the first of equals; and
            `p_best`, the corrected p of its comparison with that one (`statistics.compare`), None where there is none;
            `paper`, the published accuracy or None; `trained_on`, in words; `fitted_to`, for systems that learn from
            cases: `cases`, how many by release and split, `folds` of a cross-validation or None, and `left_out`, how
            many since their story is scored; `missing`, what the system lacks and how to give it, or None; `failed`,
            the error that ended it, or None; `by_sentiment` and `by_length` (see `statistics.by_group`).
        comparisons: for each case set with labels, by name, `statistics.compare` of all rows of it.
        scores: the table `scores`.
        notes: by system what was met on the way, and how often.
        failures: by system the error that ended it.
    """

    rows: list[dict[str, Any]]
    comparisons: dict[str, list[dict[str, Any]]]
    scores: pa.Table
    notes: dict[str, dict[str, int]] = field(default_factory=dict)
    failures: dict[str, Exception] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """Rows, comparisons and notes, ready for JSON."""
        return {"systems": self.rows, "comparisons": self.comparisons, "notes": self.notes}

    def raise_failures(self) -> None:
        """Let it be known that systems failed, once the others' figures are printed and written.

        Raises:
            Exception: the first failure that is a defect of this package, as it was.
            UserError: otherwise; it names the systems that failed, and why.
        """
        if not self.failures:
            return
        for error in self.failures.values():
            if is_defect(error):
                raise error
        told = "; ".join(f"{name}: {one_line(error)}" for name, error in self.failures.items())
        raise UserError(f"{len(self.failures)} of the systems failed, the others are printed: {told}")


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
    brought: Sequence[BroughtScores] = (),
) -> Evaluation:
    """Score cases with the systems `names` and say how often each is right.

    A system that learns from cases is fitted to those of `train` whose split is train or validation (`learnable`), and
    cross-validated where the scored cases are these (`case_sets`). Training cases and stories that stand among the
    scored ones are left out, and counted. What a system lacks, or that it fails, stands in its rows and does not touch
    the other systems.

    Args:
        names: of the registry, in the order of the rows.
        train: labelled cases, or None; the blind ones among them are passed over, and counted.
        test: cases to score, or None: those of `train`.
        resources: what systems learn from.
        options: by system its options.
        n_folds: of the cross-validation.
        releases: only cases of these are scored; none: all. What is learned from is not restricted.
        splits: only cases of these are scored; none: all.
        brought: scores made elsewhere, whose rows follow those of the systems.

    Raises:
        UserError: no cases, an unknown system or option, or scores that are not of these cases.
        Exception: what ended the systems, where all of them failed.
    """
    learned = learnable(train, test)
    scored = train if test is None else test
    sets = case_sets(scored, learned.cases, releases, splits)
    for each in sets:
        if labels := each.cases.num_rows - each.cases["right_ending"].null_count if each.blind else 0:
            warn(
                f"{each.name}: {labels:,} labels are not used, since the other {each.cases.num_rows - labels:,} cases "
                "have none: there are predictions and no accuracy"
            )
    options = options or {}
    systems = {
        name: load_system(name, options.get(name)) for name in names
    }  # before any long work: a name or an option may be wrong
    notes = {"scores made elsewhere": check_against(brought, sets, names)}
    if any(system.learns_from_cases for system in systems.values()):
        notes["cases to learn from"] = learned.passed_over
    resources = dataclasses.replace(resources, stories=unseen_stories(resources.stories, sets))
    run = Run(sets, n_folds, inputs_digest(sets, resources) if resources.cache else "")
    found = _Found(sets)
    failures: dict[str, Exception] = {}
    for name, system in systems.items():
        own = resources.of_another_system()
        try:
            of_system = cached_scores(system, options.get(name, {}), own, run)
        except MissingResourceError as error:
            found.add_without_scores(name, sets, missing=str(error))
            continue
        except Exception as error:  # whatever ends one system, the others' hours of work are kept
            failures[name] = error
            found.add_without_scores(name, sets, failed=_told(error))
            continue
        notes[name] = {text: n for text, n in sorted(own.notes.items()) if n}
        for each in sets:
            if each.name in of_system.missing:
                found.add_without_scores(name, [each], missing=of_system.missing[each.name])
            for variant, scores in of_system.scores.get(each.name, {}).items():
                learned_from = _learned_from(system, variant, each, own, n_folds)
                found.add(name, variant, each, scores, paper=True, **learned_from)
    if failures and len(failures) == len(systems) and not brought:
        raise next(iter(failures.values()))
    for made in brought:
        for each in sets:
            try:
                scores = made.of_set(each)
            except MissingResourceError as error:
                found.add_without_scores(made.system, [each], made.variant, missing=str(error))
                continue
            found.add(made.system, made.variant, each, scores, paper=False, trained_on=f"not known: {made.file}")
    return found.evaluation({name: counts for name, counts in notes.items() if counts}, failures)


class _Found:
    """The rows and scores of an evaluation, as they come."""

    def __init__(self, sets: Sequence[CaseSet]) -> None:
        self._sets = sets
        self._groups = {each.name: _groups(each) for each in sets if not each.blind}
        self._rows: list[dict[str, Any]] = []
        self._tables: list[pa.Table] = []
        self._right: dict[str, dict[str, statistics.Correct]] = {each.name: {} for each in sets if not each.blind}

    def add(
        self,
        system: str,
        variant: str,
        each: CaseSet,
        scores: Scores,
        *,
        paper: bool,
        trained_on: str,
        fitted_to: dict[str, Any] | None = None,
    ) -> None:
        """The row of a system that scored a set; `paper`: whether published figures stand beside it."""
        row = _row(system, variant, each, trained_on=trained_on, fitted_to=fitted_to)
        if not paper:
            row["paper"] = None
        row["ties"] = int((scores[:, 0] == scores[:, 1]).sum())
        if not each.blind:
            is_correct = statistics.correct(scores, each.cases)
            self._right[each.name][_name(row)] = is_correct
            row |= statistics.accuracy(is_correct) | statistics.half_ties(scores, each.cases)
            for key, of_case in self._groups[each.name].items():
                row[key] = statistics.by_group(is_correct, of_case)
        self._rows.append(row)
        self._tables.append(score_table(system, variant, each, scores))

    def add_without_scores(
        self,
        system: str,
        sets: Sequence[CaseSet],
        variant: str = "",
        *,
        missing: str | None = None,
        failed: str | None = None,
    ) -> None:
        """A row a set that says why there are no scores."""
        self._rows += [_row(system, variant, each, missing=missing, failed=failed) for each in sets]

    def evaluation(self, notes: dict[str, dict[str, int]], failures: dict[str, Exception]) -> Evaluation:
        """All rows, each compared with the most accurate of its set, and the published figure of people last."""
        comparisons = {name: statistics.compare(of_set) for name, of_set in self._right.items() if len(of_set) > 1}
        for name in self._right:
            of_set = [row for row in self._rows if row["accuracy"] is not None and _set_name(row) == name]
            if not of_set:
                continue
            best = max(of_set, key=lambda row: row["accuracy"])
            best["best"] = True
            p_of = {frozenset((pair["one"], pair["other"])): pair["p_holm"] for pair in comparisons.get(name, [])}
            for row in of_set:
                row["p_best"] = p_of.get(frozenset((_name(row), _name(best))))
        human = [_row(HUMAN, "", each, trained_on="as published") for each in self._sets if not each.blind]
        return Evaluation(
            rows=self._rows + [row for row in human if row["paper"] is not None],
            comparisons=comparisons,
            scores=pa.concat_tables(self._tables or [schemas.empty_table("scores")]),
            notes=notes,
            failures=failures,
        )


def predictions(scores: pa.Table) -> dict[str, str]:
    """By name (`system[-variant]-release-split`) the CSV file that the shared task asks for.

    Its header is `InputStoryid,AnswerRightEnding`; a line a case follows, in their order, with 1 or 2.

    Raises:
        UserError: two systems whose files would have one name.
    """
    files: dict[str, io.StringIO] = {}
    keys: dict[str, list[str]] = {}
    both = np.column_stack([scores["score_1"].to_numpy(), scores["score_2"].to_numpy()])
    columns = (scores[name].to_pylist() for name in ("case_id", "system", "variant", "release", "split"))
    for case_id, *key, choice in zip(*columns, choices(both).tolist(), strict=True):
        name = "-".join("_".join(part.split()) for part in key if part)
        if keys.setdefault(name, key) != key:
            raise UserError(f"predictions of two systems would both be {name}.csv; rename one of the systems")
        if name not in files:
            files[name] = io.StringIO()
            files[name].write("InputStoryid,AnswerRightEnding\n")
        csv.writer(files[name], lineterminator="\n").writerow([case_id, choice])
    return {name: file.getvalue() for name, file in files.items()}


def _groups(each: CaseSet) -> dict[str, list[str]]:
    return {"by_sentiment": statistics.by_sentiment(each.cases), "by_length": statistics.by_length(each.cases)}


def _name(row: Mapping[str, Any]) -> str:
    return f"{row['system']} {row['variant']}".strip()


def _set_name(row: Mapping[str, Any]) -> str:
    return f"{row['release']} {row['split']}"


def _told(error: Exception) -> str:
    """What to say of a failure in one line."""
    return f"{type(error).__name__}: {one_line(error)}" if is_defect(error) else one_line(error)


def _row(
    system: str,
    variant: str,
    each: CaseSet,
    trained_on: str | None = None,
    fitted_to: dict[str, Any] | None = None,
    missing: str | None = None,
    failed: str | None = None,
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
        "accuracy_half_ties": None,
        "best": False,
        "p_best": None,
        "paper": accuracy(system, variant, each.release, each.split),
        "trained_on": trained_on,
        "fitted_to": fitted_to,
        "missing": missing,
        "failed": failed,
        "by_sentiment": None,
        "by_length": None,
    }


def _learned_from(
    system: ClozeSystem, variant: str, each: CaseSet, resources: Resources, n_folds: int
) -> dict[str, Any]:
    """What a system learned from to score a set: `trained_on` in words, and `fitted_to` of cases (see `Evaluation`)."""
    parts = []
    fitted_to = None
    if system.learns_from_cases:
        others = {} if each.train is None else counted(each.train)
        folds = n_folds if each.is_learned_from else None
        own = {each.name: each.cases.num_rows} if each.is_learned_from else {}
        fitted_to = {"cases": own | others, "folds": folds, "left_out": each.left_out}
        parts += [
            f"{n:,} cases of {name}" + (f" in {folds} folds" if name in own else "")
            for name, n in (own | others).items()
        ]
        if each.left_out:
            parts.append(f"{each.left_out:,} cases left out as leaks")
    if system.learns_from_stories(variant) and resources.stories is not None:
        parts.append(f"{resources.stories.num_rows:,} stories")
    if elsewhere := system.learned_elsewhere(variant, resources):
        parts.append(elsewhere)
    return {"trained_on": "; ".join(parts) or "nothing", "fitted_to": fitted_to}
