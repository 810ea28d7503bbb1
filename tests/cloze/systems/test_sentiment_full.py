import numpy as np
import pyarrow as pa
import pytest

from denouement.cloze.base import choices, load_system
from denouement.cloze.parts import sentiment
from denouement.cloze.resources import Resources


def test_the_ending_nearest_to_the_mean_of_the_sentences_by_hand(make_case, monkeypatch):
    monkeypatch.setattr(sentiment, "SCALES", {"toy": lambda texts: np.array([float(text) for text in texts])})
    cases = pa.concat_tables([make_case(["1", "2", "6"], "2", "5"), make_case(["-4"], "-3", "1")])
    scores = load_system("sentiment_full").score(cases, Resources())
    assert scores["toy"].tolist() == [[-1, -2], [-1, -5]]  # means 3 and -4


@pytest.mark.parametrize("scale", ["vader", "five_point"])
def test_a_happy_story_ends_happily_and_a_sad_one_sadly(make_case, scale):
    happy, sad = "She was very happy with her wonderful day.", "It was a terrible, awful and horrible disaster."
    cases = pa.concat_tables([make_case([happy, "It was a wonderful day."], sad, happy), make_case([sad], sad, happy)])
    scores = load_system("sentiment_full").score(cases, Resources())
    assert choices(scores[scale]).tolist() == [2, 1]
