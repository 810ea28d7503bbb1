"""A served model as a generator, at a real server that fails, is slow, and outlives killed runs."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from denouement import schemas
from denouement.cli import main
from denouement.completion.page import answer
from denouement.errors import UserError
from denouement.generators.checkpoints import load_generator
from denouement.generators.decoding import Decoding
from denouement.generators.endings import generate_endings
from denouement.generators.served import ServedSettings
from denouement.generators.training import train
from denouement.language_models.prompts import INSTRUCTION
from tests import toy_endpoint
from tests.toy_endpoint import failure

CONTEXT = ["Tom had a dog.", "It ran."]
KEY = "sk-very-secret"


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setenv("TOY_KEY", KEY)
    with toy_endpoint.served() as served:
        yield served


@pytest.fixture
def checkpoint(toy, corpus, tmp_path):
    """Makes a checkpoint of these settings."""

    def make(**settings):
        usual = {"base_url": toy.base_url, "model": "m", "key_variable": "TOY_KEY", "cache": str(tmp_path / "a.db")}
        chosen = ServedSettings(**{**usual, **settings})
        train("served", corpus.stories, tmp_path / "model", chosen, work=tmp_path / "work")
        return tmp_path / "model" / "best.parquet"

    return make


def cases(n):
    contexts = [[f"Person {number} had a dog.", "It ran."] for number in range(n)]
    return pa.table({"case_id": [str(number) for number in range(n)], "context": contexts})


def test_a_chat_gets_examples_of_training_stories_and_its_first_sentence_is_the_ending(toy, checkpoint, corpus):
    [[ending]] = load_generator(checkpoint(shots=2)).write([CONTEXT])
    assert ending.text == "It ended well 0."
    [(path, _, body)] = toy.requests
    assert path == "/v1/chat/completions"
    assert [message["role"] for message in body["messages"]] == [
        *("system", "user", "assistant", "user", "assistant", "user")
    ]
    assert body["messages"][0]["content"] == INSTRUCTION
    assert body["messages"][-1]["content"] == "Tom had a dog. It ran."
    rows = schemas.read_table(corpus.stories, "stories").to_pylist()
    training = {row["sentences"][-1] for row in rows if row["split"] == "train"}
    assert {message["content"] for message in body["messages"] if message["role"] == "assistant"} <= training
    assert (body["model"], body["n"], body["temperature"], body["max_tokens"]) == ("m", 1, 0, 60)
    assert "seed" not in body


def test_a_text_is_continued_with_the_settings_of_sampling(toy, checkpoint):
    generator = load_generator(checkpoint(api="completions", prompt="plain", token_limit="max_completion_tokens"))
    decoding = Decoding("sample", temperature=0.7, top_p=0.9, max_length=20, seed=5)
    [endings] = generator.write([CONTEXT], decoding, 3)
    assert [ending.text for ending in endings] == ["It ended well 0.", "It ended well 1.", "It ended well 2."]
    [(path, _, body)] = toy.requests
    assert path == "/v1/completions"
    assert body == {
        "model": "m",
        "n": 3,
        "temperature": 0.7,
        "top_p": 0.9,
        "seed": 5,
        "max_completion_tokens": 40,
        "prompt": "Tom had a dog. It ran.",
    }


@pytest.mark.parametrize(
    ("decoding", "problem"),
    [
        (Decoding("beam", beam_width=3), "takes no method beam, beam_width; decode with greedy or sample"),
        (Decoding("sample", top_k=5, no_repeat_ngram=3), "takes no top_k, no_repeat_ngram"),
        (Decoding(min_length=3), "takes no min_length"),
    ],
)
def test_what_no_server_takes_is_refused_by_name(toy, checkpoint, decoding, problem):
    with pytest.raises(UserError, match=problem):
        load_generator(checkpoint()).write([CONTEXT], decoding)
    assert toy.requests == []


def test_what_gives_no_ending_is_counted_and_so_are_tokens_and_cost(toy, checkpoint, capsys):
    said = {"0": "", "1": "It ran.", "2": "I'm sorry, but I can't continue the story."}
    toy.texts = lambda body: [said.get(body["messages"][-1]["content"].split()[1], " He won. Then")]
    generator = load_generator(checkpoint(price_prompt=1_000, price_completion=100_000))
    table = generate_endings(generator, cases(5))
    assert table["case_id"].to_pylist() == ["3", "4"]
    assert table["ending"].to_pylist() == ["He won."] * 2
    told = capsys.readouterr().err.splitlines()
    assert told[0] == (
        "served: 5 answers, 0 of them kept from before; 50 prompt and 15 completion tokens in this run, "
        "which cost 1.5500 at the prices set"
    )
    assert told[1] == (
        "served: 3 answers give no ending (1 empty, 1 repeats the story, 1 refuses); contexts without any ending: 3"
    )
    generate_endings(generator, cases(5))
    assert "5 answers, 5 of them kept from before; 0 prompt and 0 completion tokens" in capsys.readouterr().err
    assert len(toy.requests) == 5


def test_fewer_texts_than_asked_for_are_fewer_endings(toy, checkpoint):
    toy.texts = lambda body: ["He won."]
    generator = load_generator(checkpoint())
    assert [[ending.text for ending in endings] for endings in generator.write([CONTEXT], Decoding("sample"), 3)] == [
        ["He won."]
    ]
    assert "2 empty" in generator.notes()[1]


def test_another_seed_or_model_is_asked_anew_and_the_same_never(toy, checkpoint):
    generator = load_generator(checkpoint())
    for decoding in (Decoding(), Decoding("sample"), Decoding("sample", seed=2), Decoding("sample")):
        generator.write([CONTEXT], decoding)
    assert len(toy.requests) == 3
    load_generator(checkpoint(model="other")).write([CONTEXT])
    assert len(toy.requests) == 4


def test_several_requests_are_sent_at_once(toy, checkpoint):
    toy.delay = 0.3
    started = time.monotonic()
    generate_endings(load_generator(checkpoint(requests=8)), cases(16))
    assert time.monotonic() - started < 16 * 0.3 / 2
    assert len(toy.requests) == 16


def test_what_was_answered_before_a_failure_is_kept_and_needs_no_key(toy, checkpoint, monkeypatch):
    generator = load_generator(checkpoint(requests=1))
    generator.write(cases(3)["context"].to_pylist())
    toy.failures = [failure(404, "no such model")]
    with pytest.raises(UserError, match="no model m"):
        generator.write(cases(4)["context"].to_pylist())
    generator.write(cases(4)["context"].to_pylist())
    assert len(toy.requests) == 5
    monkeypatch.delenv("TOY_KEY")
    assert len(load_generator(checkpoint()).write(cases(4)["context"].to_pylist())) == 4
    assert len(toy.requests) == 5


def test_the_key_is_in_no_file(toy, checkpoint, tmp_path):
    load_generator(checkpoint()).write([CONTEXT])
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"a.db", "best.parquet"} <= {path.name for path in files}
    for path in files:
        assert KEY.encode() not in path.read_bytes()


def generating(model, folder, n):
    """The command that writes endings for so many contexts, and its output."""
    schemas.write_table(contexts_table(n), folder / "cloze.parquet", "cloze")
    out = folder / "endings.parquet"
    return ["generate", "--model", str(model), "--contexts", str(folder / "cloze.parquet"), "--out", str(out)], out


def contexts_table(n):
    rows = [
        {
            "case_id": str(number),
            "context": [f"Person {number} had a dog.", "It ran."],
            **{"endings": ["It won.", "It lost."], "right_ending": 1},
            **{"release": "sample", "split": "validation", "language": "en"},
        }
        for number in range(n)
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_stopped_goes_on_where_it_was(toy, checkpoint, tmp_path, how):
    command, out = generating(checkpoint(requests=2, timeout=60), tmp_path, 12)
    toy.delay = 0.3
    process = subprocess.Popen([sys.executable, "-m", "denouement", *command], stderr=subprocess.PIPE, text=True)
    while len(toy.requests) < 6:
        time.sleep(0.01)
        assert process.poll() is None
    toy.delay = 50.0  # who is stopped does not wait for these
    started = time.monotonic()
    process.send_signal(how)
    _, said = process.communicate(timeout=60)
    assert time.monotonic() - started < 30
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    assert (how == signal.SIGKILL) or said.splitlines()[-1] == "interrupted"
    assert not out.exists()
    before = len(toy.requests)
    toy.delay = 0
    done = CliRunner().invoke(main, [*command, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["endings"] == 12
    # of those that came before, the requests on their way were lost, at most as many as are sent at once
    assert 12 <= len(toy.requests) <= 12 + 2
    assert len(toy.requests) - before >= 12 - before
    assert "of them kept from before" in done.stderr


def test_mistakes_are_one_line_with_status_2(toy, checkpoint, corpus, tmp_path):
    toy.failures = [failure(401, f"bad {KEY}")]
    command, out = generating(checkpoint(), tmp_path, 3)
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1
    assert "is not accepted (401)" in done.stderr
    assert KEY not in done.output
    assert not out.exists()
    training = ["train", "served", "--stories", str(corpus.stories), "--out", str(tmp_path / "new")]
    for words, problem in [
        ([], "served needs the setting base_url and model"),
        (
            ["--base-url", "localhost:8000", "--model", "m"],
            "--base-url: must be an address such as http://localhost:8000",
        ),
        (["--base-url", toy.base_url, "--model", "m", "--shots", "61"], "61 example stories are more than the 60"),
        (["--base-url", toy.base_url, "--model", "m", "--requests", "0"], "--requests: must be at least 1, not 0"),
    ]:
        done = CliRunner().invoke(main, [*training, *words])
        assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1), done.output
        assert problem in done.stderr
    assert not Path(tmp_path / "new").exists()


def test_a_typed_story_is_completed_greedily_without_options(toy, checkpoint):
    done = CliRunner().invoke(main, ["complete", "--model", str(checkpoint()), "Tom ran. He fell."])
    assert done.exit_code == 0, done.output
    assert done.stdout == "It ended well 0.\n"
    assert "Decoding: greedy" in done.stderr
    assert "served: 1 answers, 0 of them kept" in done.stderr
    assert toy.requests[0][2]["temperature"] == 0


def test_the_page_asks_it_in_the_ways_that_it_takes(toy, checkpoint):
    systems = {"gpt": load_generator(checkpoint())}
    form = {"story": "Tom ran. He fell.", "n": "1", "system gpt": "on"}
    asked = answer({**form, "decoding Beam": "on", "decoding Greedy": "on"}, systems)
    assert [(title, [ending.text for ending in side.endings]) for title, _, [side] in asked.written] == [
        ("Greedy", ["It ended well 0."])
    ]
    assert asked.remarks[-1] == "gpt cannot decode by Beam"
    toy.texts = lambda body: [""] * body["n"]
    [(_, _, [side])] = answer({**form, "decoding Free sample": "on"}, systems).written
    assert side.endings == []
