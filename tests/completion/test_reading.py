"""What is said of a typed story."""

import pytest
from small_systems import Fixed, neural

from denouement.completion.reading import MOST_CHARACTERS, MOST_SENTENCES, read_story, remarks, unknown_words
from denouement.errors import UserError


def test_a_story_is_divided_and_counted():
    story = read_story("Tom didn't run.  He drove a red car!\nWhy?")
    assert story.sentences == ["Tom didn't run.", "He drove a red car!", "Why?"]
    assert story.words == 4 + 5 + 1  # "did" and "n't" are two
    assert story.english


@pytest.mark.parametrize("text", ["", "  \n ", "...", "!?"])
def test_a_story_without_a_word_is_refused(text):
    with pytest.raises(UserError, match="the story is empty: type at least one sentence"):
        read_story(text)


def test_what_is_too_long_is_refused():
    assert len(read_story("He ran.\n" * MOST_SENTENCES).sentences) == MOST_SENTENCES
    with pytest.raises(UserError, match="1,000 sentences, and at most 100 are read"):
        read_story("He ran.\n" * 1000)
    with pytest.raises(UserError, match="20,001 characters, and at most 20,000 are read"):
        read_story("a" * (MOST_CHARACTERS + 1))


def test_unknown_words_are_named_once_in_their_order_and_without_punctuation():
    story = read_story("Zed drove the quad; Zed was great. The car was his.")
    assert unknown_words(story, neural()) == ["Zed", "quad"]
    assert unknown_words(story, Fixed()) == []


def test_a_story_as_the_models_know_them_needs_one_remark():
    story = read_story("Tom bought a red car. He drove it to the hill. The car was great. It was his car.")
    assert remarks(story, {"mine": neural()}) == ["Read 4 sentences, 19 words"]


def test_what_is_strange_is_said():
    story = read_story("Zed kaufte am Montag ein großes Auto und fuhr damit zum Berg.")
    assert remarks(story, {"mine": neural(), "fixed": Fixed()}) == [
        "Read 1 sentence, 12 words; the models learned from stories with 4 sentences before the ending",
        "This does not look like English, the only language that the models learned from",
        "mine does not know these words: Zed, kaufte, am, Montag, ein, großes, Auto, und, fuhr, damit, zum, Berg",
    ]
    many = read_story(" ".join(f"word{n}" for n in range(15)))
    assert remarks(many, {"mine": neural()})[-1].endswith("word11, and 3 more")


def test_a_generator_of_sentence_vectors_reads_all_words_but_cannot_write_them(reader_of):
    from denouement.generators.checkpoints import load_generator

    generator = load_generator(reader_of("glove", {}))
    assert remarks(read_story("Zed drove it."), {"mine": generator})[-1] == "mine cannot write these words: Zed"
