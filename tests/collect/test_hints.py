"""Hints: what they say of texts that were picked by hand, and of texts that are fine."""

import pyarrow as pa
import pytest

from denouement.analysis.corpus_statistics import Words
from denouement.analysis.duplicates import duplicates
from denouement.collect.hints import WrittenStories, informal, nearly_like, no_shared_character, tone_apart
from denouement.text.syntax import parse

CONTEXT = [
    "Tom and Ada had been a couple for two years.",
    "One day they went to a fair.",
    "Tom won a bear for her.",
    "At the big wheel he knelt down.",
]


def hinted(text: str) -> list[str]:
    found = informal({"sentence 1": text})
    assert all(not each.refuses and each.box == "sentence 1" and each.code == "informal" for each in found)
    return [each.words for each in found]


def test_slang_says_what_to_write_instead():
    assert hinted("I'm gonna go.") == ["'gonna' is how people speak or text: write 'going to'."]
    assert hinted("OMG he left.") == ["'OMG' is how people speak or text."]
    assert hinted("He ain\u2019t here.") == ["'ain't' is how people speak or text: write 'isn't'."]
    assert hinted("She was sooo glad!!") == ["'sooo' is how people speak or text.", "One end mark is enough."]
    assert hinted("Then i left.") == ["'i' is how people speak or text: write 'I'."]


@pytest.mark.parametrize(
    "text",
    [
        "Tom can't go.",
        "The committee will see.",
        "At 3 a.m. it was 100.",
        "A book.",
        "u" * 3000,
        "Her AAA card.",
        "Our friend R came.",
    ],
)
def test_plain_words_get_no_hint(text):
    assert hinted(text) == []


def shared(ending: str, context=CONTEXT) -> bool:
    found = no_shared_character(context, {"wrong": ending}, parse([*context, ending], None))
    assert all((each.code, each.box, each.refuses) == ("no_shared_character", "wrong", False) for each in found)
    return not found


@pytest.mark.parametrize(
    "ending",
    [
        "Tom asked Ada to marry him.",
        "She said yes.",
        "They went home.",
        "He wiped mud off his boot.",
        "Her mother came.",
    ],
)
def test_a_name_a_pronoun_or_a_possessive_is_a_shared_character(ending):
    assert shared(ending)


@pytest.mark.parametrize("ending", ["The president bought a boat.", "It rained.", "Rockets fly.", "Peter was hungry."])
def test_nobody_of_the_story(ending):
    assert not shared(ending)


def test_the_narrator_is_a_character():
    context = ["I bought a car.", "It was red.", "I drove it to work.", "My boss saw it."]
    assert shared("I was proud.", context)
    assert not shared("The car broke down.", context)


def test_an_ending_that_cannot_be_parsed_gets_no_hint():
    assert shared("")


def test_tones():
    assert tone_apart("Ann was glad.", "Ann was happy.") == []
    [found] = tone_apart("Ann loved the wonderful party!", "Ann hated the horrible, ugly party.")
    assert (found.code, found.box, found.refuses) == ("tone_apart", "wrong", False)
    assert "The right ending sounds much happier" in found.words
    [found] = tone_apart("Ann hated the horrible, ugly party.", "Ann loved the wonderful party!")
    assert (found.box, "The wrong ending sounds much happier" in found.words) == ("wrong", True)
    assert tone_apart("x" * 10_000, "Ann was glad.") == []


LONG = [
    "Ann",
    "had",
    "a",
    "small",
    "dog",
    "that",
    "she",
    "loved",
    "very",
    "much",
    "and",
    "took",
    "along",
    "to",
    "all",
    "of",
    "the",
    "places",
    "where",
    "she",
    "went",
    "each",
    "day",
]
STORY = [" ".join(LONG) + "."]


def test_a_story_nearly_like_one_that_is_there():
    there = WrittenStories([("one", ["Something quite different happened to somebody else."]), ("two", STORY)])
    changed = [STORY[0].replace("places", "parks")]
    near = there.nearest("three", changed)
    assert near
    assert (near.story, near.earlier) == ("three", "two")
    # 23 words and an end mark: 22 sequences of three, of which the changed word is in 3
    assert near.similarity == pytest.approx(19 / 25)
    [hint] = nearly_like(near)
    assert "76%" in hint.words
    assert not hint.refuses
    assert there.nearest("two", STORY) is None  # itself
    assert there.nearest("three", ["Nobody said anything."]) is None
    assert there.nearest("three", [""]) is None
    assert nearly_like(None) == []
    with pytest.raises(ValueError, match="is there"):
        there.add("two", STORY)


def test_it_finds_what_the_statistics_of_a_corpus_find():
    texts = [[" ".join(LONG[at:] + LONG[:at]) + "."] * 2 for at in (0, 1, 2, 12)] + [["A dog ran.", "It fell."]]
    table = pa.table(
        {"story_id": [str(at) for at in range(len(texts))], "sentences": pa.array(texts, pa.list_(pa.string()))}
    )
    expected = {each.story: each.similarity for each in duplicates(table, Words.of(texts)).examples}
    found = {}
    there = WrittenStories()
    for at, text in enumerate(texts):
        if near := there.nearest(str(at), text):
            found[str(at)] = near.similarity
        there.add(str(at), text)
    assert found.keys() == expected.keys() != set()
    assert all(found[each] >= expected[each] for each in expected)  # it compares with all, not with a band's first
