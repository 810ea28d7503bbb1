import numpy as np
import pyarrow as pa

from denouement.cloze.base import load_system
from denouement.cloze.parts import sentiment
from denouement.cloze.resources import Resources


def test_the_ending_nearest_to_the_last_sentence_by_hand(make_case, monkeypatch):
    monkeypatch.setattr(sentiment, "SCALES", {"toy": lambda texts: np.array([float(text) for text in texts])})
    cases = pa.concat_tables([make_case(["1", "2", "6"], "2", "5"), make_case(["-4"], "-3", "1")])
    scores = load_system("sentiment_last").score(cases, Resources())
    assert scores["toy"].tolist() == [[-4, -1], [-1, -5]]


def test_both_scales_have_a_variant(make_case):
    scores = load_system("sentiment_last").score(make_case(["He ate."], "He slept.", "He left."), Resources())
    assert {variant: found.tolist() for variant, found in scores.items()} == {
        "vader": [[0, 0]],
        "five_point": [[0, 0]],
    }
