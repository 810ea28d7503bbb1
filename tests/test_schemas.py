"""Tables are checked on each read and write, and written the same way twice."""

import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from denouement import schemas
from denouement.errors import UserError


def stories(*rows: dict[str, object]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=schemas.TABLES["stories"].schema)


def story(**changes: object) -> dict[str, object]:
    return {"story_id": "a", "title": None, "sentences": ["One.", "Two."], "source": "x", "split": "train", **changes}


def test_a_table_comes_back_as_it_was_written(tmp_path: Path) -> None:
    table = stories(story(), story(story_id="b", title="NA", sentences=["null", "nan", "Three."]))
    schemas.write_table(table, tmp_path / "deep" / "stories.parquet", "stories", {"note": "x"})
    again = schemas.read_table(tmp_path / "deep" / "stories.parquet", "stories")
    assert again.to_pylist() == table.to_pylist()
    assert again.schema.metadata[b"note"] == b"x"
    assert schemas.table_name(tmp_path / "deep" / "stories.parquet") == "stories"


@pytest.mark.parametrize("name", schemas.TABLES)
def test_every_table_survives_parquet_when_empty(name: str, tmp_path: Path) -> None:
    schemas.write_table(schemas.empty_table(name), tmp_path / "t.parquet", name)
    assert schemas.read_table(tmp_path / "t.parquet", name).schema.equals(schemas.TABLES[name].schema)


def test_written_twice_it_is_byte_identical(tmp_path: Path) -> None:
    digests = set()
    for metadata in ({"a": "1", "b": "2"}, {"b": "2", "a": "1"}):
        schemas.write_table(stories(story()), tmp_path / "t.parquet", "stories", metadata)
        digests.add(hashlib.sha256((tmp_path / "t.parquet").read_bytes()).hexdigest())
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([story(), story()], "1 rows repeat the story_id of another"),
        ([story(split="dev")], "column split holds dev"),
        ([story(sentences=["One."])], "fewer than two sentences"),
        ([story(source=None)], "column source is empty in 1 rows"),
    ],
)
def test_rows_that_break_a_rule_are_refused_both_ways(
    rows: list[dict[str, object]], message: str, tmp_path: Path
) -> None:
    table = stories(*rows)
    with pytest.raises(ValueError, match=message):
        schemas.write_table(table, tmp_path / "t.parquet", "stories")
    assert list(tmp_path.iterdir()) == []
    loose = pa.schema([column.with_nullable(True) for column in table.schema])
    metadata = schemas.stamp(table.schema, "stories", 1).metadata
    pq.write_table(pa.Table.from_pylist(rows, schema=loose).replace_schema_metadata(metadata), tmp_path / "t.parquet")
    with pytest.raises(UserError):
        schemas.read_table(tmp_path / "t.parquet", "stories")


def test_a_label_is_the_number_of_an_ending_or_absent(tmp_path: Path) -> None:
    case = {"context": ["x"], "endings": ["y", "z"], "language": "en", "release": "v1.0", "split": "test"}
    rows = [{**case, "case_id": str(label), "right_ending": label} for label in (1, 2, None)]
    schema = schemas.TABLES["cloze"].schema
    schemas.write_table(pa.Table.from_pylist(rows, schema=schema), tmp_path / "t.parquet", "cloze")
    rows[0]["right_ending"] = 3
    with pytest.raises(ValueError, match="right_ending is 3"):
        schemas.write_table(pa.Table.from_pylist(rows, schema=schema), tmp_path / "t.parquet", "cloze")


def test_bad_files_are_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    with pytest.raises(UserError, match="no such file"):
        schemas.read_table(path, "stories")
    with pytest.raises(UserError, match="a folder"):
        schemas.read_table(tmp_path, "stories")
    path.write_text("storyid,storytitle\n")
    with pytest.raises(UserError, match="not a Parquet file"):
        schemas.read_table(path, "stories")
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(UserError, match="no table of denouement"):
        schemas.read_table(path, "stories")
    schemas.write_table(stories(story()), path, "stories")
    with pytest.raises(UserError, match="a table 'stories', not 'cloze'"):
        schemas.read_table(path, "cloze")
    pq.write_table(stories(story()).replace_schema_metadata(schemas.stamp(pa.schema([]), "stories", 0).metadata), path)
    with pytest.raises(UserError, match="version 0"):
        schemas.read_table(path, "stories")


