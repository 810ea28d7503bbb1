import math
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denouement import schemas
from denouement.cloze.base import choices, load_system
from denouement.cloze.parts.corpora import Document
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.cloze.systems.narrative_chains import ChainCounts, EntityEvent, count_chains, links
from denouement.errors import UserError
from denouement.text.syntax import Parse, parse

ORDER, EAT, PAY, SLEEP = (EntityEvent(verb, "subject") for verb in ("order", "eat", "pay", "sleep"))


def counted(*chains: list[EntityEvent]) -> ChainCounts:
    counts = ChainCounts()
    for chain in chains:
        counts.add(chain, 1)
    return counts


def parsed(*sentences: str) -> list[Parse]:
    parses = parse(sentences, None)
    return [parses[sentence] for sentence in sentences]


def case(case_id: str, context: list[str], ending_1: str, ending_2: str) -> dict[str, object]:
    return {"case_id": case_id, "context": context, "endings": [ending_1, ending_2], "right_ending": 1,
            "language": "en", "release": "v1.0", "split": "validation"}  # fmt: skip


def table(*rows: dict[str, object]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schemas.TABLES["cloze"].schema)


def test_pmi_worked_by_hand():
    # Pairs: order-eat twice, order-pay once. Of the 6 ordered ones 3 begin with order, 2 with eat and 1 with pay.
    counts = counted([ORDER, EAT], [EAT, ORDER], [PAY, ORDER])
    assert counts.total == 6
    assert counts.pmi(ORDER, EAT, 2) == pytest.approx(math.log((2 / 6) / (3 / 6 * 2 / 6)))
    assert counts.pmi(PAY, ORDER, 2) == 0  # met once: not known
    assert counts.pmi(PAY, ORDER, 1) == pytest.approx(math.log((1 / 6) / (3 / 6 * 1 / 6)))
    assert counts.pmi(SLEEP, ORDER, 1) == 0  # never met


def test_an_event_that_comes_twice_is_a_pair_with_itself():
    # Pairs: eat-eat, eat-pay twice. Of the 6 ordered ones eat-eat is 2; 4 begin with eat.
    counts = counted([EAT, PAY, EAT])
    assert counts.pmi(EAT, EAT, 1) == pytest.approx(math.log((2 / 6) / (4 / 6) ** 2))
    assert counts.pmi(EAT, PAY, 1) == pytest.approx(math.log((2 / 6) / (4 / 6 * 2 / 6)))


CHAINS = st.lists(st.lists(st.sampled_from([ORDER, EAT, PAY, SLEEP]), max_size=5), max_size=6)


@given(CHAINS, st.integers(1, 3))
def test_pmi_is_that_of_all_ordered_pairs(chains: list[list[EntityEvent]], min_count: int):
    counts = counted(*chains)
    ordered = Counter(
        (one, other)
        for chain in chains
        for place, one in enumerate(chain)
        for other_place, other in enumerate(chain)
        if place != other_place
    )
    n = sum(ordered.values())
    for one in (ORDER, EAT, PAY, SLEEP):
        for other in (ORDER, EAT, PAY, SLEEP):
            first = sum(count for pair, count in ordered.items() if pair[0] == one)
            second = sum(count for pair, count in ordered.items() if pair[1] == other)
            met = ordered[one, other] // (2 if one == other else 1)
            expected = math.log(ordered[one, other] / n / (first / n * second / n)) if met >= min_count else 0
            assert counts.pmi(one, other, min_count) == pytest.approx(expected, abs=1e-12)
            assert counts.pmi(one, other, min_count) == counts.pmi(other, one, min_count)
            assert counts.pmi(one, other, min_count) >= counts.least_pmi()


def test_pairs_are_those_of_places_that_one_entity_fills():
    counts = count_chains([Document(parsed("Tom ordered a pizza.", "He ate it.", "Ann slept."), 3)])
    subject = {(EntityEvent("eat", "subject"), EntityEvent("order", "subject")): 3}
    assert counts.pairs == subject | {(EntityEvent("eat", "object"), EntityEvent("order", "object")): 3}


