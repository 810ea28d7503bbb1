"""The results of a study of pairs: which endings people prefer, how certain that is, and how far they agree."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from denouement.answers import statuses
from denouement.multiple_tests import holm
from denouement.study.results.agreement import BOTH, NEITHER
from denouement.study.results.ballot import Ballot, count
from denouement.study.results.bradley_terry import Comparisons, Strengths, strengths
from denouement.study.results.clustered import clusters
from denouement.study.results.pairs import PairResult, pair_result, sign_test
from denouement.study.results.people import WhoTookPart
from denouement.study.results.reliability import (
    AnnotatorResult,
    ChecksAnswered,
    annotator_results,
    check_results,
    checks_in_all,
    median,
    seconds_taken,
)


@dataclass(frozen=True)
class AnswersBySide:
    """How many answers are for the ending on side A, and on side B."""

    A: int
    B: int


@dataclass(frozen=True)
class SideTest:
    """How many of the items with more answers for one side have more answers for side A.

    The test is of items, not of answers: where all annotators see an item with the same sides, as in the published
    answers, they choose the same side because they agree on the ending. A test of items is right whether sides are
    drawn for each annotator or once for all.

    Attributes:
        answers: how many are for the ending on each side.
        n, share, low, high, of, p: as of `pairs.SignTest`.
    """

    answers: AnswersBySide
    n: int
    share: float | None
    low: float | None
    high: float | None
    of: int
    p: float


@dataclass(frozen=True)
class StudyResults:
    """The results of the answers to pairs. Shares are from 0 to 1.

    Answers to attention checks are counted in `checks` alone, and only answers with the status `accepted` count.

    Attributes:
        studies: their names, in alphabetical order.
        statuses: answers by status.
        answers: how many count.
        pairs: Table 2 of Mori et al. 2019, a row a pair.
        strengths: all systems on one scale.
        sides: whether one side is favoured.
        annotators: how far each annotator agrees with the others; those who agree least come first.
        unnamed_answers: answers whose annotator is not known.
        checks: how attention checks were answered.
        seconds: median time of an answer; None where no time is known.
        people: what people replied to the studies' own questions; None where no replies are given.
    """

    studies: list[str]
    statuses: dict[str, int]
    answers: int
    pairs: list[PairResult]
    strengths: Strengths
    sides: SideTest
    annotators: list[AnnotatorResult]
    unnamed_answers: int
    checks: ChecksAnswered
    seconds: float | None
    people: WhoTookPart | None


def study_results(votes: pa.Table, items: pa.Table | None = None, ballot: Ballot | None = None) -> StudyResults:
    """The results of one or more studies of pairs.

    >>> from denouement.schemas import TABLES
    >>> shown = {"study": "s", "item_id": "1", "case_id": "1", "position_a": "mine", "position_b": "human_right"}
    >>> shown |= {"reason": None, "is_check": False, "status": "accepted", "started_at": None, "submitted_at": None}
    >>> answers = [("Ann", "A", "mine"), ("Bob", "A", "mine"), ("Eve", "B", "human_right")]
    >>> rows = [shown | {"annotator_id": who, "answer": answer, "choice": choice} for who, answer, choice in answers]
    >>> study_results(pa.Table.from_pylist(rows, TABLES["votes"].schema)).sides.answers
    AnswersBySide(A=2, B=1)

    Args:
        votes: the table `votes`.
        items: the table `items` of the same studies, with the right answers to checks.
        ballot: `count(votes)`, where the caller has it already.

    Raises:
        UserError: as `ballot.count`.
    """
    ballot = ballot or count(votes)
    checks = check_results(votes, items)
    annotators, unnamed = annotator_results(ballot, checks)
    return StudyResults(
        studies=sorted(votes["study"].unique().to_pylist()),
        statuses=statuses(votes),
        answers=len(ballot.item),
        pairs=_pairs(ballot),
        strengths=_strengths(ballot),
        sides=side_test(ballot),
        annotators=annotators,
        unnamed_answers=unnamed,
        checks=checks_in_all(votes, checks, items),
        seconds=median(seconds_taken(ballot.votes)),
        people=None,
    )


def _pairs(ballot: Ballot) -> list[PairResult]:
    counts, by = ballot.counts(), clusters(ballot.votes)
    pair_of_item = ballot.items["pair"].to_numpy()
    pair_of_answer = pair_of_item[ballot.item]
    rows = []
    for place, pair in enumerate(ballot.pairs):
        of_pair, answers = pair_of_item == place, pair_of_answer == place
        n_cases = len(ballot.items["case_id"].filter(pa.array(of_pair)).unique())
        rows.append(pair_result(pair, counts[of_pair], n_cases, ballot.choice[answers], by.of(answers)))
    return _corrected(rows)


def _corrected(rows: Sequence[PairResult]) -> list[PairResult]:
    """The same with p-values corrected for the number of pairs."""
    of_items = iter(holm([row.sign_test.p for row in rows]))
    of_answers = iter(holm([row.preference.p for row in rows if row.preference.p is not None]))
    return [
        replace(
            row,
            sign_test=replace(row.sign_test, p_holm=next(of_items)),
            preference=replace(row.preference, p_holm=None if row.preference.p is None else next(of_answers)),
        )
        for row in rows
    ]


def _strengths(ballot: Ballot) -> Strengths:
    by = clusters(ballot.votes)
    pair_of_answer = ballot.items["pair"].to_numpy()[ballot.item]
    outcome = np.eye(3, dtype=np.int64)[np.where(ballot.choice == NEITHER, BOTH, ballot.choice)]  # both are ties
    compared = []
    for place, pair in enumerate(ballot.pairs):
        answers = pair_of_answer == place
        compared.append(Comparisons(*pair, outcome[answers], *by.of(answers)))
    return strengths(compared)


def side_test(ballot: Ballot) -> SideTest:
    """Tests whether people favour one side, independently of the ending that is shown there."""
    answer = ballot.votes["answer"].to_numpy()
    for_a, for_b = answer == "A", answer == "B"
    surplus = np.bincount(ballot.item, for_a.astype(np.float64) - for_b, minlength=ballot.items.num_rows)
    test = sign_test(int((surplus > 0).sum()), int((surplus < 0).sum()))
    answers = AnswersBySide(int(for_a.sum()), int(for_b.sum()))
    return SideTest(answers, test.n, test.share, test.low, test.high, test.of, test.p)