def test_a_truncated_or_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    schemas.write_table(stories(*(story(story_id=str(number)) for number in range(500))), path, "stories")
    whole = path.read_bytes()
    for cut in range(0, len(whole), max(1, len(whole) // 40)):
        path.write_bytes(whole[:cut])
        with pytest.raises(UserError) as caught:
            schemas.read_table(path, "stories")
        assert "\n" not in str(caught.value)


def test_the_preferred_release_is_the_papers_where_it_is_present() -> None:
    assert schemas.preferred_release({"sample", "v1.5", "v1.0"}) == "v1.0"
    assert schemas.preferred_release(["sample", "v1.5"]) == "v1.5"
    assert schemas.preferred_release([]) is None


def test_text_columns_may_be_of_either_size() -> None:
    assert schemas.is_text(pa.string())
    assert schemas.is_text(pa.large_string())
    assert not schemas.is_text(pa.binary())


def test_a_table_of_endings_of_the_version_before_is_read_as_one_of_today(tmp_path):
    kind = schemas.TABLES["endings"]
    row = {"case_id": "1", "system": "s", "ending": "He slept.", "log_prob": -2.0, "n_tokens": 4}
    old = pa.Table.from_pylist([row], schemas.stamp(kind.earlier[1], "endings", 1, {"decoding": "greedy"}))
    pq.write_table(old, tmp_path / "old.parquet")
    table = schemas.read_table(tmp_path / "old.parquet", "endings")
    assert (table.schema, table.to_pylist()) == (kind.schema, [{**dict.fromkeys(kind.schema.names), **row}])
    assert table.schema.metadata[b"decoding"] == b"greedy"
    without = {**dict.fromkeys(kind.schema.names), **row, "log_prob": None, "n_tokens": None}
    schemas.write_table(pa.Table.from_pylist([without], kind.schema), tmp_path / "new.parquet", "endings")
    assert schemas.read_table(tmp_path / "new.parquet", "endings").to_pylist() == [without]


@pytest.mark.parametrize("version", [0, schemas.TABLES["endings"].version + 1])
def test_no_other_version_is_read(tmp_path, version):
    kind = schemas.TABLES["endings"]
    schema = schemas.stamp(kind.schema, "endings", version)
    pq.write_table(schema.empty_table(), tmp_path / "t.parquet")
    with pytest.raises(UserError, match=f"version {version} of table 'endings', but {kind.version} is read here"):
        schemas.read_table(tmp_path / "t.parquet", "endings")


def written_as_version_1(path: Path, name: str, rows: list[dict[str, object]]) -> Path:
    """A table as it was written before its version 2."""
    schema = schemas.TABLES[name].earlier[1]
    table = pa.Table.from_pylist(rows, schema)
    pq.write_table(table.replace_schema_metadata(schemas.stamp(schema, name, 1, {"kept": "yes"}).metadata), path)
    return path


def test_cases_of_version_1_are_read_with_their_endings_as_a_list(tmp_path: Path) -> None:
    assert schemas.TABLES["cloze"].earlier[1].names == [
        *("case_id", "context", "ending_1", "ending_2", "right_ending", "release", "split")
    ]
    place = {"release": "v1.0", "split": "test"}
    rows = [
        {"case_id": "a", "context": ["x", "y"], "ending_1": "p", "ending_2": "q", "right_ending": 2, **place},
        {"case_id": "b", "context": ["z"], "ending_1": "r", "ending_2": "s", "right_ending": None, **place},
    ]
    read = schemas.read_table(written_as_version_1(tmp_path / "cloze.parquet", "cloze", rows), "cloze")
    assert read.schema.metadata[b"kept"] == b"yes"
    new = {"question": None, "language": "en"}
    assert read.to_pylist() == [
        {"case_id": "a", "context": ["x", "y"], "endings": ["p", "q"], "right_ending": 2, **new, **place},
        {"case_id": "b", "context": ["z"], "endings": ["r", "s"], "right_ending": None, **new, **place},
    ]
    schemas.write_table(read, tmp_path / "again.parquet", "cloze")
    assert schemas.read_table(tmp_path / "again.parquet", "cloze").to_pylist() == read.to_pylist()
    empty = schemas.read_table(written_as_version_1(tmp_path / "empty.parquet", "cloze", []), "cloze")
    assert (empty.num_rows, empty.schema.names) == (0, schemas.TABLES["cloze"].schema.names)


def test_scores_of_version_1_are_read_as_a_list(tmp_path: Path) -> None:
    row = {"system": "mine", "variant": "", "case_id": "a", "release": "v1.5", "split": "test"}
    path = written_as_version_1(tmp_path / "s.parquet", "scores", [{**row, "score_1": 0.5, "score_2": -1.0}])
    assert schemas.read_table(path, "scores").to_pylist() == [{**row, "language": "en", "scores": [0.5, -1.0]}]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"endings": ["y"]}, "fewer than two endings"),
        ({"endings": ["y", ""]}, "an empty ending"),
        ({"right_ending": 0}, "right_ending is 0 where there are 2 endings"),
        ({"endings": ["x", "y", "z"], "right_ending": 4}, "right_ending is 4 where there are 3 endings"),
        ({"release": "../up"}, "column release holds '../up'"),
        ({"language": "en us"}, "column language holds 'en us'"),
        ({"language": None}, "column language is empty"),
    ],
)
def test_cases_that_break_a_rule_are_refused(changes, problem, tmp_path: Path) -> None:
    case = {"case_id": "a", "context": ["x"], "endings": ["y", "z"], "right_ending": 1, "language": "en"}
    rows = [{**case, "release": "mine", "split": "test", **changes}]
    table = pa.Table.from_pylist(rows, schema=schemas.TABLES["cloze"].schema)
    with pytest.raises(ValueError, match=problem):
        schemas.write_table(table, tmp_path / "t.parquet", "cloze")


def test_a_case_in_two_languages_is_no_repetition(tmp_path: Path) -> None:
    case = {"case_id": "a", "context": ["x"], "endings": ["y", "z"], "release": "mine", "split": "test"}
    rows = [{**case, "language": language} for language in ("en", "es")]
    schema = schemas.TABLES["cloze"].schema
    schemas.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "t.parquet", "cloze")
    with pytest.raises(ValueError, match="1 rows repeat the case_id"):
        schemas.write_table(pa.Table.from_pylist([rows[0]] * 2, schema), tmp_path / "t.parquet", "cloze")


def test_releases_come_in_their_order_and_others_by_name() -> None:
    assert schemas.in_order(["swag", "sample", "copa", "v1.5"]) == ["v1.5", "sample", "copa", "swag"]
    assert schemas.preferred_release({"swag", "v1.0"}) == "v1.0"
    assert schemas.preferred_release([]) is None
