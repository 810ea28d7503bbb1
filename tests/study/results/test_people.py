"""Who took part, by their replies."""

import json

import pyarrow as pa
import pytest
from click.testing import CliRunner
from votes_by_hand import votes

from denouement.cli import main
from denouement.documents import read_document
from denouement.errors import UserError
from denouement.schemas import TABLES, write_table
from denouement.stages.study import StudyPaths, StudySettings, run
from denouement.study.importing import find_answers
from denouement.study.results.people import who_took_part
from denouement.study.results.preferences import StudyResults

REPLIES = [
    ("p0", "age", "number", "30"),
    ("p0", "speaks", "several", "English"),
    ("p0", "speaks", "several", "Thai"),
    ("p1", "age", "number", "41.5"),
    ("p1", "speaks", "several", "Thai"),
    ("p1", "remarks", "text", "fine"),
    ("p9", "age", "number", "99"),  # gave no answer
]
ANSWERS = {"i": ("mine", "human_right", ["mine", "both", "human_right"])}  # of p0, p1, p2


def replies(study="s"):
    names = ("annotator_id", "question", "type", "value")
    rows = [{"study": study, **dict(zip(names, row, strict=True))} for row in REPLIES]
    return pa.Table.from_pylist(rows, schema=TABLES["replies"].schema)


def test_only_people_whose_answers_count_are_counted():
    who = who_took_part(replies(), votes(ANSWERS))
    assert (who.people, who.without_replies, who.left_out) == (3, 1, 1)
    age, speaks, remarks = who.questions
    assert (age.people, age.median, age.least, age.greatest, age.options) == (2, 35.75, 30, 41.5, [])
    assert [(row.option, row.n, row.share) for row in speaks.options] == [("Thai", 2, 1.0), ("English", 1, 0.5)]
    assert (remarks.people, remarks.options, remarks.median) == (1, [], None)
    excluded = who_took_part(replies(), votes(ANSWERS, status="excluded"))
    assert (excluded.people, excluded.left_out, excluded.questions) == (0, 3, [])


def test_replies_of_another_study_are_refused():
    with pytest.raises(UserError, match="of the study other, of which there is no answer"):
        who_took_part(replies("other"), votes(ANSWERS))


def test_the_command_prints_and_writes_who_took_part(tmp_path):
    write_table(votes(ANSWERS), tmp_path / "votes.parquet", "votes")
    write_table(replies(), tmp_path / "replies.parquet", "replies")
    given = ["study", "results", str(tmp_path / "votes.parquet"), "--replies", str(tmp_path / "replies.parquet")]
    told = CliRunner().invoke(main, [*given, "--out", str(tmp_path / "out")])
    assert told.exit_code == 0, told.output
    assert "3 people, 1 of whom replied to nothing" in told.output
    assert "median 35.8, from 30 to 41.5" in told.output
    assert "Who took part" in (tmp_path / "out" / "results.html").read_text()
    kept = read_document(tmp_path / "out" / "results.json", StudyResults)
    assert kept.people == who_took_part(replies(), votes(ANSWERS))
    made_from = json.loads((tmp_path / "out" / "made_from.json").read_text())
    assert "replies" in made_from
    wrong = CliRunner().invoke(main, [*given[:3], "--replies", str(tmp_path / "votes.parquet")])
    assert wrong.exit_code == 2
    assert "is a table 'votes', not 'replies'" in wrong.output


def stage_of(folder):
    """What the stage makes of the exports below a folder."""
    return run(StudySettings(), StudyPaths(find_answers(folder), folder.parent / "out"))


def exported(folder, study="s"):
    """An export of the study, with its replies."""
    table = votes(ANSWERS)
    table = table.set_column(0, table.schema.field("study"), pa.array([study] * table.num_rows))
    write_table(table, folder / "votes.parquet", "votes")
    write_table(replies(study), folder / "replies.parquet", "replies")


def test_the_stage_reads_the_replies_of_each_export_once(tmp_path):
    for name in ("first", "again"):
        exported(tmp_path / "raw" / name)
    write_table(replies("elsewhere"), tmp_path / "raw" / "alone" / "replies.parquet", "replies")
    made = stage_of(tmp_path / "raw")
    assert made.results.people == who_took_part(replies(), votes(ANSWERS))
    assert not (tmp_path / "out" / "replies.parquet").exists()
    exported(tmp_path / "raw" / "another", "t")
    both = stage_of(tmp_path / "raw").results.people
    assert (both.people, both.without_replies, both.left_out) == (6, 2, 2)


def test_a_stage_without_replies_says_nothing_of_people(tmp_path):
    exported(tmp_path / "raw")
    (tmp_path / "raw" / "replies.parquet").unlink()
    assert stage_of(tmp_path / "raw").results.people is None
