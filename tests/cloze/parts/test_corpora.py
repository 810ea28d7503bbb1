from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from denouement.cloze.parts import corpora
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.errors import UserError


def test_text_is_a_document_a_line(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text("\ufeffTom ran. He fell!\n\n  \nAnn slept.\n", encoding="utf-8")
    assert list(corpora.read(path)) == [(["Tom ran.", "He fell!"], 1), (["Ann slept."], 1)]


def test_ngrams_come_with_their_counts(tmp_path: Path):
    path = tmp_path / "a.tsv"
    path.write_text("he ate cake\t120\nshe slept\t3\n")
    assert list(corpora.read(path)) == [(["he ate cake"], 120), (["she slept"], 3)]


@pytest.mark.parametrize(
    "column",
    [pa.array(["Tom ran. He fell.", None, "Ann slept."]), pa.array([["Tom ran.", "He fell."], [], ["Ann slept."]])],
)
def test_parquet_holds_texts_or_lists_of_sentences(column: pa.Array, tmp_path: Path):
    pq.write_table(pa.table({"number": [1, 2, 3], "text": column}), tmp_path / "a.parquet")
    assert list(corpora.read(tmp_path / "a.parquet")) == [(["Tom ran.", "He fell."], 1), (["Ann slept."], 1)]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"he ate cake 120\n", "line 1: an n-gram, a tab and a count"),
        ("a.tsv", b"a b\t3\nhe ate\tmany\n", "line 2"),
        ("a.txt", b"Tom \xff ran.\n", "not UTF-8"),
        ("a.parquet", b"Tom ran.\n", "not a Parquet file"),
    ],
)
def test_what_cannot_be_read_is_named(name: str, content: bytes, message: str, tmp_path: Path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=message):
        list(corpora.read(tmp_path / name))


def test_parquet_with_two_columns_of_text_is_not_guessed_at(tmp_path: Path):
    pq.write_table(pa.table({"title": ["A"], "text": ["Tom ran."]}), tmp_path / "a.parquet")
    with pytest.raises(UserError, match=r"2 columns of text \(title, text\)"):
        list(corpora.read(tmp_path / "a.parquet"))


def test_no_such_file(tmp_path: Path):
    with pytest.raises(UserError, match="no such file"):
        list(corpora.read(tmp_path / "a.txt"))


def test_texts_are_parsed_once_and_long_ones_cut(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(corpora, "_LONGEST", 2)
    monkeypatch.setattr(corpora, "_PIECE", 4)
    path = tmp_path / "a.txt"
    path.write_text("Tom ran. He fell. He cried.\nAnn slept.\nIt rained.\n")
    resources = Resources(corpora=[path], cache=tmp_path / "cache")
    found = [[" ".join(parse.words) for parse in each.sentences] for each in corpora.documents("corpora", resources)]
    assert found == [["Tom ran .", "He fell ."], ["He cried ."], ["Ann slept ."], ["It rained ."]]
    written = {each: each.stat().st_mtime_ns for each in (tmp_path / "cache").rglob("*.parquet")}
    assert len(written) == 2
    assert len(list(corpora.documents("corpora", resources))) == 4
    assert {each: each.stat().st_mtime_ns for each in written} == written


def test_nothing_to_count_in_says_how_to_give_it():
    with pytest.raises(MissingResourceError, match="give stories with --stories or texts with"):
        corpora.sources(Resources(), "frequency")
