"""Collected work in CSV and Parquet files, official ones too; rows that cannot be read."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from collect.collected import endings, write_endings

from denouement.collect.work import as_cases, read_work
from denouement.corpus.ingest import IngestSettings, ingest
from denouement.errors import UserError
from denouement.schemas import TABLES, read_table, stamp, write_table
from denouement.spreadsheets import write_csv

ALL = ("collected_stories", "collected_endings", "verifications")
OFFICIAL = (
    "InputStoryid,InputSentence1,InputSentence2,InputSentence3,InputSentence4,"
    "RandomFifthSentenceQuiz1,RandomFifthSentenceQuiz2,AnswerRightEnding\n"
)


def written(tmp_path, text: str, name: str = "work.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_stories_of_any_spelling_and_order_of_columns(tmp_path):
    text = (
        "Writer,Story ID,title,sentence1,sentence-2,Sentence_3,Minutes\n w1 ,s1,,A ran.,B ran.,, 2.5\n,s2,T,C.,D.,E.,\n"
    )
    kind, table = read_work(written(tmp_path, text), ALL)
    assert kind == "collected_stories"
    assert table.to_pylist() == [
        {
            "story_id": "s1",
            "title": None,
            "sentences": ["A ran.", "B ran."],
            "writer": "w1",
            "status": "approved",
            "remark": None,
            "minutes": 2.5,
        },
        {
            "story_id": "s2",
            "title": "T",
            "sentences": ["C.", "D.", "E."],
            "writer": None,
            "status": "approved",
            "remark": None,
            "minutes": None,
        },
    ]


@pytest.mark.parametrize("minutes", ["-1", "nan", "1e9", "2,5", "٢"])
def test_minutes_that_are_no_number_are_refused(tmp_path, minutes):
    path = written(tmp_path, f'story_id,sentence1,sentence2,minutes\ns1,A.,B.,"{minutes}"\n')
    with pytest.raises(UserError, match=r"line 2: minutes is .* a number from 0"):
        read_work(path, ALL)


@pytest.mark.parametrize("name", ["collected_endings", "filtered_cases"])
def test_tables_without_minutes_are_read(tmp_path, name):
    """As an export of the version before has them."""
    kind = TABLES[name]
    row = endings(1).to_pylist()[0] | {"outcome": "kept", "split": "test", "right_ending": 1}
    old = pa.Table.from_pylist([row], stamp(kind.earlier[1], name, 1))
    pq.write_table(old, tmp_path / "old.parquet")
    [found] = read_table(tmp_path / "old.parquet", name).to_pylist()
    assert found == {column: row.get(column) for column in kind.schema.names}
    assert found["minutes"] is None


def test_endings_are_the_same_from_csv_and_parquet(tmp_path):
    table = endings(4)
    write_table(table, tmp_path / "endings.parquet", "collected_endings")
    write_endings(tmp_path / "endings.csv", table, bom=True)
    for name in ("endings.parquet", "endings.csv"):
        assert read_work(tmp_path / name, ALL)[1].to_pylist() == table.to_pylist()


def test_a_minus_before_a_number_survives_a_spreadsheet(tmp_path):
    rows = [{"case_id": "c", "ending": "Wrong", "verifier": "v", "answer": "-1"}]
    write_csv(tmp_path / "answers.csv", list(rows[0]), rows)
    assert "'-1" in (tmp_path / "answers.csv").read_text()
    _, table = read_work(tmp_path / "answers.csv", ["verifications"])
    assert table.to_pylist() == [{**rows[0], "ending": "wrong"}]


def test_official_files_and_tables_are_read_as_work(tmp_path):
    written(tmp_path, f"{OFFICIAL}a,A.,B.,C.,D.,E.,F.,2\n", "cloze_val.csv")
    written(tmp_path, "storyid,storytitle,sentence1,sentence2\nb,T,A.,B.\n", "stories.csv")
    [row] = read_work(tmp_path / "cloze_val.csv", ALL)[1].to_pylist()
    assert (row["context"], row["right"], row["wrong"], row["writer"]) == (["A.", "B.", "C.", "D."], "F.", "E.", None)
    ingest([tmp_path / "cloze_val.csv", tmp_path / "stories.csv"], tmp_path, IngestSettings(release="v1.0"))
    assert read_work(tmp_path / "cloze.parquet", ALL)[1].to_pylist() == [row]
    kind, stories = read_work(tmp_path / "stories.parquet", ALL)
    assert (kind, stories["sentences"].to_pylist()) == ("collected_stories", [["A.", "B."]])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "its header is not that of stories"),
        ("case_id,ending,verifier,answer\n", "no rows"),
        ("case_id,ending,verifier,answer\nc,right,v\n", "line 2: 3 cells where the header has 4"),
        ("case_id,ending,verifier,answer\nc,left,v,1\n", "line 2: ending is 'left'"),
        ("case_id,ending,verifier,answer\nc,right,,1\n", "line 2: verifier is empty"),
        ("case_id,ending,verifier,answer\nc,right,v,1\nc,Right, v ,0\n", "line 3: c right v is already in line 2"),
        ("story_id,sentence1,sentence2,status\ns,A.,B.,good\n", "line 2: status is 'good'"),
        ("case_id,ending,verifier,answer,colour\nc,right,v,1,red\n", "its header is not"),
        (f"{OFFICIAL[: -len(',AnswerRightEnding') - 1]}\na,A.,B.,C.,D.,E.,F.\n", "do not say which ending is right"),
        ("", "empty"),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(tmp_path, text, words):
    with pytest.raises(UserError, match=words) as raised:
        read_work(written(tmp_path, text, "test_work.csv"), ALL)
    assert "\n" not in str(raised.value)
    assert "test_work.csv" in str(raised.value)


def test_another_kind_and_another_table_are_refused(tmp_path):
    write_table(endings(1), tmp_path / "e.parquet", "collected_endings")
    with pytest.raises(UserError, match="holds endings, not verifications"):
        read_work(tmp_path / "e.parquet", ["verifications"])
    ids = pa.Table.from_pylist([], TABLES["public_ids"].schema)
    write_table(ids, tmp_path / "i.parquet", "public_ids")
    with pytest.raises(UserError, match="a table 'public_ids', not stories"):
        read_work(tmp_path / "i.parquet", ALL)


def test_pairs_as_cases_alternate_sides():
    cases = as_cases(endings(3)).to_pylist()
    assert [case["right_ending"] for case in cases] == [1, 2, 1]
    for case, row in zip(cases, endings(3).to_pylist(), strict=True):
        assert case["endings"][case["right_ending"] - 1] == row["right"]
        assert case["endings"][2 - case["right_ending"]] == row["wrong"]
