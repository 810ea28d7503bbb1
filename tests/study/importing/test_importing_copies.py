"""Copies of one answer in several files: the same result in any order, each conflict counted and named."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pyarrow as pa
import pytest
from answer_files import assignment, csv_text, published, write
from click.testing import CliRunner
from votes_by_hand import votes

from denouement.cli import main
from denouement.errors import UserError
from denouement.schemas import TABLES, read_table, write_table
from denouement.spreadsheets import write_csv
from denouement.study.importing import import_answers, imported_text
from denouement.study.importing.copies import STRICTNESS, Copy, settle

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
ONE = Copy("1.csv", {"answer": "A"}, "accepted", "Because.", NOON, NOON)


def later(hours):
    return NOON + timedelta(hours=hours)


def chosen(*copies):
    """The place of the copy that counts, in every order, and the conflict."""
    found = set()
    for order in permutations(copies):
        best, conflict = settle(order, "case 1")
        found.add((order[best].place, conflict and (conflict.why, conflict.kept)))
    assert len(found) == 1
    return found.pop()


def test_equal_copies_are_no_conflict():
    assert settle([ONE, replace(ONE, place="2.csv")], "case 1") == (0, None)


def test_of_two_statuses_the_later_decision_counts_and_else_the_stricter():
    rejected = replace(ONE, place="2.csv", status="rejected", decided_at=later(1))
    approved = replace(ONE, decided_at=later(2))
    assert chosen(approved, rejected) == ("1.csv", ("decided later", "1.csv"))
    assert chosen(approved, replace(rejected, decided_at=later(3))) == ("2.csv", ("decided later", "2.csv"))
    for unknown in (replace(rejected, decided_at=None), replace(rejected, decided_at=later(2))):
        assert chosen(approved, unknown)[0] == "2.csv"
        assert chosen(approved, unknown)[1][0].startswith("the stricter status")


def test_strictness_orders_all_statuses():
    copies = [replace(ONE, place=status, status=status) for status in STRICTNESS]
    assert set(STRICTNESS) == set(TABLES["votes"].choices["status"])
    assert [chosen(*copies[: n + 1])[0] for n in range(1, 4)] == ["surplus", "excluded", "rejected"]


def test_of_two_answers_the_one_submitted_later_counts_or_none_does():
    other = replace(ONE, place="2.csv", content={"answer": "B"}, submitted_at=later(1), status="rejected")
    assert chosen(ONE, other) == ("2.csv", ("submitted later", "2.csv"))
    for time in (None, NOON):
        with pytest.raises(UserError, match=r"1.csv and 2.csv: differ in answer of one answer \(case 1\); no time"):
            settle([ONE, replace(other, submitted_at=time)], "case 1")


def test_of_two_reasons_the_later_or_the_longer_counts():
    none, longer = replace(ONE, place="2.csv", reason=None), replace(ONE, place="3.csv", reason="Because of it.")
    assert chosen(ONE, none) == ("1.csv", ("it has more", "1.csv"))
    assert chosen(ONE, none, longer) == ("3.csv", ("it has more", "3.csv"))
    assert chosen(longer, replace(ONE, submitted_at=later(1)))[0] == "1.csv"


def batch(path, rows, **changes):
    return write(path, csv_text([row | changes for row in rows]))


ROWS = [assignment(number, f"w{number}", {"answer": "AB"[number % 2]}) for number in range(4)]


def test_a_batch_before_and_after_its_rejections(tmp_path):
    early = batch(tmp_path / "early.csv", ROWS, AssignmentStatus="Submitted")
    late = write(
        tmp_path / "late.csv", csv_text([*(row | {"AssignmentStatus": "Rejected"} for row in ROWS[:3]), ROWS[3]])
    )
    tables = []
    for order in ([early, late], [late, early]):
        found = import_answers(order)
        assert (found.counts["rejected"], found.counts["accepted"]) == (3, 1)
        assert (found.counts["conflicts"], found.counts["duplicate_rows"]) == (3, 4)
        assert {conflict.kept for conflict in found.conflicts} == {f"late.csv line {line}" for line in (2, 3, 4)}
        assert {conflict.differs for conflict in found.conflicts} == {("status",)}
        assert "late.csv line 2 counts (the stricter status, since no time says which is later)" in imported_text(found)
        tables.append(found.tables)
    assert tables[0]["votes"].equals(tables[1]["votes"])
    assert tables[0]["items"].equals(tables[1]["items"])


def test_a_rejection_that_was_taken_back_counts_by_its_time(tmp_path):
    rejected = {"AssignmentStatus": "Rejected", "RejectionTime": "Wed Mar 06 08:00:00 PST 2019"}
    approved = {"AssignmentStatus": "Approved", "ApprovalTime": "Thu Mar 07 08:00:00 PST 2019"}
    waiting = batch(tmp_path / "1.csv", ROWS, AssignmentStatus="Submitted", ApprovalTime="")
    first = batch(tmp_path / "2.csv", ROWS, **rejected)
    second = batch(tmp_path / "3.csv", ROWS, **rejected | approved)
    for order in permutations([waiting, first, second]):
        assert import_answers(order).counts["accepted"] == 4
    for order in permutations([waiting, first]):
        assert import_answers(order).counts["rejected"] == 4
    marked = batch(tmp_path / "4.csv", ROWS, AssignmentStatus="Submitted", ApprovalTime="", Reject="Blank")
    assert import_answers([waiting, marked]).counts["rejected"] == 4


def test_one_assignment_with_two_answers_is_refused(tmp_path):
    first = batch(tmp_path / "1.csv", ROWS)
    second = batch(tmp_path / "2.csv", ROWS, **{"Answer.answer": "both"})
    for order in ([first, second], [second, first]):
        with pytest.raises(UserError, match=r"[12].csv line 2 and [12].csv line 2: differ in answer of one answer"):
            import_answers(order)
    item = batch(tmp_path / "3.csv", ROWS, **{"Input.optionA": "Another ending."})
    with pytest.raises(UserError, match="differ in item of one answer"):
        import_answers([first, item])


def test_of_two_assignments_of_a_person_to_an_item_the_earlier_accepted_one_counts(tmp_path):
    times = {"SubmitTime": "Tue Mar 05 09:00:00 PST 2019"}
    first = batch(tmp_path / "1.csv", [assignment(1, "w", {"answer": "A"})])
    second = batch(tmp_path / "2.csv", [assignment(2, "w", {"answer": "B"})], **times)
    for order in ([first, second], [second, first]):
        found = import_answers(order)
        assert found.tables["votes"]["choice"].to_pylist() == ["net"]
        assert (found.counts["answered_twice"], found.counts.get("conflicts")) == (1, None)


def exports(folder, *, excluded=(), **changes):
    """The votes and items of a study of two people and two items, with the people that are excluded."""
    table = votes({"i1": ("net", "people", ["net", "both"]), "i2": ("net", "people", ["people", "net"])}, **changes)
    rows = table.to_pylist()
    rows = [row | ({"status": "excluded"} if row["annotator_id"] in excluded else {}) for row in rows]
    items = [
        {
            "study": "s",
            "item_id": item_id,
            "case_id": f"case-{item_id}",
            "kind": "pair",
            "context": ["One.", "Two."],
            "systems": ["net", "people"],
            "endings": ["Three.", "Four."],
            "is_check": False,
            "is_training": False,
            "expected": None,
        }
        for item_id in ("i1", "i2")
    ]
    folder.mkdir()
    for name, its in (("votes", rows), ("items", items)):
        write_table(pa.Table.from_pylist(its, schema=TABLES[name].schema), folder / f"{name}.parquet", name)
    return folder / "votes.parquet", folder / "items.parquet"


def test_an_export_before_and_after_an_exclusion(tmp_path):
    before, after = exports(tmp_path / "e1")[0], exports(tmp_path / "e2", excluded=("p1",))[0]
    outputs = []
    for number, order in enumerate([(before, after), (after, before)]):
        out = tmp_path / f"{number}.parquet"
        done = CliRunner().invoke(main, ["study", "import", *map(str, order), "--out", str(out), "--json"])
        assert done.exit_code == 0, done.output
        document = json.loads(done.stdout)
        assert document["counts"]["excluded"] == document["counts"]["accepted"] == document["counts"]["conflicts"] == 2
        assert {each["kept"] for each in document["conflicts"]} == {"e2/votes.parquet"}
        assert document["files"] == {"e1/votes.parquet": "own", "e2/votes.parquet": "own"}
        outputs.append(out.read_bytes())
    assert outputs[0] == outputs[1]


def test_an_export_as_csv_may_hold_both_states(tmp_path):
    rows = [
        row
        for excluded in ((), ("p1",))
        for row in read_table(exports(tmp_path / f"{len(excluded)}", excluded=excluded)[0], "votes").to_pylist()
    ]
    texts = [{name: "" if value is None else str(value) for name, value in row.items()} for row in rows]
    for order in (texts, texts[::-1]):
        found = import_answers([write(tmp_path / "votes.csv", csv_text(order))])
        assert (found.counts["excluded"], found.counts["accepted"], found.counts["conflicts"]) == (2, 2, 2)


def test_ratings_of_one_answer_stay_together(tmp_path):
    common = {"study": "s", "case_id": "c", "system": "net", "reason": None, "elements": None, "is_check": False}
    times = {"started_at": None, "submitted_at": None}
    rows = [
        common | times | {"item_id": "i", "annotator_id": who, "question": question, "value": 3, "status": "accepted"}
        for who in ("p0", "p1")
        for question in ("quality", "grammar")
    ]
    excluded = [row | {"status": "excluded"} if row["annotator_id"] == "p1" else row for row in rows]
    for name, its in (("1", rows), ("2", excluded)):
        write_table(pa.Table.from_pylist(its, schema=TABLES["ratings"].schema), tmp_path / name, "ratings")
    for order in (("1", "2"), ("2", "1")):
        found = import_answers([tmp_path / name for name in order])
        assert found.tables["ratings"].to_pylist() == excluded
        assert (found.counts["excluded"], found.counts["accepted"], found.counts["conflicts"]) == (1, 1, 1)


def at(hour):
    return NOON + timedelta(hours=hour)


def answers(path, *given):
    """An export in which each person of `given` answered one item at an hour."""
    rows = [
        votes({f"i-{who}": ("net", "people", ["net"])}, annotator_id=who, submitted_at=at(hour)).to_pylist()[0]
        for who, hour in given
    ]
    write_table(pa.Table.from_pylist(rows, schema=TABLES["votes"].schema), path, "votes")
    return path


def test_who_withdrew_between_two_exports_is_left_out(tmp_path):
    before = answers(tmp_path / "1.parquet", ("ann", 1), ("bob", 2))
    after = answers(tmp_path / "2.parquet", ("ann", 1), ("cat", 3))
    for order in ([before, after], [after, before]):
        found = import_answers(order)
        assert sorted(found.tables["votes"]["annotator_id"].to_pylist()) == ["ann", "cat"]
        assert found.notes == [
            "study s: 1 annotators of 1.parquet are not in 2.parquet, which is later: they have withdrawn, and their "
            "answers are left out"
        ]


def test_who_only_came_later_or_to_another_store_is_kept(tmp_path):
    before = answers(tmp_path / "1.parquet", ("ann", 1))
    after = answers(tmp_path / "2.parquet", ("ann", 1), ("bob", 2))
    elsewhere = answers(tmp_path / "3.parquet", ("cat", 0), ("dan", 9))
    found = import_answers([before, after, elsewhere])
    assert sorted(found.tables["votes"]["annotator_id"].to_pylist()) == ["ann", "bob", "cat", "dan"]
    assert found.notes == []
    parts = [answers(tmp_path / f"{who}.parquet", ("ann", 5), (who, 1)) for who in ("bob", "cat")]
    found = import_answers(parts)
    assert found.counts["accepted"] == 3
    [note] = found.notes  # files are named in the order of their digests
    assert note.endswith("each lack annotators of the other; all count")
    assert "bob.parquet" in note
    assert "cat.parquet" in note


def test_studies_of_one_name_with_other_items_are_refused(tmp_path):
    mine, items = exports(tmp_path / "mine")
    rows = read_table(items, "items").to_pylist()
    rows[0]["endings"] = ["Three.", "Five."]
    write_table(pa.Table.from_pylist(rows, schema=TABLES["items"].schema), tmp_path / "other.parquet", "items")
    for order in ([items, tmp_path / "other.parquet"], [tmp_path / "other.parquet", items]):
        with pytest.raises(UserError, match=r"item i1 of study s differs in endings: these are two studies of"):
            import_answers([mine, *order])
    rows[0]["systems"] = ["net", "third"]
    write_table(pa.Table.from_pylist(rows, schema=TABLES["items"].schema), tmp_path / "third.parquet", "items")
    with pytest.raises(UserError, match=r"item i1 of study s: its answers compare .* two studies of one name"):
        import_answers([mine, tmp_path / "third.parquet"])


def test_answers_without_their_items_and_further_studies_are_said(tmp_path):
    mine, items = exports(tmp_path / "mine")
    write_table(read_table(items, "items").slice(0, 1), tmp_path / "part.parquet", "items")
    write_table(votes({"i": ("a", "b", ["a"])}, study="t"), tmp_path / "t.parquet", "votes")
    found = import_answers([mine, tmp_path / "part.parquet", tmp_path / "t.parquet"])
    assert found.notes == [
        "study s: 2 answers are to items that are in no table of items",
        "2 studies, kept apart: s (4 answers), t (1 answers)",
    ]


def test_ids_that_two_imports_hashed_are_said(tmp_path):
    for name, row in (("1", ROWS[0]), ("2", ROWS[0] | {"AssignmentId": "other", "Input.optionA": "Other."})):
        csv = write(tmp_path / f"{name}.csv", csv_text([row]))
        words = ["study", "import", str(csv), "--out", str(tmp_path / f"{name}.parquet")]
        assert CliRunner().invoke(main, words).exit_code == 0
    parts = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    assert import_answers(parts[:1]).notes == []
    found = import_answers(parts)
    assert found.notes == [
        "ids of annotators were hashed by different imports: a person in two of them counts as two; import the "
        "original files in one command"
    ]
    assert import_answers([tmp_path / "1.csv", tmp_path / "2.csv"]).notes == []


def test_one_file_under_two_names_counts_once(tmp_path):
    text = csv_text([published("A", ""), published("A", ""), published("B", "Because.")])
    paths = [write(tmp_path / name, text) for name in ("1.csv", "2.csv")]
    found = import_answers(paths)
    assert (found.counts["accepted"], found.counts["duplicate_rows"], found.counts.get("conflicts")) == (3, 3, None)
    assert import_answers([paths[0], paths[0]]).counts["rows"] == 3


def csv_of_votes(**elements):
    """A vote as CSV, of version 1 unless it has the column `elements`."""
    later = {"question": "better", "strength": "", **elements} if elements else {}
    row = {"study": "s", "item_id": "1", "case_id": "1", "annotator_id": "Ann", "position_a": "net", "position_b": "us"}
    row |= {"answer": "A", "choice": "net", "reason": "It fits.", "is_check": "false", "status": "accepted"}
    return csv_text([row | {"started_at": "", "submitted_at": ""} | later])


@pytest.mark.parametrize(
    ("cell", "kept"),
    [
        (None, None),
        ("", None),
        ("[]", []),
        ("logic common_sense", ["logic", "common_sense"]),
        ("['logic' 'emotion']", ["logic", "emotion"]),
        ('["logic", "emotion"]', ["logic", "emotion"]),
    ],
)
def test_votes_as_csv_with_and_without_boxes(tmp_path, cell, kept):
    text = csv_of_votes() if cell is None else csv_of_votes(elements=cell)
    [vote] = import_answers([write(tmp_path / "v.csv", text)]).tables["votes"].to_pylist()
    assert vote["elements"] == kept


def test_an_export_and_its_spreadsheet_in_one_folder_are_the_same_answers(tmp_path):
    table = votes({"i": ("net", "us", ["net", "us", "both"])}, reason="=fine")
    boxes = pa.array([["logic", "emotion"], [], None], table.schema.field("elements").type)  # none ticked; none shown
    table = table.set_column(table.schema.get_field_index("elements"), "elements", boxes)
    write_table(table, tmp_path / "votes.parquet", "votes")
    write_csv(tmp_path / "answers.csv", table.column_names, table.to_pylist())
    found = import_answers([tmp_path / "votes.parquet", tmp_path / "answers.csv"])
    assert found.counts.get("conflicts") is None
    assert found.tables["votes"]["elements"].to_pylist() == boxes.to_pylist()


def test_a_box_that_there_is_not_is_refused(tmp_path):
    path = write(tmp_path / "v.csv", csv_of_votes(elements="logic style"))
    with pytest.raises(UserError, match="line 2: elements has 'style', not logic, relevance,"):
        import_answers([path])


def test_of_an_answer_and_its_correction_the_later_one_counts(tmp_path):
    first = votes({"i": ("net", "us", ["net"])}, submitted_at=NOON)
    corrected = votes({"i": ("net", "us", ["both"])}, submitted_at=later(1))
    for name, table in (("one", first), ("two", corrected)):
        write_table(table, tmp_path / f"{name}.parquet", "votes")
    found = import_answers([tmp_path / "two.parquet", tmp_path / "one.parquet"])
    assert found.tables["votes"]["choice"].to_pylist() == ["both"]
