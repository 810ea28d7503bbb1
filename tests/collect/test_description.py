"""COLLECTION.yaml: what it may say, our texts, and that all of its mistakes are named at once."""

from decimal import Decimal
from typing import get_args

import pytest

from denouement.collect.checks import check_endings, check_story
from denouement.collect.description import (
    STEPS,
    Collection,
    Payment,
    Way,
    collection_from,
    from_json,
    read_collection,
    to_json,
)
from denouement.collect.qualification import Attempt, JudgedExample, Qualification, attempt
from denouement.errors import UserError
from denouement.study.design.reading import DesignError

ALL = {"name": "kitchen", **dict.fromkeys(STEPS, True)}


def mistakes(**keys) -> list[str]:
    with pytest.raises(DesignError) as raised:
        collection_from({"name": "kitchen", "stories": {}, **keys}, "C.yaml")
    assert "\n" not in str(raised.value)
    return raised.value.mistakes


def test_a_step_that_is_true_or_empty_takes_our_texts_and_one_that_is_missing_is_none():
    made = collection_from(
        {"name": "kitchen", "stories": None, "endings": {"way": "method_2"}, "review": False}, "C.yaml"
    )
    assert made.steps == ("stories", "endings")
    assert (made.release, made.title) == ("kitchen", "kitchen")
    assert made.stories
    assert made.endings
    assert "five sentences" in made.stories.instructions
    assert "three words" in made.endings.instructions
    assert made.stories.qualification
    assert len(made.stories.qualification.items) == 5
    assert "withdraw" in made.consent


def test_each_way_and_form_has_instructions_of_its_own():
    ways = {way: collection_from({"name": "k", "endings": {"way": way}}, "C").endings for way in ("v1.0", "method_1")}
    assert all(ways.values())
    assert len({step.instructions for step in ways.values() if step}) == 2
    form = collection_from({"name": "k", "verification": {"form": "v1.5"}}, "C").verification
    assert form
    assert "until the last sentence" in form.instructions


def test_own_words_and_no_test():
    own = {"sentences": ["Al ran.", "He fell.", "He cried.", "He rose.", "He won."], "why": "It is fine."}
    made = collection_from(
        {"name": "k", "stories": {"instructions": "Write!", "examples": [own], "qualification": False}}, "C"
    )
    assert made.stories
    assert made.stories.instructions == "Write!"
    assert made.stories.qualification is None
    assert [each.why for each in made.stories.examples] == ["It is fine."]


def test_all_mistakes_at_once():
    found = mistakes(
        name="No Good",
        colour="red",
        release="v1.0",
        currency="dollars",
        lease_minutes=0,
        stories={"sentences": 1, "prompts": ["a", "a"], "longest": "long", "payment": {"piece": -1}},
        review={"reviewers": 3, "approve_after_days": 0},
        endings={"way": "method_3", "max_accuracy": 0.4, "qualification": {"pass_mark": 6, "attempts": 0}},
        verification={"people": 0},
        filter={"validation": 2},
    )
    for words in (
        "unknown key colour",
        "C.yaml.name: must be 1 to 40",
        "C.yaml.release: must be a name",
        "C.yaml.currency:",
        "C.yaml.lease_minutes:",
        "C.yaml.stories.sentences: must be between 2 and 20",
        "C.yaml.stories.prompts: 'a' is listed twice",
        "C.yaml.stories.longest: must be a whole number",
        "C.yaml.stories.payment.piece:",
        "C.yaml.review.reviewers:",
        "C.yaml.review.approve_after_days:",
        "C.yaml.endings.way: must be one of v1.0, method_1, method_2",
        "C.yaml.endings.max_accuracy: must be between 0.5 and 1",
        "C.yaml.endings.qualification.pass_mark:",
        "C.yaml.endings.qualification.attempts:",
        "C.yaml.verification.people:",
        "C.yaml.filter.validation:",
    ):
        assert any(words in each for each in found), words


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"stories": False}, "at least one of these sections"),
        ({"stories": False, "review": True, "entry": {"kind": "open"}}, "reviewers come in by private links"),
        ({"filter": True}, "filter: reads verifications"),
        ({"stories": {"sentences": 4}, "endings": True}, "Story Cloze cases need 5"),
        ({"verification": {"people": 2}, "filter": {"confirming": 3}}, "at most the 2 people"),
        ({"release": "spring2016"}, "of no published release"),
        ({"release": "a b"}, "of no published release"),
        ({"endings": {"examples": [{"sentences": ["A."] * 5, "why": "x"}]}}, "must have right and wrong"),
        ({"stories": {"qualification": {"items": [{"sentences": ["A."] * 5, "why": "x"}] * 4}}}, "must be 5, not 4"),
        ({"stories": {"qualification": {"items": [{"sentences": ["A."] * 5, "why": "x"}] * 5}}}, "one that is not"),
        ({"stories": {"examples": [{"sentences": ["A."] * 4, "why": ""}]}}, "why: is missing"),
        ({"title": "a\u202eb"}, "cannot be shown"),
    ],
)
def test_a_mistake(keys, words):
    assert any(words in each for each in mistakes(**keys))


