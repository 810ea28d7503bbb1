import random
from dataclasses import replace

import pytest

from denouement.errors import UserError
from denouement.present.markdown import render
from denouement.study.reasons.sections import topic_blocks
from denouement.study.reasons.topics import TopicSettings, find_topics, topic_table

FOOD = ["cake", "soup", "bread", "cheese", "salad"]
SPORT = ["ball", "race", "team", "goal", "coach"]


@pytest.fixture(scope="module")
def texts():
    rng = random.Random(0)
    return [rng.choices(words, k=6) for words in (FOOD, SPORT) for _ in range(30)]


@pytest.fixture(scope="module")
def found(texts):
    return find_topics(texts, TopicSettings(topics=2, words=5))


def test_planted_topics_are_found(found):
    assert {frozenset(word.word for word in topic.words) for topic in found.topics} == {
        frozenset(FOOD),
        frozenset(SPORT),
    }
    assert [topic.reasons for topic in found.topics] == [30, 30]
    assert sum(topic.share for topic in found.topics) == pytest.approx(1)


def test_words_that_stand_together_cohere_more_than_shuffled_ones(texts, found):
    rng = random.Random(1)
    shuffled = [rng.choices(FOOD + SPORT, k=3) for _ in texts]
    mixed = find_topics(shuffled, TopicSettings(topics=2, words=5))
    assert found.coherence_u_mass > mixed.coherence_u_mass
    assert 0 < found.coherence_c_v <= 1


def test_same_seed_same_topics(texts, found):
    assert find_topics(texts, TopicSettings(topics=2, words=5)) == found
    other = find_topics(texts, TopicSettings(topics=2, words=5, seed=2))
    assert topic_table(other) != topic_table(found)


def test_rare_words_and_empty_texts_are_left_out(texts):
    found = find_topics([*texts, ["zebra"], []], TopicSettings(topics=2))
    assert (found.reasons, found.vocabulary) == (60, 10)


def test_rows_are_those_of_the_table(found):
    rows = topic_table(found).to_pylist()
    assert len(rows) == 10
    assert {row["topic"] for row in rows} == {1, 2}
    assert rows[0]["weight"] >= rows[1]["weight"] > 0


def test_topics_of_few_reasons_come_with_a_caution(texts, found):
    assert (found.reasons, found.enough_reasons) == (60, 400)
    assert "Caution: with fewer than 400 reasons, 2 topics mean nothing" in render(topic_blocks(found))
    assert "Caution" not in render(topic_blocks(replace(found, reasons=400)))


def test_too_few_words_are_refused():
    with pytest.raises(UserError, match="fewer than two words"):
        find_topics([["a", "b"], ["c"]], TopicSettings())
    with pytest.raises(ValueError, match="topics"):
        TopicSettings(topics=0)
