"""Endings side by side."""

import pytest
from small_systems import Fixed, neural

from denouement.completion.reading import read_story
from denouement.completion.writing import DECODINGS, JudgedEnding, usual, write_side_by_side
from denouement.generators.decoding import USUAL, Decoding

STORY = read_story("Tom bought a red car. He drove it to the hill.")


def test_each_system_writes_in_its_own_way():
    generator = neural()
    mine, fixed = write_side_by_side(STORY, {"mine": generator, "fixed": Fixed()}, Decoding(max_length=5), 2)
    [[expected]] = generator.write([STORY.sentences], Decoding(max_length=5))
    assert mine.system == "mine"
    assert [ending.text for ending in mine.endings] == [expected.text]  # greedy gives one
    assert mine.endings[0].log_prob_per_token == pytest.approx(expected.log_prob / expected.n_tokens)
    assert [(ending.text, ending.log_prob_per_token) for ending in fixed.endings] == [
        (text, None) for text in Fixed.endings[:2]
    ]
    assert [ending.sentiment.partition(",")[0] for ending in fixed.endings] == ["positive", "negative"]


def test_samples_that_are_shown_differ_and_come_in_the_order_of_their_drawing():
    decoding = Decoding("sample", max_length=1, seed=2)
    generator = neural()
    [side] = write_side_by_side(STORY, {"mine": generator}, decoding, 5)
    [drawn] = generator.write([STORY.sentences], decoding, 20)
    assert [ending.text for ending in side.endings] == list(dict.fromkeys(each.text for each in drawn))[:5]
    assert len(side.endings) == 5


def test_a_beam_gives_as_many_as_it_holds():
    [side] = write_side_by_side(STORY, {"mine": neural()}, Decoding("beam", beam_width=2, max_length=5), 4)
    assert len(side.endings) == 2


def test_sentiment_is_said_in_words():
    said = {score: JudgedEnding("x", None, score).sentiment for score in (0.05, 0.04, -0.05)}
    assert said == {0.05: "positive, 0.05", 0.04: "neutral, 0.04", -0.05: "negative, -0.05"}


def test_the_usual_decoding_is_offered_first():
    assert next(iter(DECODINGS.values())) == USUAL


def test_the_usual_beam_is_as_wide_as_the_endings_that_are_asked_for():
    assert [usual(n).beam_width for n in (1, 5, 9, 5000)] == [5, 5, 9, 1000]
