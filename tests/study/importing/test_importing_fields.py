"""Which column of a batch is taken for what, what is passed over, and what values mean."""

import pytest
from answer_files import GENERATED, RIGHT, STORY, assignment, csv_text, write

from denouement.errors import UserError
from denouement.study.importing import import_answers, imported_text


def batch(tmp_path, *rows, name="b.csv"):
    return write(tmp_path / name, csv_text(rows))


def only(found):
    (vote,) = found.tables["votes"].to_pylist()
    return vote


def test_a_reason_is_read_under_its_other_usual_names(tmp_path):
    for name in ("justification", "rationale", "why", "Explanation", "answer.reason"):
        path = batch(tmp_path, assignment(1, "w", {"answer": "A", name: "It fits."}))
        assert only(import_answers([path]))["reason"] == "It fits.", name


def test_what_was_taken_and_what_was_passed_over_is_printed(tmp_path):
    given = {
        "answer": "A",
        "justification": "It fits.",
        "mood": "calm\n\x1b[2J",
        "age.old": "true",
        "age.young": "false",
    }
    other = {"Input.genre": "drama", "Input.empty": "", "Worker notes": "late"}
    found = import_answers([batch(tmp_path, assignment(1, "w", given, **other))])
    assert found.passed_over == {
        "b.csv": {"Input.genre": "drama", "Worker notes": "late", "Answer.mood": "calm\n\x1b[2J", "Answer.age": "old"}
    }
    told = imported_text(found)
    assert "reason = Answer.justification" in told
    assert "context = Input.context" in told
    assert "passed over: Answer.mood, such as 'calm\\n\\x1b[2J'" in told
    assert "--column ROLE=COLUMN" in told


@pytest.mark.parametrize("role", ["reason", "answer", "system_a", "expected"])
def test_a_named_column_that_is_not_there_is_refused(role, tmp_path):
    path = batch(tmp_path, assignment(1, "w", {"answer": "A", "reason": "x"}))
    with pytest.raises(UserError, match=rf"b.csv: no column Answer.nothere for {role}; there are "):
        import_answers([path], columns={role: "Answer.nothere"})


def test_a_named_column_may_be_missing_in_one_of_several_files(tmp_path):
    first = batch(tmp_path, assignment(1, "w", {"answer": "A", "q2": "Because."}), name="1.csv")
    second = batch(tmp_path, assignment(2, "v", {"answer": "B", "reason": "So."}), name="2.csv")
    found = import_answers([first, second], columns={"reason": "Answer.q2"})
    assert sorted(found.tables["votes"]["reason"].to_pylist()) == ["Because.", "So."]
    assert "reason = Answer.q2" in found.taken["1.csv"][0]
    assert "reason = Answer.reason" in found.taken["2.csv"][0]


def test_an_answer_of_an_unknown_name_is_guessed_from_its_values_and_said(tmp_path):
    rows = [
        assignment(1, "w", {"task7.label": "both", "notes": "fine"}),
        assignment(2, "v", {"task7.label": "Option A", "notes": "B"}),
    ]
    found = import_answers([batch(tmp_path, *rows)])
    assert found.tables["votes"]["choice"].to_pylist() == ["both", "net"]
    assert "answer = Answer.task7.label (guessed from its values)" in imported_text(found)
    boxes = assignment(1, "w", {"best.A": "false", "best.B": "true"})
    assert only(import_answers([batch(tmp_path, boxes)]))["choice"] == "people"


def test_nothing_is_guessed_where_two_columns_could_be_the_answer(tmp_path):
    path = batch(tmp_path, assignment(1, "w", {"task7": "B", "task8": "A"}))
    with pytest.raises(UserError, match=r"no Answer column is known.*--column.*Answer.task7 \(B\), Answer.task8 \(A\)"):
        import_answers([path])
    assert only(import_answers([path], columns={"answer": "Answer.task8"}))["choice"] == "net"


def test_a_crowd_classifier_is_read_by_its_full_name_too(tmp_path):
    path = batch(tmp_path, assignment(1, "w", {"category.label": "both"}))
    assert only(import_answers([path]))["choice"] == "both"
    for name in ("Answer.category.label", "category.label", "answer.CATEGORY", "category"):
        assert only(import_answers([path], columns={"answer": name}))["choice"] == "both"


def test_values_are_mapped(tmp_path):
    texts = {"1": "net", "2": "people", "3": "both", "4": "neither"}
    rows = [assignment(int(text), f"w{text}", {"answer": text}, **{"Input.gold": "1"}) for text in texts]
    path = batch(tmp_path, *rows)
    with pytest.raises(UserError, match="line 2: the answer is '1'"):
        import_answers([path])
    meaning = {"1": "A", "2": "B", "3": "both", "4": "neither"}
    found = import_answers([path], values=meaning)
    assert found.tables["votes"]["choice"].to_pylist() == list(texts.values())
    assert found.tables["items"]["expected"].to_pylist() == ["net"]
    assert found.notes == []
    boxes = batch(tmp_path, assignment(1, "w", {"choice.left one": "true", "choice.right one": "false"}))
    assert only(import_answers([boxes], values={"Left One": "A", "right one": "B"}))["choice"] == "net"


