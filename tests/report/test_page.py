import json
import re
import shutil
from dataclasses import MISSING, fields
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner
from test_summary import (  # noqa: F401 -- `run` is a fixture
    EVALUATION,
    HISTORIES,
    fresh,
    run,
    write,
    write_page,
    write_ratings_and_orders,
    write_summary,
)

from denouement import provenance
from denouement.analysis.statistics import find_statistics
from denouement.analysis.statistics_files import write_findings
from denouement.cli import main
from denouement.cloze.evaluation.results import ClozeResult
from denouement.corpus.ingest import IngestSummary
from denouement.errors import UserError
from denouement.generators.history import History
from denouement.layout import Layout
from denouement.present.cells import PValue
from denouement.present.sections import Fold, Table
from denouement.report.run_folder import RunFolder, read_beside
from denouement.report.sections import report_sections
from denouement.report.stale import find_stale
from denouement.report.terms import TERMS

LOCK = """
stages:
  sentiment:
    cmd: python -m flows.sentiment
    params: {params.yaml: {sentiment: {workers: null}}}
  cloze:
    cmd: python -m flows.cloze
    params: {params.yaml: {cloze: {folds: 10, systems: {official: [constant_first, dssm, cogcomp]}}}}
  train@seq2seq:
    cmd: python -m flows.train seq2seq
    params: {params.yaml: {train.common: {seed: 1}}}
"""
SVG = '<svg width="72pt" viewBox="0 0 72 72"><style>*{stroke: red}</style><path id="a"/><use xlink:href="#a"/></svg>'


class Page(HTMLParser):
    """Ids, addresses, tags and the text of a page; `script` holds the page's data."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids, self.links, self.tags, self.script, self.inside = [], [], [], "", False
        self.feed(text)

    def handle_starttag(self, tag, attributes) -> None:
        given = dict(attributes)
        self.tags.append(tag)
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given[name] for name in ("href", "src", "xlink:href") if name in given]
        self.inside = given.get("type") == "application/json"

    def handle_data(self, data) -> None:
        if self.inside:
            self.script += data

    def handle_endtag(self, tag) -> None:
        self.inside = False


@pytest.fixture
def page(run):  # noqa: F811
    """Writes the page of the small run of `test_summary`, with a record of DVC's, and gives its text."""
    Path("dvc.lock").write_text(LOCK)

    def made(commit: str | None = "abc123") -> str:
        write_page(RunFolder(Layout(Path("data")), Path("dvc.lock")), Path("reports"), commit)
        return Path("reports/report.html").read_text()

    return made


def section(text: str, anchor: str) -> str:
    return text.split(f'<section id="{anchor}">')[1].split("</section>")[0]


def test_the_page_fetches_nothing_and_every_address_is_within_it(page):
    read = Page(page())
    assert {link[0] for link in read.links} == {"#"}
    assert {link[1:] for link in read.links} <= {*read.ids, "top"}
    assert len(read.ids) == len(set(read.ids))
    assert not {"img", "link", "iframe"} & set(read.tags)


def test_it_is_the_same_wherever_it_is_made(page, tmp_path: Path, monkeypatch):
    first = page()
    shutil.copytree(tmp_path, tmp_path / "elsewhere", ignore=shutil.ignore_patterns("elsewhere", "reports"))
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert page_of(tmp_path / "elsewhere") == first
    assert str(tmp_path) not in first


def page_of(folder: Path) -> str:
    write_page(RunFolder(Layout(folder / "data"), folder / "dvc.lock"), folder / "out", "abc123")
    return (folder / "out/report.html").read_text()


def test_each_section_has_command_parameters_digest_and_commit(page):
    origin = section(page(), "sentiment")
    assert "<code>python -m flows.sentiment</code>" in origin
    assert "<code>sentiment.workers = null</code>" in origin
    assert re.search(r"<code>data/sentiment.parquet</code> <span class=\"aside\">SHA-256 [0-9a-f]{12}<", origin)
    assert "abc123" in origin
    assert "python -m flows.train seq2seq" in section(page(), "training")


