"""The commands generate and complete, on a tiny generator in a real checkpoint."""

import json
from dataclasses import fields, replace

import numpy as np
import pyarrow as pa
import pytest
import torch
from click import Context
from click.testing import CliRunner

from denouement import schemas
from denouement.cli import main
from denouement.encoders.base import load_encoder
from denouement.generators.base import generator_class
from denouement.generators.checkpoints import load_generator, save_generator
from denouement.generators.decoding import USUAL, Decoding
from denouement.generators.retrieval import Retrieval
from denouement.text.vocabulary import Vocabulary

STORY = ["Tom bought a red car.", "He drove it to Mr. Hill."]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    kind = generator_class("seq2seq")
    with torch.random.fork_rng():
        torch.manual_seed(1)
        generator = kind(kind.settings_class(units=8), Vocabulary.build([*STORY, "The car was fast and loud."]))
    path = tmp_path_factory.mktemp("model") / "best.parquet"
    save_generator(generator, path)
    return path


@pytest.fixture
def cases(tmp_path):
    rows = [
        {
            "case_id": case_id,
            "context": STORY[: 1 + (split == "test")],
            "endings": ["x", "y"],
            "language": "en",
            "right_ending": 1,
            "release": release,
            "split": split,
        }
        for case_id, release, split in [
            ("b", "v1.0", "validation"),
            ("a", "v1.0", "test"),
            ("b", "v1.5", "validation"),
        ]
    ]
    path = tmp_path / "cloze.parquet"
    schemas.write_table(pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema), path, "cloze")
    return path


def run(*arguments, status=0, **options):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], **options)
    assert result.exit_code == status, result.output
    return result


def refused(*arguments, **options):
    """The one line on standard error of a command that ends with status 2."""
    result = run(*arguments, status=2, **options)
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1, result.stderr
    return result.stderr


# --- generate


def test_generate_writes_what_decode_gives(model, cases, tmp_path):
    out = tmp_path / "new" / "endings.parquet"
    result = run("generate", "--model", model, "--contexts", cases, "--out", out, "--release", "v1.0",
                 "--decode", "beam", "--beam-width", 3, "--max-length", 6, "-n", 2)  # fmt: skip
    rows = schemas.read_table(out, "endings").to_pylist()
    assert [row["case_id"] for row in rows] == ["b", "b", "a", "a"]
    decoding = Decoding("beam", beam_width=3, max_length=6)
    expected = load_generator(model).write([STORY[:1], STORY], decoding, n=2)
    assert [row["ending"] for row in rows] == [ending.text for endings in expected for ending in endings]
    assert {row["system"] for row in rows} == {"seq2seq"}
    assert "4 endings of seq2seq for 2 cases" in result.stdout
    assert result.stdout.count("\n") == 1


def test_generate_json(model, cases, tmp_path):
    out = tmp_path / "endings.parquet"
    arguments = ["--release", "v1.5", "--max-length", 1, "--min-length", 1, "--system", "short", "--json"]
    summary = json.loads(run("generate", "--model", model, "--contexts", cases, "--out", out, *arguments).stdout)
    [row] = schemas.read_table(out, "endings").to_pylist()
    assert summary == {
        "out": str(out),
        "system": "short",
        "cases": 1,
        "endings": 1,
        "at_max_length": 1,
        "log_prob_per_token": pytest.approx(row["log_prob"] / 2),
    }


def test_the_same_command_writes_the_same_bytes(model, cases, tmp_path):
    outs = [tmp_path / name for name in ("one", "two", "other")]
    for out, seed in zip(outs, (7, 7, 8), strict=True):
        run("generate", "--model", model, "--contexts", cases, "--out", out, "--release", "v1.0", "--decode", "sample",
            "--top-p", 0.9, "--seed", seed)  # fmt: skip
    one, two, other = (out.read_bytes() for out in outs)
    assert one == two != other


def test_generate_reads_a_csv_of_contexts(model, tmp_path):
    contexts, out = tmp_path / "mine.csv", tmp_path / "endings.parquet"
    contexts.write_text("case_id,context\n1,Tom bought a red car. He drove it to Mr. Hill.\n")
    run("generate", "--model", model, "--contexts", contexts, "--out", out)
    [[expected]] = load_generator(model).write([STORY])
    assert schemas.read_table(out, "endings")["ending"].to_pylist() == [expected.text]


