"""Exports of Label Studio, Argilla and Potato, and Prolific's participants, in the layouts of these tools."""

import json
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path

import pytest
from answer_files import GENERATED, RIGHT, STORY, assignment, csv_text, write
from click.testing import CliRunner
from crowd import design, pairs, ready

from denouement.cli import main
from denouement.errors import UserError
from denouement.schemas import read_table
from denouement.study.design.entry import Entry
from denouement.study.importing import find_answers, import_answers, imported_text, recognise
from denouement.study.store import open_store
from denouement.study.store.export import export

DATA = {"story": STORY, "answer1": GENERATED, "answer2": RIGHT, "system_a": "net", "system_b": "people"}


def dump(path: Path, told) -> Path:
    return write(path, json.dumps(told))


def lines(path: Path, told) -> Path:
    return write(path, "".join(json.dumps(each) + "\n" for each in told))


def rows(found, *columns):
    return [tuple(row.values()) for row in found.tables["votes"].select(columns).to_pylist()]


# Label Studio: a task holds annotations, an annotation results.


def annotation(number, selected="left", reason="It fits.", by=7, **other):
    results = [
        {
            "id": "a",
            "from_name": "comparison",
            "to_name": "answer1,answer2",
            "type": "pairwise",
            "value": {"selected": selected},
        },
        {"id": "b", "from_name": "reason", "to_name": "prompt", "type": "textarea", "value": {"text": [reason]}},
    ]
    return {
        "id": number,
        "completed_by": by,
        "result": results,
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": "2026-01-31T12:00:00.000000Z",
        "updated_at": "2026-01-31T13:00:00.000000Z",
        "lead_time": 90.5,
        "task": 1,
        **other,
    }


def task(*annotations, number=1, **data):
    return {"id": number, "data": DATA | data, "annotations": list(annotations), "predictions": [], "project": 3}


def test_label_studio(tmp_path):
    by = {"id": 9, "email": "b@example.org", "first_name": "", "last_name": ""}
    tasks = [
        task(annotation(1), annotation(2, "right", by=by), annotation(3, by=8, was_cancelled=True)),
        task(annotation(4, "left", reason="\ud83d"), number=2, answer1="He sang."),
    ]
    found = import_answers([dump(tmp_path / "project-3.json", tasks)], keep_ids=True)
    assert found.kinds == {"project-3.json": "label_studio"}
    assert rows(found, "study", "case_id", "annotator_id", "choice", "reason", "status") == [
        ("label_studio", "1", "7", "net", "It fits.", "accepted"),
        ("label_studio", "1", "b@example.org", "people", "It fits.", "accepted"),
        ("label_studio", "2", "7", "net", "\ufffd", "accepted"),
    ]
    vote = found.tables["votes"].to_pylist()[0]
    assert vote["submitted_at"] == datetime(2026, 1, 31, 13, tzinfo=UTC)
    assert (vote["submitted_at"] - vote["started_at"]).total_seconds() == 90.5
    assert found.rejects["reason"].to_pylist() == ["the annotator skipped the task (was_cancelled)"]
    assert found.passed_over == {"project-3.json": {}}
    item = found.tables["items"].to_pylist()[0]
    assert (len(item["context"]), item["endings"]) == (4, [GENERATED, RIGHT])


def test_label_studio_revisions_count_by_their_time(tmp_path):
    first = dump(tmp_path / "1.json", [task(annotation(1, "left"))])
    second = dump(tmp_path / "2.json", [task(annotation(1, "right", updated_at="2026-02-01T13:00:00Z"))])
    for order in ([first, second], [second, first]):
        found = import_answers(order)
        assert rows(found, "choice") == [("people",)]
        assert found.conflicts[0].why == "submitted later"
    undated = dump(tmp_path / "3.json", [task(annotation(1, "right"))])
    with pytest.raises(UserError, match="differ in answer of one answer"):
        import_answers([first, undated])


def test_label_studio_choices_and_ground_truth(tmp_path):
    def chose(text):
        return [{"from_name": "verdict", "to_name": "x", "type": "choices", "value": {"choices": [text]}}]

    tasks = [
        task(annotation(1, result=chose("Equally good")), annotation(2, by=8, result=chose("A"), ground_truth=True)),
        task(annotation(3, result=chose("B")), number=2, answer1="He sang."),
    ]
    found = import_answers([dump(tmp_path / "p.json", tasks)], values={"equally good": "both"})
    assert rows(found, "choice", "is_check") == [("both", True), ("people", False)]
    assert found.tables["items"]["expected"].to_pylist() == ["net", None]
    assert "answer = verdict (guessed from its values)" in imported_text(found)
    assert "right answers that are given (nobody's vote): 1" in imported_text(found)


