"""From pairs of texts to a model, and from the model to a score."""

import json

import pyarrow as pa
import pytest
from click.testing import CliRunner

from denouement import provenance, schemas
from denouement.cli import main
from denouement.files import file_digest

FEW = ["--draws", "100", "--score", "length", "--score", "copying"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """In 12 of 15 stories people chose the longer ending."""
    monkeypatch.chdir(tmp_path)
    rows = []
    for number in range(15):
        short, long = f"He left {number}.", f"He left and he came back at {number}."
        chosen, rejected = (long, short) if number % 5 else (short, long)
        rows.append({"context": f"Story {number} began.", "chosen": chosen, "rejected": rejected})
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cases = [
        {
            **{"case_id": str(number), "context": [f"Story {number} began."], "endings": ["She won it all.", "No."]},
            **{"right_ending": 1, "question": None, "language": "en", "release": "v1.0", "split": "test"},
        }
        for number in (3, 77)
    ]
    schemas.write_table(
        pa.Table.from_pylist(cases, schemas.TABLES["cloze"].schema), tmp_path / "cloze.parquet", "cloze"
    )

    def invoke(*arguments: str):
        return CliRunner().invoke(main, ["metrics", *arguments])

    return invoke


def test_a_model_is_learned_and_scores_endings_of_other_stories(run, tmp_path):
    done = run("preference", "pairs.jsonl", *FEW, "--out", "model.parquet", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert (found["pairs"], found["stories"], found["scores"]) == (15, 15, ["length", "copied"])
    [longer] = [row for row in found["picked"] if row["score"] == "longer ending"]
    assert (longer["right"], longer["wrong"]) == (12, 3)
    shown = run("preference", "pairs.jsonl", *FEW)
    assert "| longer ending" in shown.output
    assert "5 folds; all pairs of a story are in one fold" in " ".join(shown.output.split())

    score = ["score", "--cases", "cloze.parquet", "--human", "--score", "preference", "--preference", "model.parquet"]
    done = run(*score, "--out", "scores.parquet")
    assert done.exit_code == 0, done.output
    rows = schemas.read_table(tmp_path / "scores.parquet", "ending_scores").to_pylist()
    values = {(row["case_id"], row["system"]): row["value"] for row in rows}
    assert {case for case, _ in values} == {"77"}  # the story of the other case was learned from
    assert values["77", "human_right"] > values["77", "human_wrong"]
    assert "1 endings of human_right (those of a story that the model learned from" in " ".join(done.output.split())
    made_from = provenance.of_table(tmp_path / "scores.parquet")
    assert made_from["preferences/model"] == file_digest(tmp_path / "model.parquet")


def test_without_names_it_reads_the_length_and_sentence_vectors(run, monkeypatch):
    monkeypatch.setattr("denouement.metrics.preference.run.MINILM", "glove")
    done = run("preference", "pairs.jsonl", "--draws", "100", "--out", "model.parquet", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert (found["scores"], found["encoder"]) == (["length"], "glove")
    score = ["score", "--cases", "cloze.parquet", "--human", "--score", "preference", "--preference", "model.parquet"]
    assert run(*score).exit_code == 0


def test_scores_of_other_stories_than_it_learned_from_are_refused(run, tmp_path):
    """The score novelty learns from stories; the length does not."""
    for name, sentence in (("one", "He left."), ("two", "She came.")):
        row = {"story_id": "1", "title": None, "sentences": ["A.", sentence], "source": "x", "split": "train"}
        table = pa.Table.from_pylist([row], schemas.TABLES["stories"].schema)
        schemas.write_table(table, tmp_path / f"{name}.parquet", "stories")
    score = ["score", "--cases", "cloze.parquet", "--human", "--score", "preference", "--stories", "two.parquet"]
    for feature, code in (("novelty", 2), ("length", 0)):
        learn = ["preference", "pairs.jsonl", "--draws", "100", "--score", feature, "--stories", "one.parquet"]
        assert run(*learn, "--out", "model.parquet").exit_code == 0
        done = run(*score, "--preference", "model.parquet")
        assert done.exit_code == code, done.output
        assert ("made with other content of stories" in done.output) == bool(code)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["gone.csv"], "gone.csv: no such file"),
        (["pairs.jsonl", "pairs.jsonl"], "pairs are given twice among pairs.jsonl, pairs.jsonl"),
        (["pairs.jsonl", "--test", "pairs.jsonl"], "pairs are given twice"),
        (["pairs.jsonl", "--score", "bleu"], "score bleu needs references"),
        (["pairs.jsonl", "--score", "self_bleu"], "score self_bleu is none of single endings"),
        (["pairs.jsonl", "--score", "preference"], "score preference is none of single endings"),
        (["pairs.jsonl", "--score", "bleus"], "no score 'bleus'"),
        (["pairs.jsonl", "--score", "novelty"], "give them with --stories"),
        (["people.csv"], "people.csv: nothing to learn from; give --scores"),
        (["people.csv", "--scores", "scores.csv"], "--out: scores.csv is no table of `metrics score`"),
        (["people.csv", "--scores", "scores.parquet"], "--out: a model must know its stories"),
        (["people.csv", "--scores", "scores.parquet", "--score", "repeated"], "repeated is of all endings of a system"),
        (["people.csv", "--scores", "other.csv"], "other.csv: has no score of the endings that people compared"),
        (["people.csv", "--scores", "scores.csv", "--encoder", "glove"], "--encoder: reads the texts"),
        (["pairs.jsonl", "--encoder", "elmo"], "elmo"),
        (["pairs.jsonl", "--folds", "16", "--score", "length"], "at least 16 are needed for 16 folds"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(run, tmp_path, arguments, problem):
    people = [f"{number},{system},{number % 3 + side}" for number in range(12) for side, system in enumerate("xy")]
    (tmp_path / "people.csv").write_text("\n".join(["case_id,system,ann", *people]))
    (tmp_path / "scores.csv").write_text("\n".join(["case_id,system,s", *people]))
    values = [{"case_id": str(n), "system": system, "score": "s", "value": 1.0} for n in range(12) for system in "xy"]
    values += [{"case_id": None, "system": system, "score": "repeated", "value": 0.5} for system in "xy"]
    table = pa.Table.from_pylist(values, schemas.TABLES["ending_scores"].schema)
    schemas.write_table(table, tmp_path / "scores.parquet", "ending_scores")
    (tmp_path / "other.csv").write_text("case_id,system,s\n99,x,1\n")
    is_read_first = any(said in problem for said in ("has no score", "reads the texts", "of a system"))
    out = [] if is_read_first else ["--out", "model.parquet"]
    done = run("preference", *arguments, *out)
    assert done.exit_code == 2, done.output
    assert problem in done.output
    assert len(done.output.strip().splitlines()) == 1
    assert not (tmp_path / "model.parquet").exists()


def test_the_reasons_are_never_written_over(run, tmp_path):
    (tmp_path / "elements.parquet").write_text("reasons")
    done = run("preference", "pairs.jsonl", *FEW, "--elements", "elements.parquet", "--out", "elements.parquet")
    assert done.exit_code == 2
    assert "elements.parquet is read too: name another file to write" in done.output
    assert (tmp_path / "elements.parquet").read_text() == "reasons"
