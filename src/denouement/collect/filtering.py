"""Which pairs of endings become cases, by what verifiers said of them, and how the cases are divided."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from denouement.collect.description import Form
from denouement.collect.work import as_table
from denouement.corpus import keys
from denouement.errors import UserError
from denouement.schemas import shortened
from denouement.settings import at_least

ANSWERS: dict[Form, tuple[str, ...]] = {"v1.0": ("1", "0", "-1"), "v1.5": ("sense", "until_last", "other")}
"""What a verifier may say of a story with an ending, by the form of the question.

v1.0: it makes sense (1), it does not (0), it is not clear (-1). v1.5: it makes sense, it does until the last sentence,
it does not for another reason.
"""

CONFIRMS: dict[Form, dict[str, str]] = {
    "v1.0": {"right": "1", "wrong": "0"},
    "v1.5": {"right": "sense", "wrong": "until_last"},
}
"""The answer that confirms the right ending, and the one that confirms the wrong one."""

KEPT = "kept"
OUTCOMES = {
    KEPT: "both endings are confirmed",
    "repeated": "an earlier case has the same story and endings",
    "too_few_answers": "an ending has too few answers",
    "right_not_confirmed": "the right ending is not confirmed",
    "wrong_not_confirmed": "the wrong ending is not confirmed",
    "neither_confirmed": "neither ending is confirmed",
}
"""What becomes of a pair of endings: the first that holds."""

VALIDATION, TEST = "validation", "test"

_Answers = Mapping[str, Mapping[str, list[str]]]  # by case, then by ending


@dataclass(frozen=True)
class FilterRules:
    """Which cases are kept, and how they are divided.

    Attributes:
        form: what was answered.
        people: how many answers each ending must have.
        confirming: how many of `people` must confirm an ending; None: all. An ending with more answers needs as large a
            share of them.
        seed: draws splits and sides.
        validation: the share of the stories whose cases are for validation.
    """

    form: Form = "v1.0"
    people: int = 3
    confirming: int | None = None
    seed: int = 1
    validation: float = 0.5

    def __post_init__(self) -> None:
        at_least(self, 1, "people", "confirming")
        if self.confirming is not None and self.confirming > self.people:
            raise ValueError(f"confirming: must be at most the {self.people} people, not {self.confirming}")
        if not 0 <= self.validation <= 1:
            raise ValueError(f"validation: must be between 0 and 1, not {self.validation}")

    @property
    def words(self) -> str:
        """The rule in a sentence."""
        right, wrong = CONFIRMS[self.form]["right"], CONFIRMS[self.form]["wrong"]
        if self.confirming is None:
            who = f"all verifiers, at least {self.people},"
        else:
            who = f"at least {self.confirming} in {self.people} verifiers"
        return f"A case is kept when {who} call the right ending {right} and the wrong one {wrong}."

    def confirms(self, answers: Sequence[str], ending: str) -> bool:
        """Whether enough answers about an ending confirm it."""
        confirming = answers.count(CONFIRMS[self.form][ending])
        if self.confirming is None:
            return confirming == len(answers)
        return confirming * self.people >= self.confirming * len(answers)


@dataclass(frozen=True)
class FilterSummary:
    """What fell where.

    Attributes:
        rule: in a sentence.
        cases: pairs of endings that there were.
        outcomes: how many of them have each of `OUTCOMES`.
        answers: those that count.
        own_work: answers that do not count, since the person wrote the story or its endings.
        unknown_writers: cases of which the writer of the endings is not known, so that own work may be among the
            answers.
        alpha: Krippendorff's alpha of the answers that count; None where it is not defined.
        splits: kept cases by split, and of how many of these the right ending stands first.
        stories: different stories by split; no story is in both.
    """

    rule: str
    cases: int
    outcomes: dict[str, int]
    answers: int
    own_work: int
    unknown_writers: int
    alpha: float | None
    splits: dict[str, tuple[int, int]]
    stories: dict[str, int]


def filter_cases(
    endings: pa.Table, verifications: pa.Table, rules: FilterRules, earlier: pa.Table | None = None
) -> tuple[pa.Table, FilterSummary]:
    """What becomes of each pair of endings.

    Neither the order of the answers nor that of the cases decides anything, but for `repeated`: of cases with the same
    texts the first is kept. Stories are drawn by their texts and the seed, and all cases of a story are in one split.
    Sides are drawn so that in each split the right ending stands first as often as second, or once more or less.

    Args:
        endings: the table `collected_endings`.
        verifications: the table of that name.
        rules: which are kept.
        earlier: the table that this function returned before, of a collection that has grown since: its stories keep
            their split, and its cases their sides.

    Returns:
        The table `filtered_cases`, in the order of `endings`, and what fell where.

    Raises:
        UserError: an answer that the form does not know, answers about cases that are not there, answers that are all
            about own work, or `earlier` is of another collection.
    """
    cases = endings.to_pylist()
    if earlier is not None:
        _refuse_others(cases, earlier)
    answers, own_work = _answers(cases, verifications, rules.form)
    outcomes: list[str] = []
    texts = keys.normalised_texts("\n".join([*row["context"], row["right"], row["wrong"]]) for row in cases)
    seen: set[str] = set()
    for row, text in zip(cases, texts, strict=True):
        outcomes.append("repeated" if text in seen else _outcome(answers[row["case_id"]], rules))
        seen.add(text)
    stories = [str(key) for key in keys.contexts(endings).to_pylist()]
    kept = [at for at, outcome in enumerate(outcomes) if outcome == KEPT]
    split_of = _splits({stories[at] for at in kept}, rules, _earlier_splits(earlier))
    sides = _sides({cases[at]["case_id"]: split_of[stories[at]] for at in kept}, rules.seed, _earlier_sides(earlier))
    rows = [
        {
            **row,
            "outcome": outcome,
            "split": split_of[story] if outcome == KEPT else None,
            "right_ending": sides.get(row["case_id"]),
        }
        for row, outcome, story in zip(cases, outcomes, stories, strict=True)
    ]
    return as_table("filtered_cases", rows), _summary(rows, stories, answers, own_work, rules)


def _summary(
    rows: Sequence[Mapping[str, Any]], stories: Sequence[str], answers: _Answers, own_work: int, rules: FilterRules
) -> FilterSummary:
    """What fell where: of rows of the table `filtered_cases`, and the story of each."""
    counts = Counter(row["outcome"] for row in rows)
    in_split = {split: [row for row in rows if row["split"] == split] for split in (VALIDATION, TEST)}
    stories_in = {
        split: {story for row, story in zip(rows, stories, strict=True) if row["split"] == split} for split in in_split
    }
    return FilterSummary(
        rule=rules.words,
        cases=len(rows),
        outcomes={outcome: counts[outcome] for outcome in OUTCOMES},
        answers=sum(len(given) for of_case in answers.values() for given in of_case.values()),
        own_work=own_work,
        unknown_writers=sum(row["writer"] is None for row in rows),
        alpha=_alpha(answers, rules.form),
        splits={split: (len(of), sum(row["right_ending"] == 1 for row in of)) for split, of in in_split.items()},
        stories={split: len(of) for split, of in stories_in.items()},
    )


def _refuse_others(cases: Sequence[Mapping[str, Any]], earlier: pa.Table) -> None:
    before = {row["case_id"]: row for row in earlier.to_pylist()}
    for row in cases:
        other = before.get(row["case_id"], row)
        if any(row[name] != other[name] for name in ("context", "right", "wrong")):
            raise UserError(
                f"case {row['case_id']} had other texts when it was filtered before: what was made before is of "
                "another collection; start anew without it"
            )


def _answers(cases: Sequence[Mapping[str, Any]], verifications: pa.Table, form: Form) -> tuple[_Answers, int]:
    """The answers that count, and the number of those of people about their own work."""
    writers = {row["case_id"]: {row["writer"], row["story_writer"]} for row in cases}
    answers: dict[str, dict[str, list[str]]] = {case_id: {"right": [], "wrong": []} for case_id in writers}
    own_work = 0
    unknown: dict[str, None] = {}
    for row in verifications.to_pylist():
        if row["answer"] not in ANSWERS[form]:
            raise UserError(
                f"case {row['case_id']}, {row['ending']} ending: the answer {row['answer']!r} is none of "
                f"{', '.join(ANSWERS[form])}, those of the form {form}: name the other form, or mend the answer"
            )
        if row["case_id"] not in answers:
            unknown[row["case_id"]] = None
        elif row["verifier"] in writers[row["case_id"]]:
            own_work += 1
        else:
            answers[row["case_id"]][row["ending"]].append(row["answer"])
    if unknown:
        raise UserError(
            f"answers about {len(unknown):,} cases that are not among the endings ({shortened(unknown, 3)}): give the "
            "endings and the answers of the same collection"
        )
    if verifications.num_rows and not any(given for of_case in answers.values() for given in of_case.values()):
        raise UserError("no answer counts: all are of people about their own work")
    return answers, own_work


def _outcome(answers: Mapping[str, list[str]], rules: FilterRules) -> str:
    if min(map(len, answers.values())) < rules.people:
        return "too_few_answers"
    right, wrong = (rules.confirms(answers[ending], ending) for ending in ("right", "wrong"))
    if right and wrong:
        return KEPT
    return "wrong_not_confirmed" if right else "right_not_confirmed" if wrong else "neither_confirmed"


def _alpha(answers: _Answers, form: Form) -> float | None:
    from denouement.study.results.reliability import alpha

    counts = [
        [given.count(answer) for answer in ANSWERS[form]] for of_case in answers.values() for given in of_case.values()
    ]
    return alpha(np.array(counts, np.int64).reshape(-1, len(ANSWERS[form]))).alpha


def _splits(stories: set[str], rules: FilterRules, earlier: Mapping[str, str]) -> dict[str, str]:
    """The split of each story: that of `earlier`, or drawn such that the share for validation is reached."""
    split_of = {story: earlier[story] for story in stories if story in earlier}
    new = sorted(stories - earlier.keys(), key=lambda story: _drawn(rules.seed, "split", story))
    wanted = round(rules.validation * len(stories)) - Counter(split_of.values())[VALIDATION]
    return split_of | {story: VALIDATION if at < wanted else TEST for at, story in enumerate(new)}


def _sides(split_of: Mapping[str, str], seed: int, earlier: Mapping[str, int]) -> dict[str, int]:
    """The place, 1 or 2, of each case's right ending."""
    sides = {case_id: earlier[case_id] for case_id in split_of if case_id in earlier}
    of_split: dict[str, list[str]] = defaultdict(list)
    for case_id, split in split_of.items():
        of_split[split].append(case_id)
    for split, case_ids in of_split.items():
        n_first = Counter(sides[case_id] for case_id in case_ids if case_id in sides)[1]
        is_more = _drawn(seed, "more first", split)[0] % 2  # of an odd number, whether first is the more frequent
        wanted = (len(case_ids) + is_more) // 2 - n_first
        new = sorted((each for each in case_ids if each not in sides), key=lambda each: _drawn(seed, "side", each))
        sides |= {case_id: 1 if at < wanted else 2 for at, case_id in enumerate(new)}
    return sides


def _drawn(seed: int, what: str, of: str) -> bytes:
    """A number drawn for `of` alone, whatever else there is."""
    return hashlib.sha256(f"{seed}\n{what}\n{of}".encode()).digest()


def _earlier_splits(earlier: pa.Table | None) -> dict[str, str]:
    if earlier is None:
        return {}
    stories = keys.contexts(earlier).to_pylist()
    return {story: split for story, split in zip(stories, earlier["split"].to_pylist(), strict=True) if split}


def _earlier_sides(earlier: pa.Table | None) -> dict[str, int]:
    if earlier is None:
        return {}
    sides = zip(earlier["case_id"].to_pylist(), earlier["right_ending"].to_pylist(), strict=True)
    return {case_id: side for case_id, side in sides if side}
