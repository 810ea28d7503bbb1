"""From STUDY.yaml to tables, by the command line."""

import csv
import json
import re
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from crowd import ready
from story_tables import cases, endings

from denouement.cli import main
from denouement.corpus.endings import read_endings
from denouement.errors import UserError
from denouement.schemas import read_table, write_table
from denouement.study.design.reading import design_from
from denouement.study.store import open_store
from denouement.study.store.export import study_tables, table_file

STUDY = """
name: pilot
systems: [h, human_right]
cases: {n: 3}
answers_per_item: 2
reason: {mode: optional}
checks: {rate: 0.5}
entry: {kind: %s}
contact: someone@example.org
"""


def run(*arguments) -> str:
    result = CliRunner().invoke(main, ["study", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def folder(tmp_path):
    """A study's file and its tables."""
    (tmp_path / "STUDY.yaml").write_text(STUDY % "open")
    write_table(cases(4), tmp_path / "cloze.parquet", "cloze")
    write_table(endings("h", {f"c{n}": f"H {n}." for n in range(4)}), tmp_path / "h.parquet", "endings")
    return tmp_path


def create(folder, *more) -> str:
    inputs = ("--cases", folder / "cloze.parquet", "--endings", folder / "h.parquet")
    return run("create", folder / "STUDY.yaml", *inputs, "--store", f"sqlite:///{folder / 's.db'}", *more)


def test_counts_name_a_system_as_it_is_called(folder):
    write_table(endings("h_two", {f"c{n}": f"h {n}" for n in range(4)}), folder / "h.parquet", "endings")
    (folder / "STUDY.yaml").write_text((STUDY % "open").replace("[h,", "[h_two,"))
    told = create(folder)
    assert re.search(r"\| mended h_two +\|", told)
    assert re.search(r"\| cases without endings +\|", told)


OWN = [(f"c{number}", "h", f'"H", he said {number}.') for number in range(4)]


def own_csv(path, delimiter=","):
    with path.open("w", encoding="utf-8-sig", newline="") as opened:
        writer = csv.writer(opened, delimiter=delimiter)
        writer.writerow(["more", "case_id", "system", "ending"])
        writer.writerows([["x", *row] for row in OWN])


def own_parquet(path):
    columns = dict(zip(("case_id", "system", "ending"), map(list, zip(*OWN, strict=True)), strict=True))
    pq.write_table(pa.table({**columns, "system": pa.array(columns["system"]).dictionary_encode()}), path)


@pytest.mark.parametrize("write", [own_csv, partial(own_csv, delimiter="\t"), own_parquet])
def test_endings_that_were_written_elsewhere(folder, write):
    write(folder / "h.parquet")  # told by its content, whatever its name
    assert json.loads(create(folder, "--json"))["counts"]["items"] == 3
    shown = [item for item in open_store(f"sqlite:///{folder / 's.db'}").items("pilot") if not item.is_check]
    assert {(item.case_id, item.systems[0], item.endings[0]) for item in shown} <= set(OWN)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("case_id,text\nc1,H.\n", "no column system, ending among case_id, text; give a table of"),
        ("case_id,system,ending\nc1,h\n", "line 2 has 2 cells where the header has 3"),
        ("case_id,system,ending\nc1,h,H.\n,h,H.\n", "line 3 lacks its case_id"),
        ({"case_id": ["c1"], "system": ["h"]}, "case_id, system, ending"),
        ({"case_id": ["c1"], "system": ["h"], "ending": [["H."]]}, "column ending is list"),
        ({"case_id": ["c1", None], "system": ["h"] * 2, "ending": ["H."] * 2}, "column case_id is empty in 1 rows"),
    ],
)
def test_what_is_no_file_of_endings_is_refused_in_one_line(tmp_path, text, message):
    path = tmp_path / "own"
    path.write_text(text) if isinstance(text, str) else pq.write_table(pa.table(text), path)
    with pytest.raises(UserError, match=re.escape(message)) as raised:
        read_endings(path)
    assert "\n" not in str(raised.value)


