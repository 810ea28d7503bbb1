import json
import os
import re
import shutil
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from denouement import schemas
from denouement.documents import write_document
from denouement.errors import UserError
from denouement.files import file_digest
from denouement.layout import Layout
from denouement.provenance import CONTEXTS, as_metadata, contexts_digest, write_record
from denouement.report import summary as written
from denouement.report.findings import key_findings
from denouement.report.front import front
from denouement.report.page import write_page as written_page
from denouement.report.run_folder import RunFolder
from denouement.report.sections import report_sections
from denouement.report.stale import find_stale
from denouement.schemas import TABLES, empty_table, read_table, write_table
from denouement.stages.report import ReportPaths, ReportSettings
from denouement.stages.report import run as write_report
from denouement.stages.sentiment import SentimentPaths, SentimentSettings
from denouement.stages.sentiment import run as score_sentiment
from denouement.study.results.preferences import study_results
from denouement.study.results.scales import scale_results

HISTORIES = {
    "seq2seq": {
        "generator": "seq2seq",
        "unit": "nats per token",
        "tokens": {"train": 350_000, "validation": 20_000},
        "unknown_share": {"train": 0.01, "validation": 0.02},
        "vocabulary": 12650,
        "stories": {"train": 7000, "validation": 400},
        "best_epoch": 1,
        "epochs": [
            {"epoch": 0, "train_loss": 5.0, "validation_loss": 4.8, "validation_perplexity": 121.5},
            {"epoch": 1, "train_loss": 4.0, "validation_loss": 4.4, "validation_perplexity": 81.45},
            {"epoch": 2, "train_loss": 3.0, "validation_loss": 4.6, "validation_perplexity": 99.5},
        ],
    }
}
INGEST = {
    "files": [],
    "stories": {},
    "cloze": {"v1.0": {"validation": 12}},
    "corpus": "official",
    "overlap": {"pairs": [], "repeated": {}},
}
ROW = {
    "release": "v1.0",
    "split": "validation",
    "blind": False,
    "n": 8,
    "by_sentiment": None,
    "by_length": None,
    "accuracy_half_ties": None,
    "best": False,
    "p_best": None,
    "fitted_to": None,
    "missing": None,
    "failed": None,
}
EVALUATION = {
    "systems": [
        {
            **ROW,
            "system": "constant_first",
            "variant": "",
            **{"correct": 4, "accuracy": 0.5, "low": 0.157, "high": 0.843, "ties": 2, "paper": 0.514},
            **{"accuracy_half_ties": 0.625, "best": True},
            "trained_on": "nothing",
            "by_length": {"equal": {"n": 8, "correct": 4, "accuracy": 0.5, "low": 0.157, "high": 0.843}},
        },
        {
            **ROW,
            "system": "dssm",
            "variant": "",
            **dict.fromkeys(("correct", "accuracy", "low", "high", "ties", "paper", "trained_on")),
            "missing": "dssm learns from stories: give them with --stories",
        },
    ],
    "comparisons": {},
    "notes": {"frequency": {"frequency: endings without a verb": 1234}},
}


def write(path: Path, name: str, rows: list[tuple], made_from: dict[str, str] | None = None) -> Path:
    names = TABLES[name].schema.names
    table = pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows], schema=TABLES[name].schema)
    write_table(table, path, name, as_metadata(made_from) if made_from else None)
    return path


def fresh(run: RunFolder) -> RunFolder:
    """The same folder, read anew: a `RunFolder` reads each file once."""
    return RunFolder(run.layout, run.lock, run.generators)


def write_summary(run: RunFolder, out: Path) -> str:
    run = fresh(run)
    stale = find_stale(run)
    return written.write_summary(run, front(run, stale), report_sections(run, stale), out)


def write_page(run: RunFolder, out: Path, commit: str | None) -> None:
    run = fresh(run)
    stale = find_stale(run)
    written_page(run, front(run, stale), report_sections(run, stale), out, commit)