def test_two_ground_truths_of_one_item_are_refused(tmp_path):
    told = [annotation(1), annotation(2, ground_truth=True), annotation(3, "right", ground_truth=True)]
    with pytest.raises(UserError, match=r"the right answer to one item \(case 1\) is net and people; correct one"):
        import_answers([dump(tmp_path / "p.json", [task(*told)])])


def test_a_ground_truth_of_one_download_is_no_vote_of_another(tmp_path):
    """The annotation of user 8 was marked after the first download, and user 9's item is in a file of its own."""
    before = dump(tmp_path / "1.json", [task(annotation(1, "right"), annotation(2, by=8))])
    after = dump(tmp_path / "2.json", [task(annotation(1, "right"), annotation(2, by=8, ground_truth=True))])
    other = dump(tmp_path / "3.json", [task(annotation(3, by=9))])
    for order in permutations([before, after, other]):
        found = import_answers(order, keep_ids=True)
        votes = sorted(rows(found, "annotator_id", "choice", "is_check"))
        assert votes == [("7", "people", True), ("9", "net", True)]
        assert found.tables["items"]["expected"].to_pylist() == ["net"]
        assert (found.counts["rows"], found.counts["truths"], found.counts["duplicate_rows"]) == (5, 2, 1)


def test_ground_truths_of_two_files_must_be_the_same(tmp_path):
    one = dump(tmp_path / "1.json", [task(annotation(1), annotation(2, ground_truth=True))])
    other = dump(tmp_path / "2.json", [task(annotation(3, "right", ground_truth=True))])
    with pytest.raises(UserError, match=r"1\.json line 1 and .*2\.json line 1: the right answer .* is net and people"):
        import_answers([one, other])


def test_a_ground_truth_must_be_what_the_data_expect(tmp_path):
    told = task(annotation(1), annotation(2, "right", ground_truth=True), expected="A")
    with pytest.raises(UserError, match="the right answer to one item"):
        import_answers([dump(tmp_path / "p.json", [told])])


def test_the_line_at_which_json_breaks_off_is_named(tmp_path):
    whole = json.dumps([task(annotation(1))], indent=1)
    kept = whole.splitlines()[:7]
    with pytest.raises(UserError, match=r"p\.json: line 7 is not JSON \(.+\); export the file again"):
        import_answers([write(tmp_path / "p.json", "\n".join(kept))])


def test_label_studio_without_what_is_needed_is_one_line(tmp_path):
    short = {name: text for name, text in DATA.items() if not name.startswith("system")}
    tasks = [{"id": 1, "data": short, "annotations": [annotation(1)]}]
    with pytest.raises(UserError, match=r"no field of data is known to hold system_a and system_b .*--column"):
        import_answers([dump(tmp_path / "p.json", tasks)])
    flat = [
        DATA | {"id": 1, "annotation_id": 2, "annotator": 7, "lead_time": 3.0, "comparison": [{"selected": "left"}]}
    ]
    with pytest.raises(UserError, match=r"JSON-MIN does not separate what was shown .*; export it as JSON"):
        import_answers([dump(tmp_path / "min.json", flat)])
    with pytest.raises(UserError, match="no usable answer in 0 rows"):
        import_answers([dump(tmp_path / "none.json", [task()])])


# Argilla: a record holds by question a list of responses.


def record(number, responses, **fields):
    return {
        "id": str(number),
        "fields": {"story": STORY, "ending_a": GENERATED, "ending_b": RIGHT} | fields,
        "metadata": {"model_a": "net", "model_b": "people", "seed": 3},
        "suggestions": {"preference": {"value": "A", "score": None, "agent": "m"}},
        "responses": responses,
        "vectors": {},
        "_server_id": "x",
    }


def said(value, user, **other):
    return {"value": value, "user_id": user, **other}