def test_what_was_not_run_is_named_with_its_command(page):
    text = page()
    assert "dvc repro statistics report" in section(text, "statistics")
    assert "dvc repro statistics report" in section(text, "findings")
    assert "data/raw" in section(text, "human-evaluation")
    cloze = section(text, "story-cloze")
    assert "<li>cogcomp</li>" in cloze
    assert "dssm learns from stories" in cloze
    shutil.rmtree("data/endings")
    assert "dvc repro generate report" in section(page(), "endings")


def test_results_are_shown_without_the_summary_of_the_data(page, run):  # noqa: F811
    run.layout.ingest.unlink()
    text = page()
    assert "dvc repro ingest report" in section(text, "data")
    for anchor in ("sentiment", "story-cloze"):
        assert "<table" in section(text, anchor)


def test_a_run_that_has_nothing_yet_is_a_page_of_commands(tmp_path: Path):
    (tmp_path / "data").mkdir()
    folder = RunFolder(Layout(tmp_path / "data"), tmp_path / "dvc.lock")
    write_page(folder, tmp_path, None)
    sections = report_sections(folder, [])
    assert all(each.missing for each in sections)
    assert {each.anchor for each in sections} == set(TERMS)


def test_endings_stand_next_to_people_s_with_their_sentiment(page):
    read = json.loads(Page(page()).script)
    assert read["systems"] == ["right", "h_seq2seq", "seq2seq"]
    by_id = {story[0]: story[2] for story in read["stories"]}
    assert len(by_id) == 11  # the first case has no generated ending
    measured = "neutral, 0.00"
    assert by_id["case-01"] == [
        [0, "Right 1.", measured],
        [1, "h_seq2seq wrote 1.", measured],
        [2, "seq2seq wrote 1.", measured],
    ]
    assert [place for place, *_ in by_id["case-03"]] == [1, 2]  # a blind case


def test_odd_ends_of_lines_and_controls_in_names_and_endings_break_no_table(page, run):  # noqa: F811
    name = "a\u2028b\x0bc\x0cd\x1be\u202ef"
    write(run.endings[0], "endings", [("case-01", name, "One.\u2029Two.\x85", -3.0, 3)])
    text = page()
    told = r"a\u2028b\u000bc\u000cd\u001be\u202ef"
    assert f">{told}</th>" in section(text, "endings")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", text)
    assert name in json.loads(Page(text).script)["systems"]


@pytest.mark.parametrize(
    "row",
    [("a", "mine", float("nan")), ("a", "mine", float("inf")), ("case-01", "right", 0.5)],
    ids=["nan", "inf", "id"],
)
def test_a_sentiment_that_is_no_number_or_of_no_text_is_refused(run, row):  # noqa: F811
    write(run.layout.sentiment, "sentiment", [(*row, 0.0, 0.0, 0.0), ("b", "mine", 0.5, 0.0, 0.0, 0.0)])
    with pytest.raises(UserError, match=r"sentiment.parquet: 1 of 2 scores are no numbers or of no text"):
        write_page(run, Path("reports"), None)


def test_what_stories_and_endings_hold_is_text(page, run):  # noqa: F811
    ending = "</script><script>alert(1)</script>"
    write(run.endings[0], "endings", [("case-01", "h_seq2seq", ending, -3.0, 3)])
    text = page()
    assert "<script>alert" not in text
    assert "A &lt;b&gt;bold" in text
    assert ending in [e[1] for story in json.loads(Page(text).script)["stories"] for e in story[2]]


