"""The results of a study of pairs: which endings people prefer, how certain that is, and how far they agree."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pyarrow as pa

from denouement.answers import ANSWER, question_asked, questions_of, statuses
from denouement.multiple_tests import holm
from denouement.study.results.agreement import BOTH, NEITHER
from denouement.study.results.ballot import Ballot, count
from denouement.study.results.bradley_terry import Comparisons, strengths
from denouement.study.results.choice_model import Strengths
from denouement.study.results.clustered import ShareOfAnswers, clusters, share_of_answers
from denouement.study.results.pairs import PairResult, beside_paper, pair_result, sign_test
from denouement.study.results.people import WhoTookPart
from denouement.study.results.reliability import (
    AnnotatorResult,
    ChecksAnswered,
    annotator_results,
    check_results,
    checks_in_all,
    cohens_kappa,
    median,
    seconds_taken,
)

_OF_THE_PAPER = "mori_2019"  # the study of the answers that Mori et al. 2019 published


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
class QuestionResults:
    """The results of one question about pairs; its fields are as of `StudyResults`."""

    question: str
    words: str | None
    is_better: bool
    answers: int
    pairs: list[PairResult]
    strengths: Strengths
    sides: SideTest

    @property
    def named(self) -> str:
        """The question for people: in its own words, else by its name."""
        return f"“{self.words}”" if self.words else self.question


@dataclass(frozen=True)
class QuestionAgreement:
    """How far two questions about the same two endings get the same answer.

    Attributes:
        first, second: the questions.
        answers: how many people's answers to items answer both.
        same: how many of these choose the same; None where `answers` is 0.
        kappa: the same beyond chance (Cohen 1960), of first, second, both and neither system; None where all choices
            are the same.
    """

    first: str
    second: str
    answers: int
    same: ShareOfAnswers | None
    kappa: float | None


@dataclass(frozen=True)
class StudyResults:
    """The results of the answers to pairs. Shares are from 0 to 1.

    Answers to attention checks are counted in `checks` alone, and only answers with the status `accepted` count.

    Attributes:
        studies: their names, in alphabetical order.
        statuses: answers by status.
        answers: how many to the first question count.
        pairs: Table 2 of Mori et al. 2019, a row a pair.
        strengths: all systems on one scale.
        sides: whether one side is favoured.
        annotators: how far each annotator agrees with the others; those who agree least come first.
        unnamed_answers: answers whose annotator is not known.
        checks: how attention checks were answered.
        seconds: median time of an answer; None where no time is known.
        question: the name of the first question, which all above but `statuses` and `checks` are about.
        words: what people read; None where it is not known.
        is_better: whether it asks which ending is better, so that its answers are a preference.
        further: the results of the other questions about the same endings.
        between: how far the questions agree, a row for every two.
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
    question: str
    words: str | None
    is_better: bool
    further: list[QuestionResults]
    between: list[QuestionAgreement]
    people: WhoTookPart | None

    @property
    def questions(self) -> list[QuestionResults]:
        """The results of all questions, the first one first."""
        return [
            QuestionResults(
                self.question, self.words, self.is_better, self.answers, self.pairs, self.strengths, self.sides
            ),
            *self.further,
        ]

    @property
    def chief(self) -> QuestionResults:
        """The results of the question which ending is better; where it was not asked, of the first question."""
        return next((each for each in self.questions if each.is_better), self.questions[0])