def test_values_that_are_nowhere_and_meanings_that_are_none_are_refused(tmp_path):
    path = batch(tmp_path, assignment(1, "w", {"answer": "tie"}))
    found = import_answers([path], values={"tie": "both", "5": "A"})
    assert only(found)["choice"] == "both"
    assert found.notes == ["the value 5, which is to mean A, is in no file"]
    with pytest.raises(UserError, match="values: tie is to mean draw; a value means A, B, both or neither"):
        import_answers([path], values={"tie": "draw"})


@pytest.mark.parametrize("text", ["None", "null", "NaN"])
def test_a_cell_of_an_empty_value_is_no_answer_until_it_is_mapped(text, tmp_path):
    rows = [assignment(1, "w", {"answer": "A"}), assignment(2, "v", {"answer": text})]
    path = batch(tmp_path, *rows)
    assert import_answers([path]).counts == {"rows": 2, "accepted": 1, "unusable": 1}
    mapped = import_answers([path], values={text: "neither"})
    assert mapped.tables["votes"]["choice"].to_pylist() == ["net", "neither"]


@pytest.mark.parametrize("name", ["gold_answer", "gold", "GoldLabel", "correct_answer", "expected_choice"])
def test_items_with_a_known_answer_are_checks(name, tmp_path):
    rows = [
        assignment(1, "w", {"answer": "A"}, **{f"Input.{name}": "A"}),
        assignment(2, "w", {"answer": "A"}, **{f"Input.{name}": "", "Input.optionB": "He found it."}),
    ]
    found = import_answers([batch(tmp_path, *rows)])
    assert found.tables["votes"]["is_check"].to_pylist() == [True, False]
    assert (found.counts["checks"], found.counts["accepted"]) == (1, 2)
    assert "accepted answers to attention checks: 1" in imported_text(found)


def test_an_item_is_a_check_in_all_files_or_refused(tmp_path):
    plain = batch(tmp_path, assignment(1, "w", {"answer": "A"}), name="1.csv")
    gold = batch(tmp_path, assignment(2, "v", {"answer": "B"}, **{"Input.gold": "A"}), name="2.csv")
    other = batch(tmp_path, assignment(3, "u", {"answer": "B"}, **{"Input.gold": "B"}), name="3.csv")
    for order in ([plain, gold], [gold, plain]):
        assert import_answers(order).tables["votes"]["is_check"].to_pylist() == [True, True]
        with pytest.raises(UserError, match=r"the right answer to one item \(case case-1\) is .*; correct one"):
            import_answers([*order, other])


def several(given):
    row = assignment(1, "w", given)
    for name in ("context", "optionA", "optionB", "system_a", "system_b"):
        value = row.pop(f"Input.{name}")
        row |= {f"Input.{name}_1": value, f"Input.{name}_2": f"{value} Again." if "s" not in name[:1] else value}
    return row


def test_all_questions_of_a_row_are_read(tmp_path):
    path = batch(tmp_path, several({"answer_1": "A", "answer_2": "both", "reason_1": "x", "reason_2": "y"}))
    found = import_answers([path])
    told = found.tables["votes"].select(["choice", "reason"]).to_pylist()
    assert told == [{"choice": "net", "reason": "x"}, {"choice": "both", "reason": "y"}]
    assert [item["endings"][0] for item in found.tables["items"].to_pylist()] == [GENERATED, f"{GENERATED} Again."]
    assert found.tables["votes"]["case_id"].to_pylist() == ["case-1", "case-1"]
    assert [line.partition(":")[0] for line in found.taken["b.csv"]] == ["question 1", "question 2"]
    named = batch(tmp_path, several({"q": "A", "r": "B"}))
    found = import_answers([named], columns={"answer_1": "Answer.q", "answer_2": "Answer.r"})
    assert found.tables["votes"]["choice"].to_pylist() == ["net", "people"]


def test_a_question_without_an_answer_is_named_by_its_number(tmp_path):
    found = import_answers([batch(tmp_path, several({"answer_1": "A", "answer_2": ""}))])
    assert found.rejects["reason"].to_pylist() == ["question 2: no answer is given"]
    assert found.counts["accepted"] == 1


