from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from denouement.cloze.base import load_system
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.encoders.embeddings import EncodeSettings, embed_corpus
from denouement.schemas import empty_table, write_table


@pytest.fixture
def vectors_file(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("dog 1 0\nran 0 1\nhome 0 2\nate 3 0\n")
    return path


def scored(resources, cases):
    system = load_system("embedding_cosine")
    system.prepare(resources)
    return system.score(cases, resources)


def test_all_variants_by_hand(make_case, vectors_file):
    # Sentences: (1, 0), (0, 1), (0, 2); endings: (3, 0) and (1, 1) / 2.
    cases = make_case(["dog", "ran", "home"], "ate", "dog ran")
    scores = scored(Resources(encoders={"glove": {"vectors": str(vectors_file)}}), cases)
    diagonal = np.sqrt(0.5)
    assert scores["glove last"] == pytest.approx(np.array([[0, diagonal]]))
    mean = np.array([[1, 4 * diagonal]]) / np.sqrt(10)
    assert scores["glove mean"] == pytest.approx(mean)
    recent = np.array([[1, 9 * diagonal]]) / np.sqrt(65)  # (1, 0) + 2 (0, 1) + 3 (0, 2) = (1, 8)
    assert scores["glove recent"] == pytest.approx(recent)
    assert scores["glove whole"] == pytest.approx(mean)  # this encoder takes the mean over the words


def test_contexts_of_different_lengths_are_kept_apart(make_case, vectors_file):
    ones = make_case(["dog", "ran", "home"], "ate", "dog ran"), make_case(["ran"], "dog", "home")
    resources = Resources(encoders={"glove": {"vectors": str(vectors_file)}})
    together = scored(resources, pa.concat_tables(ones))
    for row, one in enumerate(ones):
        for variant, alone in scored(resources, one).items():
            assert together[variant][row] == pytest.approx(alone[0]), variant


def test_endings_without_a_known_word_are_counted(make_case, vectors_file):
    resources = Resources(encoders={"glove": {"vectors": str(vectors_file)}})
    scores = scored(resources, make_case(["dog", "zxq"], "ran", "zxqq"))
    assert scores["glove last"].tolist() == [[0, 0]]
    assert resources.notes["embedding_cosine glove: endings without a known word"] == 1


def test_vectors_are_looked_up_in_a_table_of_the_same_encoder(make_case, vectors_file, tmp_path):
    cases = make_case(["dog", "ran"], "home", "ate")
    write_table(cases, tmp_path / "cloze.parquet", "cloze")
    write_table(empty_table("stories"), tmp_path / "stories.parquet", "stories")
    settings = EncodeSettings("glove", {"vectors": str(vectors_file)}, word_dropout=0, views=0)
    embeddings: Path = tmp_path / "embeddings.parquet"
    embed_corpus(tmp_path / "stories.parquet", tmp_path / "cloze.parquet", embeddings, settings)
    plain = Resources(encoders={"glove": {"vectors": str(vectors_file)}})
    looked_up = Resources(encoders=plain.encoders, embeddings=embeddings)
    expected = scored(plain, cases)
    for variant, found in scored(looked_up, cases).items():
        assert found == pytest.approx(expected[variant], abs=1e-3)


def test_encoders_have_to_be_named():
    with pytest.raises(MissingResourceError, match="--encoder"):
        load_system("embedding_cosine").prepare(Resources(encoders={}))