def test_generate_refuses(model, cases, tmp_path):
    out = tmp_path / "endings.parquet"

    def generate(*options, model=model, contexts=cases):
        return refused("generate", "--model", model, "--contexts", contexts, "--out", out, *options)

    assert "choose a release and a split" in generate()
    one = ("--release", "v1.0")
    assert f"{tmp_path / 'absent'}: no such file" in generate(*one, model=tmp_path / "absent")
    assert "a table 'cloze', not 'checkpoint'" in generate(*one, model=cases)
    assert "a table 'checkpoint' holds no contexts" in generate(contexts=model)
    assert "no such file" in generate(contexts=tmp_path / "absent.csv")
    assert generate(*one, "--top-p", 0.9) == "error: --top-p: belongs to method sample, but method is greedy\n"
    assert "--top-p: must be above 0" in generate(*one, "--decode", "sample", "--top-p", 2)
    assert "--min-length" in generate(*one, "--min-length", 9, "--max-length", 3)
    assert "greedy decoding gives one ending, not 3" in generate(*one, "-n", 3)
    assert "--device nowhere" in generate(*one, "--device", "nowhere")
    assert not out.exists()
    assert "a folder" in refused("generate", "--model", model, "--contexts", cases, "--out", tmp_path, *one)


# --- complete


def test_complete_prints_an_ending(model):
    [[expected]] = load_generator(model).write([STORY], USUAL)
    assert run("complete", "--model", model, " ".join(STORY)).stdout == f"{expected.text}\n"
    assert run("complete", "--model", model, "-", input="\n".join(STORY)).stdout == f"{expected.text}\n"
    [[greedy]] = load_generator(model).write([STORY])
    assert run("complete", "--model", model, " ".join(STORY), "--decode", "greedy").stdout == f"{greedy.text}\n"


def test_complete_says_what_it_read(model):
    told = run("complete", "--model", model, "Zed bought a red car. He drove it to Mr. Hill. It was fast.").stderr
    assert told.splitlines() == [
        "Read 3 sentences, 14 words; the models learned from stories with 4 sentences before the ending",
        "seq2seq does not know these words: Zed",
        f"Decoding: {USUAL}",
    ]
    told = run("complete", "--model", model, "Zed kaufte am Montag ein neues Auto und fuhr damit zum Berg.").stderr
    assert "This does not look like English" in told.splitlines()[1]
    document = json.loads(run("complete", "--model", model, "Zed ran.", "--json", "--decode", "greedy").stdout)
    assert (document["english"], document["unknown_words"]) == (True, ["Zed", "ran"])
    assert document["decoding"] == "greedy"


def test_complete_changes_its_usual_decoding_by_the_options_given(model):
    [[expected]] = load_generator(model).write([STORY], replace(USUAL, max_length=4))
    assert run("complete", "--model", model, " ".join(STORY), "--max-length", 4).stdout == f"{expected.text}\n"


def test_complete_prints_as_many_different_endings_as_are_asked_for(model):
    printed = run("complete", "--model", model, " ".join(STORY), "-n", 7).stdout.splitlines()
    assert len(set(printed)) == 7


def test_complete_prints_several(model):
    samples = ("complete", "--model", model, " ".join(STORY), "-n", 5, "--decode", "sample", "--max-length", 5)
    [expected] = load_generator(model).write([STORY], Decoding("sample", max_length=5), 5)
    assert run(*samples).stdout.splitlines() == [ending.text for ending in expected]
    document = json.loads(run(*samples, "--json").stdout)
    assert document["context"] == STORY
    assert document["endings"] == [
        {"ending": ending.text, "log_prob": pytest.approx(ending.log_prob), "n_tokens": ending.n_tokens}
        for ending in expected
    ]


def test_complete_refuses(model, tmp_path):
    assert "type at least one sentence" in refused("complete", "--model", model, "  ")
    assert "type at least one sentence" in refused("complete", "--model", model, "-", input="\n")
    assert "not text in UTF-8" in refused("complete", "--model", model, "-", input=b"Tom \xff.")
    assert "no such file" in refused("complete", "--model", tmp_path / "absent.parquet", "Tom ran.")
    error = refused("complete", "--model", model, "Tom ran.", "-n", 5, "--decode", "greedy")
    assert "decode with sample or beam" in error
    assert "1,000 sentences, and at most 100 are read" in refused("complete", "--model", model, "Tom ran.\n" * 1000)
    error = refused("complete", "--model", model, "Tom ran.", "-n", 5, "--decode", "beam", "--beam-width", 2)
    assert "a beam of width 2" in error


# --- options


