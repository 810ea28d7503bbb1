"""What people say of endings, from the tables of a study or any other file."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement.answers import chosen_question, counted, questions_of, read_votes
from denouement.errors import UserError
from denouement.metrics.agreement.picking import PreferredPairs
from denouement.metrics.agreement.published import published_file
from denouement.metrics.agreement.published.rows import PublishedFile
from denouement.metrics.agreement.tables import kind_of, ratings_of_table
from denouement.metrics.agreement.values import Ratings, Value, gathered_ratings
from denouement.schemas import read_table
from denouement.study.results.agreement import BOTH, FIRST, NEITHER, SECOND, agreement
from denouement.study.results.ballot import Ballot, ballot_of_file
from denouement.study.results.rankings import check_ranks

_POINTS = {FIRST: (1.0, 0.0), SECOND: (0.0, 1.0), BOTH: (0.5, 0.5), NEITHER: (0.5, 0.5)}


@dataclass(frozen=True)
class HumanAnswers:
    """What people say of endings.

    Attributes:
        ratings: a value for each ending and rater; of votes the mean share of the compared endings that it won, where
            both and neither are half a win.
        pairs: of votes, which of two endings people prefer; None of ratings.
        ballot: of votes, the answers; None of ratings.
        question: what was asked, or which of several ratings this is; None where there is one alone.
        other_questions: those that are in the same file.
    """

    ratings: Ratings
    pairs: PreferredPairs | None = None
    ballot: Ballot | None = None
    question: str | None = None
    other_questions: list[str] = field(default_factory=list)


def read_people(path: Path, question: str | None = None, raters: Sequence[str] = ()) -> HumanAnswers:
    """Read a table `votes`, `ratings` or `rankings` of a study, a published file, or any table with ratings.

    Args:
        path: the file.
        question: one of several that were asked; None is the first.
        raters: those who count, or the columns that hold ratings; none for all.

    Raises:
        UserError: no such file, another table, a question or a rater that is not there, or nothing that counts.
    """
    kind = kind_of(path)
    if kind == "votes":
        people = _of_votes(path, read_votes(path), question)
    elif kind == "ratings":
        people = _of_ratings(path, read_table(path, "ratings"), question)
    elif kind == "rankings":
        people = _of_rankings(path, read_table(path, "rankings"), question)
    elif kind is not None:
        raise UserError(
            f"{path}: a table '{kind}' has no ratings of endings; name a table votes, ratings or rankings, or any CSV"
        )
    elif (published := published_file(path)) is not None:
        people = _of_published(path, published, question)
    else:
        ratings, question, others = ratings_of_table(path, question, raters)
        return HumanAnswers(ratings, question=question, other_questions=others)
    if not raters:
        return people
    if people.pairs is not None:
        raise UserError("--rater: is for ratings; votes are read of all people who count")
    return HumanAnswers(people.ratings.only(raters), None, None, people.question, people.other_questions)


def _of_published(path: Path, published: PublishedFile, question: str | None) -> HumanAnswers:
    if not published.ratings:
        raise UserError(f"{path}: has scores and no ratings; name the file with people's ratings")
    questions = list(published.ratings)
    asked = chosen_question(path, question, [each for each in questions if each])
    ratings = gathered_ratings(str(path), published.ratings[asked or ""])
    return HumanAnswers(ratings, question=asked, other_questions=[each for each in questions if each and each != asked])


def _of_ratings(path: Path, table: pa.Table, question: str | None) -> HumanAnswers:
    accepted = counted(table)
    questions = accepted["question"].unique().to_pylist()
    asked = chosen_question(path, question, questions)
    rows = accepted.filter(pc.equal(accepted["question"], asked or ""))
    if not rows.num_rows:
        raise UserError(f"{path}: no accepted rating in it; collect answers first")
    names = ("case_id", "system", "study", "annotator_id", "value")
    given: defaultdict[tuple[tuple[str, str], str], list[float]] = defaultdict(list)
    for case, system, study, annotator, value in zip(*(rows[name].to_pylist() for name in names), strict=True):
        given[(case, system), f"{study} {annotator}"].append(value)
    values = ((ending, rater, float(np.mean(its))) for (ending, rater), its in given.items())
    return HumanAnswers(
        gathered_ratings(str(path), values),
        question=asked,
        other_questions=[each for each in questions if each != asked],
    )


def _of_rankings(path: Path, table: pa.Table, question: str | None) -> HumanAnswers:
    """An ending's rating by a person: the share of the other endings that it is ranked above, equal ranks half."""
    if question:
        raise UserError("--question: is for votes and ratings; rankings answer one question")
    check_ranks(table)
    given: defaultdict[tuple[tuple[str, str], str], list[float]] = defaultdict(list)
    for row in counted(table).to_pylist():
        ranks = np.array(row["ranks"], np.float64)
        above = ((ranks[:, None] < ranks) + (ranks[:, None] == ranks) / 2).sum(1) - 0.5  # without itself
        for system, share in zip(row["systems"], (above / (len(ranks) - 1)).tolist(), strict=True):
            given[(row["case_id"], system), f"{row['study']} {row['annotator_id']}"].append(share)
    if not given:
        raise UserError(f"{path}: no accepted answer in it; collect answers first")
    return HumanAnswers(gathered_ratings(str(path), ((*key, float(np.mean(its))) for key, its in given.items())))


def _of_votes(path: Path, table: pa.Table, question: str | None) -> HumanAnswers:
    ballot = ballot_of_file(path, table, question)
    items = ballot.items.to_pylist()
    ends = [[(row["case_id"], ballot.pairs[row["pair"]][side]) for row in items] for side in (0, 1)]
    decided = agreement(ballot.counts())
    prefers = np.select([decided == FIRST, decided == SECOND], [1, -1], 0)
    pairs = PreferredPairs([(row["study"], row["item_id"]) for row in items], ends[0], ends[1], prefers)
    given: defaultdict[tuple[tuple[str, str], str], list[float]] = defaultdict(list)
    studies, annotators = (ballot.votes[name].to_pylist() for name in ("study", "annotator_id"))
    for item, choice, study, annotator in zip(ballot.item, ballot.choice, studies, annotators, strict=True):
        for side, points in enumerate(_POINTS[int(choice)]):
            given[ends[side][item], f"{study} {annotator}"].append(points)
    values: list[Value] = [(ending, rater, float(np.mean(its))) for (ending, rater), its in given.items()]
    others = [each for each in questions_of(table) if each != ballot.question]
    return HumanAnswers(gathered_ratings(str(path), values), pairs, ballot, ballot.question, others)
