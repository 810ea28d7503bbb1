"""Refusals: hand-picked texts that people write, and awkward ones."""

import time

import pytest

from denouement.collect.checks import (
    check_endings,
    check_sentence,
    check_story,
    has_quotation,
    is_bare_negation,
    n_words,
)

STORY = ["Ann had a dog.", "It ran away.", "She put up posters.", "A boy called her.", "He had found the dog."]


def codes(found) -> list[tuple[str, str]]:
    assert all(each.refuses and each.words.endswith(".") for each in found)
    return [(each.code, each.box) for each in found]


def of_text(text: str, longest: int = 70) -> list[str]:
    return [code for code, _ in codes(check_sentence(text, "sentence 1", longest))]


def test_a_good_story_is_not_refused():
    assert check_story("The dog", STORY) == []


def test_each_box_is_named():
    found = check_story(" ", [STORY[0], "", STORY[2], "no end", STORY[4], STORY[0]])
    assert codes(found) == [
        ("no_title", "title"),
        ("n_sentences", ""),
        ("empty", "sentence 2"),
        ("no_end_mark", "sentence 4"),
    ]


def test_a_sentence_that_is_repeated_in_other_case_and_spacing():
    assert codes(check_story("The dog", [*STORY[:4], "ann had  a DOG!"])) == [("repeated", "sentence 5")]


def test_a_story_without_a_title_where_none_is_asked_for():
    assert check_story("", STORY, wants_title=False) == []
    assert codes(check_story("x" * 101, STORY, wants_title=False)) == [("too_long", "title")]


def test_the_limit_of_characters_is_the_last_that_is_allowed():
    assert of_text(f"{'a' * 69}.") == []
    assert of_text(f"{'a' * 70}.") == ["too_long"]
    assert of_text(f"  {'a' * 69}.  ") == []  # blanks around are not counted
    assert of_text("e\u0301" * 60 + ".", 61) == []  # an accent of its own is a part of its letter


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He ran. She fell.", ["several_sentences"]),
        ("He ran.\nShe fell.", ["several_sentences"]),
        ("At 5 p.m. Tom left.", []),
        ("He moved to the U.S. in May.", []),
        ("Mr. Smith met Dr. Lee.", []),
        ("J. Smith won!", []),
        ("He ran", ["no_end_mark"]),
        ("Did he run?", []),
        ("He ran...", []),
        ('He said "go."', ["quotation"]),
        ("\u201cGo,\u201d he said.", ["quotation"]),
        ("\u00abGo\u00bb, he said.", ["quotation"]),
        ("...", ["empty"]),
        ("12.", ["empty"]),
        ("\u200b\u200b.", ["empty"]),
        ("\u3164.", ["empty"]),
        ("He ran\x00 home.", ["not_shown"]),
        ("He \u202eran\u202c home.", ["not_shown"]),
        ("He \u2066ran\u2069 home.", ["not_shown"]),
        ("He \ud800 ran.", ["not_shown"]),
        ("=HYPERLINK(A1) was typed.", []),  # harmless here; exports defuse it
    ],
)
def test_a_sentence(text, expected):
    assert of_text(text) == expected


def test_a_megabyte_is_refused_at_once():
    start = time.perf_counter()
    for text in ("a" * 1_000_000, "." * 1_000_000, "' " * 500_000, "\u202e" * 1_000_000):
        assert of_text(text) == ["too_large"]
        assert codes(check_story(text, STORY)) == [("too_large", "title")]
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("text", [". " * 1000, "'a " * 650, '"' * 2000, "a.b." * 500, "!?" * 1000])
def test_the_longest_texts_that_are_read_take_no_time(text):
    start = time.perf_counter()
    check_sentence(text[:2000], "right")
    assert time.perf_counter() - start < 0.2


@pytest.mark.parametrize("text", ["'Go,' he said.", "He said 'no'.", "\u2018Go\u2019, he said.", "``Go'' he said."])
def test_quotations(text):
    assert has_quotation(text)


@pytest.mark.parametrize(
    "text", ["The boys' dog ran.", "It's Tom's.", "Rock 'n' roll.", "In the '90s he left.", "Get 'em, boys'."]
)
def test_apostrophes_are_no_quotations(text):
    assert not has_quotation(text)


def test_words_are_counted_as_people_do():
    assert n_words("He didn't go - not at 7:30.") == 6
    assert n_words("  ") == 0


@pytest.mark.parametrize(("more", "expected"), [(2, []), (3, ["lengths_differ"])])
def test_method_1_allows_two_words(more, expected):
    right = "Ann was glad."
    for pair in (
        (right, f"Tom was so {'very ' * (more - 1)}sad."),
        (f"Ann was so {'very ' * (more - 1)}glad.", "Tom was sad."),
    ):
        assert [each.code for each in check_endings("method_1", *pair)] == expected
        assert check_endings("v1.0", *pair) == []


@pytest.mark.parametrize(("more", "expected"), [(3, []), (4, ["lengths_differ"])])
def test_method_2_allows_three_words(more, expected):
    assert [
        each.code for each in check_endings("method_2", "Ann was glad.", f"Ann ate {'old ' * more}shoes.")
    ] == expected


def test_method_2_checks_the_changed_sentence_alone():
    """The story's own sentence was approved already, perhaps under another limit."""
    long = f'Ann was {"so " * 30}glad and said "hi".'
    assert check_endings("method_2", long, f"Ann was {'so ' * 30}sad.", longest=200) == []
    assert codes(check_endings("method_2", "Ann was glad.", "")) == [("empty", "wrong")]


def test_the_same_ending_twice():
    for way in ("v1.0", "method_1", "method_2"):
        assert codes(check_endings(way, "Ann was glad.", "ann was glad!")) == [("repeated", "wrong")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann was glad.", "Ann was not glad."),
        ("Ann was glad.", "Ann wasn't glad."),
        ("Ann can swim.", "Ann cannot swim."),
        ("Ann can swim.", "Ann can\u2019t swim."),
        ("Ann will come.", "Ann won't come."),
        ("Ann went home.", "Ann did not go home."),
        ("Ann likes tea.", "Ann doesn't like tea."),
        ("Ann won.", "Ann never won."),
        ("Ann had money.", "Ann had no money."),
    ],
)
def test_bare_negations_in_both_directions(one, other):
    assert is_bare_negation(one, other)
    assert is_bare_negation(other, one)
    assert [each.code for each in check_endings("method_2", one, other)] == ["bare_negation"]
    assert check_endings("method_1", one, other) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann was glad.", "Ann was sad."),
        ("Ann was glad.", "Ann was not sorry at all."),
        ("Ann went home.", "Ann did not sell the house."),
        ("Ann did the dishes.", "Ann did the laundry."),
        ("Ann was glad.", "Ann was glad."),
    ],
)
def test_changes_that_are_no_bare_negation(one, other):
    assert not is_bare_negation(one, other)