def test_each_setting_of_decoding_is_an_option():
    complete = main.get_command(Context(main), "complete")
    parameters = {parameter.name: parameter for parameter in complete.params}
    chosen = complete.make_context("complete", ["--model", "m.parquet", "A story."]).params
    help_text = run("complete", "--help").stdout
    for setting in fields(Decoding):
        option = parameters[setting.name]
        assert option.opts == ["--decode" if setting.name == "method" else f"--{setting.name.replace('_', '-')}"]
        assert setting.metadata["help"] in " ".join(help_text.split())
        assert chosen[setting.name] is None  # what is not given is the default of `Decoding`
    assert parameters["seed"].type.max == 2**32 - 1
    assert isinstance(parameters["top_k"].type, type(parameters["beam_width"].type))


@pytest.mark.parametrize(
    ("command", "method", "penalty", "ngram"),
    [
        ("complete", "beam", "1 without --decode, else 0", "3 without --decode, else allowed"),
        ("generate", "greedy", "0", "allowed"),
    ],
)
def test_the_help_names_the_decoding_that_a_command_uses(command, method, penalty, ngram):
    text = " ".join(run(command, "--help").stdout.split())
    assert f"Method. [default: {method}]" in text
    assert f"Above 0 favours longer endings. [beam; default: {penalty}]" in text
    assert f"Have no sequence of this many words twice. [default: {ngram}]" in text


# --- try


@pytest.fixture
def started(monkeypatch):
    """What `try` would serve: the arguments of its server, which starts at once and ends."""
    calls = []

    def serve(app, host, port, started):
        calls.append((host, port))
        started("http://127.0.0.1:4321")

    monkeypatch.setattr("denouement.study.web.app.serve", serve)
    return calls


def test_try_serves_the_models_of_a_run_to_this_computer_alone(model, tmp_path, started):
    for name in ("two", "one"):
        (tmp_path / "data/models" / name).mkdir(parents=True)
        (tmp_path / "data/models" / name / "best.parquet").write_bytes(model.read_bytes())
    (tmp_path / "data/models/none").mkdir()
    told = run("try", "--data", tmp_path / "data").stdout
    assert told == "one, two: http://127.0.0.1:4321/ (Ctrl-C ends it)\n"
    assert started == [("127.0.0.1", 0)]
    other = tmp_path / "mine.parquet"
    other.write_bytes(model.read_bytes())
    told = run("try", "--model", other, "--model", model, "--port", 8123).stdout
    assert told.startswith(f"mine, {model.parent.name}: ")
    assert started[1] == ("127.0.0.1", 8123)


def test_try_refuses(model, tmp_path, started):
    assert "no trained generator; `make run` and `denouement train` make them" in refused("try", "--data", tmp_path)
    assert "no such file" in refused("try", "--model", tmp_path / "absent.parquet")
    assert "there is another one called" in refused("try", "--model", model, "--model", model)
    error = refused("try", "--model", model, "--encoder-option", "vectors=x")
    assert "none of the models reads sentence vectors" in error
    assert started == []


# --- a generator without probabilities


@pytest.fixture
def stories_by_heart(tmp_path):
    """The checkpoint of a retrieval of two stories whose sentences have vectors by GloVe."""
    glove = load_encoder("glove")
    contexts = [["The car was fast."], ["She baked a cake."]]
    vectors = glove.encode([sentence for [sentence] in contexts])
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    generator = Retrieval("glove", glove.fingerprint, vectors, np.arange(2), ["It won.", "It was sweet."])
    save_generator(generator, tmp_path / "retrieval.parquet")
    return tmp_path / "retrieval.parquet"


def test_a_generator_without_probabilities_writes_endings(stories_by_heart, cases, tmp_path):
    out = tmp_path / "endings.parquet"
    arguments = ("generate", "--model", stories_by_heart, "--contexts", cases, "--out", out, "--release", "v1.0")
    assert run(*arguments).stdout == (
        f"2 endings of retrieval for 2 cases (the generator gives no probabilities): {out}\n"
    )
    assert schemas.read_table(out, "endings").to_pylist()[0] == {
        "case_id": "b", "system": "retrieval", "ending": "It won.", "log_prob": None, "n_tokens": None
    }  # fmt: skip
    summary = json.loads(run(*arguments, "--json").stdout)
    assert (summary["at_max_length"], summary["log_prob_per_token"]) == (None, None)
    assert "decoding" not in str(schemas.read_schema(out, "endings").metadata)
    document = json.loads(run("complete", "--model", stories_by_heart, "She ate a cake.", "-n", 2, "--json").stdout)
    assert document["endings"] == [
        {"ending": text, "log_prob": None, "n_tokens": None} for text in ("It was sweet.", "It won.")
    ]
    error = refused("complete", "--model", stories_by_heart, "She ate.", "--decode", "beam", "--beam-width", 3)
    assert error == "error: retrieval chooses whole endings and decodes no words: leave out --decode, --beam-width\n"
