"""The retrieval generator, on sentence vectors by hand."""

import numpy as np
import pyarrow as pa
import pytest

from denouement.errors import UserError
from denouement.generators.checkpoints import load_generator, save_generator
from denouement.generators.copying import digests
from denouement.generators.retrieval import Retrieval, _means
from denouement.tensors import read_checkpoint, write_checkpoint

VECTORS = {
    "East.": [1, 0],
    "North.": [0, 1],
    "Far east.": [3, 0],
    "Nearly east.": [10, 1],
    "West.": [-1, 0],
}
STORIES = [  # a context and its ending
    (["North."], "They saw ice."),
    (["East.", "North."], "They got lost."),
    (["Nearly east."], "The sun rose."),
    (["Far east."], "The sun rose."),
    (["North.", "North."], "They saw bears."),
]


def vectors_of(sentences):
    return np.array([VECTORS[sentence] for sentence in sentences], np.float32)


def retrieval(stories=STORIES) -> Retrieval:
    contexts = [context for context, _ in stories]
    means = _means(vectors_of([sentence for context in contexts for sentence in context]), contexts)
    texts = ["".join(c for c in "".join(context).lower() if c.isalnum()) for context in contexts]
    made = Retrieval(
        "glove",
        "mark",
        means.astype(np.float16),
        digests(pa.table({"context_key": texts})),
        [ending for _, ending in stories],
    )
    made.sentence_vectors = vectors_of
    return made


def written(made, context, n=1):
    [endings] = made.write([context], n=n)
    assert all((ending.log_prob, ending.n_tokens) == (None, None) for ending in endings)
    return [ending.text for ending in endings]


def test_the_ending_of_the_nearest_context():
    assert written(retrieval(), ["East."]) == ["The sun rose."]  # cosine 1 with "Far east."
    assert written(retrieval(), ["North.", "East.", "East."]) == ["They got lost."]  # of (2, 1): .95; .94; .89
    both = retrieval().write([["West."], ["East."]])
    # At right angles to west are the two in the north, all others are further; the first of them comes first.
    assert [[ending.text for ending in endings] for endings in both] == [["They saw ice."], ["The sun rose."]]


def test_several_endings_are_those_of_the_nearest_each_once():
    expected = ["The sun rose.", "They got lost.", "They saw ice.", "They saw bears."]
    assert written(retrieval(), ["East."], 2) == expected[:2]
    assert written(retrieval(), ["East."], 4) == expected
    assert written(retrieval(), ["East."], 9) == expected  # there are no more


def test_equal_vectors_are_equally_near_wherever_they_are():
    """A product of matrices may give equal rows results that differ in the last bits."""
    draw = np.random.default_rng(3)
    vectors = draw.normal(size=(3000, 37)).astype(np.float32)
    vectors[[17, 1500, 2999]] = vectors[17]
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    made = Retrieval("glove", "mark", vectors, np.arange(3000), [str(row) for row in range(3000)])
    made.sentence_vectors = lambda sentences: np.stack([vectors[int(each)] for each in sentences]).astype(np.float32)
    endings = made.write([["17"], *([str(row)] for row in range(140))], n=3)
    assert [ending.text for ending in endings[0]] == ["17", "1500", "2999"]
    assert endings[18] == endings[0]  # in another place of another batch


def test_a_story_with_the_context_itself_is_left_out():
    assert written(retrieval(), ["Far east."]) == ["The sun rose."]  # of "Nearly east."
    assert written(retrieval(), ["North."]) == ["They saw bears."]
    with pytest.raises(UserError, match="every training story has the context"):
        retrieval(STORIES[:1]).write([["North."]])


def test_what_a_damaged_checkpoint_holds_is_refused(tmp_path):
    path = tmp_path / "c.parquet"
    made = retrieval()
    save_generator(made, path)
    whole = read_checkpoint(path)
    assert whole["index"]["endings"] == [ending for _, ending in STORIES]
    for part, value in [
        ("endings", ["a"]),
        ("endings", [1, 2, 3, 4, 5]),
        ("endings", []),
        ("vectors", whole["index"]["vectors"][:, :1]),
        ("vectors", whole["index"]["vectors"].float()),
        ("contexts", whole["index"]["contexts"][:2]),
        ("contexts", None),
    ]:
        write_checkpoint({**whole, "index": {**whole["index"], part: value}}, path)
        with pytest.raises(UserError, match="not a generator that this version knows"):
            load_generator(path)


def test_vectors_of_another_encoder_are_refused(corpus, tmp_path):
    save_generator(retrieval(), tmp_path / "c.parquet")
    with pytest.raises(UserError, match="not the encoder glove that this generator was trained with"):
        load_generator(tmp_path / "c.parquet", embeddings=corpus.embeddings)


def test_it_needs_a_table_of_vectors(corpus, tmp_path):
    with pytest.raises(UserError, match="retrieval reads sentence vectors: name an embeddings table"):
        Retrieval.fit(Retrieval.settings_class(), corpus.stories, tmp_path)