def test_several_questions_about_one_pair_are_kept_apart(tmp_path):
    path = batch(tmp_path, assignment(1, "w", {"answer_1": "A", "answer_2": "B"}))
    rows = import_answers([path]).tables["votes"].to_pylist()
    assert [(row["question"], row["choice"]) for row in rows] == [("answer_1", "net"), ("answer_2", "people")]
    assert len({row["item_id"] for row in rows}) == 1
    assert only(import_answers([path], columns={"answer": "Answer.answer_2"}))["choice"] == "people"


def test_several_dimensions_of_one_answer_are_never_put_together(tmp_path):
    rows = [
        assignment(1, "w", {"choice.fluency": "A", "choice.logic": "B"}),
        assignment(2, "v", {"choice.fluency": "A"}),
    ]
    found = import_answers([batch(tmp_path, *rows)])
    assert found.counts["accepted"] == 1
    assert "Answer.choice.fluency, Answer.choice.logic answer at once" in found.rejects["reason"][0].as_py()


def test_sentences_come_before_a_prompt(tmp_path):
    row = assignment(1, "w", {"answer": "A"})
    del row["Input.context"]
    sentences = dict(zip(("Input.sentence1", "Input.sentence2"), STORY.split(". ")[:2], strict=True))
    path = batch(tmp_path, row | {"Input.prompt": "Which ending is better?"} | sentences)
    (item,) = import_answers([path]).tables["items"].to_pylist()
    assert item["context"] == ["Tom lost his key", "He looked for it"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_read(encoding, tmp_path):
    text = csv_text([assignment(1, "w", {"answer": "A", "reason": 'Because,\n"é 🎉"'})])
    text = text if encoding == "utf-16" else "\ufeff" + text
    assert only(import_answers([write(tmp_path / "b.csv", text, encoding)]))["reason"] == 'Because,\n"é 🎉"'


@pytest.mark.parametrize(
    ("time", "hour"),
    [
        ("2019-03-05T08:14:02Z", 8),
        ("2019-03-05T08:14:02.123Z", 8),
        ("2019-03-05 08:14:02-08:00", 16),
        ("2019-03-05 08:14:02", 8),
    ],
)
def test_iso_times_are_read(time, hour, tmp_path):
    found = import_answers([batch(tmp_path, assignment(1, "w", {"answer": "A"}, AcceptTime=time))])
    assert only(found)["started_at"].hour == hour
    assert "unknown_times" not in found.counts


def test_an_assignment_without_an_id_is_known_by_hit_and_worker(tmp_path):
    rows = [assignment(number, f"w{number}", {"answer": "A"}) for number in (1, 2)]
    for row in rows:
        del row["AssignmentId"]
    path = batch(tmp_path, *rows, rows[0], rows[1] | {"HITId": "3OTHER", "Input.optionA": RIGHT + " Yes."})
    found = import_answers([path])
    assert (found.counts["accepted"], found.counts["duplicate_rows"]) == (3, 1)
    assert found.notes == ["b.csv: no column AssignmentId; an answer is known by its HIT and worker"]


def test_windows_1252_is_read_and_said(tmp_path):
    rows = [assignment(1, "w", {"answer": "A", "reason": "Café “fits” – naïve"})]
    found = import_answers([write(tmp_path / "batch.csv", csv_text(rows), "cp1252")])
    assert found.tables["votes"]["reason"].to_pylist() == ["Café “fits” – naïve"]
    assert any("is read as Windows-1252" in note for note in found.notes)
    assert not any("1252" in note for note in import_answers([write(tmp_path / "utf8.csv", csv_text(rows))]).notes)


def test_bytes_that_are_no_text_at_all_are_refused(tmp_path):
    text = csv_text([assignment(1, "w", {"answer": "A", "reason": "?"})]).encode().replace(b'"?"', b'"\x81\x8d"')
    (tmp_path / "batch.csv").write_bytes(text)
    with pytest.raises(UserError, match="is not UTF-8"):
        import_answers([tmp_path / "batch.csv"])


@pytest.mark.parametrize(
    ("written", "values"),
    [
        (("1", "2"), {"1": "A", "2": "B"}),
        (("left", "right"), {"left": "A", "right": "B"}),
        (("Ending 1", "Ending 2"), {"Ending 1": "A", "Ending 2": "B"}),
        (("Ending 1 is better", "ENDING 2 IS BETTER"), {"ending 1 is better": "A", "Ending 2 is better": "B"}),
    ],
)
def test_answers_by_place_need_a_mapping(tmp_path, written, values):
    rows = [assignment(n, f"w{n}", {"answer": text}) for n, text in enumerate(written)]
    file = write(tmp_path / "batch.csv", csv_text(rows))
    assert import_answers([file], values=values).tables["votes"]["choice"].to_pylist() == ["net", "people"]
    with pytest.raises(UserError, match="say what it means with --value"):
        import_answers([file])
