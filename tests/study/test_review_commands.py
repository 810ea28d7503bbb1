"""`denouement study review`, `exclude --rule` and `results --exclude`."""

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import hosted
import pytest
from click.testing import CliRunner
from crowd import design, pairs, ready

from denouement.cli import main
from denouement.study.store import Store, open_store
from denouement.study.store.export import export

START = datetime(2026, 1, 1, tzinfo=UTC)


def run(*arguments, code=0) -> str:
    done = CliRunner().invoke(main, ["study", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


def answer(store: Store, name: str, seconds: float) -> str:
    """Somebody who takes so long for each item; their id in the tables."""
    key, now = ready(store, name), START
    while held := store.next(key, now=now):
        now += timedelta(seconds=seconds)
        store.submit(key, held.id, "A", now=now)
    return store.annotator(key).id


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    """A store in which one of two people is quick, with its export."""
    monkeypatch.chdir(tmp_path)
    with closing(open_store("sqlite:///studies.db")) as store:
        store.create(design(answers_per_item=2), pairs(3))
        people = {"slow": answer(store, "slow", 30), "quick": answer(store, "quick", 1)}
        export(store, "crowd", Path("out"))
    Path("people.json").write_text(json.dumps(people))
    return tmp_path


def quick(folder: Path) -> str:
    return json.loads((folder / "people.json").read_text())["quick"]


def test_a_live_study_and_its_export_say_the_same(folder):
    live = run("review", "crowd", "--json")
    assert json.loads(live) == json.loads(run("review", "out/votes.parquet", "--items", "out/items.parquet", "--json"))
    found = json.loads(live)
    assert [each["flags"] for each in found["people"]] == [["median_seconds<5s", "fast_answers>20%"], []]
    assert found["people"][0]["conduct"]["annotator_id"] == quick(folder)
    assert len(found["items"]) == 3
    printed = run("review", "crowd", "--answers", "--flag", "median_seconds<60s", "--fast", "0.5")
    assert "2 of 2 people have a flag" in printed
    assert "End 0." in printed


def test_rules_list_people_and_exclude_them_when_asked(folder):
    listed = run("exclude", "crowd", "--rule", "median_seconds<5s", "--rule", "answers<1")
    assert "1 person with 3 answers would be excluded" in listed
    with closing(open_store("sqlite:///studies.db")) as store:
        assert store.progress("crowd").accepted == 6
    assert "1 person with 3 answers excluded" in run("exclude", "crowd", "--rule", "median_seconds<5s", "--yes")
    with closing(open_store("sqlite:///studies.db")) as store:
        assert store.progress("crowd").accepted == 3
        entry = store.log("crowd").entries[-1]
        assert (entry.what, entry.about, entry.detail) == ("excluded", quick(folder), "median_seconds<5s")
    again = json.loads(run("exclude", "crowd", "--rule", "median_seconds<5s", "--yes", "--json"))
    assert again["people"] == {}, "who is excluded is not excluded twice"


def test_results_without_people_say_what_was_left_out_and_what_it_changes(folder):
    tables = ("results", "out/votes.parquet", "--items", "out/items.parquet")
    printed = run(*tables, "--exclude", "median_seconds<5s", "--out", "found")
    assert "1 of 2 people, with 3 of 6 answers that count, are left out by rules." in printed
    assert json.loads(Path("found/results.json").read_text())["statuses"] == {"accepted": 3, "excluded": 3}
    assert json.loads(Path("found/exclusion.json").read_text())["answers"] == 3
    assert "left out by rules" in Path("found/results.html").read_text()
    found = json.loads(run(*tables, "--exclude", "median_seconds<5s", "--json"))
    assert found["exclusion"]["compared"][0] == {"what": "answers", "of_all": 6, "of_kept": 3, "unit": "count"}
    assert found["results"]["answers"] == 3
    run(*tables, "--out", "found")
    assert not Path("found/exclusion.json").exists(), "it would say something wrong beside the new results"


def test_results_of_a_live_study_are_those_of_its_export(folder):
    exported = ("results", "out/votes.parquet", "--items", "out/items.parquet")
    assert run("results", "crowd", "--reasons") == run(*exported, "--reasons")
    run("results", "crowd", "--out", "live")
    run(*exported, "--out", "exported")
    files = [{path.name: path.read_bytes() for path in Path(name).iterdir()} for name in ("live", "exported")]
    assert files[0] == files[1]
    with closing(open_store("sqlite:///studies.db")) as store:
        assert [entry.what for entry in store.log("crowd").entries].count("exported") == 1, "results are no export"
        answer(store, "late", 30)
    assert json.loads(run("results", "crowd", "--json"))["statuses"] == {"accepted": 6}
    assert json.loads(run("results", "crowd", "--exclude", "median_seconds<5s", "--json"))["results"]["answers"] == 3


def test_results_of_a_live_study_say_who_took_part(folder):
    age = {"name": "age", "text": "How old are you?", "type": "number"}
    with closing(open_store("sqlite:///studies.db")) as store:
        store.create(hosted.design(name="asking", ask={"before": [age]}), pairs(2))
    assert "replied" not in run("results", "asking"), "nobody came yet"
    with closing(open_store("sqlite:///studies.db")) as store:
        person = hosted.Person(store).go("asking").send(**{"reply-0": "30"})
        person.send(answer="A")
        assert store.progress("asking").accepted == 1
    printed = run("results", "asking")
    assert "median 30" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["exclude", "crowd"], "name either an annotator or --rule"),
        (["exclude", "crowd", "someone", "--rule", "answers<1"], "name either an annotator or --rule"),
        (["exclude", "crowd", "--rule", "answers<1", "--reason", "so"], "leave --reason out"),
        (["exclude", "crowd", "--rule", "speed<1"], "unknown measure; there are answers,"),
        (["review", "crowd", "--items", "out/items.parquet"], "--items: is for a file of answers"),
        (["review", "nothing"], "no study nothing"),
        (["review", "no.parquet"], "no.parquet: no such file"),
        (["review", "out/items.parquet"], "out/items.parquet"),
        (["results", "crowd", "--items", "out/items.parquet"], "--items and --replies: are for a file of answers"),
        (["results", "crowd", "--replies", "out/replies.parquet"], "--items and --replies: are for a file of answers"),
        (["results", "nothing"], "no study nothing in the store; it holds crowd"),
        (["results", "no.parquet"], "no.parquet: no such file"),
        (["results", "out/votes.parquet", "--exclude", "failed_checks>0"], "give it with --items"),
        (["results", "out/votes.parquet", "--exclude", "one_side>90"], "write 90%"),
    ],
)
def test_mistakes_are_one_line(folder, arguments, message):
    printed = run(*arguments, code=2)
    assert message in printed
    assert printed.count("\n") == 1
