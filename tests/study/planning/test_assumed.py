"""How people are assumed to answer, and what a pilot says of it."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import multivariate_normal, norm

from denouement.errors import UserError
from denouement.schemas import UNNAMED_ANNOTATOR
from denouement.study.planning.assumed import (
    AGREEMENT,
    AssumedAnswers,
    assigned,
    correlation,
    drawn_answers,
    latent,
    read_pilot,
)
from denouement.study.results.ballot import count
from denouement.study.results.reliability import kappa
from tests.study.votes_by_hand import votes


@pytest.mark.parametrize(("shared", "share"), [(0.3, 0.5), (0.6, 0.8), (0.9, 0.35)])
def test_the_correlation_is_that_of_two_normal_variables_above_a_threshold(shared, share):
    both = multivariate_normal(cov=[[1, shared], [shared, 1]]).cdf([norm.ppf(share)] * 2)
    assert correlation(shared, share) == pytest.approx((both - share**2) / (share * (1 - share)), abs=1e-5)
    assert latent(correlation(shared, share), share) == pytest.approx(shared, abs=1e-6)


def test_people_who_do_not_agree_share_nothing():
    assert latent(0.0, 0.6) == latent(-0.2, 0.6) == 0


def test_drawn_answers_agree_as_was_assumed():
    assumed = AssumedAnswers(share=0.7, agreement=0.4, between_people=0.1)
    generator = np.random.default_rng(0)
    by = assigned(3_000, 4, 600, generator)
    [answers] = drawn_answers(assumed, by, 1, generator)
    assert answers.mean() == pytest.approx(0.7, abs=0.02)
    first = np.bincount(by.cases, answers).astype(np.int64)
    counts = np.stack([first, 4 - first, 0 * first, 0 * first], axis=1)
    assert kappa(counts).kappa == pytest.approx(0.4, abs=0.03)


def test_everybody_answers_equally_often_and_nobody_twice_about_an_item():
    by = assigned(40, 3, 12, np.random.default_rng(0))
    assert set(np.bincount(by.annotators)) == {10}
    assert all(len(set(by.annotators[by.cases == item])) == 3 for item in range(40))
    assert len({tuple(sorted(by.annotators[by.cases == item])) for item in range(40)}) > 20  # in changing company


def pilot_of(assumed: AssumedAnswers, items: int, per_item: int, people: int) -> pa.Table:
    generator = np.random.default_rng(5)
    by = assigned(items, per_item, people, generator)
    [answers] = drawn_answers(assumed, by, 1, generator)
    ties = generator.random(len(answers)) < assumed.ties
    choices = np.where(ties, "both", np.where(answers, "one", "two")).tolist()
    rows: dict[str, list[str]] = {str(item): [""] * people for item in range(items)}
    for item, person, choice in zip(by.cases.tolist(), by.annotators.tolist(), choices, strict=True):
        rows[str(item)][person] = choice
    return votes({item: ("one", "two", its) for item, its in rows.items()})


def test_a_large_pilot_says_how_it_was_drawn():
    assumed = AssumedAnswers(share=0.65, agreement=0.35, between_people=0.15, ties=0.2)
    found = read_pilot(count(pilot_of(assumed, 600, 5, 150)))
    assert (found.items, found.answers, found.people, found.unknown) == (600, 3000, 150, [])
    assert found.assumed.share == pytest.approx(0.65, abs=0.03)
    assert found.assumed.agreement == pytest.approx(0.35, abs=0.05)
    assert found.assumed.between_people == pytest.approx(0.15, abs=0.05)
    assert found.assumed.ties == pytest.approx(0.2, abs=0.02)


def test_the_pair_may_be_named_the_other_way_round():
    table = pilot_of(AssumedAnswers(share=0.8), 40, 3, 12)
    one, other = (read_pilot(count(table), pair) for pair in (("one", "two"), ("two", "one")))
    assert one.assumed.share == pytest.approx(1 - other.assumed.share)
    assert one.assumed.agreement == pytest.approx(other.assumed.agreement)
    assert (other.first, other.second) == ("two", "one")


def test_what_a_pilot_does_not_say_is_said():
    single = votes({str(n): ("a", "b", ["a", ""] if n % 3 else ["", "b"]) for n in range(30)})
    found = read_pilot(count(single))
    assert found.unknown == ["how far two people agree about an item"]
    assert found.assumed.agreement == AGREEMENT
    few = read_pilot(count(single.slice(0, 20)))
    assert len(few.unknown) == 2
    unnamed = single.set_column(3, "annotator_id", pa.array([f"{UNNAMED_ANNOTATOR}{n}" for n in range(30)]))
    assert len(read_pilot(count(unnamed.cast(single.schema))).unknown) == 2


@pytest.mark.parametrize(
    ("table", "pair", "problem"),
    [
        ({"1": ("a", "b", ["a", "a"])}, None, "2 of 2 answers for one of the two are for a"),
        ({"1": ("a", "b", ["a"]), "2": ("a", "c", ["a"])}, None, "several pairs; choose one with --pair: a,b, a,c"),
        ({"1": ("a", "b", ["a"])}, ("a", "d"), "--pair a,d: is not in the pilot; it has a,b"),
    ],
)
def test_a_pilot_that_cannot_be_used_is_refused(table, pair, problem):
    with pytest.raises(UserError, match=problem.replace("(", "\\(")):
        read_pilot(count(votes(table)), pair)


@pytest.mark.parametrize(
    ("assumed", "problem"),
    [
        (AssumedAnswers(share=1.0), "--share 1"),
        (AssumedAnswers(share=0.5, ties=1.0), "--ties 1"),
        (AssumedAnswers(share=0.5, agreement=0.9, between_people=0.5), "nothing is left for single answers"),
        (AssumedAnswers(share=0.5, agreement=-0.1), "--agreement -0.1"),
    ],
)
def test_assumptions_that_cannot_be_are_refused(assumed, problem):
    with pytest.raises(UserError, match=problem):
        assumed.check()
