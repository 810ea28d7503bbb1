"""The process that looks at a running collection, and what is there for pages meanwhile."""

import subprocess
import sys
import time
from contextlib import closing
from threading import Event

from collecting.collected import endings
from collecting.gathered import described, gathered

from denouement.collecting import watching
from denouement.collecting.crowd import CollectedCrowd
from denouement.collecting.overview import Overview, overview
from denouement.collecting.store import open_store
from denouement.collecting.web import monitor
from denouement.collecting.web.monitor import LastLook, Look, Monitor

NOTHING = Look(Overview(CollectedCrowd(None, None, None), None, None))


def waited(of: Monitor, name: str, state: object) -> LastLook:
    """The look at this state, once it is there."""
    until = time.monotonic() + 120
    while (last := of.look(name, state)).is_running:
        assert time.monotonic() < until
        time.sleep(0.02)
    return last


def test_another_process_finds_what_this_one_would(tmp_path):
    url = f"sqlite:///{tmp_path / 'studies.db'}"
    with closing(open_store(url)) as store:
        gathered(store)
        expected = overview(store.collected("kitchen"), store.collection("kitchen"))
    last = waited(Monitor(url), "kitchen", 1)
    assert last.failure == ""
    assert last.look == Look(expected)


def test_no_page_waits_and_one_collection_is_looked_at_at_a_time(monkeypatch):
    asked, go_on = [], Event()

    def asks(_: Monitor, name: str) -> Look:
        asked.append(name)
        assert go_on.wait(60)
        return NOTHING

    monkeypatch.setattr(Monitor, "_asked", asks)
    of = Monitor("sqlite:///none.db")
    assert of.look("a", 1) == LastLook(is_running=True)
    assert of.look("b", 1) == LastLook(is_running=True)
    assert of.look("a", 2) == LastLook(is_running=True)
    go_on.set()
    first = waited(of, "a", 1)
    assert (first.look, asked) == (NOTHING, ["a"])
    assert waited(of, "b", 1).look == NOTHING
    assert of.look("a", 1) == first, "nothing has changed, so nothing is worked out again"
    assert asked == ["a", "b"]
    go_on.clear()
    again = of.look("a", 2)
    assert (again.look, again.at, again.is_running) == (first.look, first.at, True), "the last look stays meanwhile"
    go_on.set()
    assert waited(of, "a", 2).at > first.at


def test_a_process_that_fails_is_said_and_tried_again_later(monkeypatch):
    of = Monitor("sqlite:///none.db")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    failed = waited(of, "kitchen", 1)
    assert (failed.look, failed.failure) == (None, "its process ended with status 1")
    assert of.look("kitchen", 1) == failed, "not at once"
    monkeypatch.setattr(monitor, "_AGAIN_AFTER", monitor._AGAIN_AFTER * 0)
    monkeypatch.setattr(Monitor, "_asked", lambda self, name: NOTHING)
    assert waited(of, "kitchen", 1).look == NOTHING


def test_an_error_of_the_process_is_one_line_without_a_password(tmp_path):
    nobody = "postgresql+psycopg://ada:pass-word@127.0.0.1:1/none"
    for url, said in ((f"sqlite:///{tmp_path / 'none.db'}", "no such"), (nobody, "127.0.0.1")):
        missing = waited(Monitor(url), "kitchen", 1)
        assert said in missing.failure
        assert "pass-word" not in missing.failure
        assert len(missing.failure.splitlines()) == 1


def test_the_curve_is_drawn_and_no_text_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(watching, "FEWEST", 24)
    url = f"sqlite:///{tmp_path / 'studies.db'}"
    pairs = endings(24)
    with closing(open_store(url)) as store:
        rules = {"max_accuracy": 0.8, "qualification": False}
        store.create_collection(described(endings=rules), endings=pairs)
    found = monitor._looked_at(url, "kitchen", tmp_path / "cache")
    assert (found.overview.watch.pairs, found.overview.watch.threshold) == (24, 0.8)
    assert [point.pairs for point in found.overview.watch.curve] == [24]
    assert "<svg" in found.picture
    kept = [path.read_bytes() for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert kept
    for text in [*pairs["right"].to_pylist(), *pairs["wrong"].to_pylist()]:
        assert not any(text.encode() in content for content in kept)
    assert not list((tmp_path / "cache").rglob("*.parquet"))


def test_a_process_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(monitor, "_LONGEST_SECONDS", 0)
    url = f"sqlite:///{tmp_path / 'studies.db'}"
    with closing(open_store(url)):
        pass
    assert "took more than" in waited(Monitor(url), "kitchen", 1).failure


def test_a_process_ends_when_its_server_was_killed_and_keeps_no_text(tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "parses.parquet").write_text("Ann thanked the dog.")
    looking = (
        "import sys; from pathlib import Path; from denouement.collecting.web.monitor import _end_with; "
        "_end_with(int(sys.argv[1]), Path(sys.argv[2]))"
    )
    server = (
        "import os, subprocess, sys; "
        "subprocess.Popen([sys.executable, '-c', sys.argv[1], str(os.getpid()), sys.argv[2]])"
    )
    command = [sys.executable, "-c", server, looking, str(kept)]
    # it has the pipe of its server, so that this returns once both have ended
    subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=60)
    assert not kept.exists()