def test_a_file_is_read_and_one_that_is_too_large_is_refused(tmp_path):
    path = tmp_path / "COLLECTION.yaml"
    path.write_text("name: kitchen\nstories:\nreview: {reviewers: 2}\n")
    assert read_collection(path).steps == ("stories", "review")
    path.write_text("#" * (1 << 21))
    with pytest.raises(UserError, match="no collection's file"):
        read_collection(path)


def test_our_examples_and_tests_keep_our_own_rules():
    """What is said to be acceptable passes the checks of texts; a test holds five, of both kinds."""
    made = collection_from(ALL, "C.yaml")
    for step in (made.stories, made.endings, made.verification):
        assert step
        assert step.qualification
        assert len(step.qualification.items) == 5
        assert {each.acceptable for each in step.qualification.items} == {True, False}
        for each in (*step.examples, *step.qualification.items):
            if each.has_endings:
                ways = get_args(Way) if each.acceptable else ("v1.0",)
                assert all(check_endings(way, each.right, each.wrong) == [] for way in ways), each.wrong
            else:
                assert check_story("A title", each.sentences) == []


def test_a_stored_collection_is_read_as_it_was():
    steps = {
        "stories": {"qualification": False, "prompts": ["a dog"]},
        "filter": False,
        "verification": {"form": "v1.5"},
    }
    made = collection_from({**ALL, **steps, "entry": {"kind": "open"}}, "C.yaml")
    assert from_json(to_json(made)) == made
    with pytest.raises(UserError, match="stored collection: unknown key colour"):
        from_json('{"colour": 1}')
    with pytest.raises(UserError, match="damaged"):
        from_json(to_json(made)[:-1])


def test_an_amount_is_exact():
    assert Payment(0.1, 0.2).amount(3, 1) == Decimal("0.5")


TEST = Qualification(tuple(JudgedExample(("A.",) * 5, acceptable=place < 2) for place in range(5)), 4, 2)
RIGHT = {0: True, 1: True, 2: False, 3: False, 4: False}


def test_an_attempt_is_passed_with_the_pass_mark_and_a_missing_answer_is_wrong():
    assert attempt(TEST, RIGHT) == Attempt((True,) * 5, True, 0)
    four = attempt(TEST, {place: RIGHT[place] for place in range(4)})
    assert (four.right, four.passed) == ((True, True, True, True, False), True)
    three = attempt(TEST, {place: RIGHT[place] for place in range(3)})
    assert (three.passed, three.attempts_left, three.screened_out) == (False, 1, False)
    again = attempt(TEST, {}, [three])
    assert (again.passed, again.attempts_left, again.screened_out) == (False, 0, True)


def test_nobody_takes_the_test_again_after_passing_or_failing():
    failed = Attempt((False,) * 5, False, 1)
    with pytest.raises(ValueError, match="passed or failed"):
        attempt(TEST, RIGHT, [failed, failed])
    with pytest.raises(ValueError, match="passed or failed"):
        attempt(TEST, RIGHT, [attempt(TEST, RIGHT)])
    with pytest.raises(ValueError, match="no item 7"):
        attempt(TEST, {7: True})


def test_the_default_is_readable_without_a_file():
    assert Collection().steps == ()
