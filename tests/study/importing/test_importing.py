"""Answers collected elsewhere: files as people have them, written out here."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from answer_files import GENERATED, RIGHT, assignment, csv_text, published, write
from votes_by_hand import votes

from denouement.errors import UserError
from denouement.schemas import TABLES, write_table
from denouement.study.importing import find_answers, import_answers, imported_text, mturk, recognise
from denouement.study.importing.published import COLUMNS
from denouement.study.results.preferences import study_results


def choices(path: Path, **options) -> list[str]:
    return import_answers([path], **options).tables["votes"]["choice"].to_pylist()


def test_there_are_27_fixed_columns():
    assert len(set(mturk.FIXED)) == len(mturk.FIXED) == 27


def test_a_batch(tmp_path):
    rows = [
        assignment(1, "A1WORKER", {"answer": "B", "reason": 'The key,\nof course: "on the desk".\n'}),
        assignment(2, "A2WORKER", {"answer": "both", "reason": "NA"}),
        assignment(3, "A3WORKER", {"answer": "neither"}, AssignmentStatus="Rejected", RejectionTime="y"),
        assignment(4, "A4WORKER", {"answer": "A"}, AssignmentStatus="Submitted", SubmitTime="yesterday"),
        assignment(5, "A5WORKER", {"answer": "A"}, Reject="Blank", AssignmentStatus="Submitted"),
        assignment(6, "A6WORKER", {"answer": ""}),
        assignment(1, "A1WORKER", {"answer": "B", "reason": "once more"}),
        assignment(8, "A2WORKER", {"answer": "A"}),
    ]
    found = import_answers([write(tmp_path / "any name.txt", "\ufeff" + csv_text(rows))], keep_ids=True)
    votes = found.tables["votes"].to_pylist()
    assert [(row["annotator_id"], row["choice"], row["status"]) for row in votes] == [
        ("A1WORKER", "people", "accepted"),
        ("A2WORKER", "both", "accepted"),
        ("A3WORKER", "neither", "rejected"),
        ("A4WORKER", "net", "accepted"),
        ("A5WORKER", "net", "rejected"),
    ]
    assert votes[0]["reason"] == 'The key,\nof course: "on the desk".'
    assert votes[1]["reason"] == "NA"
    assert votes[2]["reason"] is None
    assert votes[0]["started_at"] == datetime(2019, 3, 5, 16, 14, 2, tzinfo=UTC)
    assert (votes[0]["submitted_at"] - votes[0]["started_at"]).total_seconds() == 90
    assert votes[3]["submitted_at"] is None
    assert found.counts == {
        "rows": 8,
        "accepted": 3,
        "rejected": 2,
        "unusable": 1,
        "duplicate_rows": 1,
        "conflicts": 1,
        "answered_twice": 1,
        "unknown_times": 1,
    }
    # The first row's reason takes two lines more.
    assert found.rejects.to_pylist() == [{"file": "any name.txt", "line": 9, "reason": "no answer is given"}]
    (item,) = found.tables["items"].to_pylist()
    assert item["context"] == ["Tom lost his key.", "He looked for it.", "It was not at home.", "He went back to work."]
    assert dict(zip(item["systems"], item["endings"], strict=True)) == {"net": GENERATED, "people": RIGHT}
    assert "any name.txt line 9: no answer is given" in imported_text(found)
    assert study_results(found.tables["votes"], found.tables["items"]).answers == 3


@pytest.mark.parametrize(
    ("given", "choice"),
    [
        ({"choice": "Option A"}, "net"),
        ({"preference": "both A and B"}, "both"),
        ({"choice": "neither A nor B"}, "neither"),
        # boxes in several columns
        ({"A": "true", "B": "false", "both": "false"}, "net"),
        ({"choice.A": "false", "choice.B": "true", "choice.neither": "false"}, "people"),
        ({"choice.A": "true", "choice.B": "true"}, "both"),
        ({"optionA.on": "false", "optionB.on": "true"}, "people"),
        ({"choice": "A|B"}, "both"),
        # boxes of another question are not taken for the answer's
        ({"choice.A": "true", "grammar.B": "true"}, "net"),
        ({"answer": "B", "on": "true"}, "people"),
        # all in one JSON list
        ({"taskAnswers": json.dumps([{"choice": {"A": False, "B": True}, "reason": 'He, "of course".'}])}, "people"),
        ({"taskAnswers": json.dumps([{"choice": "neither", "why": None}])}, "neither"),
        ({"taskAnswers": json.dumps([{"both": {"on": True}, "A": {"on": False}}])}, "both"),
    ],
)
def test_forms_of_an_answer(given, choice, tmp_path):
    path = write(tmp_path / "batch.csv", csv_text([assignment(1, "A1", given)]))
    assert choices(path) == [choice]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (
            {"choice": "the second"},
            "the answer is 'the second', not A, B, both or neither; say what it means with --value the second=ANSWER",
        ),
        (
            {"choice": "None"},
            "the answer is 'None', which may be no answer or neither; say what it means with --value None=neither, or "
            "leave the row out",
        ),
        ({"A": "false", "B": "false"}, "no answer is given"),
        ({"taskAnswers": ""}, "no answer is given"),
        ({"A": "true", "neither": "true"}, "several answers at once: A, neither"),
        ({"taskAnswers": "[{"}, "Answer.taskAnswers is not JSON"),
        ({"taskAnswers": "[]"}, "Answer.taskAnswers is not a JSON list of one object"),
        ({"taskAnswers": '{"choice": "A"}'}, "Answer.taskAnswers is not a JSON list of one object"),
    ],
)
def test_what_is_no_answer_is_refused_with_its_line(given, problem, tmp_path):
    rows = [assignment(1, "A1", {"choice": "A"}), assignment(2, "A2", given)]
    found = import_answers([write(tmp_path / "batch.csv", csv_text(rows))])
    assert found.rejects.to_pylist() == [{"file": "batch.csv", "line": 3, "reason": problem}]


def test_worker_ids_are_hashed_alike_in_all_batches_of_an_import(tmp_path):
    other = assignment(2, "A1", {"answer": "A"}) | {"Input.storyid": "case-2", "Input.optionB": "He found it."}
    first = write(tmp_path / "1.csv", csv_text([assignment(1, "A1", {"answer": "A"})]))
    second = write(tmp_path / "2.csv", csv_text([other, assignment(1, "A1", {"answer": "A"})]))
    found = import_answers([first, second])
    ids = found.tables["votes"]["annotator_id"].to_pylist()
    assert len(ids) == 2
    assert len(set(ids)) == 1
    assert "A1" not in ids[0]
    assert found.counts["duplicate_rows"] == 1  # the same assignment in both files
    assert import_answers([second, first]).tables["votes"]["annotator_id"].to_pylist() == ids
    assert import_answers([first]).tables["votes"]["annotator_id"].to_pylist() != ids[:1]


def test_an_accepted_answer_is_kept_before_a_rejected_one_of_the_same_person(tmp_path):
    rows = [
        assignment(1, "A1", {"answer": "A"}, AssignmentStatus="Rejected"),
        assignment(2, "A1", {"answer": "B"}),
    ]
    found = import_answers([write(tmp_path / "b.csv", csv_text(rows))])
    assert [(row["choice"], row["status"]) for row in found.tables["votes"].to_pylist()] == [("people", "accepted")]


def test_sides_may_be_known_by_the_generated_ending_or_by_the_right_one(tmp_path):
    row = assignment(1, "A1", {"answer": "A"})
    for name in ("Input.system_a", "Input.system_b"):
        del row[name]
    path = tmp_path / "b.csv"
    assert choices(write(path, csv_text([row | {"Input.model1": "A"}])), systems=("net", "people")) == ["net"]
    assert choices(write(path, csv_text([row | {"Input.RightEnding": GENERATED}]))) == ["human_right"]
    assert choices(
        write(path, csv_text([row | {"Input.left": "x", "Input.right": "y"}])),
        columns={"system_a": "Input.left", "system_b": "right"},
    ) == ["x"]
    with pytest.raises(UserError, match=r"no Input column is known to hold system_a and system_b.*--column"):
        import_answers([write(path, csv_text([row]))])


def test_fields_of_other_names_are_named(tmp_path):
    given = {"better.A": "false", "better.B": "true", "q2": "Because.", "A": "true"}
    path = write(tmp_path / "b.csv", csv_text([assignment(1, "A1", given)]))
    found = import_answers([path], columns={"answer": "Answer.better", "reason": "q2"})
    assert found.tables["votes"].select(["choice", "reason"]).to_pylist() == [
        {"choice": "people", "reason": "Because."}
    ]


def test_the_same_item_with_its_sides_swapped_is_one_item(tmp_path):
    swapped = assignment(2, "A2", {"answer": "A"}) | {
        "Input.optionA": RIGHT,
        "Input.optionB": GENERATED,
        "Input.system_a": "people",
        "Input.system_b": "net",
    }
    found = import_answers([write(tmp_path / "b.csv", csv_text([assignment(1, "A1", {"answer": "B"}), swapped]))])
    assert found.tables["votes"]["choice"].to_pylist() == ["people", "people"]
    assert found.tables["items"].num_rows == 1


def test_sentences_in_columns_of_their_own_and_checks(tmp_path):
    row = assignment(1, "A1", {"answer": "A"}) | {"Input.expected": "B"}
    del row["Input.context"]
    row |= {f"Input.InputSentence{number}": f"Sentence {number}." for number in (2, 1, 10, 3)}
    found = import_answers([write(tmp_path / "b.csv", csv_text([row]))])
    (item,) = found.tables["items"].to_pylist()
    assert item["context"] == ["Sentence 1.", "Sentence 2.", "Sentence 3.", "Sentence 10."]
    assert (item["is_check"], item["expected"]) == (True, "people")
    checks = study_results(found.tables["votes"], found.tables["items"]).checks
    assert (checks.known, checks.failed) == (1, 1)


@pytest.mark.parametrize(
    ("told", "choice"),
    [("A", "net"), ("option b", "people"), ("people", "people"), ("both", "both"), ("neither", "neither")],
)
def test_a_check_asks_for_an_answer_or_a_system(told, choice, tmp_path):
    found = import_answers([write(tmp_path / "b.csv", csv_text([assignment(1, "A1", {"answer": "A"})]))])
    assert found.tables["items"]["expected"].to_pylist() == [None]
    row = assignment(1, "A1", {"answer": "A"}, **{"Input.gold": told})
    found = import_answers([write(tmp_path / "c.csv", csv_text([row]))])
    assert found.tables["items"]["expected"].to_pylist() == [choice]


def test_a_check_that_nobody_could_pass_is_rejected(tmp_path):
    rows = [
        assignment(1, "A1", {"answer": "A"}, **{"Input.expected": "see notes"}),
        assignment(2, "A2", {"answer": "A"}, **{"Input.expected": ""}),
    ]
    found = import_answers([write(tmp_path / "b.csv", csv_text(rows))])
    assert found.tables["votes"]["is_check"].to_pylist() == [False]
    assert found.rejects.to_pylist() == [
        {
            "file": "b.csv",
            "line": 2,
            "reason": "Input.expected is 'see notes', not A, B, both, neither, net or people; leave it empty where the "
            "item is no attention check",
        }
    ]


def test_a_system_called_as_an_answer_is_refused_by_name(tmp_path):
    message = "a system is called neither, which is an answer"
    row = assignment(1, "A1", {"answer": "A"}, **{"Input.system_a": "neither"})
    with pytest.raises(UserError, match=message):
        import_answers([write(tmp_path / "b.csv", csv_text([row]))])
    with pytest.raises(UserError, match="systems: a system is called both, which is an answer; give it another name"):
        import_answers([tmp_path / "b.csv"], systems=("both", "people"))
    own = votes({"i1": ("neither", "people", ["people"])})
    write_table(own, tmp_path / "own.parquet", "votes")
    with pytest.raises(UserError, match=f"own.parquet: {message}; give it another name"):
        import_answers([tmp_path / "own.parquet"])
    rows = [{name: "" if value is None else str(value) for name, value in row.items()} for row in own.to_pylist()]
    with pytest.raises(UserError, match=f"own.csv line 2: {message}"):
        import_answers([write(tmp_path / "own.csv", csv_text(rows))])


def test_the_published_layout(tmp_path):
    rows = [
        published("A", 'It is "happy".'),
        published("A", "NA", side="B"),
        published("both", ""),
        published("both", ""),
        published("neither", "Said twice."),
        published("neither", "Said twice."),
        published("maybe", "?"),
        published("A", "?", answer_correspondence="Human"),
        published("A", "?", RightEnding="Something else."),
        published("B", "?", model1="C"),
    ]
    for name, text in (
        ("renamed.txt", csv_text(rows, "\n")),
        ("crlf.csv", "\ufeff" + csv_text(rows)),
        ("tabs.csv", csv_text(rows).replace('","', '"\t"')),
    ):
        found = import_answers([write(tmp_path / name, text)], systems=("net", "people"))
        votes = found.tables["votes"]
        assert votes["choice"].to_pylist() == ["net", "people", "both", "both", "neither"]
        assert votes["reason"].to_pylist() == ['It is "happy".', "NA", None, None, "Said twice."]
        assert len(set(votes["annotator_id"].to_pylist())) == 5
        assert (found.counts["duplicate_rows"], found.counts["unusable"]) == (1, 4)
        assert found.rejects["line"].to_pylist() == [8, 9, 10, 11]
        assert found.rejects["reason"][0].as_py() == "answer is 'maybe', not A, B, both or neither"
        results = study_results(votes, found.tables["items"])
        assert (results.unnamed_answers, results.annotators) == (5, [])


def test_our_own_export_comes_back_as_it_was(tmp_path):
    table = votes(
        {"i1": ("a", "b", ["a", "b", "both"])}, reason="Because.", submitted_at=datetime(2026, 1, 31, tzinfo=UTC)
    )
    write_table(table, tmp_path / "anything.bin", "votes")
    found = import_answers([tmp_path / "anything.bin"])
    assert found.tables["votes"].equals(table)
    assert found.counts == {"rows": 3, "accepted": 3, "unusable": 0}
    rows = [{name: "" if value is None else str(value) for name, value in row.items()} for row in table.to_pylist()]
    as_csv = write(tmp_path / "votes.csv", csv_text([*rows, rows[0], rows[0] | {"answer": "B"}]))
    found = import_answers([as_csv])
    assert found.tables["votes"].equals(table)
    assert (found.counts["duplicate_rows"], found.counts["unusable"]) == (1, 1)
    both = import_answers([as_csv, tmp_path / "anything.bin"])
    assert both.tables["votes"].equals(table)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no file of answers"),
        (b"a,b\n1,2\n", "no file of answers"),
        (b"PK\x03\x04\0\0", "no file of answers"),
        (csv_text([published("A", "x")]).encode("utf-32"), "UTF-32 text; save the file as UTF-8"),
        (csv_text([published("A", "x")]).encode("utf-16")[:-3], "line 2 is not UTF-16"),
        (b"[1, 2]", "number 1 of its list is no JSON object"),
        (b'{"a": 1}', "no file of answers"),
        (b'{"a": 1}\n{"a": \n', "line 2 is not JSON"),
        (b"[" * 100_000, "line 1 is nested too deeply"),
        (b'{"a":' * 500 + b"1" + b"}" * 500, "JSON nested deeper than 100 levels"),
        (
            csv_text([published("A", "x" * 200_000)]).encode(),
            "row of line 2 has a cell of more than 131,072 characters",
        ),
        (
            (",".join(TABLES["ratings"].schema.names) + "\n").encode(),
            "a table 'ratings', not votes; `denouement study resu",
        ),
        (
            (",".join(TABLES["orders"].schema.names) + "\n").encode(),
            "a table 'orders', not votes; `denouement study resul",
        ),
        (csv_text([published("A", "caf\x81")]).encode("latin-1"), "line 2 is not UTF-8"),
        (csv_text([published("A", "x")]).encode() + b'"open', r"the row of line 3 is not CSV"),
        (csv_text([published("maybe", "x")]).encode(), "no usable answer in 1 rows: f.csv line 2: answer is 'maybe'"),
        ((",".join(COLUMNS) + "\n").encode(), "no usable answer in 0 rows"),
        (",".join(mturk.FIXED).encode(), "a batch without Answer columns"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line(content, message, tmp_path):
    path = tmp_path / "f.csv"
    path.write_bytes(content)
    with pytest.raises(UserError, match=message) as caught:
        import_answers([path])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("stories", "a table 'stories', not votes; name the votes.parquet"),
        ("items", "items and no answers; name the votes.parquet beside it too"),
    ],
)
def test_our_own_tables_without_votes_are_named(name, message, tmp_path):
    write_table(TABLES[name].schema.empty_table(), tmp_path / "t.parquet", name)
    with pytest.raises(UserError, match=message):
        import_answers([tmp_path / "t.parquet"])


@pytest.mark.parametrize(
    "time",
    ["Fri Dec 31 23:00:00 PST 9999", "Mon Jan 01 00:00:00 GMT 0000", "Tue Mar 99 08:14:02 PST 2019", "soon", "\x1b"],
)
def test_times_that_cannot_be_are_left_empty_and_counted(time, tmp_path):
    found = import_answers(
        [write(tmp_path / "b.csv", csv_text([assignment(1, "w", {"choice": "A"}, AcceptTime=time)]))]
    )
    assert found.tables["votes"]["started_at"].to_pylist() == [None]
    assert found.counts["unknown_times"] == 1


@pytest.mark.parametrize("time", ["9999-12-31T23:59:59-08:00", "0001-01-01T00:00:00+14:00", "soon"])
def test_times_of_an_export_that_cannot_be_are_refused(time, tmp_path):
    row = dict(
        zip(TABLES["votes"].earlier[1].names, ("s", "i", "c", "p", *"abAa", "why", "false", "accepted"), strict=False)
    )
    row |= {"started_at": time, "submitted_at": ""}
    with pytest.raises(UserError, match=r"started_at is '.*not a time such as"):
        import_answers([write(tmp_path / "votes.csv", csv_text([row]))])


def test_a_column_of_no_sentence_is_passed_over(tmp_path):
    strange = {f"Input.sentence{'9' * 5000}": "x", "Input.sentence\u0661": "x"}
    assert choices(write(tmp_path / "b.csv", csv_text([assignment(1, "w", {"choice": "A"}, **strange)]))) == ["net"]


@pytest.mark.parametrize(
    ("extra", "told"),
    [(["Answer.choice"], "Answer.choice"), (["workerid", "Input.optionA"], "WorkerId, Input.optionA")],
)
def test_columns_that_stand_twice_are_named(extra, told, tmp_path):
    header, row = csv_text([assignment(1, "w", {"choice": "A"})]).splitlines()
    more = "".join(f',"{name}"' for name in extra), ',"B"' * len(extra)
    path = write(tmp_path / "b.csv", f"{header}{more[0]}\r\n{row}{more[1]}\r\n")
    with pytest.raises(UserError, match=f"columns with the same name: {told}; rename"):
        import_answers([path])


@pytest.mark.parametrize("nested", ["[" * 50_000, '[{"a":' * 20_000, f'[{{"choice": {"9" * 5000}}}]'])
def test_json_that_cannot_be_read_is_refused_with_its_line(nested, tmp_path):
    rows = [assignment(1, "w", {"taskAnswers": nested}), assignment(2, "v", {"taskAnswers": '[{"choice": "A"}]'})]
    found = import_answers([write(tmp_path / "b.csv", csv_text(rows))])
    assert found.rejects["reason"].to_pylist() == ["Answer.taskAnswers is not JSON"]


def test_halves_of_characters_in_json_are_replaced(tmp_path):
    given = '[{"choice": "A", "reason": "\\ud83d\\ude42 \\ud800 \\udc00\\ud800!"}]'
    found = import_answers([write(tmp_path / "b.csv", csv_text([assignment(1, "w", {"taskAnswers": given})]))])
    assert found.tables["votes"]["reason"].to_pylist() == ["🙂 \ufffd \ufffd\ufffd!"]


def test_wrong_options_are_refused():
    with pytest.raises(UserError, match="no role left"):
        import_answers([], columns={"left": "x"})
    with pytest.raises(UserError, match="both are called net"):
        import_answers([], systems=("net", "net"))


def test_files_are_found_by_what_is_in_them(tmp_path):
    write(tmp_path / "notes.csv", "a,b\n")
    (tmp_path / "deep").mkdir()
    answers = write(tmp_path / "deep/answers", csv_text([published("A", "x")]))
    write(tmp_path / ".hidden.csv", csv_text([published("A", "x")]))
    assert find_answers(tmp_path) == [answers]
    assert recognise(tmp_path / "notes.csv") is None
    assert recognise(answers).kind == "published"


def test_rows_of_another_width_are_unusable(tmp_path):
    path = write(tmp_path / "p.csv", csv_text([published("A", "x")]) + "only,three,cells\r\n\r\n")
    found = import_answers([path])
    assert found.rejects["reason"].to_pylist() == ["3 cells where the header has 9"]


def test_tables_are_as_the_schema_says(tmp_path):
    found = import_answers([write(tmp_path / "p.csv", csv_text([published("A", "x"), published("B", "y", side="B")]))])
    for name, table in found.tables.items():
        write_table(table, tmp_path / f"{name}.parquet", name)
        assert table.schema.equals(TABLES[name].schema)
    assert pc.all(pc.equal(found.tables["votes"]["study"], "mori_2019")).as_py()
    assert isinstance(found.rejects, pa.Table)
