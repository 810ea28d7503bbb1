"""A study of the store, judged with its own questions, and held against the people who answered it."""

import json
from contextlib import closing

import pytest
from click.testing import CliRunner

from denouement.cli import main
from denouement.schemas import read_table
from denouement.study.design.description import Design
from denouement.study.design.questions import PairQuestion
from denouement.study.store import open_store
from tests import toy_endpoint
from tests.study.crowd import answer_all, design, pairs, ready


@pytest.fixture
def toy():
    with toy_endpoint.served() as served:
        served.texts = lambda body: ["Answer: A\nReason: It fits."]
        yield served


@pytest.fixture
def judge(tmp_path, toy, monkeypatch):
    """Makes a study in a store and runs `study judge` on it; its design's keys, then further words."""
    monkeypatch.chdir(tmp_path)
    url = "sqlite:///studies.db"

    def run(of: Design, *words, people=0, study="crowd"):
        with closing(open_store(url)) as store:
            if of.name not in store.studies():
                store.create(of, pairs(4))
            for person in range(people):
                answer_all(store, ready(store, f"p{person}"), [], f"p{person}")
        command = ["study", "judge", study, "--out", "judge.parquet", "--cache", "cache.db", "--store", url]
        return CliRunner().invoke(main, [*command, "--base-url", toy.base_url, "--model", "m", *words])

    return run


def test_the_studys_own_instructions_question_and_choices_are_asked(judge, toy):
    made = design(question="Which is funnier?", instructions="Read and laugh.", choices="forced")
    assert judge(made).exit_code == 0
    system, user = toy.requests[0][2]["messages"]
    assert system["content"] == "Read and laugh."
    assert "Which is funnier?" in user["content"]
    assert "A or B" in user["content"]
    assert "neither" not in user["content"]
    toy.texts = lambda body: ["Answer: both"]
    assert "none of its 8 answers can be read" in judge(made, "--out", "n.parquet", "--model", "n").stderr


def test_each_of_several_questions_is_asked_and_judged_against(judge, toy):
    asked = (PairQuestion("better", "Which is better?"), PairQuestion("fluent", "Which is better written?"))
    assert judge(design(questions=asked)).exit_code == 0
    rows = read_table("judge.parquet", "votes").to_pylist()
    assert len(rows) == 4 * 2 * 2
    assert [row["question"] for row in rows[:4]] == ["better", "fluent", "better", "fluent"]
    done = CliRunner().invoke(main, ["study", "judged", "judge.parquet", "crowd", "--question", "fluent"])
    assert "no answer of people to it" in done.stderr


def test_a_judge_is_held_against_the_people_of_the_store(judge):
    done = judge(design(), people=5)
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(main, ["study", "judged", "judge.parquet", "crowd", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    # everybody took the ending shown first
    assert (found["pairs"], found["people"], found["people_answers"]) == (4, 5, 20)
    assert (found["flips"]["flipped"]["n"], found["flips"]["first"]) == (4, 4)
    first = found["leanings"][0]
    assert (first["judge"]["n"], first["judge"]["of"], first["people"]["n"], first["people"]["of"]) == (8, 8, 20, 20)
    other = CliRunner().invoke(main, ["study", "judged", "judge.parquet", "pilot"])
    assert "judge.parquet: is of study crowd, not pilot" in other.stderr
    # the people's own results know nothing of it
    results = json.loads(CliRunner().invoke(main, ["study", "results", "crowd", "--json"]).stdout)
    assert results["answers"] == 20


def test_what_the_store_has_is_not_given_again_and_other_kinds_are_refused(judge):
    for words, problem in [
        (["--items", "items.parquet"], "--items: is for a file of votes"),
        (["--words", "better=Which?"], "--words: is for a file of votes"),
        (["--choices", "forced"], "--choices: is for a file of votes"),
    ]:
        done = judge(design(), *words)
        assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
        assert problem in done.stderr
    ranked = design(name="ranked", kind="ranking", systems=("a", "b", "c"))
    done = judge(ranked, study="ranked")
    assert "study ranked: is of kind ranking; a judge answers studies of kind pair" in done.stderr
