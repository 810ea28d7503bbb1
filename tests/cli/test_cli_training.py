"""The commands train and encode, on stories that train in a second."""

import csv
import json
import subprocess
import sys
from dataclasses import fields

import pyarrow as pa
import pytest
from click import Context
from click.testing import CliRunner

from denouement import schemas
from denouement.cli import main
from denouement.cli.training import encode
from denouement.corpus import sample
from denouement.encoders.embeddings import EmbeddingTable, EncodeSettings, text_id
from denouement.errors import UserError
from denouement.generators import GENERATORS
from denouement.generators.base import generator_class
from denouement.generators.checkpoints import load_generator
from denouement.generators.seq2seq import Seq2SeqSettings
from denouement.generators.training import train

SMALL = ("--units", 12, "--epochs", 2, "--batch-size", 8)


@pytest.fixture(scope="module")
def stories(tmp_path_factory):
    """A table of 24 training and 6 validation stories of the sample grammar."""
    told = list(sample.stories(30, seed=5))
    columns = {
        "story_id": [story.story_id for story in told],
        "title": [story.title for story in told],
        "sentences": [list(story.sentences) for story in told],
        "source": ["sample"] * 30,
        "split": ["train"] * 24 + ["validation"] * 6,
    }
    path = tmp_path_factory.mktemp("stories") / "stories.parquet"
    schemas.write_table(pa.table(columns, schema=schemas.TABLES["stories"].schema), path, "stories")
    return path


@pytest.fixture(scope="module")
def official(tmp_path_factory):
    """The same number of stories as a file of ROCStories, one row of which has no ending."""
    path = tmp_path_factory.mktemp("official") / "ROCStories.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["storyid", "storytitle", *(f"sentence{number}" for number in range(1, 6))])
        rows.writerows([story.story_id, story.title, *story.sentences] for story in sample.stories(30, seed=5))
        rows.writerow(["last", "T", "One.", "Two.", "Three.", "Four.", ""])
    return path


def run(*arguments, status=0):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == status, result.output
    return result


def refused(*arguments):
    """The one line on standard error of a command that ends with status 2."""
    result = run(*arguments, status=2)
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1, result.stderr
    return result.stderr


def test_train_writes_what_the_library_writes(stories, tmp_path):
    result = run("train", "seq2seq", "--stories", stories, "--out", tmp_path / "cli", *SMALL, "--layers", 1)
    settings = Seq2SeqSettings(units=12, epochs=2, batch_size=8, layers=1)
    train("seq2seq", stories, tmp_path / "library", settings, work=tmp_path / "work")
    for name in ("best.parquet", "last.parquet", "history.json"):
        assert (tmp_path / "cli" / name).read_bytes() == (tmp_path / "library" / name).read_bytes()
    assert sorted(path.name for path in (tmp_path / "cli").iterdir()) == [
        "best.parquet",
        "history.json",
        "last.parquet",
    ]
    assert [line.partition(":")[0] for line in result.stderr.splitlines()] == ["epoch 1 of 2", "epoch 2 of 2"]
    assert f"for --model: {tmp_path / 'cli' / 'best.parquet'}" in result.stdout
    assert "ending" in run("complete", "--model", tmp_path / "cli" / "best.parquet", "Tom ran.", "--json").stdout


def test_a_generator_is_trained_under_a_name_of_its_own(stories, tmp_path):
    command = ("train", "seq2seq", "--stories", stories, "--out", tmp_path / "model", *SMALL, "--layers", 1)
    run(*command, "--name", "wide")
    generator = load_generator(tmp_path / "model" / "best.parquet")
    assert (generator.name, generator.kind) == ("wide", "seq2seq")
    assert "--name: human_right means endings that people wrote" in refused(*command, "--name", "human_right")


@pytest.mark.parametrize("kind", ["language_model", "fine_tuned"])
def test_a_language_model_ends_a_typed_story_and_fills_a_table(kind, stories, taught_model, tmp_path):
    own = ("--epochs", 1, "--learning-rate", 1e-6) if kind == "fine_tuned" else ()
    run("train", kind, "--stories", stories, "--out", tmp_path, "--model", taught_model, "--name", "tiny", *own)
    model, story = tmp_path / "best.parquet", "Tom had a test. He studied all night. He slept on the bus."
    greedy = run("complete", "--model", model, "--decode", "greedy", f"{story} The test was easy.")
    assert greedy.stdout == "He passed it.\n"
    assert "Read 4 sentences" in greedy.stderr
    sampled = json.loads(run("complete", "--model", model, "-n", 3, story, "--json").stdout)
    assert sampled["decoding"] == "sample, temperature 0.7, top_k 40, seed 1"
    assert len(sampled["endings"]) == 3
    assert sampled["unknown_words"] == []
    assert "decodes by greedy or sample, not by beam" in refused(
        "complete", "--model", model, story, "--decode", "beam"
    )
    contexts, out = tmp_path / "contexts.csv", tmp_path / "endings.parquet"
    contexts.write_text(f'case_id,context\n1,"{story} The test was easy."\n')
    told = json.loads(run("generate", "--model", model, "--contexts", contexts, "--out", out, "--json").stdout)
    assert (told["system"], told["endings"], told["at_max_length"]) == ("tiny", 1, None)
    assert told["log_prob_per_token"] < 0
    assert schemas.read_table(out, "endings")["ending"].to_pylist() == ["He passed it."]


