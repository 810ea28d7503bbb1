import pytest
from hypothesis import given
from hypothesis import strategies as st

from denouement.language_models.one_sentence import WrittenSentence, first_sentence, without_ending
from denouement.text.sentences import split_sentences

CONTEXT = ["Tom had a test.", "He studied all night.", "He slept on the bus.", "The test was easy."]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (" He passed it. Then he went home.", "He passed it."),
        ("He passed it.\n\nStory: Ann had a dog.\nEnding: It ran", "He passed it."),
        ("He told Dr. Hill, who smiled", "He told Dr. Hill, who smiled"),
        ("Ending: He passed it.", "He passed it."),
        ("Sure! Here is the last sentence of the story:\n\nHe passed it.", "He passed it."),
        ("**Ending:** He passed it.", "He passed it."),
        ("**He passed it.**", "He passed it."),
        ("<think>\nAn ending. It must be short.\n</think>\n\nHe passed it.", "He passed it."),
        ('"I got an A!" he said. She smiled.', '"I got an A!" he said.'),
        # What people of stories say is no refusal of the model's.
        ("I can't help that I love tests.", "I can't help that I love tests."),
        ("I'm sorry, but I can't come with you, said Tom.", "I'm sorry, but I can't come with you, said Tom."),
        ("He could not finish his story before the bell rang.", "He could not finish his story before the bell rang."),
        ("Here is where he belonged.", "Here is where he belonged."),
    ],
)
def test_the_first_sentence_is_taken(answer, sentence):
    assert first_sentence(answer, CONTEXT) == WrittenSentence(sentence)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("...", "empty"),
        ("<think>It should end well, so", "empty"),
        ("Ending:", "empty"),
        ("The test was easy. He passed it.", "echo"),
        ("tom had a test", "echo"),
        ("I'm sorry, but I can't assist with that.", "refusal"),
        ("I’m sorry. I cannot write an ending to this story.", "refusal"),
        ("I am unable to continue the story you gave.", "refusal"),
        ("As an AI language model, I have no opinion.", "refusal"),
        ("Unfortunately, I can't fulfill this request.", "refusal"),
    ],
)
def test_what_is_no_ending_is_named(answer, why):
    assert first_sentence(answer, CONTEXT) == WrittenSentence(None, why)


@given(st.text())
def test_any_answer_gives_one_sentence_or_says_why_not(answer):
    found = first_sentence(answer, CONTEXT)
    assert (found.text is None) == (found.why is not None)
    if found.text is not None:
        assert split_sentences(found.text)[0] == found.text


def test_what_gave_no_ending_is_counted():
    written = [first_sentence(answer, CONTEXT) for answer in ("He won.", "", "The test was easy.", "...")]
    assert without_ending(written) == "3 answers give no ending (2 empty, 1 repeats the story)"
    assert without_ending(written[:1]) == ""
