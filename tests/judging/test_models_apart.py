"""No reader of votes counts answers of models as those of people, unless it is asked to."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from denouement.answers import counted, of_people, read_votes
from denouement.cli import main
from denouement.errors import UserError
from denouement.schemas import TABLES, read_table, stamp, write_table
from denouement.stages.study import StudyPaths, StudySettings, run
from tests.judging.studies import MINE, PEOPLE, items, judge_table, votes

ROOT = Path(__file__).parents[2]
REASONS = [
    "The ending fits the story of the dog and the park.",
    "It makes me happy because the dog is with him.",
    "It does not follow from what the story tells.",
]

READERS = {
    "study results": ["study", "results", "VOTES", "--items", "items.parquet", "--json"],
    "study results --reasons": ["study", "results", "VOTES", "--items", "items.parquet", "--reasons"],
    "study results --exclude": [
        *("study", "results", "VOTES", "--items", "items.parquet", "--exclude", "answers<5", "--json")
    ],
    "study review": ["study", "review", "VOTES", "--items", "items.parquet", "--answers"],
    "study convert --to dpo": [
        *("study", "convert", "VOTES", "--items", "items.parquet", "--to", "dpo", "--out", "OUT")
    ],
    "study convert --to label-studio": [
        *("study", "convert", "VOTES", "--items", "items.parquet", "--to", "label-studio", "--out", "OUT")
    ],
    "study import": ["study", "import", "VOTES", "items.parquet", "--out", "OUT"],
    "reasons words": ["reasons", "words", "VOTES", "--json", "--out", "OUT"],
    "reasons topics": ["reasons", "topics", "VOTES", "--json", "--topics", "2", "--out", "OUT"],
    "reasons elements": ["reasons", "elements", "VOTES", "--json", "--out", "OUT"],
    "reasons examples": ["reasons", "examples", "VOTES", "--json"],
    "metrics agreement": [*("metrics", "agreement", "scores.csv", "VOTES", "--json", "--draws", "100")],
}
"""Each command that reads votes, with VOTES for their file and OUT for what it writes."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Votes of people alone, and the same with those of a judge; their items, and scores of their endings."""
    monkeypatch.chdir(tmp_path)
    shown = items(20)
    people = votes([[MINE, PEOPLE, PEOPLE] if place % 3 else [MINE, MINE, "both"] for place in range(20)])
    given = pa.array([REASONS[place % 3] for place in range(people.num_rows)])
    people = people.set_column(people.schema.get_field_index("reason"), people.schema.field("reason"), given)
    _, judged = judge_table([("A", "A")] * 20, shown)
    write_table(people, Path("people.parquet"), "votes")
    write_table(pa.concat_tables([people, judged.replace_schema_metadata()]), Path("mixed.parquet"), "votes")
    kept = {key.decode(): value.decode() for key, value in judged.schema.metadata.items()}
    write_table(judged, Path("judge.parquet"), "votes", kept)
    write_table(shown, Path("items.parquet"), "items")
    rows = [f"c{place},{system},{place % 7 + len(system)}" for place in range(20) for system in (MINE, PEOPLE)]
    Path("scores.csv").write_text("\n".join(["case_id,system,length", *rows]))
    return tmp_path


def read_by(words, file, out):
    """What a command prints and writes; names of files left out."""
    Path(out).unlink(missing_ok=True)
    done = CliRunner().invoke(main, [{"VOTES": file, "OUT": out}.get(word, word) for word in words])
    assert done.exit_code == 0, done.output
    written = Path(out).read_bytes() if Path(out).exists() else b""
    if written[:4] == b"PAR1":
        table = pq.read_table(out)
        written = table.replace_schema_metadata().to_pylist()
    return done.stdout.replace(file, "FILE").replace(out, "OUT"), written, done.stderr


@pytest.mark.parametrize("name", READERS)
def test_no_command_counts_models_as_people(folder, name):
    printed, written, said = read_by(READERS[name], "people.parquet", "a.out")
    assert printed or written
    with_models = read_by(READERS[name], "mixed.parquet", "b.out")
    if name == "study import":  # it counts the rows of its files, and says what it left out
        assert "FILE: 40 answers of models are left out" in with_models[0]
    else:
        assert with_models[0] == printed
        assert "mixed.parquet: 40 answers of models are left out" in with_models[2]
    assert with_models[1] == written
    assert "models" not in said
    alone = CliRunner().invoke(
        main, [{"VOTES": "judge.parquet", "OUT": "c.out"}.get(word, word) for word in READERS[name]]
    )
    assert (alone.exit_code, len(alone.stderr.splitlines())) == (2, 1), alone.output
    assert re.search("answers in it are of models|answers of a model, not of people", alone.stderr)
    assert not Path("c.out").exists()


def test_the_stage_leaves_models_out_and_passes_over_a_judges_table(folder, capsys):
    from denouement.study.importing import find_answers

    def results(*files):
        raw = Path("raw")
        raw.mkdir(exist_ok=True)
        for each in raw.iterdir():
            each.unlink()
        for each in (*files, "items.parquet"):
            (raw / each).write_bytes(Path(each).read_bytes())
        found = run(StudySettings(), StudyPaths(find_answers(raw), Path("out")))
        return found.results, read_table(Path("out/votes.parquet"), "votes").to_pylist()

    usual = results("people.parquet")
    assert usual[0].answers == 60
    assert results("mixed.parquet") == usual
    assert results("people.parquet", "judge.parquet") == usual
    assert "raw/judge.parquet: answers of a model, which are not read as those of people" in capsys.readouterr().err


def test_models_count_as_people_only_where_that_is_asked_for(folder):
    words = ["study", "results", "mixed.parquet", "--items", "items.parquet", "--json"]
    asked = json.loads(CliRunner().invoke(main, [*words, "--models-as-people"]).stdout)
    assert asked["answers"] == 100
    assert json.loads(CliRunner().invoke(main, words).stdout)["answers"] == 60
    done = CliRunner().invoke(main, ["study", "results", "pilot", "--models-as-people"])
    assert "--models-as-people: is for a file of votes" in done.stderr


def test_a_mixture_that_no_command_read_is_refused(folder):
    mixed = read_table(Path("mixed.parquet"), "votes")
    with pytest.raises(UserError, match="answers of people and of models in one table"):
        counted(mixed)
    assert counted(of_people(mixed)).num_rows == 60
    assert set(counted(read_votes(Path("mixed.parquet"), models_as_people=True))["kind"].to_pylist()) == {"person"}


def test_files_without_the_column_are_of_people(folder):
    kind = TABLES["votes"]
    now = read_table(Path("people.parquet"), "votes")
    assert set(kind.earlier) == {1, 2}
    for version, schema in kind.earlier.items():
        pq.write_table(now.select(schema.names).cast(stamp(schema, "votes", version)), f"v{version}.parquet")
        assert read_votes(Path(f"v{version}.parquet")).equals(now)
    assert kind.earlier[2].names == [name for name in kind.schema.names if name != "kind"]


def test_every_reader_of_votes_is_walked_here():
    """Votes are read by `read_votes`; who needs those of models reads the table itself."""
    reads = re.compile(r"read_table\([^\n]*\"votes\"\)")
    there = {
        path.relative_to(ROOT / "src/denouement").as_posix()
        for path in (ROOT / "src").rglob("*.py")
        if reads.search(path.read_text(encoding="utf-8"))
    }
    assert there == {"answers.py", "cli/study_judge.py"}
    by_people = [path for path in (ROOT / "src").rglob("*.py") if "read_votes(" in path.read_text(encoding="utf-8")]
    assert len(by_people) >= 6