def test_ratings_and_orders_are_shown_without_votes(page, run):  # noqa: F811
    for name in ("votes", "table_3"):
        write(run.layout.study / f"{name}.parquet", name, [])
    write_ratings_and_orders(run.layout.study)
    text = section(page(), "human-evaluation")
    assert "&lt;i&gt;logic&lt;/i&gt;" in text
    assert '<td class="number">2.50</td>' in text
    assert "<h3>Orders: s</h3>" in text
    assert "<code>data/study/ratings/results.json</code>" in text


def test_statistics_are_shown_with_their_charts(page, run):  # noqa: F811
    found = find_statistics(run.stories, with_events=False)
    write_findings(found, run.layout.statistics, {})
    text = section(page(), "statistics")
    lengths = found.statistics.sentence_lengths
    assert f"<details><summary>{lengths.title}</summary>" in text
    assert f'id="statistics-{Path(lengths.figures[0].file).stem}"' in text
    document = json.loads((run.layout.statistics / "statistics.json").read_text())
    document["sentence_lengths"]["values"] = []
    (run.layout.statistics / "statistics.json").write_text(json.dumps(document))
    with pytest.raises(UserError, match=r"statistics.json: sentence_lengths > values .* make it again"):
        page()


@pytest.mark.parametrize(
    ("name", "kind", "stage"),
    [
        ("corpus/ingest.json", IngestSummary, "ingest"),
        ("models/seq2seq/history.json", History, "train"),
        ("cloze/evaluation.json", ClozeResult, "cloze"),
    ],
)
def test_a_document_of_another_shape_is_one_line_with_the_stage_that_makes_it(run, name, kind, stage):  # noqa: F811
    path = run.layout.folder / name
    whole = json.loads(path.read_text())
    needed = [field.name for field in fields(kind) if field.default is field.default_factory is MISSING]
    assert set(needed) & set(whole)
    for key in needed:
        for odd in ({k: v for k, v in whole.items() if k != key}, {**whole, key: 0.5}, {**whole, key: [0.5]}, []):
            path.write_text(json.dumps(odd))
            with pytest.raises(UserError, match=f"{name}: .* make it again: dvc repro {stage}") as caught:
                write_page(run, Path("reports"), None)
            assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("epochs", "message"),
    [
        ([{"epoch": True, "train_loss": 1, "validation_loss": None}], "epochs > 0 > epoch is missing or not what"),
        ([{"epoch": 0, "train_loss": 5.0, "validation_loss": None}], "epochs > 0 > validation_perplexity is missing"),
    ],
)
def test_what_is_wrong_in_a_document_is_named_by_its_place(run, epochs, message):  # noqa: F811
    run.histories[0].write_text(json.dumps({**HISTORIES["seq2seq"], "epochs": epochs}))
    with pytest.raises(UserError, match=message):
        write_page(run, Path("reports"), None)


def test_a_record_of_dvc_of_another_shape_is_one_line(page):
    Path("dvc.lock").write_text("stages: {a: {cmd: [x]}}")
    run = RunFolder(Layout(Path("data")), Path("dvc.lock"))  # noqa: F811
    with pytest.raises(UserError, match=r"dvc.lock: is not a record of DVC; restore it with git checkout dvc.lock"):
        run.origin(["a"], [])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("../a.svg", SVG.encode(), "no plain name"),
        ("/etc/hostname", b"", "no plain name"),
        (7, b"", "no plain name"),
        ("a.svg", "\xff".encode("latin-1"), "UTF-8"),
        ("none.svg", b"", "no such file"),
    ],
)
def test_a_figure_must_lie_beside_its_statistics(tmp_path, name, content, message):
    (tmp_path / "a.svg").write_bytes(content)
    with pytest.raises(UserError, match=message):
        read_beside(tmp_path / "statistics.json", name)


def test_the_command_writes_page_and_summary_and_names_what_is_missing(page):
    done = CliRunner().invoke(main, ["report", "--out", "out"], catch_exceptions=False)
    assert done.exit_code == 0
    assert {"report.html", "summary.md"} <= {path.name for path in Path("out").iterdir()}
    assert "dvc repro statistics report" in done.output
    assert CliRunner().invoke(main, ["report", "--out", "out", "--data", "nowhere"]).exit_code == 2


