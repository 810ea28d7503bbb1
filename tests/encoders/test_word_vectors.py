"""Text files of word vectors as they are published, and the packaged ones."""

import numpy as np
import pytest

from denouement.encoders.word_vectors import PackagedGlove, TextVectors, treebank_tokens
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


def test_damaged_lines_are_counted(tmp_path, capsys):
    path = write(tmp_path / "v.txt", b"the 1 2\ndog 3\ncat 3 x\nran nan 1\n\xff\xfe 1 2\nhome 4 5\ncow 6")
    words = TextVectors(path)
    words.learn(["dog", "cat", "ran", "home", "cow"])
    assert words["home"].tolist() == [4, 5]
    assert not {"dog", "cat", "ran", "cow"} & {word for word in ("dog", "cat", "ran", "cow") if word in words}
    assert capsys.readouterr().err == f"warning: {path}: 4 damaged lines passed over, the first is line 2\n"


@pytest.mark.parametrize("content", [b"", b"\n", b"just some words\n", b"word\n", b"\x80\x02}q\x00."])
def test_what_is_no_file_of_vectors(tmp_path, content):
    with pytest.raises(UserError, match="line 1: no `word number"):
        TextVectors(write(tmp_path / "v.txt", content))


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


def test_tokens_are_those_of_the_penn_treebank():
    assert treebank_tokens("\"I can't,\" said Ann's dog.") == (
        *("``", "I", "ca", "n't", ",", "''", "said", "Ann", "'s", "dog", "."),
    )