def test_a_pair_study_from_file_to_votes(folder):
    summary = json.loads(create(folder, "--json"))
    assert summary["counts"]["items"] == 3
    assert summary["answers_wanted"] == 6
    assert summary["addresses"] == ["http://127.0.0.1:8000/s/pilot/"]
    url = f"sqlite:///{folder / 's.db'}"
    store = open_store(url)
    start = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
    given = {}
    for name in ("p", "q"):
        key = ready(store, name, "pilot")
        while assignment := store.next(key, now=start):
            answer = "A" if assignment.item.is_check else "B"
            store.submit(key, assignment.id, answer, "because it is so", now=start + timedelta(seconds=9))
            given[assignment.item.id, store.annotator(key).id] = assignment
    excluded = store.annotator_id("pilot", "q")
    store.exclude("pilot", excluded)
    exported = json.loads(run("export", "pilot", "--out", folder / "out", "--store", url, "--json"))
    assert exported["answers"] == {"accepted": 3, "excluded": 3}
    votes = read_table(folder / "out" / "votes.parquet", "votes").to_pylist()
    assert len(votes) == len(given)
    for vote in votes:
        assignment = given[vote["item_id"], vote["annotator_id"]]
        sides = tuple(assignment.item.systems[place] for place in assignment.order)
        assert (vote["position_a"], vote["position_b"]) == sides
        assert vote["choice"] == sides[0 if vote["is_check"] else 1]
        assert vote["is_check"] == assignment.item.is_check
        assert vote["reason"] == "because it is so"
        assert vote["status"] == ("excluded" if vote["annotator_id"] == excluded else "accepted")
        assert (vote["started_at"], vote["submitted_at"]) == (start, start + timedelta(seconds=9))
    items = {item["item_id"]: item for item in read_table(folder / "out" / "items.parquet", "items").to_pylist()}
    assert {vote["item_id"] for vote in votes} <= set(items)
    assert sum(item["is_check"] for item in items.values()) == 6
    assert table_file(study_tables(store, "pilot")["votes"], "votes") == (folder / "out" / "votes.parquet").read_bytes()
    run("export", "pilot", "--out", folder / "again", "--store", url)
    for name in ("votes", "items"):
        assert (folder / "out" / f"{name}.parquet").read_bytes() == (folder / "again" / f"{name}.parquet").read_bytes()


def test_ratings_and_orders_are_exported(folder):
    (folder / "STUDY.yaml").write_text(
        "{name: rated, kind: rating, systems: [h], scales: grammar_logicality, cases: {n: 1}, entry: {kind: open}}"
    )
    create(folder)
    (folder / "STUDY.yaml").write_text(
        "{name: ordered, kind: order, systems: [human_right], cases: {n: 1}, entry: {kind: open}}"
    )
    create(folder)
    url = f"sqlite:///{folder / 's.db'}"
    store = open_store(url)
    key = ready(store, "p", "rated")
    store.submit(key, store.next(key).id, values={"grammar": 2, "logicality": 0})
    key = ready(store, "p", "ordered")
    assignment = store.next(key)
    store.submit(key, assignment.id, order=[2, 0, 1])
    run("export", "rated", "--out", folder / "rated", "--store", url)
    rows = read_table(folder / "rated" / "ratings.parquet", "ratings").to_pylist()
    assert [(row["question"], row["value"], row["system"]) for row in rows] == [
        ("grammar", 2, "h"),
        ("logicality", 0, "h"),
    ]
    run("export", "ordered", "--out", folder / "ordered", "--store", url)
    [row] = read_table(folder / "ordered" / "orders.parquet", "orders").to_pylist()
    shown = list(assignment.order)
    assert row["shown"] == shown
    assert row["order"] == [shown[2], shown[0], shown[1]]


def test_private_links_are_printed_once_for_each_person(folder):
    (folder / "STUDY.yaml").write_text(STUDY % "links, links: 3")
    addresses = json.loads(create(folder, "--json"))["addresses"]
    assert len(set(addresses)) == 3
    assert all(address.startswith("http://127.0.0.1:8000/s/pilot/link/") for address in addresses)


def test_a_dry_run_writes_nothing(folder):
    assert "3 items" in create(folder, "--dry-run")
    assert not (folder / "s.db").exists()