@pytest.fixture
def run(tmp_path: Path, monkeypatch) -> RunFolder:
    """What a small reproduction leaves: 12 cases, the last one blind, and endings of two systems."""
    monkeypatch.chdir(tmp_path)
    corpus = Path("data/corpus")
    context = ["A <b>bold</b> start.", "Two *stars*.", "Three.", "Four."]
    cases = [
        (
            f"case-{i:02}",
            context,
            [f"Right {i}.", f"Wrong {i}."],
            1 if i != 3 else None,
            None,
            "en",
            "v1.0",
            "validation",
        )
        for i in range(12)
    ]
    write(corpus / "cloze.parquet", "cloze", cases)
    story = ("s", None, ["One.", "A good end."], "rocstories", "train")
    write(corpus / "stories.parquet", "stories", [story])
    write_table(empty_table("rejects"), corpus / "rejects.parquet", "rejects")
    (corpus / "ingest.json").write_text(json.dumps(INGEST))
    endings = [
        write(
            Path(f"data/endings/{system}.parquet"),
            "endings",
            [(f"case-{i:02}", system, f"{system} wrote {i}.", -3.0, 3) for i in range(1, 12)],
            {CONTEXTS: contexts_digest(read_table(corpus / "cloze.parquet", "cloze").slice(1))},
        )
        for system in ("seq2seq", "h_seq2seq")
    ]
    read = (corpus / "stories.parquet", corpus / "cloze.parquet", endings)
    score_sentiment(SentimentSettings(workers=1), SentimentPaths(*read, out=Path("data/sentiment.parquet")))
    story_cloze = Path("data/cloze/evaluation.json")
    story_cloze.parent.mkdir()
    story_cloze.write_text(json.dumps(EVALUATION))
    write_record(story_cloze.parent, {path.stem: file_digest(path) for path in read[:2]})
    study = Path("data/study/results.json")
    study.parent.mkdir()
    write_document(study_results(empty_table("votes")), study)
    write_record(study.parent, {})
    for name, history in HISTORIES.items():
        path = Path(f"data/models/{name}/history.json")
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(history))
    return RunFolder(Layout(Path("data")), Path("dvc.lock"))


def test_it_shows_three_stories_with_human_and_generated_endings_and_no_ids(run):
    text = write_summary(run, Path("reports"))
    assert Path("reports/summary.md").read_text() == text
    stories = text.split("## Stories and their endings")[1].split("\n## ")[0]
    drawn = ["9", "1", "7"]  # printf case-09 | sha256sum: the three smallest of ten; case-03 is blind
    assert re.findall(r"- human, right: Right (\d+)\.", stories) == drawn
    assert re.findall(r"- human, wrong: Wrong (\d+)\.", stories) == drawn
    assert re.findall(r"- h_seq2seq: h_seq2seq wrote (\d+)\.", stories) == drawn
    assert re.findall(r"- seq2seq: seq2seq wrote (\d+)\.", stories) == drawn
    assert "case-" not in text
    assert r"1. A \<b>bold\</b> start. Two \*stars\*." in stories


def test_what_a_generator_writes_is_text_and_no_html(run):
    ending = "<script>alert(1)</script> [a](b)"
    write(run.endings[0], "endings", [("case-01", "h_seq2seq", ending, -3.0, 3)])
    text = write_summary(run, Path("reports"))
    stories = text.split("## Stories and their endings")[1].split("\n## ")[0]
    assert re.findall(r".<(?:script|/script)", stories) == [r"\<script", r"\</script"]
    assert not re.search(r"(?<!\\)<(?:script|/script|img)", text)
    assert r"\[a](b)" in text


def test_it_shows_the_best_epoch_counting_from_one(run):
    text = write_summary(run, Path("reports")).partition("## Training")[2]
    row = next(line for line in text.splitlines() if line.startswith("| seq2seq"))
    assert [cell.strip() for cell in row.split("|")[1:-1]] == [
        *("seq2seq", "7,000", "400", "12,650", "3", "2", "81.5", "4.400")
    ]


def test_its_figures_are_beside_it(run):
    text = write_summary(run, Path("reports"))
    linked = {part.split(")")[0] for part in text.split("](")[1:]}
    assert linked == {"training.svg", "sentiment.svg", "cloze.svg"}
    assert {path.name for path in Path("reports").iterdir()} == {*linked, "summary.md"}


def test_what_people_answered_stands_there_with_its_chart_and_nothing_without_answers(run):
    assert "Human evaluation" not in write_summary(run, Path("reports"))
    answers = {
        **{"study": "s", "item_id": "i", "case_id": "case-01", "position_a": "seq2seq", "position_b": "human_right"},
        **{
            "reason": None,
            "is_check": False,
            "question": "better",
            "status": "accepted",
            "started_at": None,
            "submitted_at": None,
            "kind": "person",
        },
    }
    rows = [
        {**answers, "annotator_id": f"p{place}", "answer": answer, "choice": choice}
        for place, (answer, choice) in enumerate([("A", "seq2seq"), ("B", "human_right"), ("B", "human_right")])
    ]
    votes = pa.Table.from_pylist(rows, schema=TABLES["votes"].schema)
    write_document(study_results(votes), run.layout.study / "results.json")
    write_table(votes, run.layout.study / "votes.parquet", "votes")
    section = write_summary(run, Path("reports")).split("## Human evaluation")[1]
    assert "### Which ending is better: seq2seq or human_right?" in section
    row = next(line for line in section.splitlines() if line.startswith("| items "))
    assert [cell.strip() for cell in row.split("|")[2:6]] == ["1", "0 (0.0%)", "1 (100.0%)", "0 (0.0%)"]
    assert "](study.svg)" in section
    assert Path("reports/study.svg").exists()


