"""`denouement collect` and `denouement study` at a store that holds a study and a collection."""

import csv
import json
import shutil
from contextlib import closing

import pytest
from click.testing import CliRunner
from collecting.collected import endings
from collecting.gathered import came, described, gathered
from hosted import design, items_of
from starlette.testclient import TestClient

from denouement.cli import main
from denouement.collecting import watching
from denouement.collecting.store import open_store
from denouement.schemas import read_table, write_table

DESCRIPTION = """
name: attic
contact: Ada, ada@example.org
entry: {kind: open, completion_code: DONE}
stories: {wanted: 10}
review: {links: 2}
endings: true
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The file of a store with the study pilot and the collection kitchen; for reading only."""
    file = tmp_path_factory.mktemp("store") / "studies.db"
    url = f"sqlite:///{file}"
    with closing(open_store(url)) as store:
        gathered(store)
        study = design(name="pilot")
        store.create(study, items_of(study, 1))
    return file


@pytest.fixture
def url(made, tmp_path):
    """A copy of that store."""
    shutil.copy(made, tmp_path / "studies.db")
    return f"sqlite:///{tmp_path / 'studies.db'}"


def run(url: str, *words: str, status: int = 0):
    result = CliRunner().invoke(main, [*words, "--store", url])
    assert result.exit_code == status, result.output
    return result


def refused(url: str, *words: str) -> str:
    """The one line of a command that is refused."""
    (line,) = run(url, *words, status=2).stderr.splitlines()
    return line


def printed(url: str, *words: str):
    return json.loads(run(url, *words, "--json").stdout)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "COLLECTION.yaml"
    path.write_text(DESCRIPTION)
    return path


def test_a_collection_is_made_with_its_links(url, file):
    dry = printed(url, "collect", "create", str(file), "--dry-run")
    assert dry == {
        "collection": "attic",
        "steps": ["stories", "review", "endings"],
        "taken": {"stories": 0, "pairs": 0, "left_out": 0},
        "addresses": {},
    }
    made = printed(url, "collect", "create", str(file), "--base-url", "https://a.example")
    assert printed(url, "collect", "progress") == {"collections": ["kitchen", "attic"]}
    of = made["addresses"]
    assert of["stories, endings"] == ["https://a.example/s/attic/"]
    assert of["stories"] == ["https://a.example/s/attic/?step=stories"]
    assert [len(of["review"]), len(set(of["review"]))] == [2, 2]
    assert printed(url, "collect", "links", "attic", "--base-url", "https://a.example")["addresses"] == of
    only = printed(url, "collect", "links", "attic", "--step", "review", "--base-url", "https://a.example")
    assert only["addresses"] == {"review": of["review"]}
    more = printed(url, "collect", "links", "attic", "--step", "endings", "--add", "3")["addresses"]
    assert [len(more["endings"]), set(more)] == [3, {"endings"}]
    with closing(open_store(url)) as store:
        assert store.links_to("attic")[more["endings"][0].rpartition("/")[2]] == ("endings",)
    assert "already" in refused(url, "collect", "create", str(file))


def test_all_mistakes_are_told_at_once(url, file):
    file.write_text("name: Attic!\nstories: {wanted: 0, prompts: [a, a]}\nverification: {people: 0}\n")
    lines = run(url, "collect", "create", str(file), "--dry-run", status=2).stderr.splitlines()
    assert len(lines) >= 4
    assert all(line.startswith("error: ") for line in lines)


def test_files_to_begin_with(url, file, tmp_path):
    file.write_text("name: attic\ncontact: Ada\nverification: true\n")
    write_table(endings(4), tmp_path / "pairs.parquet", "collected_endings")
    made = printed(url, "collect", "create", str(file), "--endings", str(tmp_path / "pairs.parquet"))
    assert made["taken"]["pairs"] == 4
    assert printed(url, "collect", "progress", "attic")["progress"]["steps"][0]["wanted"] == 4 * 2 * 3
    file.write_text("name: shed\ncontact: Ada\nstories: true\n")
    for more in ([], ["--dry-run"]):
        line = refused(url, "collect", "create", str(file), "--endings", str(tmp_path / "pairs.parquet"), *more)
        assert "give the section verification" in line
    twice = ["--endings", str(tmp_path / "pairs.parquet")] * 2
    assert "--endings: is there 2 times" in refused(url, "collect", "create", str(file), *twice)


