"""The commands that rerank, from the option to the table of endings and the study."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from denouement import schemas
from denouement.cli import main
from denouement.generators.checkpoints import save_generator
from denouement.generators.language_model import PromptedModel, PromptedSettings
from denouement.language_models.model import load
from denouement.stages.generate import GeneratePaths, GenerateSettings
from denouement.stages.generate import run as generate
from denouement.stages.sample import SamplePaths, SampleSettings
from denouement.stages.sample import run as sample
from tests.reranking.known_cases import CASES

DESIGN = Path(__file__).parents[2] / "docs/examples/reranked_study.yaml"


def run(*arguments, status=0):
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == status, done.output
    return done


@pytest.fixture
def model(tiny_model, tmp_path):
    path = tmp_path / "model" / "best.parquet"
    save_generator(PromptedModel(PromptedSettings(str(tiny_model)), load(str(tiny_model)), []), path)
    return path


@pytest.fixture
def cases(tmp_path):
    """Two cases that the chooser has not seen, and one of validation that it learned from."""
    told = [(["Tom ran."], "test"), (["Ann sang."], "test"), (CASES[0], "validation")]
    rows = [
        {"case_id": str(n), "context": context, "endings": ["x", "y"], "right_ending": 1, "release": "v1.0"}
        | {"split": split, "language": "en"}
        for n, (context, split) in enumerate(told)
    ]
    path = tmp_path / "cloze.parquet"
    schemas.write_table(pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema), path, "cloze")
    return path


def test_generate_writes_the_best_of_the_draws(model, cases, trained_chooser, tmp_path):
    out, all_drawn = tmp_path / "reranked.parquet", tmp_path / "drawn.parquet"
    given = ["generate", "--model", model, "--contexts", cases, "--split", "test"]
    sampled = ["--temperature", 0.9, "--seed", 3]
    done = run(*given, *sampled, "--rerank", trained_chooser, "--draws", 4, "--out", out)
    assert "2 endings of language_model_reranked for 2 cases" in done.stdout
    assert "language_model_reranked: the best of " in done.stderr
    run(*given, *sampled, "--top-p", 0.9, "--decode", "sample", "-n", 4, "--out", all_drawn)
    drawn = {(row["case_id"], row["ending"], row["log_prob"]) for row in pq.read_table(all_drawn).to_pylist()}
    for row in pq.read_table(out).to_pylist():
        assert (row["case_id"], row["ending"], row["log_prob"]) in drawn
    metadata = pq.read_schema(out).metadata
    record = json.loads(metadata[b"reranked"])
    assert (record["of"], record["chooser"], record["n"]) == ("language_model", str(trained_chooser), 4)
    assert metadata[b"decoding"].endswith(b"the best of 4 by chooser.parquet")


def test_cases_that_trained_the_chooser_are_refused_with_their_split(model, cases, trained_chooser, tmp_path):
    out = tmp_path / "reranked.parquet"
    done = run("generate", "--model", model, "--contexts", cases, "--rerank", trained_chooser, "--out", out, status=2)
    [line] = done.stderr.splitlines()
    assert "was trained on 1 of the 3 contexts (1 of v1.0 validation)" in line
    assert "--split" in line
    assert not out.exists()


def test_a_typed_story_is_reranked(model, tiny_model):
    done = run("complete", "Tom ran. He fell.", "--model", model, "--rerank", tiny_model, "--draws", 3, "-n", 2)
    assert 1 <= len(done.stdout.splitlines()) <= 2
    assert f"the best of 3 by {tiny_model.name}" in done.stderr


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--draws", 3], "--draws: goes with --rerank"),
        (["--language-model", "x"], "--language-model: goes with --rerank"),
        (["--rerank", "TINY", "--decode", "greedy"], "--decode: endings to be reranked are drawn"),
        (["--rerank", "TINY", "--beam-width", 3], "--beam-width: not with --rerank"),
        (["--rerank", "TINY", "--draws", 3, "-n", 4], "-n 4: of 3 that are drawn"),
        (["--rerank", "TINY", "--temperature", 0], "--temperature: must be from"),
        (["--rerank", "nowhere"], "nowhere: no such folder or file"),
        (["--rerank", "nowhere.parquet"], "nowhere.parquet: no such file"),
    ],
)
def test_options_that_do_not_go_together(model, tiny_model, options, problem):
    given = [tiny_model if each == "TINY" else each for each in options]
    done = run("complete", "Tom ran.", "--model", model, *given, status=2)
    assert problem in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_contexts_of_training_stories_are_counted_in_the_graph(model, cases, tmp_path, capsys):
    told = [["Ann  SANG", "She won."], ["Tom ran.", "He fell."], ["Bob sat.", "It rained."]]
    rows = [
        {"story_id": str(n), "title": "t", "sentences": sentences, "source": "sample", "split": split}
        for n, (sentences, split) in enumerate(zip(told, ("train", "validation", "train"), strict=True))
    ]
    stories = tmp_path / "stories.parquet"
    schemas.write_table(pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema), stories, "stories")
    paths = GeneratePaths(cases, stories, model, None, tmp_path / "endings.parquet")
    generate(GenerateSettings(split="test"), paths)
    assert f"1 of 2 contexts are those of training stories in {stories}" in capsys.readouterr().err


def test_the_study_against_people_is_made_from_the_sample_corpus(tmp_path):
    sample(SampleSettings(stories=40, cases=120), SamplePaths(tmp_path / "sample"))
    files = [path for path in sorted((tmp_path / "sample").rglob("*")) if path.is_file()]
    run("ingest", *files, "--out", tmp_path / "corpus")
    cases = schemas.read_table(tmp_path / "corpus/cloze.parquet", "cloze")
    rows = [
        {"case_id": case, "system": "smollm2_reranked", "ending": f"They went home {case}."}
        for case in cases["case_id"].to_pylist()
    ]
    endings = tmp_path / "endings.parquet"
    schemas.write_table(pa.Table.from_pylist(rows, schemas.TABLES["endings"].schema), endings, "endings")
    given = [
        "--cases",
        tmp_path / "corpus/cloze.parquet",
        "--endings",
        endings,
        "--store",
        f"sqlite:///{tmp_path}/studies.db",
    ]
    done = run("study", "create", DESIGN, *given)
    assert "reranked" in done.output
    assert "100" in done.output
