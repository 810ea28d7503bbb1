import pytest

from denouement.study.reasons.elements import tag_reasons
from denouement.study.reasons.examples import draw_examples
from denouement.study.reasons.rules import read_rules


@pytest.fixture(scope="module")
def tags(votes_of):
    reasons = [f"She was happy {number} times because it is logical." for number in range(8)]
    return tag_reasons(votes_of(*reasons, "A horse is not mentioned."), read_rules())


def keys(table, element):
    return [row["item_id"] for row in table.to_pylist() if row["element"] == element]


def test_examples_are_distinct_reasons_of_the_element(tags):
    drawn = draw_examples(tags, ["logic", "relevance"], 5, seed=1)
    assert drawn.schema == tags.schema
    logic = keys(drawn, "logic")
    assert len(set(logic)) == len(logic) == 5  # two rules of logic apply to each
    assert logic == sorted(logic)
    assert keys(drawn, "relevance") == ["item-8"]


def test_the_seed_draws_and_another_element_changes_nothing(tags):
    both = draw_examples(tags, ["emotion", "logic"], 3, seed=1)
    assert keys(both, "logic") == keys(draw_examples(tags, ["logic"], 3, seed=1), "logic")
    draws = {tuple(keys(draw_examples(tags, ["logic"], 3, seed), "logic")) for seed in range(10)}
    assert len(draws) > 1


def test_an_element_that_no_reason_names_has_none(tags):
    assert draw_examples(tags, ["grammar"], 3, seed=1).num_rows == 0
