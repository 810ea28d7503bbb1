import json
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from denouement import provenance
from denouement.cli import main
from denouement.errors import UserError
from denouement.schemas import TABLES, write_table

CASES = [("1", ["Ann ran.", "It rained."]), ("2", ["Bob sat.", "He slept."])]


def cloze(*cases: tuple[str, list[str]], release: str = "v1.0") -> pa.Table:
    return pa.table(
        {
            "case_id": [case_id for case_id, _ in cases],
            "context": pa.array([context for _, context in cases], pa.list_(pa.string())),
            "endings": [["She got wet.", "She flew."]] * len(cases),
            "language": ["en"] * len(cases),
            "question": pa.nulls(len(cases), pa.string()),
            "right_ending": pa.array([1] * len(cases), pa.int8()),
            "release": [release] * len(cases),
            "split": ["validation"] * len(cases),
        }
    )


def endings(path: Path, *cases: tuple[str, list[str]]) -> Path:
    rows = [
        {"case_id": case_id, "system": "h_seq2seq", "ending": "It was fun.", "log_prob": -1.0, "n_tokens": 4}
        for case_id, _ in cases
    ]
    made_from = {provenance.CONTEXTS: provenance.contexts_digest(cloze(*cases))}
    table = pa.Table.from_pylist(rows, TABLES["endings"].schema)
    write_table(table, path, "endings", provenance.as_metadata(made_from))
    return path


def test_a_digest_is_of_the_rows_whatever_their_order_and_tells_cells_apart():
    rows = [("1", "a"), ("2", "b")]
    assert provenance.rows_digest(rows) == provenance.rows_digest([*reversed(rows), ("1", "a")])
    assert provenance.rows_digest([("1", "a b")]) != provenance.rows_digest([("1", "a", "b")])
    assert provenance.rows_digest([("1", 'a", "b')]) != provenance.rows_digest([("1", "a", "b")])


@pytest.mark.parametrize(
    ("cases", "is_other"),
    [
        (cloze(*CASES), False),
        (cloze(*reversed(CASES)), False),
        (cloze(*CASES, ("3", ["Further."])), False),  # more cases than endings
        (cloze(CASES[0], ("2", ["Bob stood.", "He slept."])), True),
        (cloze(("2", CASES[0][1]), ("1", CASES[1][1])), True),  # ids changed places
        # another release has the ids with other contexts, beside the ones that were written for
        (pa.concat_tables([cloze(("1", ["X."]), ("2", ["Y."]), release="v1.5"), cloze(*CASES)]), False),
        (cloze(CASES[0]), False),  # a case is missing: counted elsewhere
    ],
)
def test_endings_belong_to_the_contexts_they_were_written_for(tmp_path, cases, is_other):
    path = endings(tmp_path / "endings.parquet", *CASES)
    assert provenance.written_for_other_contexts(path, cases) is is_other


def test_endings_made_elsewhere_belong_to_any_cases(tmp_path):
    path = tmp_path / "endings.csv"
    path.write_text("case_id,system,ending\n1,mine,It was fun.\n")
    provenance.check_contexts(path, cloze(*CASES))


@pytest.mark.parametrize(
    "command",
    [
        ["statistics", "cloze.parquet", "endings.parquet", "--no-events"],
        ["study", "create", "study.yaml", "--cases", "cloze.parquet", "--endings", "endings.parquet", "--dry-run"],
    ],
)
def test_endings_are_not_joined_to_other_contexts_of_the_same_ids(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    endings(Path("endings.parquet"), *CASES)
    write_table(cloze(CASES[0], ("2", ["Eve sat."])), Path("cloze.parquet"), "cloze")
    Path("study.yaml").write_text(
        "name: pilot\nsystems: [h_seq2seq, human_right]\ncases: {n: 1, seed: 1}\nanswers_per_item: 1\n"
        "reason: {mode: none}\nentry: {kind: links, links: 1}\n"
    )
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2, done.output
    assert "endings.parquet: its endings were written for other contexts" in str(done.exception) + done.output


def test_a_record_is_written_read_and_checked(tmp_path):
    assert provenance.of_folder(tmp_path) is None
    provenance.write_record(tmp_path, {"cloze": "ab", "a": "cd"})
    assert provenance.of_folder(tmp_path) == {"a": "cd", "cloze": "ab"}
    for text in ("[]", '{"a": 1}', "{", "[" * 100_000):
        (tmp_path / provenance.FILE).write_text(text)
        with pytest.raises(UserError, match=r"made_from\.json: its record of what it was made from is damaged"):
            provenance.of_folder(tmp_path)


def test_every_command_that_derives_a_table_records_its_sources(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    endings(Path("endings.parquet"), *CASES)
    write_table(cloze(*CASES), Path("cloze.parquet"), "cloze")
    for command in (
        ["sentiment", "cloze.parquet", "endings.parquet", "--out", "sentiment.parquet"],
        ["statistics", "cloze.parquet", "endings.parquet", "--out", "statistics"],
    ):
        done = CliRunner().invoke(main, command)
        assert done.exit_code == 0, done.output
    assert set(provenance.of_table(Path("sentiment.parquet")) or {}) == {"right", "wrong", "h_seq2seq"}
    assert set(json.loads(Path("statistics/made_from.json").read_text())) == {"cloze", "endings/endings"}
    tables = list(Path("statistics").glob("*.parquet"))
    assert tables
    for path in tables:
        assert provenance.of_table(path) == provenance.of_folder(Path("statistics")), path
