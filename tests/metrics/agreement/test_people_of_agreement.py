import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import pearsonr

from denouement.errors import UserError
from denouement.metrics.agreement.ceiling import ceiling
from denouement.metrics.agreement.people import HumanAnswers, read_people
from denouement.metrics.agreement.values import Scores, gathered_ratings, gathered_scores
from denouement.metrics.agreement.with_people import AgreementSettings, agreement_with_people
from denouement.schemas import TABLES, write_table
from denouement.study.results.reliability import ordinal_alpha
from tests.study.votes_by_hand import votes


@pytest.fixture
def written(tmp_path):
    def write(table: pa.Table, name: str):
        write_table(table, tmp_path / f"{name}.parquet", name)
        return tmp_path / f"{name}.parquet"

    return write


def test_votes_are_shares_of_wins_and_pairs(written):
    table = votes(
        {
            "1": ("s1", "human_right", ["human_right", "human_right", "both"]),
            "2": ("s1", "human_right", ["s1", "human_right", ""]),
            "3": ("s1", "human_right", ["s1", "neither", "s1"]),
        }
    )
    people = read_people(written(table, "votes"))
    means = dict(zip(people.ratings.endings, people.ratings.means(), strict=True))
    assert means["case-1", "human_right"] == pytest.approx(2.5 / 3)
    assert means["case-1", "s1"] == pytest.approx(0.5 / 3)
    assert means["case-2", "s1"] == 0.5
    assert people.pairs is not None
    assert people.pairs.ids == [("s", "1"), ("s", "2"), ("s", "3")]
    assert people.pairs.first[0] == ("case-1", "s1")
    assert people.pairs.prefers.tolist() == [-1, 0, 1]
    assert people.question == "better"
    # 1: the first two are right, as a tie of human and both counts as human; 2: both are wrong; 3: two are right
    picks = ceiling(people, people.ratings).picks
    assert (picks.right, picks.wrong) == (4, 2)
    assert picks.tied == 2


def test_ratings_of_a_study_are_read_by_question(written):
    row = {
        "study": "s",
        "item_id": "1",
        "case_id": "c",
        "annotator_id": "p",
        "system": "a",
        "question": "logic",
        "value": 4,
        "reason": None,
        "elements": None,
        "is_check": False,
        "status": "accepted",
        "started_at": None,
        "submitted_at": None,
    }
    rows = [row, row | {"question": "style", "value": 1}, row | {"annotator_id": "q", "status": "rejected", "value": 1}]
    path = written(pa.Table.from_pylist(rows, TABLES["ratings"].schema), "ratings")
    people = read_people(path)
    assert (people.question, people.other_questions) == ("logic", ["style"])
    assert (people.ratings.endings, people.ratings.value.tolist()) == ([("c", "a")], [4])
    assert read_people(path, "style").ratings.value.tolist() == [1]


def test_a_ranked_ending_has_the_share_of_the_others_that_it_is_above(written):
    row = {
        "study": "s", "item_id": "1", "case_id": "c", "annotator_id": "p", "kind": "ranking",
        "systems": ["a", "b", "d"], "ranks": [1, 2, 2], "reason": None, "elements": None, "is_check": False,
        "status": "accepted", "started_at": None, "submitted_at": None,
    }  # fmt: skip
    best_worst = {"annotator_id": "q", "kind": "best_worst", "systems": ["a", "b", "d", "e"], "ranks": [2, 3, 2, 1]}
    path = written(pa.Table.from_pylist([row, row | best_worst], TABLES["rankings"].schema), "rankings")
    people = read_people(path)
    found = zip(people.ratings.endings, people.ratings.means().tolist(), strict=True)
    assert dict(found) == {
        ("c", "a"): pytest.approx((1 + 0.5) / 2),  # of q: above b, beside d, below e
        ("c", "b"): pytest.approx((0.25 + 0) / 2),
        ("c", "d"): pytest.approx((0.25 + 0.5) / 2),
        ("c", "e"): 1,
    }
    assert people.pairs is None
    with pytest.raises(UserError, match="rankings answer one question"):
        read_people(path, "better")


