"""A served model as a judge, at a real server: what is asked, kept, asked again and left out."""

import json
import os
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pytest
from click.testing import CliRunner

from denouement.answers import questions_asked
from denouement.cli import main
from denouement.judging.judging import judge_record
from denouement.language_models import endpoint
from denouement.schemas import read_table, write_table
from tests import toy_endpoint
from tests.judging.studies import MINE, PEOPLE, check, items, votes
from tests.toy_endpoint import failure

KEY = "sk-very-secret"


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setenv("TOY_KEY", KEY)
    monkeypatch.setattr(endpoint, "_BACKOFF", 0.01)
    with toy_endpoint.served() as served:
        served.texts = lambda body: ["Answer: A\nReason: It fits."]
        yield served


@pytest.fixture
def run(tmp_path, toy):
    """Runs `study judge` on a study of three pairs; `n` for others, other options as words."""
    write_table(votes([[MINE, PEOPLE]] * 3), tmp_path / "votes.parquet", "votes")

    def judge(*words, n=3, out="judge.parquet", shown=None):
        write_table(items(n) if shown is None else shown, tmp_path / "items.parquet", "items")
        command = ["study", "judge", str(tmp_path / "votes.parquet"), "--items", str(tmp_path / "items.parquet")]
        command += ["--out", str(tmp_path / out), "--cache", str(tmp_path / "cache.db")]
        command += ["--base-url", toy.base_url, "--model", "m", "--key-variable", "TOY_KEY", *words]
        return CliRunner().invoke(main, command)

    judge.folder = tmp_path
    return judge


def answered(folder, out="judge.parquet"):
    return read_table(folder / out, "votes").to_pylist()


def asked_of(body):
    """What stands after `A: ` in a request."""
    return next(line for line in body["messages"][1]["content"].splitlines() if line.startswith("A: "))[3:]


def test_answers_of_both_orders_are_rows_marked_as_a_models(run, toy):
    done = run("--json")
    assert done.exit_code == 0, done.output
    rows = answered(run.folder)
    assert [(row["item_id"], row["position_a"], row["answer"], row["choice"]) for row in rows[:2]] == [
        ("i0", MINE, "A", MINE),
        ("i0", PEOPLE, "A", PEOPLE),
    ]
    assert {(row["kind"], row["status"], row["reason"], row["submitted_at"]) for row in rows} == {
        ("model", "accepted", "It fits.", None)
    }
    record = judge_record(run.folder / "judge.parquet")
    assert {row["annotator_id"] for row in rows} == {f"{record.judge}-1", f"{record.judge}-2"}
    assert (record.model, record.temperature, record.study, record.unreadable) == ("m", 0, "s", 0)
    told = json.loads(done.stdout)
    assert (told["pairs"], told["answers"], told["answered"], told["kept"]) == (3, 6, 6, 0)
    assert told["record"]["prompt"] == record.prompt
    asked = questions_asked(read_table(run.folder / "judge.parquet", "votes"))
    assert asked["s"]["better"].words == "Which sentence completes the story better?"
    (path, _, body) = toy.requests[0]
    assert (path, body["model"], body["temperature"], body["max_tokens"]) == ("/v1/chat/completions", "m", 0, 200)


def test_the_second_run_asks_nothing_and_writes_the_same_bytes(run, toy):
    run("--price-prompt", "1000")
    before = (run.folder / "judge.parquet").read_bytes()
    done = run("--price-prompt", "1000")
    assert (run.folder / "judge.parquet").read_bytes() == before
    assert len(toy.requests) == 6
    assert "6 answers, 6 of them kept from before; 0 prompt and 0 completion tokens in this run" in done.stdout
    run(n=4)
    assert len(toy.requests) == 8  # the new pair alone
    done = run("--price-prompt", "1000", "--model", "other", n=4, out="other.parquet")
    assert "80 prompt and 24 completion tokens in this run, which cost 0.0800 at the prices set" in done.stdout


def test_what_cannot_be_read_is_asked_for_again_and_then_left_out_aloud(run, toy):
    def say(body):
        again = len(body["messages"]) > 2
        if asked_of(body) == "He was happy with dog 0." or (again and asked_of(body).endswith("number 1.")):
            return ["Answer: B\nReason: x" if again else "Hm."]
        return ["I like both."] if asked_of(body).endswith("number 1.") or "dog 2" in asked_of(body) else ["Answer: A"]

    toy.texts = say
    done = run("--json")
    told = json.loads(done.stdout)
    # dog 0 and number 1 are read when they are asked for once more, dog 2 never
    assert (told["asked_again"], told["record"]["unreadable"], told["answers"], told["half"]) == (3, 1, 5, 1)
    assert len(toy.requests) == 9
    [again] = [body for _, _, body in toy.requests if len(body["messages"]) > 2 and "dog 0" in asked_of(body)]
    assert again["messages"][2] == {"role": "assistant", "content": "Hm."}
    by_hand = {(row["item_id"], row["position_a"]): row["answer"] for row in answered(run.folder)}
    assert by_hand == {
        ("i0", MINE): "A",
        ("i0", PEOPLE): "B",
        ("i1", MINE): "B",
        ("i1", PEOPLE): "A",
        ("i2", MINE): "A",
    }
    text = run().stdout
    assert "3 answers could not be read at first" in text
    assert "1 answers could not be read and are left out; of 1 pairs the answer in one order alone is there" in text
    assert len(toy.requests) == 9


