"""Generators that read vectors by InferSent or from a file of GloVe, and contexts that are encoded when they come."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from denouement import schemas
from denouement.cli import main
from denouement.encoders.base import load_encoder
from denouement.generators.checkpoints import load_generator, save_generator
from denouement.generators.decoding import USUAL
from denouement.text.vocabulary import Vocabulary

STORY = ["Tom bought a red car.", "He drove it."]


@pytest.fixture
def files(infersent_files) -> dict[str, str]:
    return infersent_files


@pytest.fixture(scope="module")
def model(reader_of, infersent_files) -> Path:
    return reader_of("infersent", infersent_files)


def given(options: dict[str, object]) -> list[str]:
    return [word for name, value in options.items() for word in ("--encoder-option", f"{name}={value}")]


def complete(model: Path, *arguments: str, status: int = 0) -> str:
    """What is printed of an ending, or the one line of the refusal."""
    result = CliRunner().invoke(main, ["complete", "--model", str(model), "--json", *arguments, " ".join(STORY)])
    assert result.exit_code == status, result.output
    if status:
        assert result.stdout == ""
        assert len(result.stderr.splitlines()) == 1
    return result.stderr if status else result.stdout


def test_a_context_is_encoded_by_the_encoder_that_the_options_make(model, files):
    [ending] = json.loads(complete(model, *given(files)))["endings"]
    generator = load_generator(model, encoder_options=files)
    inputs = generator.prepare([STORY])
    np.testing.assert_array_equal(inputs.values[0].numpy(), load_encoder("infersent", **files).encode(STORY))
    [[expected]] = generator.write([STORY], USUAL)
    assert (ending["ending"], ending["log_prob"]) == (expected.text, pytest.approx(expected.log_prob))
    assert json.loads(complete(model, *given(files), *given({"version": 1}))) == json.loads(
        complete(model, *given(files))
    )


def test_a_table_of_contexts_is_encoded_too(model, files, tmp_path):
    (tmp_path / "mine.csv").write_text(f"case_id,context\n1,{' '.join(STORY)}\n2,{STORY[0]}\n")
    arguments = ["--model", model, "--contexts", tmp_path / "mine.csv", "--out", tmp_path / "endings.parquet"]
    result = CliRunner().invoke(main, ["generate", *map(str, arguments), *given(files)])
    assert result.exit_code == 0, result.output
    generator = load_generator(model, encoder_options=files)
    expected = [ending.text for [ending] in generator.write([STORY, STORY[:1]])]
    assert schemas.read_table(tmp_path / "endings.parquet", "endings")["ending"].to_pylist() == expected


def test_what_is_missing_is_said_with_the_option_that_gives_it(model, files):
    assert complete(model, status=2) == (
        "error: sentence vectors by infersent are needed here: "
        "give --encoder-option weights=... --encoder-option vectors=...\n"
    )
    message = complete(model, *given({"weights": files["weights"]}), status=2)
    assert message.endswith("give --encoder-option vectors=...\n")
    message = complete(model, *given({**files, "vectors": "absent.txt"}), status=2)
    assert "absent.txt: no such file; name the word vectors glove.840B.300d.txt with the option vectors" in message


def test_options_are_checked(model, files, tmp_path):
    for words, problem in {
        ("weights",): "--encoder-option weights: must be like vectors=FILE",
        ("=x",): "--encoder-option =x: must be like vectors=FILE",
        ("weights=",): "--encoder-option weights=: must be like vectors=FILE",
        ("version=1", "version=2"): "--encoder-option version=2: version is given twice",
        ("units=3",): "options of encoder infersent: unknown key units (known keys are weights, vectors, version",
        ("version=3",): "options of encoder infersent.version: must be one of 1, 2, not 3",
        ("version=two",): "options of encoder infersent.version: must be one of 1, 2, not 'two'",
    }.items():
        own = {name: file for name, file in files.items() if f"{name}=" not in "".join(words)}
        given_words = [part for word in words for part in ("--encoder-option", word)]
        assert problem in complete(model, *given(own), *given_words, status=2)


def test_vectors_by_another_encoder_than_the_one_trained_with_are_refused(model, files, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text(Path(files["vectors"]).read_text().replace("Tom", "Tim"))
    for change in ({"vectors": other}, {"version": 2}):
        message = complete(model, *given({**files, **change}), status=2)
        assert "made by infersent from other files or options than those given now" in message


def test_glove_from_a_file(files, reader_of):
    model = reader_of("glove", {"vectors": files["vectors"]})
    assert json.loads(complete(model, *given({"vectors": files["vectors"]})))["endings"]
    assert "made by glove from other files" in complete(model, status=2)  # the packaged ones


def test_a_generator_that_reads_words_takes_no_encoder_options(tmp_path, files):
    from denouement.generators.seq2seq import Seq2Seq, Seq2SeqSettings

    generator = Seq2Seq(Seq2SeqSettings(units=4), Vocabulary.build(STORY))
    save_generator(generator, tmp_path / "seq2seq.parquet")
    message = complete(tmp_path / "seq2seq.parquet", *given({"vectors": files["vectors"]}), status=2)
    assert message == "error: --encoder-option: seq2seq reads words, not sentence vectors; leave the option out\n"
