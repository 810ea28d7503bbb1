"""What people tick and mark beside their reasons."""

import pyarrow as pa
import pytest
from click.testing import CliRunner
from sklearn.metrics import cohen_kappa_score

from denouement.cli import main
from denouement.errors import UserError
from denouement.schemas import TABLES, write_table
from denouement.study.reasons.boxes import boxes_ticked
from denouement.study.reasons.elements import elements_summary, tag_reasons
from denouement.study.reasons.highlights import MarkedIn, MarkedWord, most_marked
from denouement.study.reasons.rules import read_rules
from denouement.study.reasons.sections import element_blocks

REASONS = [
    ("It makes sense.", "ours", ["logic"]),
    ("A makes no sense.", "theirs", ["emotion"]),
    ("She was happy.", "both", ["emotion", "logic"]),
    ("Tom went home.", "neither", []),
    ("It is logical.", "ours", None),  # no boxes were offered
    ("", "ours", ["emotion"]),  # boxes alone
]


@pytest.fixture(scope="module")
def votes(votes_of):
    table = votes_of(*[row[:2] for row in REASONS])
    elements = pa.array([row[2] for row in REASONS], TABLES["votes"].schema.field("elements").type)
    return table.set_column(
        table.schema.get_field_index("elements"), TABLES["votes"].schema.field("elements"), elements
    )


def test_boxes_beside_rules(votes):
    tags = tag_reasons(votes, read_rules())
    found = boxes_ticked(votes, tags)
    assert (found.answers, found.none, found.reasons) == (5, 1, 4)
    logic, emotion = found.elements  # nothing else is ticked
    assert (logic.element, logic.n, logic.share) == ("logic", 2, 0.4)
    assert (logic.ticked, logic.tagged, logic.both) == (2, 2, 1)  # a rule finds it in the first and the second
    assert (logic.precision, logic.recall, logic.f1) == (0.5, 0.5, 0.5)
    assert logic.kappa == pytest.approx(cohen_kappa_score([1, 0, 1, 0], [1, 1, 0, 0]))
    assert (emotion.n, emotion.ticked, emotion.tagged, emotion.both) == (3, 2, 1, 1)
    assert (emotion.precision, emotion.recall) == (1.0, 0.5)
    assert emotion.kappa == pytest.approx(0.5)  # agree in 3 of 4, by chance in 2 of 4
    summary = elements_summary(votes, tags, {})
    assert summary.boxes == found
    assert "Elements that people ticked themselves" in [getattr(each, "title", "") for each in element_blocks(summary)]


def test_a_reason_in_another_language_is_not_compared_with_the_rules(votes_of):
    table = votes_of(("It makes sense.", "ours"), ("話に合っているから。", "ours"))
    field = TABLES["votes"].schema.field("elements")
    boxes = pa.array([["logic"], ["logic"]], field.type)
    votes = table.set_column(table.schema.get_field_index("elements"), field, boxes)
    found = boxes_ticked(votes, tag_reasons(votes, read_rules()))
    assert (found.answers, found.reasons) == (2, 1)
    assert (found.elements[0].n, found.elements[0].ticked, found.elements[0].recall) == (2, 1, 1.0)


def test_without_boxes_there_is_no_table(votes_of):
    votes = votes_of(("It makes sense.", "ours"))
    assert elements_summary(votes, tag_reasons(votes, read_rules()), {}).boxes is None


def marks(*rows, **columns):
    common = {"study": "s", "case_id": "c", "sentence": 0, "end": 9, "is_check": False, "status": "accepted"}
    made = [
        {**common, "annotator_id": who, "item_id": item, "system": system, "start": place, "text": text, **columns}
        for place, (who, item, system, text) in enumerate(rows)
    ]
    return pa.Table.from_pylist(made, schema=TABLES["highlights"].schema)


MARKS = (
    ("Ann", "1", None, "The cake, the cake"),
    ("Ann", "1", "ours", "was HAPPY."),
    ("Ann", "1", "ours", "happy"),  # the same answer once more
    ("Bob", "1", "ours", "“happy” end!"),
    ("Bob", "2", "theirs", "the"),
)


def test_words_are_counted_once_an_answer():
    found = most_marked(marks(*MARKS), 10)
    assert found.answers == 3
    assert found.parts == [
        MarkedIn(None, 1, [MarkedWord("cake", 1)]),
        MarkedIn("ours", 2, [MarkedWord("happy", 2), MarkedWord("end", 1)]),
        MarkedIn("theirs", 1, []),
    ]
    assert most_marked(marks(*MARKS), 1).parts[1].words == [MarkedWord("happy", 2)]


@pytest.mark.parametrize("columns", [{"status": "excluded"}, {"is_check": True}])
def test_marks_of_answers_that_do_not_count_are_left_out(columns):
    with pytest.raises(UserError, match="none of the 5 marks is of an answer that counts"):
        most_marked(marks(*MARKS, **columns), 10)


def test_the_command(tmp_path):
    write_table(marks(*MARKS), tmp_path / "highlights.parquet", "highlights")
    told = CliRunner().invoke(main, ["reasons", "highlights", str(tmp_path / "highlights.parquet")])
    assert told.exit_code == 0, told.output
    assert "Of 3 answers with a marked word" in told.output
