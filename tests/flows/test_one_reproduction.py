"""One lock is held around all that a reproduction does."""

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from denouement.errors import UserError
from denouement.generators import GENERATORS
from flows import reproduce
from tasks import ROOT, alone
from tasks.command import TrackingError

TRY = """
import sys
from pathlib import Path
from denouement.errors import UserError
from tasks import alone
alone.LOCK = Path(sys.argv[1])
try:
    with alone.only_one():
        print("free")
except UserError:
    print("held")
"""


def state(lock) -> str:
    """What another process finds."""
    done = subprocess.run([sys.executable, "-c", TRY, str(lock)], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_checkout_is_held_from_bringing_files_to_printing_the_summary(tmp_path, monkeypatch):
    lock = tmp_path / "reproduce.lock"
    monkeypatch.setattr(alone, "LOCK", lock)
    seen = {}

    def notes(name):
        def note(*_):
            seen[name] = state(lock)

        return note

    @contextmanager
    def no_server(*_):
        notes("server")()
        yield "http://127.0.0.1:1/api"

    @contextmanager
    def undisturbed():
        yield

    monkeypatch.setattr(reproduce.tracking, "check", notes("tracking"))
    monkeypatch.setattr(reproduce.graph, "undisturbed", undisturbed)
    monkeypatch.setattr(reproduce.brought, "bring", notes("bring"))
    monkeypatch.setattr(reproduce.servers, "prefect_server", no_server)
    monkeypatch.setattr(reproduce, "reproduce", notes("walk"))
    monkeypatch.setattr(reproduce, "_show", notes("summary"))
    result = CliRunner().invoke(reproduce.main, ["--corpus", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert list(seen) == ["tracking", "bring", "server", "walk", "summary"]
    assert set(seen.values()) == {"held"}
    assert state(lock) == "free"


def test_one_that_is_refused_touches_nothing(tmp_path, monkeypatch):
    import fcntl

    monkeypatch.setattr(alone, "LOCK", tmp_path / "reproduce.lock")

    def refuse(*_):
        raise AssertionError("something was begun")

    for module, name in ((reproduce.tracking, "check"), (reproduce.brought, "bring"), (reproduce, "reproduce")):
        monkeypatch.setattr(module, name, refuse)
    with (tmp_path / "reproduce.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        result = CliRunner().invoke(reproduce.main, ["--corpus", ""])
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("error: another reproduction runs in ")


@pytest.fixture
def walked(tmp_path, monkeypatch) -> list[str]:
    """A checkout with settings, whose graph is only noted, and whether DVC is kept away while files change."""
    seen = []

    @contextmanager
    def undisturbed():
        seen.append("undisturbed")
        yield
        seen.append("free")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(alone, "LOCK", tmp_path / "reproduce.lock")
    Path("params.yaml").write_text("generate:\n  decoding:\n    method: greedy\n")
    Path("stories").mkdir()
    header = ",".join(["storyid", "storytitle", *(f"sentence{place}" for place in range(1, 6))])
    Path("stories/roc.csv").write_text(f"{header}\n1,t,A.,B.,C.,D.,E.\n")
    monkeypatch.setattr(reproduce.flow_runs, "name_process", lambda: None)
    monkeypatch.setattr(reproduce.tracking, "check", lambda: seen.append("tracking"))
    monkeypatch.setattr(reproduce.graph, "undisturbed", undisturbed)
    monkeypatch.setattr(reproduce, "_bring_up_to_date", lambda: seen.append("walk"))
    return seen


def changed() -> list[str]:
    """What arguments have changed."""
    settings = ["params.yaml"] if "beam" in Path("params.yaml").read_text() else []
    return [*settings, *(path.name for path in Path("data").rglob("*.*"))]


def test_arguments_change_files_after_tracking_answers_while_no_dvc_command_runs(walked):
    reproduce.reproduce.fn(corpus="stories", decoding="beam")
    assert walked == ["tracking", "undisturbed", "free", "walk"]
    assert changed() == ["params.yaml", "roc.csv"]


def test_without_arguments_nothing_is_changed(walked):
    reproduce.reproduce.fn()
    assert walked == ["walk"]
    assert changed() == []


@pytest.mark.parametrize("corpus", ["none", "empty"])
def test_a_folder_without_official_files_changes_no_setting(walked, corpus):
    Path("empty").mkdir()
    with pytest.raises(UserError, match=f"^{corpus}: no "):
        reproduce.reproduce.fn(corpus=corpus, decoding="beam")
    assert changed() == []
    assert "walk" not in walked


def test_settings_that_cannot_be_written_bring_no_files(walked):
    Path("params.yaml").write_text("train: {}\n")
    with pytest.raises(UserError, match="has no section generate"):
        reproduce.reproduce.fn(corpus="stories", decoding="beam")
    assert changed() == []


def test_without_tracking_arguments_change_nothing(walked, monkeypatch):
    def refuse() -> None:
        raise TrackingError("no answer")

    monkeypatch.setattr(reproduce.tracking, "check", refuse)
    with pytest.raises(TrackingError):
        reproduce.reproduce.fn(corpus="stories", decoding="beam")
    assert changed() == []
    assert walked == []


def test_arguments_of_a_run_are_values_of_params_yaml():
    assert reproduce._settings(reproduce.UNCHANGED, []) == {}
    assert reproduce._settings("beam", ["seq2seq", "retrieval"]) == {
        ("generate", "decoding", "method"): "beam",
        ("generators",): {
            "seq2seq": {"kind": "seq2seq", "reads": "data/corpus/stories.parquet"},
            "retrieval": {"kind": "retrieval", "reads": "data/embeddings.parquet"},
        },
    }


def test_the_form_of_a_run_offers_the_registered_generators():
    offered = reproduce.reproduce.parameters.properties["generators"]["items"]["enum"]
    assert sorted(offered) == sorted(GENERATORS)


def test_the_form_of_a_run_says_what_happens_when_nothing_is_chosen(walked):
    form = reproduce.reproduce.parameters.properties
    shown = {name: each["default"] for name, each in form.items()}
    assert shown == {"corpus": "", "decoding": "as in params.yaml", "generators": []}
    assert "empty: the files that are there" in form["corpus"]["description"]
    assert "None: those in it" in form["generators"]["description"]
    given = reproduce.reproduce.validate_parameters(shown)  # as the page sends them
    reproduce.reproduce.fn(**given)
    assert changed() == []