def test_links_are_the_entities_of_both_context_and_ending():
    context = parsed("Tom ordered a pizza.", "It was cold.", "Ann slept.")
    [found] = parsed("He threw it away.")
    assert sorted(links(context, found)) == [
        ([EntityEvent("throw", "object")], [EntityEvent("order", "object"), EntityEvent("be", "subject")]),
        ([EntityEvent("throw", "subject")], [EntityEvent("order", "subject")]),
    ]
    assert links(context, Parse()) == []
    assert links([], found) == []


CORPUS = """Tom ordered a pizza. He ate the pizza. He paid the waiter.
Bob ordered soup. Bob ate the soup.
Ann ordered cake. She ate it. Ann slept.
"""
CONTEXT = ["It was late.", "Jim was tired.", "He was hungry.", "Jim ordered a burger."]


@pytest.fixture
def resources(tmp_path: Path) -> Resources:
    (tmp_path / "corpus.txt").write_text(CORPUS)
    rows = [
        {"story_id": str(n), "title": None, "sentences": line.split("|"), "source": "x", "split": "train"}
        for n, line in enumerate(["Tom ordered a pizza.|He slept.", "Ann ordered a pizza.|She slept."])
    ]
    stories = pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema)
    return Resources(stories=stories, corpora=[tmp_path / "corpus.txt"])


def scored(resources: Resources, cases: pa.Table) -> dict[str, np.ndarray]:
    system = load_system("narrative_chains")
    system.prepare(resources)
    return system.score(cases, resources)


def test_the_ending_whose_events_go_with_the_context_is_chosen(resources: Resources):
    found = scored(resources, table(case("a", CONTEXT, "Jim ate the burger.", "Jim slept.")))
    assert choices(found["corpora"]).tolist() == [1]
    assert choices(found["stories"]).tolist() == [2]
    # In the corpora, 10 pairs: 3 of order-eat as subjects (order is first in 5 of the 20 ordered ones, so
    # does eat), 3 of order-eat as objects (these are in no other). For "Jim" two of three pairs are unknown, "burger"
    # has one.
    assert found["corpora"][0, 0] == pytest.approx(max(math.log(3 * 20 / (5 * 5)) / 3, math.log(3 * 20 / (3 * 3))))
    # In the stories, the only pair met twice is order-sleep: PMI log((2/4) / (2/4 * 2/4)), averaged with two unknown
    # pairs, of the places that "Jim" and "He" fill with "be".
    assert found["stories"][0].tolist() == pytest.approx([0, math.log(2) / 3])


def test_an_ending_about_somebody_else_scores_less_than_any(resources: Resources):
    found = scored(resources, table(case("a", CONTEXT, "Ann smiled.", "Jim jumped.")))
    for scores in found.values():
        assert choices(scores).tolist() == [2]
        assert scores[0, 1] == 0


def test_equal_scores_are_decided_by_the_seed(resources: Resources):
    rows = [case(str(n), CONTEXT, f"Ann smiled {n} times.", "") for n in range(200)]
    rows += [case(str(n), CONTEXT, "Jim jumped.", "Jim sang.") for n in range(200, 210)]
    first = choices(scored(resources, table(*rows))["stories"])
    assert resources.notes["narrative_chains: cases drawn, no entity of the context in any ending"] == 200
    assert resources.notes["narrative_chains-stories: cases drawn, equal PMI"] == 10
    assert 70 < (first == 1)[:200].sum() < 130
    # The same for a case in any table, and other ones by another seed.
    assert (choices(scored(resources, table(*rows[::-1]))["stories"])[::-1] == first).all()
    resources.seed = 2
    assert (choices(scored(resources, table(*rows))["stories"]) != first).any()


def test_without_texts_it_says_what_is_missing():
    with pytest.raises(MissingResourceError, match="--stories"):
        load_system("narrative_chains").prepare(Resources())


def test_a_wrong_option_is_named():
    with pytest.raises(UserError, match="min_count: must be at least 1, not 0"):
        load_system("narrative_chains", {"min_count": 0})