def write_ratings_and_orders(study: Path) -> None:
    """Results of two ratings and an order, where the stage `study` leaves them."""
    given = {
        **{"study": "s", "item_id": "i", "case_id": "case-01", "reason": None, "is_check": False},
        **{"status": "accepted", "started_at": None, "submitted_at": None},
    }
    rated = [
        {**given, "annotator_id": name, "system": "seq2seq", "question": "<i>logic</i>", "value": value}
        for name, value in (("p", 2), ("q", 3))
    ]
    ordered = [{**given, "annotator_id": "p", "shown": [1, 0, 2], "order": [0, 1, 2]}]
    for name, rows in (("ratings", rated), ("orders", ordered)):
        (study / name).mkdir()
        found = scale_results(name, pa.Table.from_pylist(rows, schema=TABLES[name].schema))
        write_document(found, study / name / "results.json")


def test_rankings_stand_there_too_with_their_chart(run):
    write(run.layout.study / "votes.parquet", "votes", [])
    given = {
        **{"study": "s", "item_id": "i", "case_id": "case-01", "kind": "best_worst", "reason": None, "is_check": False},
        **{"status": "accepted", "systems": ["net", "mid", "human_right"]},
    }
    rows = [{**given, "annotator_id": f"p{n}", "ranks": ranks} for n, ranks in enumerate([[3, 2, 1], [2, 3, 1]])]
    (run.layout.study / "rankings").mkdir()
    found = scale_results("rankings", pa.Table.from_pylist(rows, schema=TABLES["rankings"].schema))
    write_document(found, run.layout.study / "rankings" / "results.json")
    section = re.sub(" +", " ", write_summary(run, Path("reports")).split("## Human evaluation")[1])
    assert "| human_right | 1 | 2 | 2 (100.0%) | 0 (0.0%) | 1.00 |" in section
    assert "| net | 1 | 2 | 0 (0.0%) | 1 (50.0%) | -0.50 |" in section
    assert "](best_worst.svg)" in section
    people = [each for each in key_findings(fresh(run), []) if each.anchor == "human-evaluation"]
    assert [each.claim for each in people] == ["It is open whose endings people find the best of several."]


def test_ratings_and_orders_stand_there_too(run):
    write(run.layout.study / "votes.parquet", "votes", [])
    write_ratings_and_orders(run.layout.study)
    section = write_summary(run, Path("reports")).split("## Human evaluation")[1]
    assert r"| \<i>logic\</i> | seq2seq |" in re.sub(" +", " ", section)
    assert "| 2.50 |" in re.sub(" +", " ", section)
    assert "| all | 1 | 1 | 1 (100.0%) | 1.000 |" in re.sub(" +", " ", section)
    assert "study.svg" not in section


def test_story_cloze_systems_stand_beside_the_paper_and_missing_ones_are_named(run):
    section = write_summary(run, Path("reports")).split("## Story Cloze")[1]
    row = next(line for line in section.splitlines() if line.startswith("| constant_first"))
    assert [cell.strip() for cell in row.split("|")[1:-1]] == ["constant_first", "0.500 (0.514)"]
    assert "- dssm: dssm learns from stories: give them with --stories" in section
    assert "- frequency" not in section  # what was met on the way and accuracies by group are for the page
    assert "Accuracy by" not in section


def test_a_labelled_test_stands_beside_validation(run):
    first = EVALUATION["systems"][0]
    of_test = {**first, "split": "test", "accuracy": 0.625, "correct": 5, "paper": 0.513}
    run.layout.evaluation.write_text(json.dumps({**EVALUATION, "systems": [first, of_test]}))
    section = write_summary(run, Path("reports")).split("## Story Cloze")[1].split("\n## ")[0]
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line.startswith("|")]
    assert table[0] == ["system", "v1.0 validation (n = 8)", "v1.0 test (n = 8)"]
    assert table[2] == ["constant_first", "0.500 (0.514)", "0.625 (0.513)"]


def test_it_is_the_same_wherever_it_is_made(run, tmp_path: Path, monkeypatch):
    write_summary(run, Path("reports"))
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree("data", elsewhere / "data")
    monkeypatch.chdir(elsewhere)
    write_summary(RunFolder(Layout(elsewhere / "data"), elsewhere / "dvc.lock"), elsewhere / "out")
    for name in ("summary.md", "training.svg", "sentiment.svg", "cloze.svg"):
        assert (elsewhere / "out" / name).read_bytes() == (tmp_path / "reports" / name).read_bytes()
    assert str(tmp_path) not in (elsewhere / "out/summary.md").read_text()


def test_cases_left_out_of_right_and_wrong_are_counted(run):
    assert "1 blind cloze cases are not in right and wrong" in write_summary(run, Path("reports"))


