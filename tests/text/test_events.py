import pytest

from denouement.text.events import Event, events, marked_predicates, predicates
from denouement.text.syntax import Parse


def parse(*words: tuple[str, str, str, int, str]) -> Parse:
    """From a word's text, lemma, universal part of speech, head and dependency, a row each."""
    texts, lemmas, pos, heads, relations = zip(*words, strict=True)
    return Parse(texts, lemmas, pos, pos, heads, relations)


# He did n't give up the keys .
GAVE_UP = parse(
    ("He", "he", "PRON", 3, "nsubj"),
    ("did", "do", "AUX", 3, "aux"),
    ("n't", "not", "PART", 3, "neg"),
    ("give", "give", "VERB", 3, "ROOT"),
    ("up", "up", "ADP", 3, "prt"),
    ("the", "the", "DET", 6, "det"),
    ("keys", "Key", "NOUN", 3, "dobj"),
)
# It was stolen
STOLEN = parse(
    ("It", "it", "PRON", 2, "nsubjpass"), ("was", "be", "AUX", 2, "auxpass"), ("stolen", "steal", "VERB", 2, "ROOT")
)


@pytest.mark.parametrize("subject", ["Tom", "Dogs", "That"])
def test_a_form_of_be_says_what_it_says(subject: str) -> None:
    pos = {"Tom": "PROPN", "Dogs": "NOUN", "That": "PRON"}[subject]
    kind = {"Tom": "person", "Dogs": "thing", "That": "it"}[subject]
    sentence = parse(
        (subject, subject, pos, 1, "nsubj"), ("was", "be", "AUX", 1, "ROOT"), ("sad", "sad", "ADJ", 1, "acomp")
    )
    assert events(sentence) == [Event("be sad", kind, "sad")]


def test_particle_and_negation_make_another_event() -> None:
    assert events(GAVE_UP) == [Event("not give up", "person", "key")]
    assert predicates(GAVE_UP) == ["not give up"]
    assert marked_predicates(GAVE_UP) == ["person: not give up"]


def test_the_doer_of_a_passive_is_not_known() -> None:
    assert events(STOLEN) == [Event("steal", "nobody", "it")]


def test_no_verb_no_event() -> None:
    assert events(Parse()) == []
    assert events(parse(("Fire", "fire", "NOUN", 0, "ROOT"))) == []
