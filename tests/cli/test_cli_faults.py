"""Whatever is wrong with the files a command is given: one line, status 2, and nothing left behind."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from denouement import schemas
from denouement.cli import main
from denouement.corpus.ingest import ingest
from denouement.errors import UserError

STORIES = "storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5\n" + "".join(
    f"{number},T,Ann {number} ran.,She fell.,It hurt.,She cried.,Bob came.\n" for number in range(9)
)

FILES = {
    "empty": b"",
    "mark alone": b"\xef\xbb\xbf",
    "utf-16 without a mark": STORIES.encode("utf-16-le"),
    "utf-16 cut short": STORIES.encode("utf-16")[:-1],
    "latin-1": STORIES.replace("Ann", "Zoë").encode("latin-1"),
    "binary": random.Random(1).randbytes(5000),
    "one word": b"hello",
    "a quote": b'"',
    "magic alone": b"PAR1",
    "two\nlines": b"x",
    "many columns": b"a," * 50_000 + b"\n",
}


def foreign_tables():
    """Parquet files that have the right names of columns, and something else in them."""
    yield "numbers", pa.table({"case_id": [1], "context": ["A."]})
    yield "list for id", pa.table({"case_id": [["1"]], "context": ["A."]})
    yield "list for sentence", pa.table({"case_id": ["1"], "sentence1": [["A."]]})
    yield "nested", pa.table({"case_id": ["1"], "context": [[["A."]]]})
    yield "null", pa.table({"case_id": ["1"], "context": pa.array([None], pa.string())})
    yield "no columns", pa.table({})
    bytes_of = [pa.array([0, 2], pa.int32()).buffers()[1], pa.py_buffer(b"\xff\xfe")]
    yield "no UTF-8", pa.table({"case_id": ["1"], "context": pa.StringArray.from_buffers(1, *bytes_of)})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    for name, table in foreign_tables():
        pq.write_table(table, tmp_path / name)
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    return tmp_path


def refusal(*arguments: object) -> str:
    """The line that the command is refused with."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 2, (arguments, result.output, result.exception)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert len(result.stderr.splitlines()) == 1
    assert len(result.stderr) < 1500
    return result.stderr


BAD = [*FILES, *(name for name, _ in foreign_tables()), "folder", "loop", "absent", "x" * 300, "bad\udcff", "/dev/null"]


@pytest.mark.parametrize("name", BAD)
def test_every_command_refuses_every_bad_file_with_one_line(name: str, folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    for arguments in (
        ["ingest", "--out", folder / "out", "--json", "--", folder / name],
        ["sentiment", "--out", folder / "out", "--json", "--", folder / name],
        ["generate", "--model", folder / "empty", "--contexts", folder / name, "--out", folder / "out", "--json"],
        ["complete", "--model", folder / name, "--json", "Ann ran."],
    ):
        refusal(*arguments)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("option", ["--system", "--split", "--release"])
def test_words_that_are_not_utf_8_are_refused_at_once(option: str, folder: Path) -> None:
    arguments = ["--model", folder / "empty", "--contexts", folder / "empty", "--out", folder / "out"]
    assert "not UTF-8" in refusal("generate", *arguments, option, "caf\udce9")
    assert "not UTF-8" in refusal("complete", "--model", folder / "empty", "Zo\udceb ran.")


@pytest.mark.parametrize("share", ["nan", "1.0", "-0.1", "inf"])
def test_a_share_that_is_none_is_refused(share: str, folder: Path) -> None:
    (folder / "stories.csv").write_text(STORIES)
    arguments = ["ingest", str(folder / "stories.csv"), "--out", str(folder / "out"), "--validation-share", share]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].lower().startswith("error: ")
    assert not (folder / "out").exists()


