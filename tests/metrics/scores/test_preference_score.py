"""A preference model as a score."""

import numpy as np
import pytest

from denouement.cloze.parts.chooser import context_digests
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.errors import UserError
from denouement.metrics.base import EndingRows
from denouement.metrics.preference.model import PreferenceModel
from denouement.metrics.scores.preference import PreferenceScore
from denouement.metrics.scoring import values_of

NEW, KNOWN = ["Tom had a dog.", "Rex ran away."], ["Ann sang."]


@pytest.fixture
def model(tmp_path):
    """Writes a model, and returns what reads it."""

    def write(scores, weights, encoder=None, fingerprint=None):
        trained_on = frozenset(context_digests([KNOWN]))
        path = tmp_path / "m.parquet"
        PreferenceModel(scores, encoder, fingerprint, np.array(weights), 1.0, trained_on, {}, {}).save(path)
        return Resources(preferences=[path])

    return write


def test_it_is_the_weighted_sum_of_scores_and_known_stories_have_none(model):
    """Three words, of which two are in the context side by side; six words of which one is."""
    rows = EndingRows(["Rex ran home.", "She left.", "Then it was a dog."], [NEW, KNOWN, NEW], [()] * 3)
    found = values_of(PreferenceScore(), rows, model(["copied", "length"], [3.0, 0.5]))["preference m"]
    assert found[[0, 2]] == pytest.approx([3 * 2 / 3 + 0.5 * 3 - 1, 3 * 2 / 5 + 0.5 * 5 - 1])
    assert np.isnan(found[1])
    with pytest.raises(MissingResourceError, match=r"m\.parquet: learned from the stories of all 1 endings"):
        PreferenceScore().score(rows.take([1]), model(["length"], [1.0]))


def test_endings_without_a_score_that_it_reads_have_none(model):
    rows = EndingRows(["Rex came.", "Rex came."], [NEW] * 2, [("Rex came.",), ()])
    found = values_of(PreferenceScore(), rows, model(["rouge_l"], [2.0]))["preference m"]
    assert found[0] == pytest.approx(2 - 1)
    assert np.isnan(found[1])


@pytest.mark.parametrize("score", ["BERTScore F1", "perplexity h_seq2seq", "preference m"])
def test_scores_that_are_not_there_are_named(score, model):
    resources = model(["length", score], [1.0, 1.0])
    with pytest.raises(MissingResourceError, match=f"{score}|--model"):
        PreferenceScore().score(EndingRows(["Rex came."], [NEW], [()]), resources)


def test_vectors_of_another_version_of_the_encoder_are_refused(model):
    resources = model([], [0.0] * 100, "glove", "another")
    with pytest.raises(UserError, match="another version of glove"):
        PreferenceScore().score(EndingRows(["Rex came."], [NEW], [()]), resources)
    assert "--preference" in PreferenceScore().lacks(Resources())[0]
