"""The sections of the page in the order of reading, each with one plain sentence on what it shows."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from denouement.charts import run as figures
from denouement.charts.svg import inline
from denouement.corpus.cases import labelled_cases
from denouement.corpus.ingest import IngestSummary
from denouement.corpus.sections import ingest_section
from denouement.documents import document, read_document
from denouement.present import sections as present
from denouement.present.cells import written
from denouement.present.markdown import render
from denouement.present.sections import Chart, Stories
from denouement.report.html.blocks import Block, Bullets, Fold, Heading, Paragraph, Picture, Table, blocks
from denouement.report.html.endings_browser import endings_browser
from denouement.report.html.terms import SYSTEMS, TERMS
from denouement.report.run import Origin, Run, read_beside, read_json, read_reasons, read_scales, read_study
from denouement.report.stale import Stale, find_stale, joined_endings, joined_sentiment
from denouement.report.tables import (
    cloze_text,
    endings_text,
    p_value,
    sentiment_text,
    system_name,
    training_text,
)
from denouement.schemas import read_table

if TYPE_CHECKING:  # heavy
    from matplotlib.figure import Figure

_LONG_TABLE = 15  # rows above which a table of statistics is folded
_EXAMPLES = 3  # reasons shown for each element
_STORIES = 20  # stories shown with the reasons that people gave


@dataclass(frozen=True)
class Section:
    """A section of the page.

    Attributes:
        anchor: its address within the page.
        title: its heading.
        what: one sentence on what it shows, for those who know nothing of the project.
        reading: how to read its numbers: a term and what it means, in a paragraph each.
        blocks: what it holds.
        origin: where its numbers came from.
        missing: where there is nothing to show, the command that makes it, and what it needs.
        stale: what of it was made from other files than those of the run, and the command that makes it anew.
    """

    anchor: str
    title: str
    what: str
    reading: Sequence[tuple[str, str]] = ()
    blocks: Sequence[Block] = ()
    origin: Origin | None = None
    missing: tuple[str, str] | None = None
    stale: Sequence[Stale] = ()


def sections(run: Run) -> list[Section]:
    """All sections; those whose files the run lacks, or that are stale, say which command makes them."""
    stale = find_stale(run)
    makers: tuple[Callable[[Run], Section], ...] = (
        _data,
        _statistics,
        _training,
        partial(_endings, stale=stale),
        _sentiment,
        _story_cloze,
        _human_evaluation,
        _reasons,
    )
    made = [make(run) for make in makers]
    return [replace(section, stale=[each for each in stale if each.anchor == section.anchor]) for section in made]


def _data(run: Run) -> Section:
    what = "The stories and cases that everything below was learned from or measured on, and what stands there twice."
    names = ("ingest.json", "stories.parquet", "cloze.parquet", "rejects.parquet")
    files = [run.corpus / name for name in names]
    section = _section("data", "Data", what, run, ["sample", "ingest"], files)
    if section.missing:
        return section
    ingest = read_document(files[0], IngestSummary, "ingest")
    return _filled(section, blocks(render(ingest_section(ingest, read_table(files[3], "rejects")))))


def _statistics(run: Run) -> Section:
    what = "What the stories are like, and what tells a right ending from a wrong one without reading the story."
    from denouement.analysis.sections import statistics_sections
    from denouement.analysis.statistics_files import FILE, read_findings

    file = run.statistics / FILE
    section = _section("statistics", "Statistics and biases", what, run, ["statistics"], [file])
    if section.missing:
        return section
    found = read_findings(run.statistics)
    charts = [each.file for finding in found.statistics.found.values() for each in finding.figures if each.file]
    pictures = {name: read_beside(file, name) for name in charts}
    content: list[Block] = []
    for name, part in statistics_sections(found, pictures).items():
        content += [Heading(part.title), Paragraph(part.what)]
        drawn = [block for block in part.blocks if isinstance(block, Chart)]
        for place, chart in enumerate(drawn, 1):
            text = inline(pictures[chart.file], f"statistics-{name}-{place}", chart.caption)
            content.append(Picture(text, chart.caption))
        for block in part.blocks:
            if isinstance(block, present.Table):
                rows = [[written(cell) for cell in row] for row in block.rows]
                shown = Table(block.columns, rows, block.title, block.note)
                content.append(Fold(shown.title, [shown]) if len(shown.rows) > _LONG_TABLE else shown)
            elif isinstance(block, present.Paragraph):
                content.append(Paragraph(block.text))
    content.append(Paragraph("The same on a terminal: denouement statistics."))
    return _filled(section, content)


def _training(run: Run) -> Section:
    what = "How well each generator learned to foretell the words of stories that it had not seen."
    section = _section("training", "Training", what, run, ["train"], run.histories)
    if section.missing:
        return section
    histories = run.read_histories()
    shown = [
        _picture(figures.training_curves(histories), "training", "Perplexity by epoch, one panel for each generator"),
        *blocks(training_text(histories)),
    ]
    return _filled(section, shown)


def _endings(run: Run, stale: Sequence[Stale]) -> Section:
    from denouement.analysis.endings import endings_table, strays
    from denouement.analysis.named_tables import read_tables
    from denouement.analysis.sentiment import read_sentiment

    what = "Every ending that the generators wrote, next to the right ending of the same story."
    files = [run.corpus / "cloze.parquet", *run.endings] if run.endings else []
    section = _section("endings", "Generated endings", what, run, ["generate"], files)
    if section.missing:
        return section
    cases = read_table(run.corpus / "cloze.parquet", "cloze")
    sentiment = joined_sentiment(read_sentiment(run.sentiment), stale) if run.sentiment.exists() else None
    browser = endings_browser(cases, joined_endings(run, stale), sentiment)
    endings = read_tables(run.endings, "endings")
    content = blocks(endings_text(endings_table(endings, cases)))
    content += [Paragraph(f"{sentence}.") for sentence in strays(endings, cases)]
    if browser:
        content += [Heading("Read the endings"), browser]
    return _filled(section, content)


def _sentiment(run: Run) -> Section:
    from denouement.analysis.sentiment import read_sentiment, sentiment_result

    what = "How cheerful or gloomy endings are: the right and wrong ones of the cases, and those of each generator."
    files = [run.sentiment, run.corpus / "cloze.parquet"]
    section = _section("sentiment", "Sentiment of endings", what, run, ["sentiment"], files)
    if section.missing:
        return section
    result = sentiment_result(read_sentiment(run.sentiment))
    if not result.groups:
        return _filled(section, [Paragraph("There is no ending to measure.")])
    _, left_out = labelled_cases(read_table(run.corpus / "cloze.parquet", "cloze"))
    caption = "Negative, neutral and positive endings by group, the paper's paler, below ours"
    shown = [
        _picture(figures.sentiment_shares([asdict(row) for row in result.groups]), "sentiment", caption),
        *blocks(sentiment_text(result)),
        *(Paragraph(f"{sentence}.") for sentence in left_out),
    ]
    return _filled(section, shown)


def _story_cloze(run: Run) -> Section:
    what = "How often each system knows which of two endings is the right one; guessing is right half of the time."
    section = _section("story-cloze", "Story Cloze Test", what, run, ["cloze"], [run.story_cloze])
    if section.missing:
        return section
    evaluation = read_json(run.story_cloze)
    tried = dict.fromkeys(row["system"] for row in evaluation["systems"])
    met = [(system, f"It {SYSTEMS[system]}.") for system in tried if system in SYSTEMS]
    shown: list[Block] = []
    if any(row["accuracy"] is not None for row in evaluation["systems"]):
        caption = "Accuracy of each system with its 95% interval; the grey line is chance"
        shown.append(_picture(figures.cloze_accuracies(evaluation["systems"]), "story-cloze", caption))
    for block in blocks(cloze_text(evaluation["systems"], evaluation["notes"])):
        shown.append(Fold(block.title, [block]) if isinstance(block, Table) and block.title else block)
    shown += _comparisons(evaluation)
    left_out = [name for names in (run.parameter("cloze", "systems") or {}).values() for name in names]
    if left_out := sorted(set(left_out) - set(tried)):
        shown.append(
            Bullets(
                "Not evaluated in this run (add them to cloze.systems in params.yaml, and run dvc repro cloze report):",
                left_out,
            )
        )
    return _filled(section, shown, met)


def _comparisons(evaluation: dict[str, Any]) -> list[Block]:
    """The most accurate system of each set of cases against every other."""
    folds: list[Block] = []
    for cases, pairs in evaluation["comparisons"].items():
        scored = [
            row
            for row in evaluation["systems"]
            if row["accuracy"] is not None and f"{row['release']} {row['split']}" == cases
        ]
        if len(scored) < 2 or not pairs:
            continue
        best = next(row for row in scored if row["best"])
        name = f"{best['system']} {best['variant']}".strip()
        rows = []
        for pair in pairs:
            if name in (pair["one"], pair["other"]):
                ours, theirs = ("only_one", "only_other") if pair["one"] == name else ("only_other", "only_one")
                other = pair["other"] if pair["one"] == name else pair["one"]
                rows.append(
                    [other, f"{pair[ours]:,}", f"{pair[theirs]:,}", p_value(pair["p"]), p_value(pair["p_holm"])]
                )
        note = (
            f"Cases that only {system_name(best)} gets right, and that only the other one does, with the exact McNemar "
            f"test that both are equally often right, and its p corrected by Holm's method for all {len(pairs):,} "
            "pairs of systems. The other pairs stand in evaluation.json."
        )
        header = ["other system", "only the best is right", "only the other is", "p", "corrected p"]
        title = f"{system_name(best)}, the most accurate on {cases}, against every other system"
        folds.append(Fold(title, [Table(header, rows, "", note)]))
    return folds


def _human_evaluation(run: Run) -> Section:
    from denouement.study.results._html import old_blocks
    from denouement.study.results.sections import scale_section, study_sections
    from denouement.study.results.table_3 import shown_story

    what = "What people said who read stories with endings of the corpus and of systems."
    files = [run.study / "results.json", run.study / "votes.parquet", *run.scales]
    section = _section("human-evaluation", "Human evaluation", what, run, ["study"], files)
    results = None if section.missing else read_study(run)
    if not results or not (results.answers or run.scales):
        return _without_answers("human-evaluation", "Human evaluation", what)
    parts = [scale_section(of_scale) for of_scale in read_scales(run)]
    shown: list[Block] = []
    if results.answers:
        caption = "What people agree on, by pair of systems, which stand at the ends of its bar"
        shown.append(_picture(figures.study_outcomes(document(results)["pairs"]), "study", caption))
        parts = [*study_sections(results), *parts]
    for part in parts:
        lead: list[Block] = [Paragraph(part.what)] if part.what else []
        shown += [Heading(part.title), *lead, *old_blocks(part.blocks)]
    told = read_table(run.study / "table_3.parquet", "table_3")
    if told.num_rows:
        first = old_blocks([Stories([shown_story(row) for row in told.slice(0, _STORIES).to_pylist()])])
        title = f"The first {len(first)} of {told.num_rows:,} stories with their endings, answers and reasons"
        shown.append(Fold(title, [*first, Paragraph("All of them stand in results.html in the folder of the study.")]))
    return _filled(section, shown)


def _reasons(run: Run) -> Section:
    from denouement.study.reasons import ELEMENTS
    from denouement.study.reasons.examples import draw_examples
    from denouement.study.reasons.sections import element_blocks, word_blocks
    from denouement.study.reasons.words import word_chart
    from denouement.study.results._html import old_blocks

    title = "Reasons"
    what = "Why people preferred an ending: the words they used, and which elements of a story they spoke of."
    files = [run.study / "reasons.json", run.study / "reason_elements.parquet"]
    section = _section("reasons", title, what, run, ["study"], files)
    if section.missing:
        return _without_answers("reasons", title, what)
    found = read_reasons(run)
    words = found.words
    caption = f"The words used most in {words.reasons:,} reasons"
    shown: list[Block] = [
        Heading("Words"),
        _picture(word_chart(words.words, words.reasons), "reasons", caption),
        Fold("The same as a table", old_blocks(word_blocks(words))),
        Heading("Elements"),
        *old_blocks(element_blocks(found.elements)),
        Heading("Examples by element"),
    ]
    tags = read_table(files[1], "reason_elements")
    examples = draw_examples(tags, ELEMENTS, _EXAMPLES, seed=1).to_pylist()
    for element in dict.fromkeys(row["element"] for row in examples):
        shown.append(
            Bullets(
                f"{element.replace('_', ' ')}:",
                [
                    f"“{' '.join(row['reason'].split())}” (chose {row['choice']}; found by “{row['words']}”"
                    f"{', denied' if row['denied'] else ''})"
                    for row in examples
                    if row["element"] == element
                ],
            )
        )
    return _filled(section, shown)


def _without_answers(anchor: str, title: str, what: str) -> Section:
    needs = (
        "No answer of a person is there yet. Put a file of answers into data/raw (denouement study export writes one "
        "of a study that was run here), and run"
    )
    return Section(anchor, title, what, missing=("dvc repro study report", needs))


def _section(anchor: str, title: str, what: str, run: Run, stages: Sequence[str], files: Sequence[Path]) -> Section:
    """A section without content yet: it has an origin, or what it needs is missing."""
    if not files or not all(path.exists() for path in files):
        return Section(anchor, title, what, missing=(f"dvc repro {stages[-1]} report", "It has not been run. Run"))
    return Section(anchor, title, what, origin=run.origin(stages, files))


def _filled(section: Section, content: Sequence[Block], more: Sequence[tuple[str, str]] = ()) -> Section:
    reading = [*TERMS[section.anchor], *more]
    return Section(section.anchor, section.title, section.what, reading, content, section.origin)


def _picture(figure: "Figure", name: str, what: str) -> Picture:
    return Picture(inline(figures.as_svg(figure), f"figure-{name}", what), what)