def test_argilla(tmp_path):
    records = [
        record(
            1,
            {
                "preference": [said("B", "u1"), said("A", "u2"), said("A", "u3", status="draft")],
                "why": [said("It fits.", "u1")],
                "quality": [said(4, "u1")],
            },
        ),
        record(2, {"preference": [said(["A", "B"], "u1")]}, ending_a="He sang."),
    ]
    path = dump(tmp_path / "records.json", records)
    found = import_answers([path], keep_ids=True)
    assert rows(found, "study", "case_id", "annotator_id", "choice", "reason") == [
        ("argilla", "1", "u1", "people", "It fits."),
        ("argilla", "1", "u2", "net", None),
        ("argilla", "2", "u1", "both", None),
    ]
    assert found.rejects["reason"].to_pylist() == ["a draft that was not submitted"]
    assert found.passed_over["records.json"] == {"seed": "3", "quality": "4"}
    again = record(1, {"preference": [said("B", "u1"), said("A", "u2")], "why": [said("It fits well.", "u1")]})
    other = dump(tmp_path / "again.json", [again])
    for order in ([path, other], [other, path]):
        found = import_answers(order, keep_ids=True)
        assert found.tables["votes"].filter(found.tables["votes"]["case_id"].to_numpy() == "1")[
            "reason"
        ].to_pylist() in (
            ["It fits well.", None],
            [None, "It fits well."],
        )
        assert found.counts["conflicts"] == 1


def test_argilla_without_what_is_needed_is_one_line(tmp_path):
    bare = [{"fields": {}, "responses": {"preference": [said("A", "u")]}}]
    with pytest.raises(UserError, match=r"is known to hold ending_a, ending_b, context, .*there are none"):
        import_answers([dump(tmp_path / "a.json", bare)])
    flat = [{"id": "1", "story": STORY, "preference.responses": ["A"], "preference.responses.users": ["u"]}]
    with pytest.raises(UserError, match=r"flattened; write them with dataset.records.to_json"):
        import_answers([dump(tmp_path / "b.json", flat)])


# Potato: the annotations, and the texts in the project's data file.

TEXTS = [
    {"id": "i1", "context": STORY, "text": [GENERATED, RIGHT], "system_a": "net", "system_b": "people"},
    {"id": "i2", "context": STORY, "text": ["He sang.", RIGHT], "system_a": "net", "system_b": "people"},
]
WHY = json.dumps({"reasons": ["accuracy"], "rationale": "It fits."})


def test_potato_annotations_with_their_texts(tmp_path):
    data = lines(tmp_path / "data.jsonl", TEXTS)
    told = [
        {"instance_id": "i1", "user_id": "ann", "labels": {"pref": {"selection": "B", "justification": WHY}}},
        {"instance_id": "i2", "user_id": "ann", "labels": {"pref": {"selection": "tie"}}},
        {"instance_id": "i1", "user_id": "bob", "labels": {}},
        {"instance_id": "i9", "user_id": "bob", "labels": {"pref": {"selection": "A"}}},
    ]
    annotations = lines(tmp_path / "annotations.jsonl", [each | {"spans": {}, "links": {}} for each in told])
    for order in ([annotations, data], [data, annotations]):
        found = import_answers(order, keep_ids=True, values={"tie": "neither"})
        assert rows(found, "study", "case_id", "annotator_id", "choice", "reason") == [
            ("potato", "i1", "ann", "people", "It fits."),
            ("potato", "i2", "ann", "neither", None),
        ]
        assert found.rejects["reason"].to_pylist() == [
            "instance i1 was opened and not answered",
            "instance i9 is in no data file",
        ]
    with pytest.raises(UserError, match="Potato's annotations have no stories and endings; name the project's data"):
        import_answers([annotations])
    with pytest.raises(UserError, match="texts and no answers"):
        import_answers([data])


def test_other_layouts_of_potato(tmp_path):
    data = dump(tmp_path / "data.json", TEXTS)
    state = {
        "user_id": "cat",
        "instance_id_ordering": ["i1", "i2"],
        "instance_id_to_label_to_value": {
            "i1": [[{"schema": "pref", "name": "A"}, "A"], [{"schema": "why", "name": "text_box"}, "So."]],
            "i2": {"pref": {"labels": {"B": True}}},
        },
    }
    (tmp_path / "dan").mkdir()
    old = lines(
        tmp_path / "dan" / "annotated_instances.jsonl",
        [{"id": "i1", "displayed_text": "x", "label_annotations": {"pref": {"B": "true"}}, "behavioral_data": {}}],
    )
    found = import_answers([dump(tmp_path / "user_state.json", state), data, old], keep_ids=True)
    assert sorted(rows(found, "annotator_id", "case_id", "choice")) == [
        ("cat", "i1", "net"),
        ("cat", "i2", "people"),
        ("dan", "i1", "people"),
    ]
    assert "So." in found.tables["votes"]["reason"].to_pylist()
    assert found.notes == [
        "annotated_instances.jsonl: names no annotator; all answers count as those of dan, its folder's name"
    ]


