import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner
from test_summary import EVALUATION, HISTORIES, run, write, write_ratings_and_orders  # noqa: F401 -- `run` is a fixture

from denouement.analysis.titles import sunburst, title_paths
from denouement.charts.run import as_svg, training_curves
from denouement.charts.svg import inline
from denouement.cli import main
from denouement.documents import write_document
from denouement.errors import UserError
from denouement.report.documents import misfit
from denouement.report.html.blocks import Bullets, Fold, Heading, Paragraph, Table, blocks
from denouement.report.html.glance import glance
from denouement.report.html.page import write_page
from denouement.report.html.sections import sections
from denouement.report.run import Run, read_beside, read_json
from denouement.schemas import TABLES
from denouement.study.results.pairs import PublishedItems
from denouement.study.results.results import study_results

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
        write_page(Run(Path("data"), Path("dvc.lock")), Path("reports"), commit)
        return Path("reports/report.html").read_text()

    return made


def section(text: str, anchor: str) -> str:
    return text.split(f'<section id="{anchor}">')[1].split("</section>")[0]


def test_text_is_read_back_as_the_blocks_it_was_made_of():
    text = "## Head\n\nBy length:\n\n| a | b |\n| --- | --: |\n| x\\|y | 1 |\n\nMet:\n- one\n- two\n\nLast."
    assert blocks(text) == [
        Heading("Head"),
        Table(["a", "b"], [["x|y", "1"]], "By length"),
        Bullets("Met:", ["one", "two"]),
        Paragraph("Last."),
    ]


@pytest.mark.parametrize(
    ("cells", "style"),
    [
        (["1,652 (44.1%)", "-", ""], "number"),
        (["0.450 to 0.550", "<1e-300", "4.91e-04", "-0.15", "3 of 4", ".5"], "number"),
        (["400 cases, 10 folds", "nothing"], "short"),
        (["A sentence that is longer than the others are."], "long"),
        (["0.5", "0.6", "blind"], "number"),
    ],
)
def test_columns_of_numbers_are_known(cells, style):
    assert Table(["x"], [[cell] for cell in cells]).styles == [style]


def test_figures_in_one_page_share_no_ids_and_no_styles():
    made = inline(SVG, "one", "What <it> shows")
    assert 'id="one-a"' in made
    assert 'href="#one-a"' in made
    assert "#one *{stroke: red}" in made.replace("* {", "*{")
    assert 'aria-label="What &lt;it&gt; shows"' in made
    assert "width: 96px" in made


@pytest.mark.parametrize(
    "harm",
    [
        "<script>1</script>",
        '<a href="http://x.org"/>',
        '<path onload="x()"/>',
        "<image/>",
        "<foreignObject/>",
        '<path d=">" onclick="x()"/>',
        '<path fill="url(//x.org)"/>',
        '<path style="fill: u\\72l(//x.org)"/>',
        '<use xlink:href="//x.org#a"/>',
        "<style>body{display: none}</style>",
        "<style>*{fill: url(//x.org)}</style>",
        '<animate attributeName="d"/>',
        "<svg:script/>",
    ],
)
def test_a_figure_that_runs_or_fetches_something_is_refused(harm):
    with pytest.raises(UserError, match="figure one: holds"):
        inline(SVG.replace("<path", f"{harm}<path"), "one", "")


def test_a_figure_with_a_tag_that_does_not_end_is_refused():
    with pytest.raises(UserError, match="is no SVG"):
        inline(SVG.replace("<path", "<path onclick=f('1)><path"), "one", "")


def test_a_figure_with_entities_of_its_own_is_refused():
    with pytest.raises(UserError, match="holds the entity x"):
        inline(f"<!DOCTYPE svg [<!ENTITY x 'y'>]>{SVG}", "one", "")


@pytest.mark.parametrize(
    ("old", "new"), [("72pt", "7.2.2pt"), ("72pt", "wide"), ("0 0 72 72", "0 0 1"), ("<svg", "<g")]
)
def test_a_figure_with_an_odd_size_or_root_is_one_line(old, new):
    with pytest.raises(UserError, match="figure one: ") as caught:
        inline(SVG.replace(old, new, 1).replace("</svg>", "</g>" if new == "<g" else "</svg>"), "one", "")
    assert "\n" not in str(caught.value)


def test_what_stands_around_a_figure_is_no_markup():
    with pytest.raises(UserError, match="a name of other than"):
        inline(SVG, 'a"><b', "")
    assert 'aria-label="&quot;&lt;b&gt;\\u001b"' in inline(SVG, "one", '"<b>\x1b')
    root = SVG.replace("<svg", "<svg onload='x()' font-family='&quot;&gt;&lt;b'")
    assert "onload" not in inline(root, "one", "")
    assert 'font-family="&quot;&gt;&lt;b"' in inline(root, "one", "")