def test_progress_has_both_tables_of_the_paper(url):
    found = printed(url, "collect", "progress", "kitchen")
    assert found["crowd"]["stories"]["submitted"] == 3
    assert found["crowd"]["stories"]["mean_minutes"] == 3
    assert found["crowd"]["confirmed"] == 1
    text = run(url, "collect", "progress", "kitchen").stdout
    assert "2 approved, 2 still to be done, 1 rejected" in text
    assert "49,255" in text


def test_steps_and_all_are_paused_resumed_and_closed(url):
    run(url, "collect", "pause", "kitchen", "endings")
    run(url, "collect", "close", "kitchen", "review")
    states = {
        each["step"]: each["state"] for each in printed(url, "collect", "progress", "kitchen")["progress"]["steps"]
    }
    assert states == {"stories": "open", "review": "closed", "endings": "paused", "verification": "open"}
    run(url, "collect", "resume", "kitchen", "endings")
    run(url, "collect", "pause", "kitchen")
    assert printed(url, "collect", "progress", "kitchen")["progress"]["state"] == "paused"
    assert "is open again" in run(url, "collect", "resume", "kitchen").stdout
    assert "no step of collection kitchen" in refused(url, "collect", "pause", "kitchen", "filter")


def test_payments_are_written(url, tmp_path):
    out = tmp_path / "payments.csv"
    made = printed(url, "collect", "payments", "kitchen", "--out", str(out))
    # two stories with a bonus, two pairs, three reviews, six verifications
    assert (made["total"], made["currency"], made["people"]) == ("1.03", "USD", 6)
    with out.open() as opened:
        assert sum(float(row["total"]) for row in csv.DictReader(opened)) == pytest.approx(1.03)


def test_the_export_of_the_store_is_noted_there(url, tmp_path):
    run(url, "collect", "close", "kitchen")
    assert "in no export" in refused(url, "collect", "delete", "kitchen", "--confirm", "kitchen")
    found = printed(url, "collect", "export", "kitchen", "--out", str(tmp_path / "out"))
    assert (found["stories"], found["stories_used"], found["filter"]["outcomes"]["kept"]) == (1, 1, 1)
    assert read_table(tmp_path / "out/public/cloze.parquet", "cloze").num_rows == 1
    run(url, "collect", "delete", "kitchen", "--confirm", "kitchen")
    assert printed(url, "collect", "progress") == {"collections": []}
    assert printed(url, "study", "progress") == {"studies": ["pilot"]}


def test_a_store_or_files_are_exported_not_both(url, tmp_path):
    words = ("--out", str(tmp_path / "out"), "--stories", str(tmp_path / "stories.csv"))
    assert "name either" in refused(url, "collect", "export", "kitchen", *words)
    assert not (tmp_path / "out").exists()


def test_the_endings_of_the_store_are_checked(url, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "denouement.collecting.checking.watch",
        lambda pairs, cache, rules: watching.watch(pairs.slice(0, 1), cache, rules),
    )
    assert printed(url, "collect", "check", "kitchen")["texts"] == 2
    alarm = watching.EndingWatch(120, None, 0.65, above=("it is too often right",))
    monkeypatch.setattr("denouement.collecting.checking.watch", lambda pairs, cache, rules: alarm)
    result = run(url, "collect", "check", "kitchen", status=1)
    assert result.stderr == "exceeded: it is too often right\n"
    assert "has the rules" in refused(url, "collect", "check", "kitchen", "--collection", str(tmp_path / "C.yaml"))
    line = refused(url, "collect", "check", "attic")
    assert "no study or collection attic in the store; it holds kitchen, pilot" in line