def test_what_encode_writes_train_reads(stories, tmp_path):
    vectors, out = tmp_path / "vectors.parquet", tmp_path / "model"
    told = run("encode", "--stories", stories, "--out", vectors, "--encoder", "glove", "--views", 2, "--seed", 7).stdout
    table = EmbeddingTable.open(vectors)
    assert (table.encoder, table.views, table.seed, table.word_dropout) == ("glove", 2, 7, 0.3)
    assert f"{table.sentences + 2 * table.training_sentences:,} vectors of 50 numbers by glove" in told
    run("train", "h_seq2seq", "--stories", stories, "--embeddings", vectors, "--out", out, *SMALL)
    assert load_generator(out / "best.parquet").settings.units == 12
    run("train", "retrieval", "--stories", stories, "--embeddings", vectors, "--out", tmp_path / "nearest")
    assert load_generator(tmp_path / "nearest" / "best.parquet").name == "retrieval"


def test_the_contexts_of_cases_are_encoded_too(stories, make_cases, tmp_path):
    cases, vectors = tmp_path / "cloze.parquet", tmp_path / "vectors.parquet"
    schemas.write_table(make_cases([1, 2]), cases, "cloze")
    run("encode", "--stories", stories, "--cloze", cases, "--out", vectors, "--encoder", "glove", "--views", 0)
    assert len(EmbeddingTable.open(vectors).rows(["Person 0 did thing a.", "Person 1 did thing d."])) == 2
    assert text_id("Person 0 did thing a.")


def test_a_file_of_rocstories_is_read_and_its_rejected_rows_are_counted(official, tmp_path):
    said = f"{official}: 30 stories, 1 rows rejected (`denouement ingest` lists them)"
    encoded = run("encode", "--stories", official, "--out", tmp_path / "vectors.parquet", "--encoder", "glove")
    assert encoded.stderr.splitlines() == [said]
    trained = run("train", "h_seq2seq", "--stories", official, "--embeddings", tmp_path / "vectors.parquet",
                  "--out", tmp_path / "model", *SMALL, "--json")  # fmt: skip
    assert trained.stderr.splitlines()[0] == said
    counted = json.loads(trained.stdout)["stories"]
    assert counted["train"] + counted["validation"] == 30


def test_an_interrupted_training_is_continued(stories, tmp_path, monkeypatch):
    command = ("train", "seq2seq", "--stories", stories, *SMALL, "--layers", 1, "--out")
    run(*command, tmp_path / "unbroken")
    seen = []

    def stop(epoch, *_):
        seen.append(epoch)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("denouement.generators.history.epoch_line", stop)
        assert run(*command, tmp_path / "broken", status=130).stderr == "interrupted\n"
    assert seen == [0]
    assert not (tmp_path / "broken" / "best.parquet").exists()
    told = run(*command, tmp_path / "broken").stderr.splitlines()
    assert told[0].endswith("an unfinished training; it is continued if its stories and settings are the same")
    for name in ("best.parquet", "last.parquet", "history.json"):
        assert (tmp_path / "broken" / name).read_bytes() == (tmp_path / "unbroken" / name).read_bytes()
    assert not (tmp_path / "broken" / "unfinished").exists()