def test_every_figure_of_ours_is_accepted():
    made = inline(sunburst(title_paths(["A run", "The \x1b $x$ <b>"])), "titles", "")
    assert "#titles *{" not in made
    assert "\x1b" not in made
    assert "stroke-linejoin" in inline(as_svg(training_curves(HISTORIES)), "training", "")


def test_words_of_a_story_in_a_figure_are_no_harm():
    told = "<title>javascript: the word onload= and @import &lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;</title>"
    assert told in inline(SVG.replace("<use", f"{told}<!-- onclick=1 --><use"), "one", "A figure")


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
    write_page(Run(folder / "data", folder / "dvc.lock"), folder / "out", "abc123")
    return (folder / "out/report.html").read_text()


def test_the_figures_at_a_glance_by_hand(run):  # noqa: F811
    ending = ("Same.", -3.0, 1)
    write(run.endings[0], "endings", [(f"case-{i:02}", "h_seq2seq", *ending) for i in range(1, 5)])
    of_cases = [(f"v1.0/test/{score}", score) for score in (0.5, -0.5, 0.0)]
    scores = [(text_id, group, score) for group in ("right", "wrong") for text_id, score in of_cases]
    scores += [("a", "mine", 0.9), ("a/train/s", "rocstories", 0.9)]
    write(run.sentiment, "sentiment", [(*row, 0.0, 0.0, 0.0) for row in scores])
    chosen = ["human"] * 6 + ["mine", "both"]
    answers = {
        **{"study": "s", "annotator_id": "p", "position_a": "human", "position_b": "mine", "is_check": False},
        **{"status": "accepted", "reason": None, "started_at": None, "submitted_at": None},
    }
    rows = [
        {**answers, "item_id": f"i{n}", "case_id": f"c{n}", "choice": choice}
        | {"answer": {"human": "A", "mine": "B"}.get(choice, choice)}
        for n, choice in enumerate(chosen)
    ]
    results = study_results(pa.Table.from_pylist(rows, schema=TABLES["votes"].schema))
    published = PublishedItems(first=3, second=1, both=0, neither=0)
    with_paper = replace(results, pairs=[replace(results.pairs[0], paper=published)])
    write_document(with_paper, run.study / "results.json")
    shown = {figure.what.partition(" (")[0]: (figure.here, figure.paper, figure.anchor) for figure in glance(run)}
    assert shown == {
        "Stories": ("0", "98,161", "data"),
        "Cases: four sentences and two endings, one known to be right": ("11", "3,742", "data"),
        "Words that seq2seq wavers between": ("81.5", "", "training"),  # of the best epoch, not of the last
        "Endings of h_seq2seq that differ from each other": ("25.0% of 4", "", "endings"),
        "Endings of seq2seq that differ from each other": ("100.0% of 11", "", "endings"),
        "Positive among right endings": ("33.3%", "44.1%", "sentiment"),
        "Positive among wrong endings": ("33.3%", "26.6%", "sentiment"),
        "Positive among endings of mine": ("100.0%", "", "sentiment"),
        "Right endings told from wrong ones": ("50.0%", "51.4%", "story-cloze"),
        "People prefer human, of 8 stories": ("75%", "75%", "human-evaluation"),
        "People prefer mine, of 8 stories": ("12%", "25%", "human-evaluation"),
    }


def test_each_section_tells_command_parameters_digest_and_commit(page):
    origin = section(page(), "sentiment")
    assert "<code>python -m flows.sentiment</code>" in origin
    assert "<code>sentiment.workers = null</code>" in origin
    assert re.search(r"<code>data/sentiment.parquet</code> <span class=\"told\">SHA-256 [0-9a-f]{12}<", origin)
    assert "abc123" in origin
    assert "python -m flows.train seq2seq" in section(page(), "training")


def test_what_was_not_run_is_named_with_its_command(page):
    text = page()
    assert "dvc repro statistics report" in section(text, "statistics")
    assert "dvc repro statistics report" in section(text, "glance")
    assert "data/raw" in section(text, "human-evaluation")
    cloze = section(text, "story-cloze")
    assert "<li>cogcomp</li>" in cloze
    assert "dssm learns from stories" in cloze
    shutil.rmtree("data/endings")
    assert "dvc repro generate report" in section(page(), "endings")


def test_a_run_that_has_nothing_yet_is_a_page_of_commands(tmp_path: Path):
    (tmp_path / "data").mkdir()
    found = write_page(Run(tmp_path / "data", tmp_path / "dvc.lock"), tmp_path, None)
    assert all(each.missing for each in found)