def test_potato_answers_that_changed_are_refused_since_no_time_says_which_is_the_last(tmp_path):
    data = lines(tmp_path / "data.jsonl", TEXTS)
    files = [
        lines(
            tmp_path / f"{choice}.jsonl",
            [{"instance_id": "i1", "user_id": "ann", "labels": {"pref": {"selection": choice}}}],
        )
        for choice in "AB"
    ]
    with pytest.raises(UserError, match=r"differ in answer of one answer \(case i1\); no time says"):
        import_answers([*files, data])


def test_what_goes_with_answers_is_found_beside_them_alone(tmp_path):
    data = lines(tmp_path / "data.jsonl", TEXTS)
    people = write(tmp_path / "prolific.csv", csv_text([submission("p1")]))
    write(tmp_path / "broken.json", '{"a":')
    assert (recognise(data).kind, recognise(people).kind) == ("potato_data", "prolific")
    assert find_answers(tmp_path) == []
    told = {"instance_id": "i1", "user_id": "ann", "labels": {"pref": {"selection": "B"}}}
    answers = lines(tmp_path / "annotations.jsonl", [told])
    assert find_answers(tmp_path) == [answers, data, people]


# Prolific: a row a submission.


def submission(participant, status="APPROVED", number=1, **other):
    return {
        "Submission id": f"s-{participant}-{number}",
        "Participant id": participant,
        "Status": status,
        "Custom study tncs accepted at": "Not Applicable",
        "Started at": "2026-01-01T10:00:00.000000Z",
        "Completed at": "2026-01-01T10:05:00.000000Z",
        "Reviewed at": "",
        "Archived at": "",
        "Time taken": "300",
        "Completion code": "SECRET",
        "Total approvals": "12",
        "Age": "33",
        "Sex": "Female",
    } | other


def answered(tmp_path, *workers):
    return write(
        tmp_path / "batch.csv",
        csv_text([assignment(number, worker, {"answer": "A"}) for number, worker in enumerate(workers)]),
    )


def statuses(found):
    return dict(rows(found, "annotator_id", "status"))


def test_prolific_statuses_and_what_is_printed_of_people(tmp_path):
    told = ["APPROVED", "AWAITING REVIEW", "REJECTED", "RETURNED", "TIMED-OUT", "screened_out", "ODD"]
    path = answered(tmp_path, *(f"p{place}" for place in range(8)))
    people = [submission(f"p{place}", status) for place, status in enumerate(told)]
    listed = write(tmp_path / "prolific.csv", csv_text([*people, submission("stranger"), submission("", "APPROVED")]))
    for order in ([path, listed], [listed, path]):
        found = import_answers(order, keep_ids=True)
        expected = ["accepted", "accepted", "rejected", "excluded", "excluded", "excluded", "accepted", "accepted"]
        assert statuses(found) == {f"p{place}": status for place, status in enumerate(expected)}
        assert found.notes == [
            "Prolific: 7 of 8 participants are among the 8 annotators; 1 annotators are no participants",
            "Prolific: 1 accepted answers are rejected now, since their submission is REJECTED",
            "Prolific: 1 accepted answers are excluded now, since their submission is RETURNED",
            "Prolific: 1 accepted answers are excluded now, since their submission is SCREENED OUT",
            "Prolific: 1 accepted answers are excluded now, since their submission is TIMED-OUT",
            "Prolific: unknown status ODD: the answers of these people count",
        ]
        assert found.rejects["reason"].to_pylist() == ["empty: Participant id or Status"]
        table = found.tables["participants"]
        mine = {row["question"]: row["value"] for row in table.to_pylist() if row["annotator_id"] == "p0"}
        assert (mine["Age"], mine["Status"], mine["Time taken"]) == ("33", "APPROVED", "300")
        assert not {"Submission id", "Participant id", "Completion code"} & set(mine)
        assert "SECRET" not in table["value"].to_pylist()


