"""What a study asks: forced and graded choices, several questions, several endings at once."""

from collections import Counter

import pytest
from story_tables import cases, endings

from denouement.errors import UserError
from denouement.study.design.description import Design
from denouement.study.design.items import agrees_with_ranks
from denouement.study.design.making import make_items
from denouement.study.design.reading import design_from, from_json, to_json

LEAST = {"name": "pilot", "systems": ["h", "human_right"]}
SIX = ["a", "b", "c", "d", "e", "f"]
RANKED = {"kind": "best_worst", "systems": SIX}
FUN = {"name": "fun", "text": "Which is more fun?"}
KNOWN = {"context": ["One."], "endings": ["Two.", "Three."]}


def design(**keys) -> Design:
    return design_from(LEAST | keys, "STUDY.yaml")


@pytest.mark.parametrize(
    ("keys", "codes"),
    [
        ({}, ("A", "B", "both", "neither")),
        ({"choices": "forced"}, ("A", "B")),
        ({"choices": "graded"}, ("A2", "A1", "B1", "B2")),
    ],
)
def test_the_answers_of_each_choice(keys, codes):
    assert design(**keys).codes == codes


def test_without_questions_there_is_one():
    assert [question.name for question in design().asked] == ["better"]
    assert design(question="Which is good?").asked[0].text == "Which is good?"
    assert [question.name for question in design(questions=[FUN]).asked] == ["fun"]


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"kind": "order", "choices": "forced"}, "choices: a study of kind order has none: leave the key out"),
        (RANKED | {"choices": "ties"}, "choices: a study of kind best_worst has none: leave the key out"),
        (RANKED | {"kind": "ranking", "choices": "graded"}, "choices: a study of kind ranking must be forced or ties"),
        ({"choices": "never"}, "choices: must be one of ties, forced, graded"),
        (RANKED | {"questions": [FUN]}, "questions: a study of kind best_worst has none: use pair"),
        ({"questions": [FUN], "question": "Which?"}, "question: the questions have texts of their own"),
        ({"questions": [FUN, FUN]}, "questions: fun is listed twice"),
        ({"questions": [{"name": "fun"}]}, "questions.1.text: is missing"),
        ({"questions": [FUN], "checks": {"rate": 0.2}}, "checks.items: are missing: ours are checks of the question"),
        ({"questions": [FUN], "training": True}, "training: ours is about the question better"),
        ({"n_shown": 3}, "n_shown: a study of kind pair has none"),
        (RANKED | {"n_shown": 2}, "n_shown: must be between 3 and 6, not 2"),
        (RANKED | {"n_shown": 7}, "n_shown: must be between 3 and 6, not 7"),
        (RANKED | {"systems": [f"s{n}" for n in range(9)]}, "n_shown: must be between 3 and 8, not 9"),
        ({"kind": "ranking"}, "systems: must be at least 3 in a study of kind ranking"),
        (RANKED | {"pairs": [["a", "b"]]}, "pairs: a study of kind best_worst has none"),
        (
            {"choices": "forced", "training": KNOWN | {"expected": "both"}},
            "training.1.expected: must be one of first, second, not 'both'",
        ),
        (RANKED | {"training": KNOWN}, "training.1.endings: must be 6 in a study of kind best_worst, not 2"),
        (
            RANKED | {"n_shown": 3, "training": {"context": ["1."], "endings": ["2.", "3.", "4."], "expected": "both"}},
            "training.1.expected: must be one of first, order, not 'both'",
        ),
    ],
)
def test_a_mistake(keys, told):
    with pytest.raises(UserError) as raised:
        design(**keys)
    assert told in str(raised.value), str(raised.value)


@pytest.mark.parametrize("keys", [{"choices": "graded", "questions": [FUN]}, RANKED | {"n_shown": 4}, {}])
def test_a_design_is_read_back(keys):
    made = design(**keys)
    assert from_json(to_json(made)) == made


def test_a_stored_design_from_before_has_ties():
    before = '{"name": "pilot", "kind": "pair", "systems": ["h", "human_right"], "pairs": [["h", "human_right"]]}'
    assert (from_json(before).codes, from_json(before).n_shown) == (("A", "B", "both", "neither"), None)


def written(n: int, systems: list[str]):
    return [endings(system, {f"c{case}": f"{system} ends {case}." for case in range(n)}) for system in systems]


def test_systems_are_shown_equally_often():
    made = design(**RANKED, n_shown=4, cases={"n": 30})
    items, counts = make_items(made, cases(30), written(30, SIX))
    assert (counts["items"], {len(item.systems) for item in items}) == (30, {4})
    assert set(Counter(system for item in items for system in item.systems).values()) == {20}
    assert len({item.systems for item in items}) > 3  # not always the same together
    assert all(item.systems == tuple(sorted(item.systems)) for item in items)
    again, _ = make_items(made, cases(30), written(30, SIX)[::-1])
    assert again == items
    other, _ = make_items(design(**RANKED, n_shown=4, cases={"n": 30, "seed": 2}), cases(30), written(30, SIX))
    assert [item.systems for item in other] != [item.systems for item in items]


def test_an_ending_that_reads_like_another_is_passed_over_where_there_are_others():
    tables = [*written(2, ["a", "b", "c"]), endings("d", {"c0": "A ends 0.", "c1": "d ends 1."})]
    keys = {"kind": "ranking", "systems": ["a", "b", "c", "d"], "cases": {"n": 2}}
    items, counts = make_items(design(**keys, n_shown=3), cases(2), tables)
    assert counts["identical_endings"] == 0
    assert {"a", "d"} - set(next(item for item in items if item.case_id == "c0").systems)
    items, counts = make_items(design(**keys), cases(2), tables)  # all four are shown
    assert (counts["identical_endings"], [item.case_id for item in items]) == (1, ["c1"])


@pytest.mark.parametrize("kind", ["best_worst", "ranking"])
def test_our_checks_and_training_item_show_as_many_endings(kind):
    made = design(kind=kind, systems=SIX, n_shown=5, checks={"rate": 0.2}, training=True, cases={"n": 1})
    items, _ = make_items(made, cases(1), written(1, SIX))
    known = [item for item in items if item.expected]
    assert len(known) == 7
    assert {len(set(item.endings)) for item in known} == {5}
    assert {item.expected for item in known} == {"[1, null, null, null, null]"}


@pytest.mark.parametrize(("kind", "expected"), [("best_worst", "[1, 2, 2, 3]"), ("ranking", "[1, 2, 3, 4]")])
def test_a_check_whose_order_is_known(kind, expected):
    check = {"context": ["One."], "endings": ["Best.", "Good.", "Bad.", "Worst."], "expected": "order"}
    made = design(kind=kind, systems=SIX, n_shown=4, checks={"rate": 0.2, "items": [check]}, cases={"n": 1})
    items, _ = make_items(made, cases(1), written(1, SIX))
    assert [item.expected for item in items if item.is_check] == [expected]


@pytest.mark.parametrize(
    ("ranks", "expected", "right"),
    [
        ((1, 3, 2), (1, None, None), True),
        ((1, 1, 3), (1, None, None), False),  # another shares the first place
        ((2, 1, 3), (1, None, None), False),
        ((1, 2, 2, 3), (1, 2, 2, 3), True),
        ((1, 2, 3, 2), (1, 2, 2, 3), False),
        ((), (1, None, None), False),
    ],
)
def test_which_ranks_are_right(ranks, expected, right):
    assert agrees_with_ranks(ranks, expected) == right