def test_progress(folder):
    create(folder)
    url = f"sqlite:///{folder / 's.db'}"
    store = open_store(url)
    key = ready(store, "PID9", "pilot")
    store.submit(key, store.next(key).id, "A")
    assert run("progress", "--store", url).strip() == "pilot"
    called = store.annotator(key).id
    who = ["progress", "pilot", "--store", url, "--who", "PID9"]
    assert run(*who) == f"PID9: {called}\n"
    assert run(*who, "--who", "PID8") == f"PID9: {called}\nnever came to pilot: 1 of 2\n"
    assert json.loads(run(*who, "--who", "PID8", "--json")) == {"annotator_ids": {"PID9": called}, "never_came": 1}
    assert called in run("progress", "pilot", "--store", url)
    document = json.loads(run("progress", "pilot", "--store", url, "--json"))
    assert document["wanted"] == 6
    [person] = document["people"]
    assert (person["answered"], person["checks"]) in ((1, 0), (0, 1)), "a check is no answer to an item"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["progress", "--store", "sqlite:///nowhere/s.db"], "no such file"),
        (["progress", "--store", "sqlite://"], "names no file"),
        (["progress", "--store", "what"], "not a database URL"),
        (["progress", "--store", "mysql://host/name"], "sqlite:///FILE or postgresql"),
        (["export", "other", "--out", "out"], "no study other in the store; it holds pilot"),
        (["progress", "piolt"], "no study piolt in the store; it holds pilot"),
        (["progress", "--who", "PID9"], "name the study"),
        (["results", "piolt"], "no study piolt in the store; it holds pilot"),
        (["links", "piolt"], "no study piolt in the store; it holds pilot"),
        (["links", "pilot"], "has no private links"),
        (["links", "pilot", "--add", "2"], "one link for all"),
    ],
)
def test_errors_are_one_line(folder, arguments, message, monkeypatch):
    monkeypatch.chdir(folder)
    create(folder)
    monkeypatch.setenv("DENOUEMENT_STUDY_STORE", "sqlite:///s.db")
    result = CliRunner().invoke(main, ["study", *arguments])
    assert result.exit_code == 2
    assert message in result.output
    assert result.output.count("\n") == 1


def test_a_study_is_in_its_one_file_once_it_is_made(folder):
    store = folder / "studies.db"
    options = ("--cases", folder / "cloze.parquet", "--endings", folder / "h.parquet", "--store", f"sqlite:///{store}")
    run("create", folder / "STUDY.yaml", *options)
    copy = folder / "elsewhere.db"
    copy.write_bytes(store.read_bytes())
    assert run("progress", "--store", f"sqlite:///{copy}") == "pilot\n"


def test_mistakes_in_a_file_are_printed_one_a_line(folder):
    (folder / "STUDY.yaml").write_text((STUDY % "open").replace("pilot", "no name!") + "colour: red\n")
    tables = ("--cases", folder / "cloze.parquet", "--endings", folder / "h.parquet")
    found = CliRunner().invoke(main, ["study", "create", *map(str, (folder / "STUDY.yaml", *tables))])
    assert found.exit_code == 2
    lines = found.stderr.splitlines()
    assert len(lines) == 2
    assert all(line.startswith(f"error: {folder / 'STUDY.yaml'}") for line in lines)
    assert {word for word in ("colour", "name") if any(word in line for line in lines)} == {"colour", "name"}


def test_items_whose_endings_are_the_same_are_counted(folder):
    (folder / "STUDY.yaml").write_text((STUDY % "open").replace("n: 3", "n: 4"))
    same = cases(4).to_pylist()[0]
    right = same["endings"][same["right_ending"] - 1]
    texts = {f"c{n}": f"H {n}." for n in range(4)} | {same["case_id"]: right}
    write_table(endings("h", texts), folder / "h.parquet", "endings")
    told = " ".join(create(folder).split())
    assert "1 more is left out, since there is nothing to choose: two of the texts read the same" in told
    assert "write cases" not in told, "there is no fifth story"


def test_it_is_said_how_many_cases_give_the_items_that_were_asked_for(folder):
    # Of six stories two have the ending that a person wrote, in whichever order they are drawn.
    (folder / "STUDY.yaml").write_text((STUDY % "open").replace("n: 3", "n: 4"))
    write_table(cases(6), folder / "cloze.parquet", "cloze")
    same = {row["case_id"]: row["endings"][row["right_ending"] - 1] for row in cases(6).to_pylist()[:2]}
    write_table(endings("h", {f"c{n}": f"H {n}." for n in range(6)} | same), folder / "h.parquet", "endings")
    counts = json.loads(create(folder, "--dry-run", "--json"))["counts"]
    wanted = counts["items"] + counts["identical_endings"]
    assert (wanted, counts["identical_endings"] > 0) == (4, True)
    n = counts["cases_for_all_items"]
    for cases_n, items in ((n, 4), (n - 1, 3)):
        (folder / "STUDY.yaml").write_text((STUDY % "open").replace("n: 3", f"n: {cases_n}"))
        assert json.loads(create(folder, "--dry-run", "--json"))["counts"]["items"] == items
    (folder / "STUDY.yaml").write_text((STUDY % "open").replace("n: 3", "n: 4"))
    assert f"For 4 items write cases: {{n: {n}}}." in " ".join(create(folder, "--dry-run").split())


