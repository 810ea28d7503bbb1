"""From files to tables: every row is accounted for, and nothing is half-written."""

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from denouement import schemas
from denouement.cli import main
from denouement.corpus import ingest as ingest_module
from denouement.corpus import overlap
from denouement.corpus.ingest import OUTPUTS, IngestSettings, IngestSummary, corpus_kind, ingest
from denouement.corpus.sample import write_sample
from denouement.documents import read_document
from denouement.errors import UserError

STORY_HEADER = ["storyid", "storytitle", *(f"sentence{number}" for number in range(1, 6))]
CASE_HEADER = [
    "InputStoryid",
    *(f"InputSentence{number}" for number in range(1, 5)),
    "RandomFifthSentenceQuiz1",
    "RandomFifthSentenceQuiz2",
    "AnswerRightEnding",
]
SPRING, WINTER = (
    "ROCStories__spring2016 - ROCStories_spring2016.csv",
    "ROCStories_winter2017 - ROCStories_winter2017.csv",
)
V10_VAL, V10_TEST, V15_VAL = (
    "cloze_test_val__spring2016 - cloze_test_ALL_val.csv",
    "cloze_test_test__spring2016 - cloze_test_ALL_test.csv",
    "cloze_test_val__winter2018-cloze_test_ALL_val - 1 - 1.csv",
)