def test_a_labelled_test_stands_beside_validation_on_the_page(run):  # noqa: F811
    first = EVALUATION["systems"][0]
    rows = [first, {**first, "system": "other", "best": False, "p_best": 0.25}]
    rows += [{**row, "split": "test", "accuracy": 0.625} for row in rows]
    pair = {"one": "constant_first", "other": "other", "only_one": 3, "only_other": 1, "p": 0.125, "p_holm": 0.25}
    found = {"systems": rows, "comparisons": {"v1.0 validation": [pair], "v1.0 test": [pair]}, "notes": {}}
    run.layout.evaluation.write_text(json.dumps(found))
    [section] = [each for each in report_sections(fresh(run), []) if each.anchor == "story-cloze"]
    shown = section.content.full
    first_table = next(block for block in shown if isinstance(block, Table))
    assert first_table.columns == ["system", "v1.0 validation (n = 8)", "v1.0 test (n = 8)"]
    folds = [block for block in shown if isinstance(block, Fold) and "against every other" in block.title]
    assert [fold.blocks[0].rows for fold in folds] == [[["other", 3, 1, PValue(0.125), PValue(0.25)]]] * 2


def test_automatic_scores_have_a_section_that_says_when_they_are_stale(page):
    from denouement.stages.metrics import MetricsPaths, MetricsSettings
    from denouement.stages.metrics import run as score

    assert "dvc repro metrics report" in section(page(), "scores")
    layout = Layout(Path("data"))
    endings = sorted(layout.written.glob("*.parquet"))
    paths = MetricsPaths(
        layout.cloze, endings, stories=layout.stories, out=layout.ending_scores, result=layout.score_summary
    )
    result = score(MetricsSettings(("length", "rouge_l", "self_bleu"), human=True), paths)
    shown = section(page(), "scores")
    assert all(summary.score in shown and summary.what in shown for summary in result.scores)
    assert "human_wrong" in shown
    assert [each for each in find_stale(RunFolder(layout, Path("dvc.lock"))) if each.anchor == "scores"] == []
    made_from = provenance.of_folder(layout.scores) or {}
    provenance.write_record(layout.scores, {**made_from, "stories": "0" * 64})
    [stale] = [each for each in find_stale(RunFolder(layout, Path("dvc.lock"))) if each.anchor == "scores"]
    assert "another content of stories" in stale.what
    assert "<summary>Scores</summary>" not in section(page(), "findings")  # they may be of other endings


def test_a_few_scores_stand_below_the_endings_of_each_story(page, run):  # noqa: F811
    from denouement.stages.metrics import MetricsPaths, MetricsSettings
    from denouement.stages.metrics import run as score

    layout = run.layout
    paths = MetricsPaths(
        layout.cloze, run.endings, stories=layout.stories, out=layout.ending_scores, result=layout.score_summary
    )
    score(MetricsSettings(("length", "rouge_l"), human=True), paths)
    shown = section(page(), "findings")
    assert shown.count("<summary>Scores</summary>") == 10
    text = write_summary(run, Path("reports")).split("## Stories and their endings")[1].split("\n## ")[0]
    first = text.split("\n2. ")[0].splitlines()
    assert [line.replace(" ", "") for line in first[-3:]] == [
        "|score|human,wrong|h_seq2seq|seq2seq|",  # a right ending is no reference of itself
        "|---------|-----------:|--------:|------:|",
        # case 9: "Right 9." against "Wrong 9.", "h_seq2seq wrote 9." (h, seq2seq, wrote, 9) and "seq2seq wrote 9."
        "|rouge_l↑|0.500|0.333|0.400|",
    ]
    assert all(line.startswith("   |") for line in first[-3:])
