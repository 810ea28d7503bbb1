import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denouement.text.words import capitalize, detokenize, tokenize


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("Tom didn't see Kelly's dog.", ["Tom", "did", "n't", "see", "Kelly", "'s", "dog", "."]),
        ("I've got $5 at 7:30 o'clock!", ["I", "'ve", "got", "$", "5", "at", "7:30", "o'clock", "!"]),
        ('She said, "Don\'t go!"', ["She", "said", ",", "``", "Do", "n't", "go", "!", "''"]),
        ("A well-known 12-year-old ran 1,000.5 m.", ["A", "well-known", "12-year-old", "ran", "1,000.5", "m", "."]),
        ("Mr. Lee (my boss) woke at 6 a.m.", ["Mr", ".", "Lee", "(", "my", "boss", ")", "woke", "at", "6", "a.m."]),
        ("It’s “fine”… isn’t it?", ["It", "’s", "“", "fine", "”", "…", "is", "n’t", "it", "?"]),
        ("The boys' dog sang 'la la'.", ["The", "boys", "'", "dog", "sang", "`", "la", "la", "'", "."]),
        ("Wait... he got 50% and an A+!", ["Wait", "...", "he", "got", "50", "%", "and", "an", "A+", "!"]),
        ("", []),
    ],
)
def test_a_sentence_is_taken_apart_and_put_together(sentence, words):
    assert tokenize(sentence) == words
    assert detokenize(words) == sentence


def test_first_letter_becomes_a_capital_behind_quotation_marks_but_not_behind_a_number():
    assert detokenize(["``", "the", "end", "''"]) == '"The end"'
    assert detokenize(["éva", "left", "."]) == "Éva left."
    assert capitalize("5 dogs came.") == "5 dogs came."


def test_only_printable_characters_come_out():
    assert detokenize(["a\u200bb", "\x07", "c"]) == "Ab c"


@given(st.text())
def test_words_hold_all_that_is_not_white_space(text):
    words = tokenize(text)
    assert all(words)
    assert not any(character.isspace() for word in words for character in word)
    spelled = "".join(words).translate({ord("`"): None, ord("'"): None, ord('"'): None})
    assert spelled == "".join(text.split()).translate({ord("`"): None, ord("'"): None, ord('"'): None})


def test_nearly_all_real_sentences_come_back_exactly(shared_data):
    with (shared_data / "rocstories" / "ROCStories_sample.csv").open(encoding="utf-8", newline="") as opened:
        sentences = [
            " ".join(row[f"sentence{place}"].split()) for row in csv.DictReader(opened) for place in range(1, 6)
        ]
    exact = sum(detokenize(tokenize(sentence)) == sentence for sentence in sentences)
    assert len(sentences) == 40_800
    assert exact / len(sentences) >= 0.999  # the rest miss a space after a comma, or have one inside quotation marks
