"""The commands for a study's life, as they are typed."""

import json
import re
import stat
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from crowd import design, pairs, ready

from denouement.cli import main
from denouement.study.design.entry import Entry
from denouement.study.store import open_store

START_OF_LINK = "https://study.example.org/s/crowd/link/"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'studies.db'}"


@pytest.fixture
def person(url: str) -> str:
    """Somebody who answered once and holds a second item; their id in the tables."""
    with closing(open_store(url)) as store:
        store.create(design(entry=Entry("links", links=2)), pairs(2))
        key = ready(store, store.links("crowd")[0])
        store.submit(key, store.next(key).id, "A")
        store.next(key)
        return store.annotator(key).id


def run(url: str, *arguments: str, typed: str | None = None, status: int = 0) -> str:
    done = CliRunner().invoke(main, ["study", *arguments, "--store", url], input=typed)
    assert done.exit_code == status, done.output
    if status == 2:
        assert done.stderr.strip().count("\n") <= (typed is not None)
    return done.output


def test_progress_says_which_link_a_person_has(url: str, tmp_path: Path):
    with closing(open_store(url)) as store:
        store.create(design(entry=Entry("links", links=3)), pairs(2))
        ready(store, store.links("crowd")[1])
    header, _, row = (line for line in run(url, "progress", "crowd").splitlines() if line.startswith("|"))
    assert [line.split("|")[2].strip() for line in (header, row)] == ["link", "2"]


def test_the_life_of_a_study_by_commands(url: str, person: str, tmp_path: Path):
    assert "is paused" in run(url, "pause", "crowd")
    assert "is open again" in run(url, "reopen", "crowd")
    run(url, "edit", "crowd", "--title", "New", "--max-items", "3")
    assert "nothing to change" in run(url, "edit", "crowd", status=2)
    assert "is a copy of crowd" in run(url, "copy", "crowd", "second")
    assert "1 item is released, of " + person in run(url, "release", "crowd", "--annotator", person)
    assert "0 items are released" in run(url, "release", "crowd", "--idle", "5")
    for minutes in ("nan", "inf", "1e12", "-1"):
        assert "--idle: must be minutes from 0 to 1,000,000" in run(
            url, "release", "crowd", "--idle", minutes, status=2
        )
    assert "name --annotator, --item, --idle, --prolific or --prolific-api" in run(url, "release", "crowd", status=2)
    assert "with 1 answer." in run(url, "exclude", "crowd", person, "--reason", "too fast")
    assert "1 answer counts, 0 not" in run(url, "readmit", "crowd", person)
    run(url, "person", "crowd", person, "--out", str(tmp_path / "person.json"))
    assert json.loads((tmp_path / "person.json").read_text())["answers"][0]["status"] == "accepted"
    run(url, "close", "crowd")
    run(url, "export", "crowd", "--out", str(tmp_path / "out"))
    kept = json.loads((tmp_path / "out" / "log.json").read_text())["entries"]
    printed = run(url, "log", "crowd")
    for entry in kept:
        assert entry["what"] in printed
    assert [entry["what"] for entry in kept] == [
        *("created", "paused", "reopened", "edited", "released", "excluded", "readmitted"),
        *("gave out data", "closed", "exported"),
    ]
    assert {entry["by"] for entry in kept} == {"command"}
    assert "another name was typed" in run(url, "delete", "crowd", typed="no\n", status=2)
    assert "is deleted" in run(url, "delete", "crowd", typed="crowd\n")
    assert run(url, "progress").split() == ["second"]


def test_answers_are_not_deleted_without_an_export(url: str, person: str):
    assert "is open; close it first" in run(url, "delete", "crowd", "--confirm", "crowd", status=2)
    run(url, "close", "crowd")
    assert "in no export" in run(url, "delete", "crowd", "--confirm", "crowd", status=2)
    run(url, "delete", "crowd", "--confirm", "crowd", "--without-export")
    assert "no study crowd" in run(url, "delete", "crowd", status=2)


def test_a_person_s_answers_are_deleted_when_it_is_confirmed(url: str, person: str):
    run(url, "withdraw", "crowd", person, typed="n\n", status=1)
    assert json.loads(run(url, "withdraw", "crowd", person, "--yes", "--json"))["counts"] == {"answers": 1}
    for command in (["exclude"], ["readmit"], ["withdraw", "--yes"]):
        assert "no annotator of study crowd" in run(url, *command, "crowd", "nobody", status=2)


def test_links_are_full_addresses_where_the_server_s_is_known(url: str, person: str, monkeypatch: pytest.MonkeyPatch):
    assert "/s/crowd/link/" in run(url, "links", "crowd")
    given = json.loads(run(url, "links", "crowd", "--base-url", "https://study.example.org/", "--json"))["addresses"]
    assert [each.removeprefix(START_OF_LINK).count("/") for each in given] == [0, 0]
    monkeypatch.setenv("DENOUEMENT_BASE_URL", "https://study.example.org")
    assert run(url, "links", "crowd").count(START_OF_LINK) == 2
    assert "and a host, such as https://" in run(url, "links", "crowd", "--base-url", "study.example.org/x", status=2)


def test_the_store_that_a_command_makes_is_its_owner_s_alone(url: str, person: str, tmp_path: Path):
    assert stat.S_IMODE((tmp_path / "studies.db").stat().st_mode) == 0o600


def test_every_command_says_in_help_what_it_does():
    told = CliRunner().invoke(main, ["study", "--help"]).output
    for command in ("pause", "close", "reopen", "edit", "copy", "delete", "release", "exclude", "readmit", "person"):
        assert re.search(rf"^  {command} +\w", told, re.M), command
