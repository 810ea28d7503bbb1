"""Any CSV, once its columns are named."""

import pytest
from answer_files import GENERATED, RIGHT, STORY, csv_text, write

from denouement.errors import UserError
from denouement.schemas import UNNAMED_ANNOTATOR
from denouement.study.importing import find_answers, import_answers

COLUMNS = {"answer": "Q1", "context": "Text", "ending_a": "L", "ending_b": "R", "reason": "Q2"}
VALUES = {"Ending 1": "A", "Ending 2": "B"}


def row(who, answer, **other):
    shown = {"Text": STORY, "L": GENERATED, "R": RIGHT, "model_a": "net", "model_b": "people"}
    return {"Rater": who, **shown, "Q1": answer, "Q2": "It fits.", "Timestamp": "2026-01-02T03:04:05+01:00", **other}


def test_a_table_of_a_form_is_read_by_the_columns_that_are_named(tmp_path):
    file = write(tmp_path / "form.csv", csv_text([row("ann", "Ending 1"), row("bob", "ending 2")]))
    found = import_answers([file], columns=COLUMNS, values=VALUES, keep_ids=True)
    votes = found.tables["votes"].to_pylist()
    assert [(vote["annotator_id"], vote["choice"], vote["reason"]) for vote in votes] == [
        ("ann", "net", "It fits."),
        ("bob", "people", "It fits."),
    ]
    assert votes[0]["submitted_at"].isoformat() == "2026-01-02T02:04:05+00:00"
    assert found.tables["items"].num_rows == 1
    assert not found.passed_over["form.csv"], "nobody's id is shown as an example"


def test_who_answered_may_be_named_or_not_known(tmp_path):
    rows = [{"Login": each.pop("Rater"), **each} for each in (row("ann", "A"), row("ann", "A"), row("bob", "B"))]
    file = write(tmp_path / "form.tsv", csv_text(rows))
    named = import_answers([file], columns=COLUMNS | {"annotator": "login"}, keep_ids=True)
    assert named.tables["votes"]["annotator_id"].to_pylist() == ["ann", "bob"]
    assert named.counts["duplicate_rows"] == 1
    unnamed = import_answers([file], columns=COLUMNS)
    assert unnamed.tables["votes"].num_rows == 3
    assert all(name.startswith(UNNAMED_ANNOTATOR) for name in unnamed.tables["votes"]["annotator_id"].to_pylist())
    assert any("--column annotator=COLUMN" in note for note in unnamed.notes)


def test_several_questions_a_row(tmp_path):
    more = {"L2": "He sang.", "R2": "He ran.", "Q_2": "B"}
    columns = COLUMNS | {"answer_2": "Q_2", "ending_a_2": "L2", "ending_b_2": "R2"}
    columns["answer_1"], columns["ending_a_1"], columns["ending_b_1"] = (
        columns.pop(name) for name in ("answer", "ending_a", "ending_b")
    )
    columns["reason_1"] = columns.pop("reason")
    file = write(tmp_path / "form.csv", csv_text([row("ann", "A", **more)]))
    found = import_answers([file], columns=columns)
    assert found.tables["votes"]["choice"].to_pylist() == ["net", "people"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({}, "name the columns of another CSV file"),
        ({"answer": "nothing"}, "name the columns of another CSV file"),
        ({"answer": "Q1"}, "no column is known to hold ending_a, ending_b, context"),
        (COLUMNS | {"annotator": "nobody"}, "no column nobody for annotator"),
        (COLUMNS | {"system_a": "nothing"}, "no column nothing for system_a"),
    ],
)
def test_what_is_missing_is_one_line(tmp_path, columns, message):
    file = write(tmp_path / "form.csv", csv_text([row("ann", "A")]))
    with pytest.raises(UserError, match=message) as told:
        import_answers([file], columns=columns)
    assert "\n" not in str(told.value)
    assert find_answers(tmp_path) == [], "no folder's table is taken for answers by itself"
