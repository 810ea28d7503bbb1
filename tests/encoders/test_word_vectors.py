"""Text files of word vectors as they are published, and the packaged ones."""

import numpy as np
import pytest

from denouement.encoders.word_vectors import PackagedGlove, TextVectors
from denouement.errors import UserError


def write(path, content: bytes):
    path.write_bytes(content)
    return path


def test_only_the_words_asked_for_are_read_and_nothing_is_read_twice(tmp_path):
    path = write(tmp_path / "v.txt", b"the 1 2\ndog 3 4.5\nran -1 1e-2\n")
    words = TextVectors(path)
    words.learn(["dog", "cat"])
    assert words.dimension == 2
    assert words["dog"].tolist() == [3.0, 4.5]
    assert "the" not in words
    assert "cat" not in words
    path.unlink()
    words.learn(["cat", "dog"])  # both were asked for before: the file is not needed
    with pytest.raises(FileNotFoundError):
        words.learn(["the"])


def test_fasttext_header_and_blanks_at_the_ends_of_lines(tmp_path):
    words = TextVectors(write(tmp_path / "v.vec", b"2 3\nthe 1 2 3 \n</s> 4 5 6 \n"))
    words.learn(["2", "the", "</s>"])
    assert words.dimension == 3
    assert words["</s>"].tolist() == [4, 5, 6]
    assert "2" not in words


def test_words_with_blanks_odd_line_ends_and_repeated_words(tmp_path, capsys):
    content = "the 1 2\n. . . 3 4\nat home 5 6\nx\x85y 7 8\n. 9 10\nthe 11 12\nna\u2028ïve 13 14\n"
    words = TextVectors(write(tmp_path / "v.txt", content.encode()))
    words.learn(["the", ".", "at", "x\x85y", "na\u2028ïve"])
    assert words["."].tolist() == [9, 10]
    assert words["the"].tolist() == [1, 2]
    assert words["x\x85y"].tolist() == [7, 8]
    assert words["na\u2028ïve"].tolist() == [13, 14]
    assert "at" not in words
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"the 1 2\ndog 3\nhome 4 5\n", "line 2: 1 numbers instead of 2"),
        (b"the 1 2\nhome 4 5\nco", "line 3: 0 numbers instead of 2"),  # cut short
        (b"the 1 2\n\nhome 4 5\n", "line 2: 0 numbers instead of 2"),
        (b"the 1 2\ndog 3 x\n", "line 2: no number in the vector of 'dog'"),
        (b"the 1 2\ndog 3 nan\n", "line 2: no number in the vector of 'dog'"),
        (b"the 1 2\ndog 3 1e39\n", "line 2: no number in the vector of 'dog'"),  # infinite as float32
        (b"the 1 2\ndog 3 4 5\n", "line 2: 3 numbers instead of 2 in the vector of 'dog'"),
        (b"3 2\nthe 1 2\ndog 3 4\n", "line 1 announces 3 words, but 2 follow"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_damaged_file_is_refused(tmp_path, content, problem):
    words = TextVectors(write(tmp_path / "v.txt", content))
    with pytest.raises(UserError) as caught:
        words.learn(["dog", "home"])
    assert str(caught.value).startswith(f"{tmp_path / 'v.txt'}, {problem}; the file is damaged or cut short")


PACKED = (b"PK\x03\x04\x14\x00\x08", b"\x1f\x8b\x08\x00\x01 \x02 1", b"\x93NUMPY 1 2 x\n")
NONE = (b"", b"\n", b"just some words\n", b"word\n", b"the\t1\t2\n", b"the  1  2\n", b"the 1 nan\n", b"x " * 2**21)


@pytest.mark.parametrize("content", [*PACKED, *NONE, b"\x80\x02}q\x00.", "the 1 2\n".encode("utf-16")])
def test_what_is_no_file_of_vectors(tmp_path, content):
    with pytest.raises(UserError, match="line 1: no `word number"):
        TextVectors(write(tmp_path / "v.txt", content))


@pytest.mark.parametrize("after", [b"", b"the 1 2 3\n", b"the 1\n", b"the \x00\x00\x80\x3f\x00\x00\x80\x3f\n"])
@pytest.mark.parametrize("dimension", [b"2", b"9" * 30, b"9" * 5000])
def test_the_first_vector_has_the_dimension_that_the_header_says(tmp_path, dimension, after):
    with pytest.raises(UserError, match=r"line [12]: no `word number"):
        TextVectors(write(tmp_path / "v.vec", b"3 " + dimension + b"\n" + after))


def test_the_fingerprint_follows_the_content_not_the_place(tmp_path):
    first = TextVectors(write(tmp_path / "a.txt", b"the 1 2\ndog 3 4\n"))
    copy = TextVectors(write(tmp_path / "b.txt", b"the 1 2\ndog 3 4\n"))
    other = TextVectors(write(tmp_path / "c.txt", b"the 1 2\ndog 3 5\n"))
    assert first.fingerprint == copy.fingerprint != other.fingerprint


def test_packaged_glove():
    words = PackagedGlove()
    words.learn(["the", "The", "king", "queen", "cabbage", "null", "nan"])
    # the first line of the published glove.6B.50d.txt
    np.testing.assert_allclose(words["the"][:4], [0.418, 0.24968, -0.41242, 0.1217], atol=1e-6)
    assert "The" not in words
    assert "null" in words
    assert "nan" in words

    def cosine(a, b):
        return words[a] @ words[b] / np.linalg.norm(words[a]) / np.linalg.norm(words[b])

    assert cosine("king", "queen") > 0.7 > cosine("king", "cabbage") + 0.3