def test_train_refuses(stories, official, make_cases, tmp_path):
    out, cases = tmp_path / "model", tmp_path / "cases.csv"

    def of(generator, *options, stories=stories):
        return refused("train", generator, "--stories", stories, "--out", out, *options)

    assert of("seq2seq", "--epochs", 0) == "error: --epochs: must be at least 1, not 0\n"
    for value in ("nan", "inf", "-1"):
        assert "--learning-rate: must be a number above 0" in of("seq2seq", "--learning-rate", value)
    assert "--beta-1: must be at least 0 and below 1" in of("seq2seq", "--beta-1", "nan")
    assert "--max-time: must be like" in of("seq2seq", "--max-time", "soon")
    assert "no such file" in of("seq2seq", stories=tmp_path / "absent.csv")
    assert "no such file" in of("h_seq2seq", "--embeddings", tmp_path / "absent.parquet")
    cases.write_text("a,b\n1,2\n")
    assert str(cases) in of("seq2seq", stories=cases)
    header = "InputStoryid,InputSentence1,InputSentence2,InputSentence3,InputSentence4,RandomFifthSentenceQuiz1,"
    cases.write_text(f"{header}RandomFifthSentenceQuiz2,AnswerRightEnding\n1,A.,B.,C.,D.,E.,F.,1\n")
    assert "Story Cloze" in run("train", "seq2seq", "--stories", cases, "--out", out, status=2).stderr
    assert not out.exists()
    for missing in (["--stories", str(stories)], ["--stories", str(stories), "--out", str(out)]):
        result = CliRunner().invoke(main, ["train", "h_seq2seq", *missing])
        assert result.exit_code == 2
        assert "Missing option" in result.stderr
    assert "Missing option '--embeddings'. `denouement encode` writes" in result.stderr
    assert CliRunner().invoke(main, ["train", "gpt"]).exit_code == 2


def test_a_second_training_into_a_folder_is_refused_while_the_first_one_runs(stories, tmp_path, monkeypatch):
    out = tmp_path / "new" / "model"
    command = ("train", "seq2seq", "--stories", stories, *SMALL, "--layers", 1, "--out", out)
    second = []
    line = "denouement.generators.history.epoch_line"

    def meanwhile(epoch, *_):
        if not second:
            alone = [sys.executable, "-m", "denouement", *map(str, command)]
            second.append(subprocess.run(alone, capture_output=True, text=True, check=False))
        return f"epoch {epoch}"

    with monkeypatch.context() as patch:
        patch.setattr(line, meanwhile)
        run(*command)
    assert second[0].returncode == 2
    assert second[0].stderr == f"error: {out}: another process writes into it; wait until it ends, or name another\n"
    assert load_generator(out / "best.parquet", "cpu").name == "seq2seq"


def test_a_model_that_is_there_is_replaced_aloud(stories, tmp_path):
    command = ("train", "seq2seq", "--stories", stories, "--layers", 1, "--out", tmp_path, *SMALL)
    assert "replaces" not in run(*command).stderr
    before = (tmp_path / "best.parquet").read_bytes()
    told = run(*command, "--seed", 9).stderr.splitlines()
    assert told[0] == f"{tmp_path / 'best.parquet'}: is there; the new generator replaces it when the training ends"
    assert (tmp_path / "best.parquet").read_bytes() != before


def test_a_training_that_fails_leaves_no_empty_folders(stories, tmp_path, monkeypatch):
    def fails(*_, **__):
        raise UserError("no memory")

    monkeypatch.setattr("denouement.generators.seq2seq.Seq2Seq.fit", fails)
    assert "no memory" in refused("train", "seq2seq", "--stories", stories, "--out", tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []


def test_encode_refuses(stories, tmp_path):
    out = tmp_path / "vectors.parquet"

    def of(*options):
        return refused("encode", "--stories", stories, "--out", out, *options)

    assert of("--word-dropout", 1) == "error: --word-dropout: must be at least 0 and less than 1, not 1.0\n"
    assert "weights" in of("--encoder", "infersent")
    assert "no such file" in of("--cloze", tmp_path / "absent.parquet", "--encoder", "glove")
    assert not out.exists()


@pytest.mark.parametrize("name", GENERATORS)
def test_each_setting_of_a_generator_is_an_option_with_its_default_and_description(name):
    command = main.get_command(Context(main), "train").get_command(Context(main), name)
    options = {option.name: option for option in command.params}
    for setting in fields(generator_class(name).settings_class):
        assert options[setting.name].default == setting.default
        assert options[setting.name].help
    assert ("embeddings" in options) == generator_class(name).reads_vectors


def test_null_switches_a_setting_off(stories, tmp_path):
    out = tmp_path / "model"
    run("train", "seq2seq", "--stories", stories, "--out", out, *SMALL, "--layers", 1, "--max-size", "null")
    assert load_generator(out / "best.parquet").settings.max_size is None
    result = CliRunner().invoke(main, ["train", "seq2seq", "--stories", "x", "--out", "y", "--max-size", "many"])
    assert result.exit_code == 2
    assert "'many' is not a valid integer" in result.stderr


def test_each_setting_of_the_vectors_is_an_option():
    names = {option.name for option in encode.params}
    assert {setting.name for setting in fields(EncodeSettings)} - {"options"} <= names
    assert "encoder_options" in names
