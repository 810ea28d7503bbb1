"""A study of three systems in the store, answered, exported, and read as results."""

import json
from itertools import combinations

import pytest
from click.testing import CliRunner
from crowd import design, ready

from denouement.cli import main
from denouement.study.design.items import Item
from denouement.study.design.known_items import Checks
from denouement.study.design.making import check_items
from denouement.study.design.reason import Reason
from denouement.study.store import open_store
from denouement.study.store.export import export

SYSTEMS = ("seq2seq", "h_seq2seq", "human_right")
WORTH = {"seq2seq": 1, "h_seq2seq": 2, "human_right": 3, "check_first": 4, "check_second": 0}
N_CASES, PEOPLE = 6, [f"p{number}" for number in range(6)]


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Six people, of whom the last one always says A and is excluded; five answers an item.

    Of the five, four choose the better system of an item and one the other, each in turn from case to case.
    """
    folder = tmp_path_factory.mktemp("study")
    store = open_store(f"sqlite:///{folder / 'studies.db'}")
    made = design(systems=SYSTEMS, pairs=tuple(combinations(SYSTEMS, 2)), reason=Reason("optional"), checks=Checks(0.1))
    items = [
        Item(
            f"item-{case}-{place}", f"case-{case}", "pair", ("One.", "Two."), pair, tuple(f"{s} {case}." for s in pair)
        )
        for case in range(N_CASES)
        for place, pair in enumerate(combinations(SYSTEMS, 2))
    ]
    store.create(made, [*items, *check_items(made)])

    def chosen(number, assignment):
        shown = [WORTH[assignment.item.systems[place]] for place in assignment.order]
        better, worse = "AB" if shown[0] > shown[1] else "BA"
        case = assignment.item.case_id.removeprefix("case-")
        return worse if case.isdigit() and (int(case) + number) % 5 == 0 else better

    def work(name):
        key = ready(store, name)
        while assignment := store.next(key):
            answer = chosen(PEOPLE.index(name), assignment) if name != PEOPLE[-1] else "A"
            assert store.submit(key, assignment.id, answer, reason=f"It reads <b>better</b>, says {name}.")

    for name in reversed(PEOPLE):  # the careless one first
        work(name)
    store.exclude("crowd", store.annotator_id("crowd", PEOPLE[-1]))
    for each in PEOPLE[:-1]:
        work(each)
    export(store, "crowd", folder / "out")
    store.close()
    return folder / "out"


def results(exported, *arguments):
    words = ["study", "results", str(exported / "votes.parquet"), "--items", str(exported / "items.parquet")]
    done = CliRunner().invoke(main, [*words, *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_export_is_read_and_the_better_systems_are_found_to_be_better(exported):
    found = json.loads(results(exported, "--json"))
    assert found["answers"] == 5 * N_CASES * 3
    assert found["statuses"]["excluded"] > 0
    assert [(row["first"], row["second"], row["items"]) for row in found["pairs"]] == [
        ("h_seq2seq", "seq2seq", N_CASES),
        ("h_seq2seq", "human_right", N_CASES),
        ("seq2seq", "human_right", N_CASES),
    ]
    assert [row["system"] for row in found["strengths"]["systems"]] == ["human_right", "h_seq2seq", "seq2seq"]
    assert (found["strengths"]["why_not"], found["strengths"]["cases"]) == (None, N_CASES)
    for row in found["pairs"]:
        better = "second" if row["second"] == "human_right" else "first"
        assert row["agreement"][better]["n"] == N_CASES
        assert sorted(each["n"] for each in row["single_answers"].values()) == [0, 0, N_CASES, 4 * N_CASES]
    assert found["checks"]["known"] > 0
    assert found["checks"]["failed"] == 0
    assert len(found["annotators"]) == len(PEOPLE) - 1


def test_table_3_has_every_story_and_reason(exported):
    printed = results(exported, "--reasons")
    assert printed.count("[case case-") == 3 * N_CASES
    assert printed.count("It reads <b>better</b>") == 5 * N_CASES * 3


def test_it_comes_back_through_import(exported, tmp_path):
    words = [
        "study",
        "import",
        exported / "votes.parquet",
        exported / "items.parquet",
        "--out",
        tmp_path / "votes.parquet",
    ]
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "votes.parquet").read_bytes() == (exported / "votes.parquet").read_bytes()