def test_endings_stand_next_to_people_s_with_their_sentiment(page):
    read = json.loads(Page(page()).script)
    assert read["systems"] == ["right", "h_seq2seq", "seq2seq"]
    by_id = {story[0]: story[2] for story in read["stories"]}
    assert len(by_id) == 11  # the first case has no generated ending
    assert by_id["case-01"] == [[0, "Right 1.", 0.0], [1, "h_seq2seq wrote 1.", 0.0], [2, "seq2seq wrote 1.", 0.0]]
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
def test_a_sentiment_that_is_no_number_or_of_no_text_is_told(run, row):  # noqa: F811
    write(run.sentiment, "sentiment", [(*row, 0.0, 0.0, 0.0), ("b", "mine", 0.5, 0.0, 0.0, 0.0)])
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
        write(run.study / f"{name}.parquet", name, [])
    write_ratings_and_orders(run.study)
    text = section(page(), "human-evaluation")
    assert "&lt;i&gt;logic&lt;/i&gt;" in text
    assert '<td class="number">2.50</td>' in text
    assert "<h3>Orders: s</h3>" in text
    assert "<code>data/study/ratings/results.json</code>" in text


def test_statistics_are_shown_as_they_stand(page):
    folder = Path("data/statistics")
    folder.mkdir()
    table = {"title": "Lengths", "header": ["place", "mean"], "rows": [["first <", "8.1"]], "note": "In tokens."}
    part = {"title": "Sentences", "what": "How long they are."}
    document = {"lengths": {**part, "tables": [table], "figures": [{"file": "lengths.svg", "what": "Words <b>"}]}}
    (folder / "statistics.json").write_text(json.dumps(document))
    (folder / "lengths.svg").write_text(SVG)
    text = section(page(), "statistics")
    assert "first &lt;" in text
    assert '<td class="number">8.1</td>' in text
    assert 'id="statistics-lengths-1"' in text
    document["lengths"]["tables"] = [{**table, "rows": [["8.1"]]}]
    (folder / "statistics.json").write_text(json.dumps(document))
    with pytest.raises(UserError, match="a row of Lengths is not as wide as its header"):
        page()


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        *[("corpus/ingest.json", "ingest"), ("models/seq2seq/history.json", "train")],
        ("cloze/evaluation.json", "cloze"),
    ],
)
def test_a_document_of_another_shape_is_one_line_with_the_stage_that_makes_it(run, name, stage):  # noqa: F811
    path = run.folder / name
    whole = json.loads(path.read_text())
    for key in whole:
        for odd in ({k: v for k, v in whole.items() if k != key}, {**whole, key: "odd"}, {**whole, key: [None]}, []):
            path.write_text(json.dumps(odd))
            if misfit(path, odd) is None:  # what the report does not read
                write_page(run, Path("reports"), None)
                continue
            with pytest.raises(UserError, match=f"{name}: .* make it again: dvc repro {stage}") as caught:
                read_json(path)
            assert "\n" not in str(caught.value)
    path.write_text(json.dumps(whole))
    assert read_json(path) == whole


def test_shapes():
    path = Path("data/models/a/history.json")
    assert misfit(path, HISTORIES["seq2seq"]) is None
    epochs = [*HISTORIES["seq2seq"]["epochs"], {"epoch": True, "train_loss": 1, "validation_loss": None}]
    told = misfit(path, {**HISTORIES["seq2seq"], "epochs": epochs})
    assert told.startswith("epochs > 3 > epoch is missing or not what is written there")
    without = [{"epoch": 0, "train_loss": 5.0, "validation_loss": None}]  # a key may hold nothing, and must be there
    told = misfit(path, {**HISTORIES["seq2seq"], "epochs": without})
    assert told.startswith("epochs > 0 > validation_perplexity is missing")
    assert misfit(Path("dvc.lock"), {"stages": {"a": {"cmd": ["x"]}}}).startswith("stages > a > cmd is")
    assert misfit(Path("other.json"), {"anything": 1}) is None
    assert misfit(Path("other.json"), []).startswith("the whole of it")


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
    run.story_cloze.write_text(json.dumps(found))
    [section] = [each for each in sections(run) if each.anchor == "story-cloze"]
    first_table = next(block for block in section.blocks if isinstance(block, Table))
    assert first_table.header == ["system", "v1.0 validation (n = 8)", "v1.0 test (n = 8)"]
    folds = [block for block in section.blocks if isinstance(block, Fold) and "against every other" in block.title]
    assert [fold.blocks[0].rows for fold in folds] == [[["other", "3", "1", "0.125", "0.250"]]] * 2
