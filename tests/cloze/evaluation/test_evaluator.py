"""The Story Cloze Evaluator, both modules worked by hand."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denouement.cloze.evaluation.evaluator import (
    evaluate_vectors,
    joint,
    predicted_endings,
    read_vectors,
    sentence_level,
    texts,
    whole_text,
)
from denouement.encoders.embeddings import EncodeSettings, embed_corpus
from denouement.errors import UserError
from denouement.schemas import empty_table, write_table


def test_joint_by_hand():
    scores = joint([[3, 4], [0, 2]], [[[6, 8], [4, -3]], [[1, 0], [1, 1]]])
    assert scores == pytest.approx(np.array([[1, 0], [0, np.sqrt(0.5)]]))


def test_four_sentences_by_hand():
    # In the first dimension 0, 1, 3, 6: distances 1, 2, 3 lie on a line that goes on to 4, so the ending is at 10. In
    # the second 0, 0, 3, 3: distances 0, 3, 0 have the level line 1, so the ending is at 4.
    sentences = np.array([[[0, 0], [1, 0], [3, 3], [6, 3]]])
    assert predicted_endings(sentences) == pytest.approx(np.array([[10, 4]]))
    scores = sentence_level(sentences, [[[5, 2], [-2, 5]]])
    assert scores == pytest.approx(np.array([[1, 0]]))


@pytest.mark.parametrize(
    ("sentences", "ending"),
    [
        ([[2, 5]], [2, 5]),  # no distance: where the sentence is
        ([[2, 5], [3, 4]], [4, 3]),  # one distance, taken again
        ([[0, 0], [1, 0], [3, 3]], [6, 9]),  # two distances (1, 0), (2, 3) lie on their line, which goes on to (3, 6)
    ],
)
def test_few_sentences_by_hand(sentences, ending):
    assert predicted_endings([sentences]) == pytest.approx(np.array([ending]))


@given(st.integers(0, 2**32 - 1), st.integers(3, 7))
def test_the_line_is_that_of_polyfit_in_each_dimension(seed, n_sentences):
    vectors = np.random.default_rng(seed).normal(size=(4, n_sentences, 3))
    n_distances = n_sentences - 1
    for predicted, sentences in zip(predicted_endings(vectors), vectors, strict=True):
        line = np.polyfit(np.arange(n_distances), np.diff(sentences, axis=0), deg=1)
        assert predicted == pytest.approx(sentences[-1] + line[0] * n_distances + line[1])


def test_order_matters_to_the_sentence_level_module():
    sentences = np.random.default_rng(0).normal(size=(1, 4, 3))
    assert predicted_endings(sentences) != pytest.approx(predicted_endings(sentences[:, ::-1]))


def test_no_sentence_is_refused():
    with pytest.raises(ValueError, match="no sentence"):
        predicted_endings(np.empty((1, 0, 3)))


# --- vectors of cases


@pytest.fixture
def cases(make_case):
    """Two cases: for the joint module only the first ending, for the sentence-level module only the second is near."""
    return pa.concat_tables([make_case(["a", "b"], "joint", "next", 1), make_case(["c", "d"], "next", "joint", 2)])


VECTORS = {
    **{"a": [1.0, 0.0], "b": [1.0, 1.0], "c": [0.0, 1.0], "d": [0.0, 2.0]},
    **{"joint": [4.0, 1.0], "next": [1.0, 2.0], "a b": [9.0, 1.0], "c d": [9.0, 1.0]},
}


def test_both_modules_by_hand(cases):
    found = evaluate_vectors(cases, VECTORS)
    assert (found.cases, found.dimension, found.contexts) == (2, 2, "whole")
    # Whole contexts (9, 1) are nearest to "joint", which is right in both.
    assert (found.joint.n, found.joint.correct, found.joint.ties) == (2, 2, 0)
    # (1, 0), (1, 1) goes on to (1, 2) and (0, 1), (0, 2) to (0, 3): "next" is nearer, which is wrong in both.
    assert (found.sentence_level.correct, found.sentence_level.accuracy) == (0, 0.0)


def test_without_whole_contexts_the_mean_of_sentences_is_used(cases):
    vectors = {text: vector for text, vector in VECTORS.items() if " " not in text}
    found = evaluate_vectors(cases, vectors)
    # Means (1, .5), nearer to (4, 1) than to (1, 2), and (0, 1.5), nearer to (1, 2): one is right.
    assert found.contexts == "mean"
    assert found.joint.correct == 1


def test_without_sentences_there_is_the_joint_module_alone(cases):
    vectors = {text: vector for text, vector in VECTORS.items() if text not in "abcd"}
    found = evaluate_vectors(cases, vectors)
    assert found.joint.correct == 2
    assert found.sentence_level is None


def test_a_sentence_that_is_also_an_ending_does_not_ask_for_the_other_sentences(make_case):
    cases = make_case(["a", "joint"], "joint", "next", 1)
    found = evaluate_vectors(cases, {"a joint": [9.0, 1.0], "joint": [4.0, 1.0], "next": [1.0, 2.0]})
    assert found.joint.correct == 1
    assert found.sentence_level is None


def test_equal_vectors_are_ties_and_go_to_the_first_ending(cases):
    found = evaluate_vectors(cases, {text: [1.0, 2.0] for text in texts(cases)})
    for module in (found.joint, found.sentence_level):
        assert (module.ties, module.correct) == (2, 1)


def test_contexts_of_different_lengths(make_case):
    cases = pa.concat_tables([make_case(["a"], "joint", "next", 1), make_case(["a", "b"], "joint", "next", 2)])
    vectors = {text: vector for text, vector in VECTORS.items() if " " not in text}
    assert evaluate_vectors(cases, vectors).sentence_level.correct == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"next": None}, r"no vector for 1 of 2 endings; the first is 'next'"),
        ({"joint": None, "next": None}, r"no vector for 2 of 2 endings; the first is 'joint'"),
        ({"c": None, "d": None}, r"no vector for 2 of 4 context sentences; the first is 'c'"),
        ({"a b": None}, r"no vector for 1 of 2 whole contexts; the first is 'a b'"),
        (
            dict.fromkeys(["a", "b", "c", "d", "a b", "c d"]),
            r"no vector for 4 of 4 context sentences, and for no",
        ),
        ({"b": [1.0]}, r"1 of 8 vectors are not 2 numbers wide as the others are, the first \(1\) that of 'b'"),
        ({"b": [1e101, 1.0]}, r"1 of 8 vectors hold NaN, infinity or more"),
        ({text: [] for text in VECTORS}, "the vectors hold no number"),
        (
            {"b": [np.nan, 1.0], "d": [1.0, np.inf]},
            r"2 of 8 vectors hold NaN, infinity or more than 1e\+100, the first that of 'b'",
        ),
    ],
)
def test_bad_vectors_are_named_and_counted(cases, changes, message):
    vectors = {text: vector for text, vector in (VECTORS | changes).items() if vector is not None}
    with pytest.raises(UserError, match=message):
        evaluate_vectors(cases, vectors)


def test_cases_without_a_label_are_refused(make_case, cases):
    blind = pa.concat_tables([cases, make_case(["a"], "joint", "next")])
    with pytest.raises(UserError, match="1 of 3 cases have no label"):
        evaluate_vectors(blind, VECTORS)
    with pytest.raises(UserError, match="no Story Cloze cases"):
        evaluate_vectors(cases.slice(0, 0), VECTORS)


def test_cases_without_a_context_are_refused(make_case, cases):
    with pytest.raises(UserError, match="1 of 3 cases have no sentence of context, the first is"):
        evaluate_vectors(pa.concat_tables([cases, make_case([], "joint", "next", 1)]), VECTORS)


def test_texts_are_sentences_whole_contexts_and_endings_once(cases):
    assert sorted(texts(cases)) == sorted(VECTORS)
    assert whole_text(["He ate.", "He left."]) == "He ate. He left."


# --- vectors from files


def write(path, columns):
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.float32()), pa.list_(pa.float64(), 2), pa.large_list(pa.float32()), pa.list_(pa.float16())]
)
def test_a_file_of_texts_and_vectors(tmp_path, cases, kind):
    both = VECTORS | {"elsewhere": [0.0, 0.0]}
    vectors = pa.array([np.array(each, np.float16) for each in both.values()], pa.list_(pa.float16())).cast(kind)
    path = write(tmp_path / "v.parquet", {"text": list(both), "vector": vectors, "number": range(len(both))})
    read = read_vectors(path, texts(cases))
    assert {text: list(vector) for text, vector in read.items()} == VECTORS
    assert evaluate_vectors(cases, read) == evaluate_vectors(cases, VECTORS)


def test_vectors_of_the_wrong_width_in_a_file_are_refused_with_the_text(tmp_path, cases):
    columns = {"text": list(VECTORS), "vector": [vector[: 1 + (text != "d")] for text, vector in VECTORS.items()]}
    with pytest.raises(UserError, match=r"1 of 8 vectors are not 2 numbers wide .* that of 'd'"):
        evaluate_vectors(cases, read_vectors(write(tmp_path / "v.parquet", columns), texts(cases)))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"text": ["a"]}, "no column vector; give .* with .*columns text"),
        ({"text": [1], "vector": [[1.0]]}, "column text holds int64"),
        ({"text": ["a"], "vector": [1.0]}, "column vector holds double"),
        ({"text": ["a"], "vector": [["1"]]}, "column vector holds list<element: string>"),
        ({"text": ["a", "b"], "vector": [[1.0], None]}, "1 of 2 texts of the cases have no vector in their row"),
        ({"text": ["a", "b", "a"], "vector": [[1.0], [2.0], [1.0]]}, "1 texts of the cases are in two rows or more"),
    ],
)
def test_files_that_are_refused(tmp_path, cases, columns, message):
    with pytest.raises(UserError, match=message) as error:
        read_vectors(write(tmp_path / "v.parquet", columns), texts(cases))
    assert "v.parquet" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_column_twice_and_a_number_that_is_missing_are_refused(tmp_path, cases):
    twice = pa.table([["a"], ["a"], [[1.0]]], names=["text", "text", "vector"])
    pq.write_table(twice, tmp_path / "v.parquet")
    with pytest.raises(UserError, match="2 columns text"):
        read_vectors(tmp_path / "v.parquet", ["a"])
    columns = {"text": list(VECTORS), "vector": [[None if text == "b" else 1.0, 1.0] for text in VECTORS]}
    with pytest.raises(UserError, match=r"1 of 8 vectors hold NaN, .* that of 'b'"):
        evaluate_vectors(cases, read_vectors(write(tmp_path / "v.parquet", columns), texts(cases)))


def test_files_that_are_none(tmp_path):
    with pytest.raises(UserError, match=r"absent\.parquet"):
        read_vectors(tmp_path / "absent.parquet", ["a"])
    (tmp_path / "text.parquet").write_text("no Parquet")
    with pytest.raises(UserError, match=r"text\.parquet"):
        read_vectors(tmp_path / "text.parquet", ["a"])


def test_a_table_of_the_pipeline_with_the_rest_encoded(tmp_path, make_case):
    words = tmp_path / "words.txt"
    words.write_text("dog 1 0\nran 0 1\nhome 0 2\nate 3 0\n")
    cases = make_case(["dog", "ran"], "home", "ate", 1)
    write_table(cases, tmp_path / "cloze.parquet", "cloze")
    write_table(empty_table("stories"), tmp_path / "stories.parquet", "stories")
    settings = EncodeSettings("glove", {"vectors": str(words)}, word_dropout=0, views=0)
    path = tmp_path / "embeddings.parquet"
    embed_corpus(tmp_path / "stories.parquet", tmp_path / "cloze.parquet", path, settings)
    read = read_vectors(path, texts(cases), {"vectors": str(words)})
    assert {text: list(vector) for text, vector in read.items()} == {
        "dog": [1, 0], "ran": [0, 1], "dog ran": [0.5, 0.5], "home": [0, 2], "ate": [3, 0],
    }  # fmt: skip
    # The trajectory (1, 0), (0, 1) goes on to (-1, 2), nearer to home.
    assert evaluate_vectors(cases, read).sentence_level.correct == 1
