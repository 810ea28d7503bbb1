from pathlib import Path

import pyarrow as pa
import pytest

from denouement.analysis.endings import endings_table, repetition
from denouement.analysis.named_tables import read_tables
from denouement.schemas import TABLES, read_table, write_table


def write(path: Path, name: str, rows: list[dict], metadata=None) -> Path:
    write_table(pa.Table.from_pylist(rows, schema=TABLES[name].schema), path, name, metadata)
    return path


def ending(case_id, text, log_prob=-4.0, n_tokens=4, system="seq2seq"):
    return {"case_id": case_id, "system": system, "ending": text, "log_prob": log_prob, "n_tokens": n_tokens}


def test_repetition_worked_by_hand():
    found = repetition(["He was happy.", "He was happy.", "he was sad!", "She didn't go."])
    assert found.n == 4
    assert (found.distinct, found.distinct_share) == (3, 0.75)
    assert (found.most_frequent, found.most_frequent_count) == ("He was happy.", 2)
    assert found.most_frequent_share == 0.5
    assert found.mean_words == 3.0
    # he was happy sad she didn't go: 7 of 12 words; he-was was-happy was-sad she-didn't didn't-go: 5 of 8 pairs
    assert found.distinct_1 == pytest.approx(7 / 12)
    assert found.distinct_2 == pytest.approx(5 / 8)


def test_endings_without_words_have_no_distinct_words():
    found = repetition(["...", ""])
    assert (found.mean_words, found.distinct_1, found.distinct_2) == (0.0, None, None)


def test_log_prob_a_token_is_over_all_tokens_not_a_mean_of_means(tmp_path: Path):
    endings = write(tmp_path / "e", "endings", [ending("a", "One.", -1.0, 2), ending("b", "Two.", -8.0, 4)])
    [row] = endings_table(read_tables([endings], "endings"))
    assert row.log_prob_per_token == pytest.approx(-1.5)


def test_a_row_a_system_and_people_on_the_same_cases_first(tmp_path: Path):
    context = ["1.", "2.", "3.", "4."]
    names = TABLES["cloze"].schema.names
    cases = [
        ("a", context, ["Right one.", "No."], 1, None, "en", "v1.0", "test"),
        ("b", context, ["No.", "Right two words."], 2, None, "en", "v1.0", "test"),
        ("c", context, ["Another case.", "No."], 1, None, "en", "v1.0", "test"),
        ("d", context, ["Blind.", "Blind too."], None, None, "en", "v1.0", "test"),
    ]
    cloze = write(tmp_path / "cloze", "cloze", [dict(zip(names, row, strict=True)) for row in cases])
    first = write(tmp_path / "one", "endings", [ending("a", "x"), ending("b", "x"), ending("d", "x")], {"of": "one"})
    second = write(tmp_path / "two", "endings", [ending("a", "y", system="h_seq2seq")])
    rows = endings_table(read_tables([first, second], "endings"), read_table(cloze, "cloze"))
    assert [(row.system, row.n) for row in rows] == [("right", 2), ("seq2seq", 3), ("h_seq2seq", 1)]
    assert rows[0].mean_words == 2.5
    assert rows[0].log_prob_per_token is None


def test_no_endings_give_no_rows(tmp_path: Path):
    assert endings_table([]) == []
    assert endings_table(read_tables([write(tmp_path / "e", "endings", [])], "endings")) == []
