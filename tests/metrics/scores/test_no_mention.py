import numpy as np
import pytest

from denouement.cloze.resources import Resources
from denouement.metrics.base import EndingRows
from denouement.metrics.scores.no_mention import NoMention
from denouement.text.wordnet import NoWordNetError, find_wordnet

CONTEXT = ["Tom bought a car.", "He drove to the beach."]


@pytest.fixture(scope="module")
def scored():
    """Scores endings; WordNet is read once."""
    try:
        find_wordnet()
    except NoWordNetError as error:
        pytest.skip(str(error))
    resources = Resources()

    def score(*endings, **options):
        rows = EndingRows(list(endings), [CONTEXT] * len(endings), [[]] * len(endings))
        return NoMention(**options).score(rows, resources)["no_mention"]

    return score


def test_words_are_prepared_by_lemma_by_wordnet_and_by_vectors(scored):
    """With vectors out of reach: cars (lemma); automobile (synonym); vehicle, two steps above, and banana are not."""
    assert scored("Cars!", "He bought the automobile.", "A banana drove.", least_cosine=2) == pytest.approx([0, 0, 0.5])


def test_vectors_prepare_what_wordnet_does_not(scored):
    [near] = scored("A truck drove.")
    [far] = scored("A truck drove.", least_cosine=2)
    assert (near, far) == (0, 0.5)


def test_an_ending_without_content_has_no_value(scored):
    assert np.isnan(scored("They did it.")).all()


def test_it_says_how_to_get_wordnet(tmp_path):
    assert "apt-get install wordnet-base" in NoMention(wordnet=str(tmp_path)).lacks(Resources())[0]