def test_tables_without_ratings_of_endings_are_refused(written):
    path = written(TABLES["orders"].schema.empty_table(), "orders")
    with pytest.raises(UserError, match="a table 'orders' has no ratings of endings; name a table votes"):
        read_people(path)
    with pytest.raises(UserError, match="no accepted answer in it"):
        read_people(written(votes({}), "votes"))


def made(n: int = 20) -> HumanAnswers:
    generator = np.random.default_rng(2)
    quality = generator.normal(size=n)
    return HumanAnswers(
        gathered_ratings(
            "p.csv",
            (
                ((str(place), ""), rater, float(np.clip(np.round(3 + quality[place] + generator.normal()), 1, 5)))
                for rater in ("ann", "bob", "cid")
                for place in range(n)
            ),
        )
    )


def test_the_ceiling_is_each_rater_against_the_others():
    people = made()
    found = ceiling(people, people.ratings, ("global",))
    by_rater = np.array([people.ratings.only([name]).value for name in people.ratings.raters])
    expected = [pearsonr(by_rater[place], np.delete(by_rater, place, axis=0).mean(axis=0))[0] for place in range(3)]
    row = next(each for each in found.correlations if each.coefficient == "pearson")
    assert row.mean == pytest.approx(np.mean(expected))
    assert (row.least, row.greatest) == (pytest.approx(min(expected)), pytest.approx(max(expected)))
    assert (row.raters, found.raters, found.ratings) == (3, 3, 60)
    assert found.alpha == ordinal_alpha(people.ratings.value, people.ratings.ending)
    assert found.kappa is not None
    assert found.kappa.answers_per_item == 3


def test_one_rater_has_no_ceiling_and_it_is_said():
    ratings = made().ratings.only(["ann"])
    found = ceiling(HumanAnswers(ratings), ratings, ("global",))
    assert {row.mean for row in found.correlations} == {None}
    assert found.correlations[0].why_not == "nobody rated 3 endings that others rated too, differently"
    assert found.alpha is not None
    assert found.alpha.alpha is None
    assert found.picks.accuracy is None


def scored(table: pa.Table) -> Scores:
    cases = sorted(set(table["case_id"].to_pylist()))
    rows = [((case, system), "length", float(len(system))) for case in cases for system in ("s1", "human_right")]
    return gathered_scores("scores.csv", rows)


def tags(table: pa.Table, **changed: str) -> pa.Table:
    """Every reason names logic."""
    columns = ("study", "item_id", "case_id", "annotator_id", "question", "choice")
    rest = {"reason": "It is logical.", "element": "logic", "rule": "logical", "words": "logical", "denied": False}
    rows = [{name: row[name] for name in columns} | rest | changed for row in table.to_pylist()]
    return pa.Table.from_pylist(rows, TABLES["reason_elements"].schema)


def test_elements_are_those_of_the_same_votes_and_question(written):
    table = votes({str(n): ("s1", "human_right", ["human_right", "s1", "human_right"]) for n in range(5)})
    people = read_people(written(table, "votes"))
    settings = AgreementSettings(draws=100, permutations=0)
    [row] = agreement_with_people(scored(table), people, settings, tags(table)).by_element
    assert (row.element, row.score, row.named, row.right, row.others) == ("logic", "length", 5, 5, 0)
    for wrong, problem in (
        (tags(table, item_id="other"), "1 items with reasons are not in the votes"),
        (tags(table, choice="both"), "15 answers with reasons do not count in the votes, or are others there"),
        (tags(table, annotator_id="excluded"), "10 answers with reasons do not count in the votes"),
        (tags(table, question="style"), "no reason for the question better names an element"),
    ):
        with pytest.raises(UserError, match=problem):
            agreement_with_people(scored(table), people, settings, wrong)
    with pytest.raises(UserError, match="reasons are for choices between two endings"):
        agreement_with_people(scored(table), HumanAnswers(people.ratings), settings, tags(table))