@pytest.mark.parametrize(
    "words",
    [
        ("progress", "pilot"),
        ("links", "pilot"),
        ("pause", "pilot"),
        ("payments", "pilot", "--out", "p.csv"),
        ("check", "pilot"),
        ("export", "pilot", "--out", "out"),
        ("exclude", "pilot", "somebody"),
        ("readmit", "pilot", "somebody"),
        ("withdraw", "pilot", "somebody", "--yes"),
        ("person", "pilot", "somebody", "--out", "p.json"),
        ("log", "pilot"),
        ("release", "pilot", "--idle", "1"),
        ("delete", "pilot", "--confirm", "pilot"),
    ],
)
def test_a_study_is_no_collection(made, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{made}"
    assert "pilot: is a study; `denouement study` has its commands" in refused(url, "collect", *words)


@pytest.mark.parametrize(
    "words",
    [
        ("progress", "kitchen"),
        ("links", "kitchen"),
        ("links", "kitchen", "--add", "1"),
        ("pause", "kitchen"),
        ("close", "kitchen"),
        ("reopen", "kitchen"),
        ("edit", "kitchen", "--title", "x"),
        ("copy", "kitchen", "other"),
        ("export", "kitchen", "--out", "out"),
        ("results", "kitchen", "--out", "out"),
        ("review", "kitchen"),
        ("judge", "kitchen", "--out", "out", "--model", "x"),
        ("exclude", "kitchen", "Ada"),
        ("exclude", "kitchen", "--rule", "answers<1"),
        ("readmit", "kitchen", "Ada"),
        ("withdraw", "kitchen", "Ada", "--yes"),
        ("person", "kitchen", "Ada", "--out", "p.json"),
        ("log", "kitchen"),
        ("release", "kitchen", "--idle", "1"),
        ("delete", "kitchen", "--confirm", "kitchen"),
    ],
)
def test_a_collection_is_no_study(made, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{made}"
    assert "kitchen: is a collection; `denouement collect` has its commands" in refused(url, "study", *words)


def test_people_of_a_collection(url, tmp_path):
    assert "2 pieces of work" in run(url, "collect", "exclude", "kitchen", "Cem", "--reason", "copies").stdout
    assert "2 pieces of work count" in run(url, "collect", "readmit", "kitchen", "Cem").stdout
    run(url, "collect", "person", "kitchen", "Ada", "--out", str(tmp_path / "ada.json"))
    data = json.loads((tmp_path / "ada.json").read_text())
    assert [each["step"] for each in data["handed_in"]] == ["stories", "stories"]
    assert "1 pieces of work of Ben are deleted" in run(url, "collect", "withdraw", "kitchen", "Ben", "--yes").stdout
    whats = [entry["what"] for entry in printed(url, "collect", "log", "kitchen")["entries"]]
    assert whats[0] == "created"
    assert {"excluded", "readmitted", "gave out data"} < set(whats)
    with closing(open_store(url)) as store:
        key = came(store, "Ada")
        assert store.begin(key, "stories")
    assert printed(url, "collect", "release", "kitchen", "--annotator", "Ada")["people"] == ["Ada"]
    assert "--item: is of studies" in refused(url, "collect", "release", "kitchen", "--item", "x")
    assert "--rule: is of studies" in refused(url, "collect", "exclude", "kitchen", "--rule", "answers<1")


def test_what_people_hold_who_left_on_prolific_is_released(url, tmp_path):
    file = tmp_path / "prolific_export.csv"
    file.write_text("Submission id,Participant id,Status\n1,ann,RETURNED\n2,bob,ACTIVE\n3,never,TIMED-OUT\n")
    assert "do not come from Prolific" in refused(url, "collect", "release", "kitchen", "--prolific", str(file))
    attic = described(name="attic", entry={"kind": "prolific", "completion_code": "DONE1"})
    with closing(open_store(url)) as store:
        store.create_collection(attic)
        for who in ("ann", "bob"):
            assert store.begin(came(store, who, "attic"), "stories")
    found = printed(url, "collect", "release", "attic", "--prolific", str(file))
    assert (found["people"], found["participants"], found["came"]) == (["ann"], 3, 1)
    with closing(open_store(url)) as store:
        holds = {each.person: each.is_holding for each in store.collection_progress("attic").people}
    assert holds == {"ann": False, "bob": True}


@pytest.mark.parametrize("group", ["study", "collect"])
def test_one_server_has_studies_and_collections(url, monkeypatch, group):
    apps = []

    def serve(app, host, port, started):
        apps.append(app)
        started("http://127.0.0.1:8000")

    monkeypatch.setattr("denouement.study.web.app.serve", serve)
    monkeypatch.setenv("DENOUEMENT_ORGANISER_TOKEN", "sixteen characters")
    lines = run(url, group, "serve").stdout.splitlines()
    assert lines == [f"{name}: http://127.0.0.1:8000/s/{name}/" for name in ("pilot", "kitchen")] + [
        "organiser: http://127.0.0.1:8000/organiser/"
    ]
    client = TestClient(apps[0], "http://127.0.0.1:8000")
    for name in ("pilot", "kitchen"):
        assert 'name="consent"' in client.get(f"/s/{name}/").text