def test_no_command_writes_over_what_it_reads(folder: Path) -> None:
    (folder / "stories.csv").write_text(STORIES)
    ingest([folder / "stories.csv"], folder / "corpus")
    table = folder / "corpus" / "stories.parquet"
    before = table.read_bytes()
    assert "is read too" in refusal("sentiment", table, "--out", table)
    assert "is read too" in refusal("generate", "--model", folder / "empty", "--contexts", table, "--out", table)
    (folder / "corpus" / "ingest.json").write_text(STORIES)
    assert "is read too" in refusal("ingest", folder / "corpus" / "ingest.json", "--out", folder / "corpus")
    assert table.read_bytes() == before
    assert (folder / "corpus" / "ingest.json").read_text() == STORIES


def test_told_to_end_it_leaves_nothing_half_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "stories.csv").write_text(STORIES)
    ingest([folder / "stories.csv"], folder / "out")
    before = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}
    monkeypatch.setattr("denouement.corpus.ingest._warn", lambda _: os.kill(os.getpid(), signal.SIGTERM))
    (folder / "stories.csv").write_text(STORIES.replace("Ann", "Bea"))
    result = CliRunner().invoke(main, ["ingest", str(folder / "stories.csv"), "--out", str(folder / "out")])
    assert result.exit_code == 130
    assert result.stderr == "interrupted\n"
    assert {path.name: path.read_bytes() for path in (folder / "out").iterdir()} == before


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory:\nyou tried to allocate 9 bytes."),
        type("OutOfMemoryError", (RuntimeError,), {})("CUDA out of memory."),
    ],
)
def test_memory_that_runs_out_is_no_defect(error: Exception, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_out(*_: object) -> None:
        raise error

    monkeypatch.setattr("denouement.stages.ingest.ingest", run_out)
    assert refusal("ingest", folder / "empty", "--out", folder / "out") == (
        "error: not enough memory: do less at a time\n"
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_terminal_that_cannot_show_a_character_gets_valid_json_all_the_same(encoding: str, folder: Path) -> None:
    (folder / "名 é.csv").write_text(STORIES)
    arguments = ["ingest", folder / "名 é.csv", "--out", folder / "out", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", "from denouement.cli import main; main()", *arguments],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
    )
    assert json.loads(done.stdout.decode(encoding))["files"][0]["file"] == "名 é.csv"


@pytest.mark.parametrize("name", ["stories", "cloze"])
def test_a_table_with_any_flipped_byte_is_refused_or_read_as_it_was(name: str, folder: Path) -> None:
    rows = {
        "stories": [
            {"story_id": f"s{n}", "title": None, "sentences": ["A b.", f"C {n}."], "source": "x", "split": "train"}
            for n in range(60)
        ],
        "cloze": [
            {
                "case_id": f"c{n}",
                "context": ["A b.", f"C {n}."],
                "endings": [f"D {n}.", "E."],
                "language": "en",
                "right_ending": 1 + n % 2,
                "release": "v1.0",
                "split": "test",
            }
            for n in range(60)
        ],
    }[name]
    path = folder / "table"
    table = pa.Table.from_pylist(rows, schemas.TABLES[name].schema)
    schemas.write_table(table, path, name)
    whole = path.read_bytes()
    refused = []
    for place in range(0, len(whole), 5):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        path.write_bytes(bytes(flipped))
        try:
            assert schemas.read_table(path, name).equals(table), place
        except UserError as error:
            refused.append(str(error))
    assert len(refused) > len(whole) // 5 // 2
    assert not [message for message in refused if "\n" in message]


def test_ingest_waits_for_no_library_that_it_does_not_need(tmp_path):
    (tmp_path / "stories.csv").write_text(STORIES)
    code = (
        "import sys\nfrom denouement.cli import main\n"
        "main(['ingest', sys.argv[1], '--out', sys.argv[2]], standalone_mode=False)\n"
        "assert not {'pandas', 'torch', 'scipy'} & set(sys.modules), 'imported'"
    )
    subprocess.run([sys.executable, "-c", code, tmp_path / "stories.csv", tmp_path / "out"], check=True)
