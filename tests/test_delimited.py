"""Rows of text files as they are written: quotes that quote nothing, and files that were put together."""

from pathlib import Path

import pytest

from denouement.analysis.columns import read_columns
from denouement.delimited import Header, header_of, rows_of
from denouement.errors import UserError


def read(path: Path, content: bytes) -> tuple[Header, list[list[str]]]:
    path.write_bytes(content)
    header = header_of(path, lambda names: "text" in names)
    assert header
    return header, [row.cells for row in rows_of(path, header)]


def test_quotes_of_a_file_with_tabs_are_text_where_they_quote_nothing(tmp_path: Path, capsys) -> None:
    content = b'id\ttext\n1\t"Stop," said Ann.\n2\t"Run!\n3\tGo!"\n'
    header, rows = read(tmp_path / "a.tsv", content)
    assert (header.delimiter, rows) == ("\t", [["1", '"Stop," said Ann.'], ["2", '"Run!'], ["3", 'Go!"']])
    assert "a.tsv: its quotes do not quote cells as CSV's do" in capsys.readouterr().err


def test_quotes_that_quote_are_none_of_the_text(tmp_path: Path, capsys) -> None:
    _, rows = read(tmp_path / "a.tsv", b'id\ttext\r\n1\t"Two\twords and\r\na ""quote""."\r\n2\tplain\r\n')
    assert rows == [["1", 'Two\twords and\r\na "quote".'], ["2", "plain"]]
    assert capsys.readouterr().err == ""


def test_a_file_with_commas_whose_quotes_are_wrong_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="line 2 is not CSV"):
        read(tmp_path / "a.csv", b'id,text\n1,"Stop!" said Ann.\n')


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_the_header_of_a_second_file_is_left_out_aloud(tmp_path: Path, delimiter: str, capsys) -> None:
    lines = ["id,text", "1,A.", "\ufeffid, text", "2,B.", "id,text", "text,id", "3,id"]
    _, rows = read(tmp_path / "a.csv", "\n".join(lines).replace(",", delimiter).encode())
    assert rows == [["1", "A."], ["2", "B."], ["text", "id"], ["3", "id"]]
    told = capsys.readouterr().err
    assert "line 3 repeats the header" in told
    assert "line 5 repeats the header" in told


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_a_wide_encoding_is_named(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(UserError, match=f"{encoding[:6].upper()} text; save the file as UTF-8"):
        read(tmp_path / "a.csv", "id,text\n1,A.\n".encode(encoding))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_with_a_byte_order_mark_is_read(tmp_path: Path, encoding: str) -> None:
    _, rows = read(tmp_path / "a.csv", "\ufeffid,text\n1,Zoë 🐈.\n".encode(encoding))
    assert rows == [["1", "Zoë 🐈."]]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_line_that_is_no_text_is_named_whatever_ends_lines(tmp_path: Path, end: str) -> None:
    with pytest.raises(UserError, match=r"line 3 is not UTF-8 \(byte 0xe9\)"):
        read(tmp_path / "a.csv", f"id,text{end}1,A.{end}2,\xe9{end}".encode("latin-1"))


def test_the_rows_below_a_header_of_several_lines_show_whether_quotes_quote(tmp_path: Path, capsys) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b'id\t"the\ntext"\n1\t"Two\twords"\n')
    header = header_of(path, lambda names: "the text" in names)
    assert header
    assert [row.cells for row in rows_of(path, header)] == [["1", "Two\twords"]]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("cells", "told"), [(["1"], "1 cell where"), (["1", "2", "3"], "3 cells where"), (["1", "2"], None)]
)
def test_a_row_of_another_width_is_said(cells: list[str], told: str | None) -> None:
    problem = Header(("id", "text"), ",").misfit(cells)
    assert problem == (told and f"{told} the header has 2")


def test_only_the_columns_that_are_missing_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,txet,group\n1,A.,x\n")
    with pytest.raises(UserError) as caught:
        read_columns(path, {"id": "id", "text": "text", "group": "group"}, {"id", "text", "group"})
    assert "the header has no column text=text (it has id, txet, group)" in str(caught.value)