def test_too_few_links_are_a_warning(folder):
    (folder / "STUDY.yaml").write_text(STUDY.replace("{kind: %s}", "{kind: links, links: 1}"))
    tables = ("--cases", folder / "cloze.parquet", "--endings", folder / "h.parquet")
    told = run("create", folder / "STUDY.yaml", *tables, "--dry-run")
    assert "1 private link cannot give 2 answers to each item" in told


def test_create_says_whom_people_may_ask_how_sure_it_can_be_and_which_texts_they_read(folder):
    without = STUDY.replace("{kind: %s}", "{kind: links, links: 2}").partition("contact")[0]
    (folder / "STUDY.yaml").write_text(without)
    told = " ".join(create(folder, "--dry-run").split())
    assert "the file has no contact" in told
    assert re.search(r"the 95% interval is about \d+% to \d+% at 50% and \d+% to \d+% at 80%\. So even a system", told)
    assert "our texts" not in told
    more = "question: Which ending is funnier?\nlanguage: ja\n"
    (folder / "STUDY.yaml").write_text((STUDY % "open") + more)
    told = " ".join(create(folder, "--dry-run").split())
    assert "contact" not in told
    assert "How sure" not in told, "nobody knows how many come"
    assert "has no instructions and no reason.question: people read our texts that fit any question" in told


def test_several_tables_after_one_option_are_refused_with_what_to_write(folder):
    more = ("--cases", folder / "cloze.parquet", "--endings", folder / "h.parquet", folder / "h.parquet")
    found = CliRunner().invoke(main, ["study", "create", *map(str, (folder / "STUDY.yaml", *more))])
    assert found.exit_code == 2
    assert "each table of endings with an --endings of its own" in found.stderr
    assert found.stderr.count("\n") == 1


def test_links_are_made_while_a_study_runs(folder):
    (folder / "STUDY.yaml").write_text(STUDY.replace("{kind: %s}", "{kind: links, links: 2}"))
    made = json.loads(create(folder, "--json"))["addresses"]
    store = ("--store", f"sqlite:///{folder / 's.db'}")
    added = run("links", "pilot", "--add", "3", *store).splitlines()
    assert added[0] == "Addresses, on this computer (of a server elsewhere with --base-url):"
    assert len(added) == 4
    assert all(address.startswith("http://127.0.0.1:8000/s/pilot/link/") for address in added[1:])
    assert json.loads(run("links", "pilot", *store, "--json")) == {"study": "pilot", "addresses": made + added[1:]}


def test_no_line_of_the_commands_is_cut_short():
    assert "..." not in run("--help").partition("Commands:")[2]


def test_training_to_order_speaks_of_orders():
    given = {"name": "o", "kind": "order", "systems": ["h"], "training": True, "reason": {"mode": "off"}}
    design = design_from(given, "STUDY.yaml")
    assert "order" in design.training[0].feedback
    assert "other one" not in design.training[0].feedback


def test_what_a_study_asks_besides_is_exported_and_counted(folder):
    more = "ask: {before: [{name: age, text: How old?, type: number}]}\nskip: true\nback: true\n"
    (folder / "STUDY.yaml").write_text((STUDY % "open") + more)
    create(folder)
    with closing(open_store(f"sqlite:///{folder / 's.db'}")) as store:
        key = ready(store, "someone", "pilot")
        assert store.reply(key, "before", {"age": ["34"]}).status == "accepted"
        store.skip(key, store.next(key).id)
        item = store.next(key)
        store.submit(key, item.id, "A")
        store.correct(key, item.id, "B")
        store.correct(key, item.id, "A")
    told = run("export", "pilot", "--out", folder / "out", "--store", f"sqlite:///{folder / 's.db'}")
    assert "Rows of replies 1, flags 1, corrections 2." in told
    assert read_table(folder / "out" / "corrections.parquet", "corrections")["place"].to_pylist() == [1, 2]
    assert read_table(folder / "out" / "replies.parquet", "replies")["value"].to_pylist() == ["34"]
    told = run("progress", "pilot", "--store", f"sqlite:///{folder / 's.db'}")
    assert "skipped" in told
    assert "corrected" in told
    result = CliRunner().invoke(
        main, ["study", "import", str(folder / "out" / "replies.parquet"), "--out", "v.parquet"]
    )
    assert result.exit_code == 2
    assert "with --replies" in result.output
    run("results", folder / "out" / "votes.parquet", "--replies", folder / "out" / "replies.parquet")
