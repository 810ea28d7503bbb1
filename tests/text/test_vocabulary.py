import json

from hypothesis import given
from hypothesis import strategies as st

from denouement.text.vocabulary import END, PAD, START, UNKNOWN, Vocabulary

SENTENCES = ["The dog saw Tom.", "Tom saw the dog.", "Dogs run.", "The Tom Show began."]


def test_words_are_numbered_by_frequency_then_alphabet():
    assert Vocabulary.build(["b a a.", "c b a."]).words[4:] == ("a", ".", "b", "c")


def test_a_sentence_start_takes_the_case_it_has_elsewhere():
    vocabulary = Vocabulary.build(SENTENCES)
    assert "The" not in vocabulary.words  # seen inside a sentence only as "the"
    assert "tom" not in vocabulary.words
    assert "Dogs" in vocabulary.words  # never seen elsewhere: as it is written
    assert vocabulary.encode("The dog ran.")[0] == vocabulary.encode("See the dog.")[1]


def test_a_capital_that_is_rare_inside_sentences_does_not_stand_at_their_start():
    vocabulary = Vocabulary.build(["We saw The Who.", "We saw the dog.", "We saw the cat.", "The cat sat."])
    assert {"The", "the"} <= set(vocabulary.words)
    assert vocabulary.words[vocabulary.encode("The cat.")[0]] == "the"
    assert vocabulary.words[vocabulary.encode("We saw The Who.")[2]] == "The"


def test_capitalised_words_are_those_that_keep_their_capital_or_were_never_seen_without():
    assert Vocabulary.build(SENTENCES).capitalised == {"Tom", "Show", "Dogs"}


def test_rare_words_are_unknown():
    vocabulary = Vocabulary.build(SENTENCES, min_count=2)
    assert set(vocabulary.words[4:]) == {"the", "Tom", "dog", "saw", "."}
    assert vocabulary.encode("Tom saw cats.") == [
        vocabulary.words.index("Tom"),
        vocabulary.words.index("saw"),
        3,
        5 - 1,
    ]
    assert len(Vocabulary.build(SENTENCES, max_size=6)) == 6


def test_decoding_stops_at_end_and_never_shows_a_special_word():
    vocabulary = Vocabulary.build(SENTENCES)
    ids = vocabulary.encode("the dog.")
    assert vocabulary.decode([START, *ids, END, *ids]) == "The dog."
    assert vocabulary.decode([PAD, UNKNOWN, *ids, PAD]) == "The dog."


def test_text_like_a_special_word_is_not_one():
    assert END not in Vocabulary.build(["<end> a."]).encode("<end> a.")


@given(st.lists(st.text(max_size=30), max_size=5), st.text(max_size=30))
def test_json_gives_the_same_vocabulary_back(sentences, other):
    vocabulary = Vocabulary.build(sentences)
    again = Vocabulary.from_json(json.loads(json.dumps(vocabulary.to_json())))
    assert again == vocabulary
    assert again.encode(other) == vocabulary.encode(other)
    assert all(UNKNOWN not in vocabulary.encode(sentence) for sentence in sentences)


def test_unknown_words_are_named_as_they_are_written():
    vocabulary = Vocabulary.build(SENTENCES)
    assert vocabulary.unknown("The cat saw Ann, and Ann saw the dog.") == ["cat", "Ann", ",", "and", "Ann"]
    assert vocabulary.unknown("THE dog saw Tom.") == ["THE"]
    assert vocabulary.unknown("The dog saw Tom.") == []