def study_results(votes: pa.Table, items: pa.Table | None = None, ballot: Ballot | None = None) -> StudyResults:
    """The results of one or more studies of pairs.

    >>> from denouement.schemas import TABLES
    >>> shown = {"study": "s", "item_id": "1", "case_id": "1", "position_a": "mine", "position_b": "human_right"}
    >>> shown |= {"question": "better", "reason": None, "is_check": False, "status": "accepted"}
    >>> shown |= {"started_at": None, "submitted_at": None}
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
    others = [count(votes, question) for question in questions_of(votes) if question != ballot.question]
    first, *further = (_of_question(votes, each) for each in (ballot, *others))
    found = StudyResults(
        studies=sorted(votes["study"].unique().to_pylist()),
        statuses=statuses(votes),
        **vars(first),
        annotators=annotators,
        unnamed_answers=unnamed,
        checks=checks_in_all(votes, checks, items),
        seconds=median(seconds_taken(ballot.votes)),
        further=further,
        between=[questions_agreement(one, other) for one, other in combinations([ballot, *others], 2)],
        people=None,
    )
    return beside_papers(found) if found.studies == [_OF_THE_PAPER] else found


def beside_papers(results: StudyResults) -> StudyResults:
    """The same with a paper's values beside its systems, for the question that it asked: which ending is better."""

    def pairs(of: QuestionResults | StudyResults) -> list[PairResult]:
        return list(map(beside_paper, of.pairs)) if of.is_better else of.pairs

    further = [replace(each, pairs=pairs(each)) for each in results.further]
    return replace(results, pairs=pairs(results), further=further)


def _of_question(votes: pa.Table, ballot: Ballot) -> QuestionResults:
    asked = question_asked(votes, ballot.question)
    return QuestionResults(
        ballot.question,
        asked.words,
        asked.is_better,
        len(ballot.item),
        _pairs(ballot),
        strengths(comparisons(ballot)),
        side_test(ballot),
    )


def questions_agreement(one: Ballot, other: Ballot) -> QuestionAgreement:
    """How far the answers to two questions about the same endings are the same."""
    row_of = {key: row for row, key in enumerate(_keys(other))}
    rows = np.array(
        [(row, row_of[key]) for row, key in enumerate(_keys(one)) if key in row_of], dtype=np.int64
    ).reshape(-1, 2)
    codes = one.choice[rows[:, 0]], other.choice[rows[:, 1]]
    if not len(rows):
        return QuestionAgreement(one.question, other.question, 0, None, None)
    same = share_of_answers(codes[0] == codes[1], clusters(one.votes).of(rows[:, 0]))
    return QuestionAgreement(one.question, other.question, len(rows), same, cohens_kappa(*codes))


def _keys(ballot: Ballot) -> list[tuple[str, ...]]:
    """Which answer each row is of."""
    return list(zip(*(ballot.votes[name].to_pylist() for name in ANSWER), strict=True))


def _pairs(ballot: Ballot) -> list[PairResult]:
    counts, by = ballot.counts(), clusters(ballot.votes)
    strengths_given = ballot.votes["strength"].fill_null(0).to_numpy().astype(np.int64)
    pair_of_item = ballot.items["pair"].to_numpy()
    pair_of_answer = pair_of_item[ballot.item]
    rows = []
    for place, pair in enumerate(ballot.pairs):
        of_pair, answers = pair_of_item == place, pair_of_answer == place
        n_cases = len(ballot.items["case_id"].filter(pa.array(of_pair)).unique())
        strength = strengths_given[answers]
        rows.append(pair_result(pair, counts[of_pair], n_cases, ballot.choice[answers], by.of(answers), strength))
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


def comparisons(ballot: Ballot) -> list[Comparisons]:
    """The answers by pair, a row an answer; both and neither are ties."""
    by = clusters(ballot.votes)
    pair_of_answer = ballot.items["pair"].to_numpy()[ballot.item]
    outcome = np.eye(3, dtype=np.int64)[np.where(ballot.choice == NEITHER, BOTH, ballot.choice)]  # both are ties
    compared = []
    for place, pair in enumerate(ballot.pairs):
        answers = pair_of_answer == place
        compared.append(Comparisons(*pair, outcome[answers], *by.of(answers)))
    return compared


def side_test(ballot: Ballot) -> SideTest:
    """Tests whether people favour one side, independently of the ending that is shown there."""
    answer = ballot.votes["answer"].to_numpy()
    for_a, for_b = answer == "A", answer == "B"
    surplus = np.bincount(ballot.item, for_a.astype(np.float64) - for_b, minlength=ballot.items.num_rows)
    test = sign_test(int((surplus > 0).sum()), int((surplus < 0).sum()))
    answers = AnswersBySide(int(for_a.sum()), int(for_b.sum()))
    return SideTest(answers, test.n, test.share, test.low, test.high, test.of, test.p)