def write(path: Path, *rows: list[str]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows(rows)
    return path


def story(story_id: str, who: str, last: str = "The end.") -> list[str]:
    return [story_id, "Title", *(f"{who} did {number}." for number in range(4)), last]


def case(case_id: str, who: str, label: str = "1") -> list[str]:
    return [case_id, *(f"{who} did {number}." for number in range(4)), "Good end.", "Bad end.", label]


def read(out: Path, name: str) -> pa.Table:
    return schemas.read_table(out / f"{name}.parquet", name)


def test_files_of_every_kind_become_one_set_of_tables(tmp_path: Path) -> None:
    files = [
        write(tmp_path / SPRING, STORY_HEADER, story("s1", "Ann"), story("s2", "Bob")),
        write(tmp_path / V10_VAL, CASE_HEADER, case("c1", "Cat"), case("c2", "Dan", "2")),
        write(tmp_path / WINTER, STORY_HEADER, story("s3", "Eve")),
        write(tmp_path / V15_VAL, CASE_HEADER, case("c1", "Cat")),
        write(tmp_path / V10_TEST, CASE_HEADER[:-1], case("t1", "Flo")[:-1]),
    ]
    summary = ingest(files, tmp_path / "out")
    assert read_document(tmp_path / "out" / "ingest.json", IngestSummary) == summary
    assert json.loads((tmp_path / "out" / "ingest.json").read_text(encoding="utf-8"))["files"][1] == {
        "file": V10_VAL,
        "kind": "cloze",
        "source": None,
        "release": "v1.0",
        "split": "validation",
        "language": "en",
        "labelled": True,
        "read": 2,
        "kept": 2,
        "rejected": 0,
        "excluded": 0,
        "blank": 0,
        "oddities": {},
        "quotes_are_text": False,
    }
    stories, cases = read(tmp_path / "out", "stories"), read(tmp_path / "out", "cloze")
    assert stories["story_id"].to_pylist() == ["s1", "s2", "s3"]
    assert stories["source"].to_pylist() == ["rocstories_spring_2016"] * 2 + ["rocstories_winter_2017"]
    assert list(
        zip(*(cases[name].to_pylist() for name in ("case_id", "release", "split", "right_ending")), strict=True)
    ) == [
        ("c1", "v1.0", "validation", 1),
        ("c2", "v1.0", "validation", 2),
        ("c1", "v1.5", "validation", 1),
        ("t1", "v1.0", "test", None),
    ]
    assert [(file.file, file.read, file.kept, file.rejected) for file in summary.files] == [
        (SPRING, 2, 2, 0),
        (V10_VAL, 2, 2, 0),
        (WINTER, 1, 1, 0),
        (V15_VAL, 1, 1, 0),
        (V10_TEST, 1, 1, 0),
    ]
    assert summary.cloze == {"v1.0": {"test": 1, "validation": 2}, "v1.5": {"validation": 1}}
    assert [file.labelled for file in summary.files if file.kind == "cloze"] == [True, True, False]
    assert str(tmp_path) not in (tmp_path / "out" / "ingest.json").read_text(encoding="utf-8")


def test_a_labelled_case_is_kept_before_a_blind_one_in_any_order(tmp_path: Path) -> None:
    labelled = write(tmp_path / "cloze_test_test__mine.csv", CASE_HEADER, case("a", "Ann", "2"))
    blind = write(
        tmp_path / "cloze_test_test__mine - blind.csv", CASE_HEADER[:-1], case("a", "Ann")[:-1], case("b", "Bob")[:-1]
    )
    for number, files in enumerate(([labelled, blind], [blind, labelled])):
        ingest(files, tmp_path / str(number))
        cases = read(tmp_path / str(number), "cloze")
        assert dict(zip(cases["case_id"].to_pylist(), cases["right_ending"].to_pylist(), strict=True)) == {
            "a": 2,
            "b": None,
        }
        assert {*cases["release"].to_pylist()} == {"mine"}
        [rejected] = read(tmp_path / str(number), "rejects").to_pylist()
        assert rejected["file"] == blind.name
        assert rejected["reason"] == f"case_id a is already in {labelled.name}, line 2, with the same text"


def test_of_an_id_that_stands_twice_the_first_row_is_kept(tmp_path: Path) -> None:
    spring = write(
        tmp_path / SPRING, STORY_HEADER, story("a", "Ann"), story("b", "Bob"), story("a", "Ann"), ["c", "short"]
    )
    winter = write(tmp_path / WINTER, STORY_HEADER, story("b", "Bob", "Another end."), story("d", "Dan"))
    cases = write(tmp_path / V10_VAL, CASE_HEADER, case("e", "Eve"), case("e", "Eve", "2"), case("a", "Flo"))
    summary = ingest([spring, winter, cases], tmp_path / "out")
    assert read(tmp_path / "out", "stories")["story_id"].to_pylist() == ["a", "b", "d"]
    assert read(tmp_path / "out", "cloze")["case_id"].to_pylist() == ["e", "a"]
    assert [tuple(row.values()) for row in read(tmp_path / "out", "rejects").to_pylist()] == [
        (SPRING, 4, f"story_id a is already in {SPRING}, line 2, with the same text"),
        (SPRING, 5, "2 cells where the header has 7"),
        (WINTER, 2, f"story_id b is already in {SPRING}, line 3, with another text"),
        (V10_VAL, 3, f"case_id e is already in {V10_VAL}, line 2, with another text"),
    ]
    assert [(file.read, file.kept, file.rejected) for file in summary.files] == [
        (4, 2, 2),
        (2, 1, 1),
        (3, 2, 1),
    ]


def test_a_file_of_which_no_row_can_be_used_is_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = ingest([write(tmp_path / V10_VAL, CASE_HEADER, case("a", "Ann", "0"))], tmp_path / "out")
    assert (summary.files[0].kept, summary.files[0].rejected) == (0, 1)
    assert "every row is rejected" in capsys.readouterr().err
    for name in ("stories", "cloze"):
        assert read(tmp_path / "out", name).num_rows == 0


def test_quotes_that_are_read_as_text_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "stories.tsv"
    path.write_text("\n".join("\t".join(row) for row in (STORY_HEADER, story("1", '"Stop," Ann'), story("2", "Bob"))))
    summary = ingest([path, write(tmp_path / "b.csv", STORY_HEADER, story("3", '"Well," Cid'))], tmp_path / "out")
    assert [file.quotes_are_text for file in summary.files] == [True, False]
    assert read(tmp_path / "out", "stories")["sentences"][0][0].as_py() == '"Stop," Ann did 0.'
    assert capsys.readouterr().err.count("stories.tsv: its quotes do not quote cells") == 1


def test_overlap_is_warned_of_and_taken_out_when_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [
        write(tmp_path / SPRING, STORY_HEADER, story("s1", "ANN"), story("s2", "Bob"), story("s3", "Tim")),
        write(tmp_path / V10_VAL, CASE_HEADER, case("c1", "Ann"), case("c2", "Cat"), case("c3", "Dan")),
        write(tmp_path / V15_VAL, CASE_HEADER, case("c3", "Dan"), case("c2", "Cat")),
        write(tmp_path / V10_TEST, CASE_HEADER[:-1], case("t1", "Cat")[:-1], case("t2", "Tim")[:-1]),
    ]
    ingest(files, tmp_path / "all")
    warnings = capsys.readouterr().err
    assert "1 of 3 rows of v1.0 validation are in rocstories_spring_2016 too" in warnings
    assert "2 of 2 rows of v1.5 validation are in v1.0 validation too" in warnings
    summary = ingest(files, tmp_path / "out", IngestSettings(exclude_overlap=True))
    stories, cases = read(tmp_path / "out", "stories"), read(tmp_path / "out", "cloze")
    assert stories["story_id"].to_pylist() == ["s2"]
    assert cases["case_id"].to_pylist() == ["c1", "c3", "c3", "t1", "t2"]
    assert overlap.leaks(stories, cases) == []
    assert [(file.kept, file.rejected, file.excluded) for file in summary.files] == [
        (1, 2, 2),
        (2, 1, 1),
        (1, 1, 1),
        (2, 0, 0),
    ]
    assert {row["reason"] for row in read(tmp_path / "out", "rejects").to_pylist()} == {
        "left out as asked: its story is in a Story Cloze file",
        "left out as asked: its story is in a Story Cloze test file",
    }


def test_stories_of_one_context_stand_on_one_side_in_any_order(tmp_path: Path) -> None:
    rows = [story(f"s{number}", f"Who{number % 40}", f"End {number}.") for number in range(120)]
    ingest([write(tmp_path / "a.csv", STORY_HEADER, *rows)], tmp_path / "a", IngestSettings(validation_share=0.4))
    ingest([write(tmp_path / "b.csv", STORY_HEADER, *rows[::-1])], tmp_path / "b", IngestSettings(validation_share=0.4))
    split_of = [
        dict(zip(table["story_id"].to_pylist(), table["split"].to_pylist(), strict=True))
        for table in (read(tmp_path / "a", "stories"), read(tmp_path / "b", "stories"))
    ]
    assert split_of[0] == split_of[1]
    assert all(split_of[0][f"s{number}"] == split_of[0][f"s{number % 40}"] for number in range(120))
    assert set(split_of[0].values()) == {"train", "validation"}


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        files = [
            write(tmp_path / folder / SPRING, STORY_HEADER, story("a", "Ann"), ["b"]),
            write(tmp_path / folder / V10_VAL, CASE_HEADER, case("a", "Ann")),
        ]
        ingest(files, tmp_path / folder / "out")
    for name in OUTPUTS:
        assert (tmp_path / "one/out" / name).read_bytes() == (tmp_path / "two/out" / name).read_bytes()


def test_a_bad_file_among_good_ones_leaves_every_output_as_it_was(tmp_path: Path) -> None:
    good = write(tmp_path / SPRING, STORY_HEADER, story("a", "Ann"))
    ingest([good], tmp_path / "out")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    bad = write(tmp_path / "bad.csv", ["a", "b"])
    more = write(tmp_path / WINTER, STORY_HEADER, story("b", "Bob"))
    for files in ([more, bad], [more, tmp_path], [more, tmp_path / "none.csv"], [more, more], []):
        with pytest.raises(UserError):
            ingest(files, tmp_path / "out")
        with pytest.raises(UserError):
            ingest(files, tmp_path / "new")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    assert not (tmp_path / "new").exists()


def test_a_failure_while_writing_replaces_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ingest([write(tmp_path / SPRING, STORY_HEADER, story("a", "Ann"))], tmp_path / "out")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    write_table = schemas.write_table

    def fail_at_the_last(table: pa.Table, path: Path, name: str) -> None:
        if name == "stories":
            raise OSError("the disk is full")
        write_table(table, path, name)

    monkeypatch.setattr(ingest_module.schemas, "write_table", fail_at_the_last)
    with pytest.raises(UserError, match="the disk is full"):
        ingest([write(tmp_path / WINTER, STORY_HEADER, story("b", "Bob"), ["c"])], tmp_path / "out")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_the_sample_corpus_is_distinguished_from_official_stories() -> None:
    assert corpus_kind(pa.table({"source": ["sample", "sample"]})) == "sample"
    assert corpus_kind(pa.table({"source": ["sample", "rocstories"]})) == "official"
    assert corpus_kind(schemas.empty_table("stories")) == "official"


def test_the_written_sample_corpus_is_read_whole_and_does_not_overlap(tmp_path: Path) -> None:
    write_sample(tmp_path, stories=60, cases=20, seed=3)
    summary = ingest(sorted(tmp_path.glob("*.csv")), tmp_path / "out")
    assert summary.corpus == "sample"
    assert sum(summary.stories["sample"].values()) == 60
    assert summary.cloze == {"sample": {"validation": 20}}
    assert [pair.same_story for pair in summary.overlap.pairs] == [0]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"release": "v 2"}, "release must be"),
        ({"language": "en us"}, "language must be"),
        ({"validation_share": 1.0}, "validation_share must be"),
        ({"validation_share": float("nan")}, "validation_share must be"),
    ],
)
def test_settings_are_checked(settings: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        IngestSettings(**settings)  # type: ignore[arg-type]


def test_the_command_prints_tables_or_one_json_document(tmp_path: Path) -> None:
    path = write(tmp_path / "renamed.csv", CASE_HEADER[:-1], case("a", "Ann")[:-1], ["b"])
    arguments = ["ingest", str(path), "--out", str(tmp_path / "out"), "--release", "v1.5"]
    shown = CliRunner().invoke(main, arguments)
    assert shown.exit_code == 0
    assert "v1.5 test, blind" in shown.stdout
    assert "1 cell where the header has 7" in shown.stdout
    document = json.loads(CliRunner().invoke(main, [*arguments, "--json"]).stdout)
    assert (document["files"][0]["read"], document["files"][0]["kept"]) == (2, 1)


@pytest.mark.parametrize("name", ["", "none.csv", "cloze val.csv"])
def test_the_command_ends_with_one_line_and_status_2(tmp_path: Path, name: str) -> None:
    write(tmp_path / "cloze val.csv", CASE_HEADER, case("a", "Ann"))
    run = CliRunner().invoke(main, ["ingest", str(tmp_path / name), "--out", str(tmp_path / "out")])
    assert run.exit_code == 2
    assert run.stdout == ""
    assert len(run.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_the_real_files(shared_data: Path, tmp_path: Path) -> None:
    files = sorted([*(shared_data / "rocstories").glob("*.csv"), *(shared_data / "story_cloze").glob("*.csv")])
    summary = ingest(files, tmp_path)
    assert sorted(file.kept for file in summary.files) == [1571, 1571, 1871, 8160]
    assert sum(file.rejected for file in summary.files) == 0
    (repeated,) = (
        pair for pair in summary.overlap.pairs if (pair.first, pair.second) == ("v1.0 validation", "v1.5 validation")
    )
    assert repeated.same_story == 1556
    assert read(tmp_path, "stories").num_rows == 8160
    assert read(tmp_path, "cloze").num_rows == 5013


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_whole_files(tmp_path: Path) -> None:
    """Each output is the old one or the new one, whenever SIGKILL comes."""
    old = write(tmp_path / "old.csv", STORY_HEADER, *(story(f"old{number}", f"Who{number}") for number in range(2000)))
    new = write(tmp_path / "new.csv", STORY_HEADER, *(story(f"new{number}", f"Who{number}") for number in range(20000)))
    states = {}
    for path in (old, new):
        ingest([path], tmp_path / path.stem)
        states[path.stem] = {name: (tmp_path / path.stem / name).read_bytes() for name in OUTPUTS}
    out = tmp_path / "out"
    command = [sys.executable, "-c", "from denouement.cli import main; main()", "ingest", str(new), "--out", str(out)]
    for tenths in range(1, 16, 2):
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(tmp_path / "old", out)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(tenths / 10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for name in OUTPUTS:
            assert (out / name).read_bytes() in (states["old"][name], states["new"][name])
