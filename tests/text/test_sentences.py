"""Where sentences end."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denouement.text.sentences import is_finished, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Tom ran. He fell.  He got up! Why?", ["Tom ran.", "He fell.", "He got up!", "Why?"]),
        ("Mr. Hill met Dr. J. Ames. Mrs. Hill left.", ["Mr. Hill met Dr. J. Ames.", "Mrs. Hill left."]),
        ("It was me vs. Bob. I won.", ["It was me vs. Bob.", "I won."]),
        ("He came at 5 p.m. She left at 6 p.m. on foot.", ["He came at 5 p.m.", "She left at 6 p.m. on foot."]),
        ("It was I. Nobody knew.", ["It was I.", "Nobody knew."]),
        ("She ran her first 5K. He did one more rep. We said no. They won.",
         ["She ran her first 5K.", "He did one more rep.", "We said no.", "They won."]),
        ('"Go!" he said. "No." She (really) left. “Fine.” 3 dogs stayed.',
         ['"Go!" he said.', '"No."', "She (really) left.", "“Fine.”", "3 dogs stayed."]),
        ("Wait... what? OK… Then go?! Now.", ["Wait... what?", "OK…", "Then go?!", "Now."]),
        ("He paid $3.50 at site.com today. Élan won.", ["He paid $3.50 at site.com today.", "Élan won."]),
        ("no stop here\nsecond line\r\n\n  third   one ", ["no stop here", "second line", "third one"]),
        ("«Go!» «No.» She left.", ["«Go!»", "«No.»", "She left."]),
        ("", []),
        (" \n\t ", []),
    ],
)  # fmt: skip
def test_sentences_by_hand(text, sentences):
    assert split_sentences(text) == sentences


@given(st.text())
def test_no_character_but_space_is_lost(text):
    sentences = split_sentences(text)
    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(sentence and sentence == " ".join(sentence.split()) for sentence in sentences)


@pytest.mark.parametrize("part", ["A. ", ".", '."', "'", " . ", "Mr. Hill."])
def test_a_long_text_of_few_sentences_takes_time_by_its_length(part):
    began = time.process_time()
    split_sentences(part * 100_000)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("sentence", "finished"),
    [
        ("He ran.", True), ("“He ran!”)", True), ("«Run…»", True), ("He ran", False), ("He ran.,", False), ("", False),
        ("走った……。", True), ("「走った！」", True), ("（走ったのか？）", True), ("「走った」", False),
        ("走った、", False),
    ],
)  # fmt: skip
def test_a_finished_sentence_ends_in_a_stop(sentence, finished):
    assert is_finished(sentence) == finished


def test_real_contexts_come_apart_as_they_were_written(shared_data):
    from denouement.corpus.contexts import read_contexts

    [file] = shared_data.glob("story_cloze/*spring2016*val.csv")
    contexts = read_contexts(file)["context"].to_pylist()
    assert len(contexts) == 1871
    whole = sum(split_sentences(" ".join(context)) == context for context in contexts)
    assert whole >= 1860  # the others begin a sentence in lower case or end one without a full stop
