import math

import numpy as np
import pytest

from denouement.cloze.base import choices, load_system
from denouement.cloze.resources import Resources


def scores(make_case, context, *endings):
    return load_system("ngram_overlap").score(make_case(context, *endings), Resources())[""]


def test_smoothed_bleu_by_hand(make_case):
    # Words of the ending: the dog ran home . (5). Unigrams: all of "the dog ran ." are in a sentence, "home" does
    # not: 4/5. Bigrams: "the dog" and "dog ran": (2+1)/(4+1). Trigrams: "the dog ran": (1+1)/(3+1). Four: (0+1)/(2+1).
    # Both sentences have five words or fewer; the nearest has five: no brevity penalty.
    expected = (4 / 5 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25
    found = scores(make_case, ["The dog ran away.", "It rained."], "The dog ran home.", "Zoom!")
    assert found == pytest.approx(np.array([[expected, 0.0]]))


def test_an_ending_shorter_than_the_nearest_sentence_is_punished(make_case):
    # Three words against five: exp(1 - 5/3). All unigrams and bigrams match; NLTK counts one n-gram where none fits.
    expected = math.exp(1 - 5 / 3) * (1 * (2 + 1) / (2 + 1) * (1 + 1) / (1 + 1) * (0 + 1) / (1 + 1)) ** 0.25
    found = scores(make_case, ["Ann saw a dog ."], "saw a dog", "saw a dog")
    assert found == pytest.approx(np.array([[expected, expected]]))


def test_the_case_of_letters_does_not_matter(make_case):
    assert scores(make_case, ["A dog barked."], "a DOG barked.", "A dog barked.")[0].tolist() == [1.0, 1.0]


def test_the_ending_that_repeats_the_context_is_chosen(make_case):
    found = scores(make_case, ["Tom bought a red car.", "He drove it to the sea."], "He ate soup.", "He drove it home.")
    assert choices(found).tolist() == [2]


def test_cases_without_any_overlap_are_counted(make_case):
    resources = Resources()
    load_system("ngram_overlap").score(make_case(["Tom left"], "Ann slept", "We ate"), resources)
    assert list(resources.notes.values()) == [1]
