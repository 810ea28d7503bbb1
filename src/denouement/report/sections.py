"""The sections of a run's report, in the order of reading: what the page shows, and what of it the summary shows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from denouement.analysis.endings import strays
from denouement.analysis.sentiment import RIGHT, right_against_wrong
from denouement.charts import run as charts
from denouement.corpus.ingest import summary_text
from denouement.errors import UserError
from denouement.present.cells import Cell, Interval, PValue, Share
from denouement.present.sections import (
    Block,
    Bullets,
    Chart,
    Fold,
    Paragraph,
    Section,
    Stories,
    Table,
)
from denouement.report._text_adapter import blocks, study_section, typed
from denouement.report.endings import blind_marked, stories_with_endings
from denouement.report.run_folder import Origin, RunFolder, read_beside, read_json
from denouement.report.stale import Stale, joined_endings, joined_sentiment
from denouement.report.tables import cloze_text, endings_text, sentiment_text, system_name, training_text
from denouement.report.terms import SYSTEMS, TERMS
from denouement.schemas import empty_table, read_table

_LONG_TABLE = 15  # rows above which a table of statistics is folded
_FIRST_ENDINGS = 3  # stories whose endings the summary shows
_EXAMPLES = 3  # reasons shown for each element
_WORDS = 10  # of reasons, in the summary
_JUDGED = 20  # stories shown with the reasons that people gave
_PAGE_ALONE = ("Answers", "Strengths", "Annotators")  # sections of human evaluations that the summary leaves out


@dataclass(frozen=True)
class Content:
    """What a section holds.

    Attributes:
        full: what the page shows.
        brief: what the summary shows; nothing leaves the section out of it.
        terms: a term and what it means, beside those of `terms.TERMS`.
    """

    full: Sequence[Block]
    brief: Sequence[Block] = ()
    terms: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class ReportSection:
    """A section of the report.

    Attributes:
        anchor: its address within the page.
        title: its heading.
        what: one sentence on what it shows, for those who know nothing of the project.
        content: None where its files are missing.
        origin: where its values came from; None where its files are missing.
        missing: where there is nothing to show, the command that makes it, and what it needs.
        stale: what of it was made from other files than those of the run, and the command that makes it anew.
    """

    anchor: str
    title: str
    what: str
    content: Content | None = None
    origin: Origin | None = None
    missing: tuple[str, str] | None = None
    stale: Sequence[Stale] = ()

    @property
    def brief(self) -> Sequence[Block]:
        """What the summary shows of it."""
        return self.content.brief if self.content else ()

    @property
    def reading(self) -> Sequence[tuple[str, str]]:
        """How to read it: a term and what it means, in a paragraph each."""
        return [*TERMS[self.anchor], *(self.content.terms if self.content else ())]


@dataclass(frozen=True)
class _Kind:
    """How a section is made.

    Attributes:
        anchor, title, what: as of `ReportSection`.
        stages: that make its files, the last of which is named where they are missing.
        files: what it reads, none of which may be missing.
        content: what it shows of them; None where there is nothing yet.
    """

    anchor: str
    title: str
    what: str
    stages: Sequence[str]
    files: Callable[[RunFolder], Sequence[Path]]
    content: Callable[[RunFolder, Sequence[Stale]], Content | None]


def report_sections(run: RunFolder, stale: Sequence[Stale]) -> list[ReportSection]:
    """All sections; those whose files the run lacks, or that are stale, say which command makes them.

    Args:
        run: the folder of a run.
        stale: what `stale.find_stale` returned of it.
    """
    made = [_section(kind, run, stale) for kind in _KINDS]
    return [replace(section, stale=[each for each in stale if each.anchor == section.anchor]) for section in made]


def _section(kind: _Kind, run: RunFolder, stale: Sequence[Stale]) -> ReportSection:
    section = ReportSection(kind.anchor, kind.title, kind.what)
    files = kind.files(run)
    content = kind.content(run, stale) if files and all(path.exists() for path in files) else None
    if content is not None:
        return replace(section, content=content, origin=run.origin(kind.stages, files))
    if kind.stages == ["study"]:
        needs = (
            "No answer of a person is there yet. Put a file of answers into data/raw (denouement study export writes "
            "one of a study that was run here), and run"
        )
    else:
        needs = "It has not been run. Run"
    return replace(section, missing=(f"dvc repro {kind.stages[-1]} report", needs))


def _data(run: RunFolder, _: Sequence[Stale]) -> Content:
    shown = blocks(summary_text(run.ingest, read_table(run.layout.rejects, "rejects")))
    return Content(shown, shown)


def _statistics(run: RunFolder, _: Sequence[Stale]) -> Content:
    file = run.layout.statistics / "statistics.json"
    full: list[Block] = []
    for part in run.statistics.values():
        shown: list[Block] = [
            Chart(each["file"], read_beside(file, each["file"]), each["what"]) for each in part["figures"]
        ]
        for each in part["tables"]:
            try:
                table = Table(each["header"], typed(each["rows"]), each["title"], each["note"])
            except ValueError as error:
                raise UserError(f"{file}: {each['title']}: {error}; make it again") from error
            shown.append(Fold(table.title, [table]) if len(table.rows) > _LONG_TABLE else table)
        full.append(Section(part["title"], part["what"], shown))
    full.append(Paragraph("The same on a terminal: denouement statistics."))
    return Content(full, _given_away(run.statistics))


def _given_away(statistics: dict[str, Any]) -> list[Block]:
    """How often a model is right that sees endings alone, by release and split; nothing where it was not measured."""
    sets = statistics["bias_monitor"]["values"]["sets"] if "bias_monitor" in statistics else {}
    rows = [
        [name, row["n"], Share(row["accuracy"]), Interval(row["low"], row["high"], 1, of_share=True)]
        for name, of_set in sets.items()
        for row in of_set["variants"]
        if not row["variant"]
    ]
    what = "How often a model that never sees the story knows the right ending; 50% would give nothing away."
    table = Table(["cases of", "n", "right", "95% interval"], rows)
    return [Section("What gives endings away", what, [table])] if rows else []


def _training(run: RunFolder, _: Sequence[Stale]) -> Content:
    caption = "Perplexity by epoch, one panel for each generator"
    shown = [
        Chart("training.svg", charts.training_curves(run.read_histories), caption),
        *blocks(training_text(run.read_histories)),
    ]
    return Content(shown, shown)


def _endings(run: RunFolder, stale: Sequence[Stale]) -> Content:
    sentiment = joined_sentiment(run.sentiment, stale) if run.layout.sentiment.exists() else None
    stories = stories_with_endings(run.cases, run.labelled[0], joined_endings(run, stale), sentiment)
    tables = [
        *blocks(endings_text(run.repetition)),
        *(Paragraph(f"{sentence}.") for sentence in strays(run.endings, run.cases)),
    ]
    if not stories:
        return Content(tables, tables)
    first = [blind_marked(story) for story in stories[:_FIRST_ENDINGS]]
    what = "In the order of the file, none left out."
    return Content(
        [*tables, Section("Read the endings", "", [Stories(stories, compared_with=RIGHT)])],
        [*tables, Section(f"The first {len(first)} endings", what, [Stories(first)])],
    )


def _sentiment(run: RunFolder, _: Sequence[Stale]) -> Content:
    rows = run.sentiment_rows
    if not rows:
        return Content([Paragraph("There is no ending to measure.")])
    caption = "Negative, neutral and positive endings by group, the paper's paler, below ours"
    shown = [
        Chart("sentiment.svg", charts.sentiment_shares(rows), caption),
        *blocks(sentiment_text(rows, right_against_wrong(run.sentiment))),
        *(Paragraph(f"{sentence}.") for sentence in run.labelled[1]),
    ]
    beside = ", with the values of the paper below ours" if run.ingest["corpus"] == "official" else ""
    return Content(shown, [Paragraph(f"Mori et al. 2019, Table 4{beside}."), *shown])


def _story_cloze(run: RunFolder, _: Sequence[Stale]) -> Content:
    systems = run.evaluation["systems"]
    tried = dict.fromkeys(row["system"] for row in systems)
    caption = "Accuracy of each system with its 95% interval; the grey line is chance"
    chart = Chart("cloze.svg", charts.cloze_accuracies(systems), caption)
    full: list[Block] = [chart]
    for block in blocks(cloze_text(systems, run.evaluation["notes"])):
        full.append(Fold(block.title, [block]) if isinstance(block, Table) and block.title else block)
    full += _comparisons(run.evaluation)
    left_out = {name for names in (run.parameter("cloze", "systems") or {}).values() for name in names} - set(tried)
    if left_out:
        how = "add them to cloze.systems in params.yaml, and run dvc repro cloze report"
        full.append(Bullets(f"Not evaluated in this run ({how}):", sorted(left_out)))
    terms = [(system, f"It {SYSTEMS[system]}.") for system in tried if system in SYSTEMS]
    labelled = [{**row, "by_sentiment": None, "by_length": None} for row in systems if not row["blind"]]
    if all(row["accuracy"] is None for row in labelled):
        return Content(full, terms=terms)
    beside = [Paragraph("The papers' values are beside ours.")] if run.ingest["corpus"] == "official" else []
    return Content(full, [*beside, *blocks(cloze_text(labelled, {})), chart], terms)


def _comparisons(evaluation: dict[str, Any]) -> Iterable[Block]:
    """The most accurate system of each set of cases against every other."""
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
        rows: list[list[Cell]] = []
        for pair in pairs:
            if name in (pair["one"], pair["other"]):
                ours, theirs = ("only_one", "only_other") if pair["one"] == name else ("only_other", "only_one")
                other = pair["other"] if pair["one"] == name else pair["one"]
                rows.append([other, pair[ours], pair[theirs], PValue(pair["p"]), PValue(pair["p_holm"])])
        note = (
            f"Cases that only {system_name(best)} gets right, and that only the other one does, with the exact McNemar "
            f"test that both are equally often right, and its p corrected by Holm's method for all {len(pairs):,} "
            "pairs of systems. The other pairs are in evaluation.json."
        )
        columns = ["other system", "only the best is right", "only the other is", "p", "corrected p"]
        title = f"{system_name(best)}, the most accurate on {cases}, against every other system"
        yield Fold(title, [Table(columns, rows, note=note)])


def _human_evaluation(run: RunFolder, _: Sequence[Stale]) -> Content | None:
    from denouement.study.results.page import judged
    from denouement.study.results.tables import scale_section, sections

    scales = [study_section(scale_section(read_json(path))) for path in run.scales]
    pairs = [study_section(section) for section in sections(run.study)] if run.study["answers"] else []
    if not (pairs or scales):
        return None
    caption = "What people agree on, by pair of systems, which stand at the ends of its bar"
    chart = [Chart("study.svg", charts.study_outcomes(run.study["pairs"]), caption)] if pairs else []
    path = run.layout.study / "table_3.parquet"
    table = read_table(path, "table_3") if path.exists() else empty_table("table_3")  # made where there are items
    stories = [judged(row) for row in table.slice(0, _JUDGED).to_pylist()]
    title = f"The first {len(stories)} of {table.num_rows:,} stories with their endings, answers and reasons"
    rest = Paragraph("All of them are in results.html in the folder of the study.")
    return Content(
        [*chart, *pairs, *scales, *([Fold(title, [Stories(stories), rest])] if stories else [])],
        [*chart, *(section for section in pairs if not section.title.startswith(_PAGE_ALONE)), *scales],
    )


def _reasons(run: RunFolder, _: Sequence[Stale]) -> Content:
    from denouement.study.reasons import ELEMENTS
    from denouement.study.reasons.examples import draw_examples
    from denouement.study.reasons.reading import elements_text, words_text
    from denouement.study.reasons.words import word_chart

    document = read_json(run.layout.study / "reasons.json")
    words = document["words"]
    caption = f"The words used most in {words['reasons']:,} reasons"
    chart = Chart("reasons.svg", word_chart(words["words"], words["reasons"]), caption)
    elements = blocks(elements_text(document["elements"]))
    tags = read_table(run.layout.study / "reason_elements.parquet", "reason_elements")
    examples: dict[str, list[str]] = {}
    for row in draw_examples(tags, ELEMENTS, _EXAMPLES, seed=1).to_pylist():
        denied = ", denied" if row["denied"] else ""
        quoted = f"“{' '.join(row['reason'].split())}” (chose {row['choice']}; matched “{row['words']}”{denied})"
        examples.setdefault(row["element"], []).append(quoted)
    most = ", ".join(f"{row['word']} ({row['count']:,})" for row in words["words"][:_WORDS])
    intro = f"The words that annotators use most: {most}. The elements of a story that they name:"
    return Content(
        [
            Section("Words", "", [chart, Fold("The same as a table", blocks(words_text(words)))]),
            Section("Elements", "", elements),
            Section(
                "Examples by element",
                "",
                [Bullets(f"{element.replace('_', ' ')}:", quoted) for element, quoted in examples.items()],
            ),
        ],
        [Paragraph(intro), *elements[:2], chart],  # the first table, with its note
    )


_KINDS = (
    _Kind(
        "data",
        "Data",
        "The stories and cases that everything below was learned from or measured on, and what is there twice.",
        ["sample", "ingest"],
        lambda run: [run.layout.ingest, run.layout.stories, run.layout.cloze, run.layout.rejects],
        _data,
    ),
    _Kind(
        "statistics",
        "Statistics and biases",
        "What the stories are like, and what tells a right ending from a wrong one without reading the story.",
        ["statistics"],
        lambda run: [run.layout.statistics / "statistics.json"],
        _statistics,
    ),
    _Kind(
        "training",
        "Training",
        "How well each generator learned to predict the words of stories that it had not seen.",
        ["train"],
        lambda run: run.histories,
        _training,
    ),
    _Kind(
        "endings",
        "Generated endings",
        "Every ending that the generators wrote, next to the right ending of the same story.",
        ["generate"],
        lambda run: [run.layout.cloze, *run.endings] if run.endings else [],
        _endings,
    ),
    _Kind(
        "sentiment",
        "Sentiment of endings",
        "How cheerful or gloomy endings are: the right and wrong ones of the cases, and those of each generator.",
        ["sentiment"],
        lambda run: [run.layout.sentiment, run.layout.cloze],
        _sentiment,
    ),
    _Kind(
        "story-cloze",
        "Story Cloze Test",
        "How often each system knows which of two endings is the right one; guessing is right half of the time.",
        ["cloze"],
        lambda run: [run.layout.evaluation],
        _story_cloze,
    ),
    _Kind(
        "human-evaluation",
        "Human evaluation",
        "What people said who read stories with endings of the corpus and of systems.",
        ["study"],
        lambda run: [run.layout.study / "results.json", run.layout.study / "votes.parquet", *run.scales],
        _human_evaluation,
    ),
    _Kind(
        "reasons",
        "Reasons",
        "Why people preferred an ending: the words they used, and which elements of a story they spoke of.",
        ["study"],
        lambda run: [run.layout.study / "reasons.json", run.layout.study / "reason_elements.parquet"],
        _reasons,
    ),
)
