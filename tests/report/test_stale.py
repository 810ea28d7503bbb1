"""A run whose parts were made at different times: what does not belong together is marked and not joined."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from test_page import page  # noqa: F401
from test_summary import fresh, run, write, write_summary  # noqa: F401

from denouement.cli import main
from denouement.provenance import CONTEXTS, MODEL, contexts_digest, of_folder, write_record
from denouement.report import stale
from denouement.report.run_folder import RunFolder
from denouement.schemas import read_table

pytestmark = pytest.mark.filterwarnings("ignore")


def rewritten(run: RunFolder, system: str, made_from: dict[str, str] | None = None) -> None:  # noqa: F811
    """New endings of a system to the same cases."""
    contexts = contexts_digest(read_table(run.layout.cloze, "cloze").slice(1))
    rows = [(f"case-{i:02}", system, f"Now {system} wrote {i}.", -3.0, 3) for i in range(1, 12)]
    write(run.layout.folder / f"endings/{system}.parquet", "endings", rows, made_from or {CONTEXTS: contexts})


def find_stale(run: RunFolder) -> list[stale.Stale]:  # noqa: F811
    return stale.find_stale(fresh(run))


def whats(run: RunFolder) -> list[str]:  # noqa: F811
    return [each.what for each in find_stale(run)]


def test_nothing_is_stale_in_a_run_made_at_once(run):  # noqa: F811
    assert find_stale(run) == []
    assert "Stale" not in write_summary(run, Path("reports"))


def test_new_endings_do_not_carry_the_sentiment_of_the_old_ones(run, page):  # noqa: F811
    rewritten(run, "seq2seq")
    (found,) = find_stale(run)
    assert found.what == "data/sentiment.parquet has the scores of other texts of seq2seq"
    assert found.renew == "dvc repro sentiment report"
    text = page()
    assert "Stale: data/sentiment.parquet has the scores of other texts of seq2seq" in text
    stories = json.loads(text.split('type="application/json">')[1].split("</script>")[0])["stories"]
    systems = {place: {not remark for *_, of in stories for at, _, remark in of if at == place} for place in range(3)}
    assert systems[1] == {False}  # h_seq2seq keeps its sentiment
    assert systems[2] == {True}
    assert "**Stale**: data/sentiment.parquet has the scores" in write_summary(run, Path("reports"))


def test_the_command_says_what_is_stale_and_how_to_renew_it(run):  # noqa: F811
    rewritten(run, "seq2seq")
    done = CliRunner().invoke(main, ["report", "--out", "reports"])
    assert done.exit_code == 0, done.output
    assert (
        "warning: stale: data/sentiment.parquet has the scores of other texts of seq2seq; renew it with "
        "`dvc repro sentiment report`" in done.output
    )


def test_endings_for_other_contexts_are_set_beside_no_case(run):  # noqa: F811
    rewritten(run, "seq2seq", {CONTEXTS: "0" * 64})
    what = "data/endings/seq2seq.parquet was written for other contexts than data/corpus/cloze.parquet has"
    assert what in whats(run)
    examples = write_summary(run, Path("reports")).split("## Stories and their endings")[1]
    assert "- h_seq2seq: h_seq2seq wrote 1." in examples
    assert "- seq2seq: " not in examples


def test_endings_of_another_checkpoint_and_endings_without_a_record_are_marked(run):  # noqa: F811
    contexts = contexts_digest(read_table(run.layout.cloze, "cloze").slice(1))
    run.layout.model("seq2seq").write_bytes(b"another")
    rewritten(run, "seq2seq", {CONTEXTS: contexts, MODEL: "0" * 64})
    rows = [("case-01", "h_seq2seq", "It was fun.", -3.0, 3)]
    write(run.layout.folder / "endings/h_seq2seq.parquet", "endings", rows)
    found = whats(run)
    assert (
        "data/endings/seq2seq.parquet was written by another checkpoint than data/models/seq2seq/best.parquet" in found
    )
    assert "data/endings/h_seq2seq.parquet does not say what it was made from" in found


def test_a_generator_that_the_graph_no_longer_names_counts_nowhere_and_its_sentiment_is_stale(run):  # noqa: F811
    without = RunFolder(run.layout, run.lock, ["seq2seq"])
    assert [path.stem for path in without.endings] == ["seq2seq"]
    (found,) = find_stale(without)
    assert found.what == "data/sentiment.parquet has scores of h_seq2seq, of which there are no texts"
    assert "- h_seq2seq: " not in write_summary(without, Path("reports"))


def test_results_of_other_answers_are_marked(run):  # noqa: F811
    write(run.layout.study / "votes.parquet", "votes", [])
    write_record(run.layout.study, {"votes": "0" * 64})
    assert whats(run) == ["data/study was made from another content of votes"]


def test_results_of_another_corpus_are_marked(run):  # noqa: F811
    folder = run.layout.story_cloze
    write_record(folder, {**(of_folder(folder) or {}), "cloze": "0" * 64, "models/gone": "1" * 64})
    found = whats(run)
    assert "data/cloze was made from another content of cloze" in found
    assert "data/cloze was made from models/gone too, which the run does not have" in found
    (folder / "made_from.json").unlink()
    assert whats(run) == ["data/cloze does not say what it was made from"]