def test_the_sample_corpus_is_named_and_nothing_of_the_papers_or_of_people_stands_beside_it(run):
    write(run.layout.stories, "stories", [("s", None, ["One.", "A good end."], "sample", "train")])
    cases = read_table(run.layout.cloze, "cloze")
    names, release = cases.column_names, pa.array(["sample"] * cases.num_rows)
    released = cases.set_column(names.index("release"), cases.schema.field("release"), release)
    write_table(released, run.layout.cloze, "cloze")
    paths = SentimentPaths(run.layout.stories, run.layout.cloze, run.endings, run.layout.sentiment)
    score_sentiment(SentimentSettings(workers=1), paths)
    systems = [{**row, "release": "sample", "paper": None} for row in EVALUATION["systems"]]
    run.layout.evaluation.write_text(json.dumps({**EVALUATION, "systems": systems}))
    (run.layout.ingest).write_text(json.dumps({**INGEST, "corpus": "sample"}))
    text = write_summary(run, Path("reports"))
    assert "sample corpus" in text
    write_page(run, Path("reports"), None)
    page = Path("reports/report.html").read_text()
    for shown in (text, page):
        for published in ("98,161", "3,742", "3.48e-54", "0.457", "71.5%", "0.514"):
            assert published not in shown
        assert "people's" not in shown
        assert "- people:" not in shown


def test_without_training_and_endings_it_holds_what_is_there(run):
    write_table(empty_table("sentiment"), run.layout.sentiment, "sentiment")
    for path in (*run.histories, *run.endings):
        path.unlink()
    text = write_summary(run, Path("reports"))
    assert "## Story Cloze Test" in text
    assert "## Systems" not in text
    assert "## Training" not in text
    assert "## Sentiment" not in text
    assert [part.split(")")[0] for part in text.split("](")[1:]] == ["cloze.svg"]


def test_a_missing_summary_of_the_data_is_one_line(run):
    (run.layout.ingest).unlink()
    with pytest.raises(UserError, match=r"ingest\.json: no such file"):
        write_summary(run, Path("reports"))


def test_each_table_and_document_of_a_run_is_read_once(run, monkeypatch):
    read = Counter()

    def counted(function):
        def call(path, *args, **kwargs):
            if Path(path).resolve().is_relative_to(Path.cwd()):  # templates are read once in a process
                read[Path(path).name] += 1
            return function(path, *args, **kwargs)

        return call

    monkeypatch.setattr(schemas, "read_parquet", counted(schemas.read_parquet))
    monkeypatch.setattr(Path, "read_text", counted(Path.read_text))
    (run.layout.study / "made_from.json").unlink()
    write_report(ReportSettings(), ReportPaths(run.layout, run.lock, Path(), Path("reports")))
    assert Path("reports/summary.md").exists()
    files = ("ingest.json", "rejects.parquet", "history.json", "sentiment.parquet", "evaluation.json", "results.json")
    tables = ("stories.parquet", "cloze.parquet", "seq2seq.parquet", "h_seq2seq.parquet")
    assert read == Counter((*files, *tables, "made_from.json"))


def test_a_used_folder_keeps_no_chart_and_no_summary_of_an_earlier_run(run):
    out = Path("reports")
    paths = ReportPaths(run.layout, run.lock, Path(), out)
    write_report(ReportSettings(), paths)
    for name in ("mine.svg", "notes.md"):
        (out / name).write_text("not of a report")
    for path in run.histories:
        path.unlink()
    write_report(ReportSettings(), paths)
    kept = {"mine.svg", "notes.md", "report.html"}
    assert {path.name for path in out.iterdir()} == {*kept, "summary.md", "cloze.svg", "sentiment.svg"}
    run.layout.evaluation.unlink()  # without it there is no summary
    write_report(ReportSettings(), paths)
    assert {path.name for path in out.iterdir()} == kept
    (out / "summary.md").write_text("# My own\n\n![a](mine.svg)\n")
    write_report(ReportSettings(), paths)
    assert {path.name for path in out.iterdir()} == {*kept, "summary.md"}


def test_title_names_project_corpus_and_the_day_of_the_newest_result(run):
    for place, path in enumerate(sorted(Path("data").rglob("*.*"))):
        os.utime(path, (place, place))
    os.utime(run.layout.evaluation, (1_767_225_600, 1_767_225_600))  # 2026-01-01T00:00Z
    text = write_summary(run, Path("reports"))
    assert text.startswith("# Denouement: Story Cloze v1.0, 1 January 2026\n")
    write_page(run, Path("reports"), None)
    page = Path("reports/report.html").read_text()
    for tag in ("title", "h1"):
        assert f"<{tag}>Denouement: Story Cloze v1.0, 1 January 2026</{tag}>" in page