def test_a_judge_that_never_answers_is_refused_and_writes_nothing(run, toy):
    toy.texts = lambda body: ["I would rather not."]
    done = run("--again", "0")
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert "none of its 6 answers can be read" in done.stderr
    assert not (run.folder / "judge.parquet").exists()


def test_a_reason_that_no_table_or_page_may_hold_is_written_as_escapes(run, toy):
    toy.texts = lambda body: ["Answer: A\nReason: It \ud800 fits \x1b[2J."]
    assert run().exit_code == 0
    assert answered(run.folder)[0]["reason"] == "It \\ud800 fits \\u001b[2J."


def test_a_model_that_continues_texts_gets_the_messages_as_one(run, toy):
    toy.texts = lambda body: ["Hm." if "dog 0" in body["prompt"] and "Hm." not in body["prompt"] else "Answer: B"]
    assert run("--api", "completions", "--token-limit", "max_completion_tokens").exit_code == 0
    (path, _, body) = toy.requests[0]
    assert (path, body["max_completion_tokens"]) == ("/v1/completions", 200)
    assert "messages" not in body
    assert body["prompt"].startswith("Each story below once had five sentences")
    assert body["prompt"].endswith("says in a sentence why.\n\n")
    again = [body["prompt"] for _, _, body in toy.requests if "\n\nHm.\n\n" in body["prompt"]]
    assert len(again) == 2  # what cannot be read, in both orders


def test_checks_are_answered_and_marked(run, toy):
    run(shown=pa.concat_tables([items(2), check()]))
    rows = answered(run.folder)
    assert [row["item_id"] for row in rows if row["is_check"]] == ["check", "check"]


def test_another_model_setting_prompt_or_file_is_never_written_over(run):
    assert run().exit_code == 0
    before = (run.folder / "judge.parquet").read_bytes()
    people = (run.folder / "votes.parquet").read_bytes()
    for words in (["--model", "n"], ["--temperature", "0.5"], ["--choices", "forced"], ["--words", "better=Which?"]):
        done = run(*words)
        assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1), words
        assert "holds answers of another judge" in done.stderr
    assert (run.folder / "judge.parquet").read_bytes() == before
    assert "votes.parquet is read too: name another file" in run(out="votes.parquet").stderr
    write_table(votes([[MINE]]), run.folder / "other.parquet", "votes")
    assert "holds no answers of a judge; name another file" in run(out="other.parquet").stderr
    assert (run.folder / "votes.parquet").read_bytes() == people
    # a file of its own keeps them apart: no id is the same
    assert run("--model", "n", out="n.parquet").exit_code == 0
    ids = [{row["annotator_id"] for row in answered(run.folder, out)} for out in ("judge.parquet", "n.parquet")]
    assert not ids[0] & ids[1]


def test_the_key_is_in_no_file_and_mistakes_are_one_line(run, toy):
    assert run().exit_code == 0
    for path in run.folder.iterdir():
        assert KEY.encode() not in path.read_bytes(), path
    toy.failures = [failure(401, f"bad {KEY}")]
    for words, problem in [
        (["--model", "z", "--out", str(run.folder / "z.parquet")], "the key in TOY_KEY is not accepted (401)"),
        (["--base-url", "localhost"], "--base-url: must be an address"),
        (["--again", "11"], "--again: must be at most 10"),
        (["--study", "t"], "--study t: the table of votes holds s"),
        (["--words", "fluent=What?"], "--words fluent: no such question; study s asked better"),
    ]:
        done = run(*words)
        assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1), done.output
        assert problem in done.stderr
        assert KEY not in done.output


def command(folder, toy):
    return [
        *(sys.executable, "-m", "denouement", "study", "judge", str(folder / "votes.parquet")),
        *("--items", str(folder / "items.parquet"), "--out", str(folder / "judge.parquet")),
        *("--cache", str(folder / "cache.db"), "--base-url", toy.base_url, "--model", "m"),
        *("--key-variable", "TOY_KEY", "--requests", "2"),
    ]


def test_a_run_that_was_killed_loses_nothing_that_was_answered(run, toy):
    write_table(items(10), run.folder / "items.parquet", "items")
    toy.delay = 0.2
    process = subprocess.Popen(command(run.folder, toy), stderr=subprocess.DEVNULL)
    while len(toy.requests) < 7:
        time.sleep(0.01)
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    assert not (run.folder / "judge.parquet").exists()
    toy.delay = 0
    done = run("--json", n=10)
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["kept"] >= 5  # all but those on their way
    assert (told["answers"], told["kept"] + told["answered"]) == (20, 20)
    assert 20 <= len(toy.requests) <= 22


def test_two_processes_share_one_file_of_answers(run, toy):
    write_table(items(10), run.folder / "items.parquet", "items")
    toy.delay = 0.02
    other = [each.replace("judge.parquet", "second.parquet") for each in command(run.folder, toy)]
    running = [
        subprocess.Popen(each, env={**os.environ}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for each in (command(run.folder, toy), other)
    ]
    for process in running:
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said
    first, second = (run.folder / f"{name}.parquet" for name in ("judge", "second"))
    assert first.read_bytes() == second.read_bytes()
    before = len(toy.requests)
    assert run(n=10).exit_code == 0
    assert len(toy.requests) == before
