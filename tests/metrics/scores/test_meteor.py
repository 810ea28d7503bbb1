"""METEOR against NLTK's own, which reads the same database with its own reader."""

import shutil
from itertools import count

import numpy as np
import pytest

from denouement.cloze.resources import Resources
from denouement.metrics.base import EndingRows
from denouement.metrics.scores.meteor import Meteor
from denouement.text.treebank import treebank_tokens
from denouement.text.wordnet import SYNONYM_FILES, NoWordNetError, find_wordnet

pytestmark = pytest.mark.filterwarnings("ignore:The multilingual functions")

SCORE = "meteor_2007_treebank wordnet_"


@pytest.fixture(scope="module")
def folder():
    try:
        return find_wordnet()
    except NoWordNetError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def nltk_reader(folder, tmp_path_factory):
    """NLTK's reader on a copy of the database; it wants two more files, which METEOR does not use."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    data = tmp_path_factory.mktemp("nltk")
    root = data / "corpora/wordnet"
    root.mkdir(parents=True)
    for name in SYNONYM_FILES:
        shutil.copy(folder / name, root / name)
    number = count()
    kinds = ["adj", "adj", "adv", *["noun"] * 26, *["verb"] * 15, "adj"]
    (root / "lexnames").write_text("".join(f"{next(number):02d}\t{kind}.x\t1\n" for kind in kinds))
    (root / "index.sense").write_text("")
    nltk.data.path.insert(0, str(data))
    yield WordNetCorpusReader(nltk.data.find("corpora/wordnet"), None)
    nltk.data.path.remove(str(data))


ODD = EndingRows(
    [
        "Mice ran into Monday's barns.",
        "She was happier and better",
        "The men bought a big auto, gladly.",
        "a",
        "no no no",
    ],
    [["Tom ran."]] * 5,
    [
        ["A mouse was running.", "Mon the barn"],
        ["He felt happy and good."],
        ["A man purchased a large car with joy.", "men, men, men"],
        ["b"],
        ["no no", "no"],
    ],
)


def test_values_are_those_of_nltk(rows, nltk_reader):
    from nltk.translate.meteor_score import meteor_score

    for texts in (rows, ODD):
        expected = [
            meteor_score([*map(treebank_tokens, references)], treebank_tokens(ending), wordnet=nltk_reader)
            for ending, references in zip(texts.endings, texts.references, strict=True)
        ]
        [(score, found)] = Meteor().score(texts, Resources()).items()
        assert score.startswith(SCORE)
        np.testing.assert_allclose(found, expected, atol=1e-12)
    assert np.ptp(found) > 0.5


def test_by_hand_a_synonym_in_its_place_counts_as_the_word(folder):
    """Three of three words in one chunk: 1 - 0.5 / 27. The second word by its stem, the third by a synonym."""
    rows = EndingRows(["he likes autos"], [["x"]], [["he liked car"]])
    [found] = Meteor().score(rows, Resources()).values()
    assert found == pytest.approx([1 - 0.5 / 27])


def test_it_says_what_is_missing_of_wordnet(folder, tmp_path):
    for name in SYNONYM_FILES:
        if name != "adj.exc":
            (tmp_path / name).symlink_to(folder / name)
    assert Meteor(wordnet=str(tmp_path)).lacks(Resources()) == [
        f"meteor reads all of WordNet: {tmp_path} lacks adj.exc"
    ]
    assert "apt-get install wordnet-base" in Meteor(wordnet=str(tmp_path / "gone")).lacks(Resources())[0]