def test_prolific_ids_are_hashed_as_those_of_the_answers(tmp_path):
    path = answered(tmp_path, "p1", "p2")
    listed = write(tmp_path / "prolific.csv", csv_text([submission("p1", "RETURNED")]))
    alone = import_answers([path])
    found = import_answers([path, listed])
    assert list(statuses(alone)) == list(statuses(found))
    assert sorted(statuses(found).values()) == ["accepted", "excluded"]
    (called,) = set(found.tables["participants"]["annotator_id"].to_pylist())
    assert statuses(found)[called] == "excluded"


def test_prolific_submissions_in_two_states(tmp_path):
    path = answered(tmp_path, "p1")
    waiting = write(tmp_path / "1.csv", csv_text([submission("p1", "AWAITING REVIEW")]))
    reviewed = {"Reviewed at": "2026-01-02T10:00:00Z"}
    rejected = write(tmp_path / "2.csv", csv_text([submission("p1", "REJECTED", **reviewed)]))
    approved = write(tmp_path / "3.csv", csv_text([submission("p1", **{"Reviewed at": "2026-01-03T10:00:00Z"})]))
    undated = write(tmp_path / "4.csv", csv_text([submission("p1", "REJECTED")]))
    for files, status in (
        ([waiting, rejected], "rejected"),
        ([waiting, rejected, approved], "accepted"),
        ([waiting, undated], "rejected"),
    ):
        for order in (files, files[::-1]):
            found = import_answers([*order, path], keep_ids=True)
            assert statuses(found) == {"p1": status}
            assert "Prolific: 1 submissions have two statuses; the later counts, else the stricter" in found.notes
    both = write(tmp_path / "5.csv", csv_text([submission("p1", "RETURNED"), submission("p1", number=2)]))
    found = import_answers([both, path], keep_ids=True)
    assert statuses(found) == {"p1": "accepted"}
    assert "Prolific: 1 further submissions of a participant are left out" in found.notes


@pytest.mark.parametrize("hash_ids", [True, False])
def test_prolific_is_joined_to_our_own_export_by_its_store(hash_ids, tmp_path):
    url = f"sqlite:///{tmp_path / 'studies.db'}"
    store = open_store(url)
    made = design(entry=Entry("prolific", completion_code="C0DE"), hash_ids=hash_ids)
    store.create(made, pairs(2))
    for name in ("p1", "p2"):
        key = ready(store, name)
        while given := store.next(key):
            store.submit(key, given.id, "A")
    export(store, made.name, tmp_path / "out")
    ids = {name: store.annotator_id(made.name, name) for name in ("p1", "p2")}
    store.close()
    listed = write(tmp_path / "prolific.csv", csv_text([submission("p1", "RETURNED"), submission("p2")]))
    words = ["study", "import", tmp_path / "out/votes.parquet", listed, "--out", tmp_path / "v.parquet"]
    words += ["--participants", tmp_path / "p.parquet", "--store", url]
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    assert "2 of 2 participants are among the 2 annotators" in done.stdout
    votes = read_table(tmp_path / "v.parquet", "votes").to_pylist()
    assert {(row["annotator_id"], row["status"]) for row in votes} == {(ids["p1"], "excluded"), (ids["p2"], "accepted")}
    assert set(read_table(tmp_path / "p.parquet", "participants")["annotator_id"].to_pylist()) == set(ids.values())


def test_prolific_without_answers_or_without_its_store_is_said(tmp_path):
    listed = write(tmp_path / "prolific.csv", csv_text([submission("p1")]))
    with pytest.raises(UserError, match="participants and no answers; name the files of answers too"):
        import_answers([listed])
    found = import_answers([answered(tmp_path, "w1"), listed])
    assert "name the study's store with --store" in found.notes[-1]
    words = ["study", "import", tmp_path / "batch.csv", "--out", tmp_path / "v", "--participants", tmp_path / "p"]
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == 2
    assert "no demographic export of Prolific; leave --participants out" in done.stderr
    assert not (tmp_path / "v").exists()


@pytest.mark.parametrize(
    ("option", "word", "message"),
    [
        ("--column", "reason", "--column reason: must be like system_a=Input.left"),
        ("--value", "=A", "--value =A: must be like 1=A"),
        ("--value", "1=A --value 1=B", "--value 1=B: 1 is given twice"),
    ],
)
def test_wrong_options_are_one_line(option, word, message, tmp_path):
    words = [
        "study",
        "import",
        str(answered(tmp_path, "w")),
        "--out",
        str(tmp_path / "v"),
        *f"{option} {word}".split(" "),
    ]
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, done.stderr.strip()) == (2, f"error: {message}")
