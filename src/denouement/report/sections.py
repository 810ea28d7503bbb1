"""The sections of a run's report, in the order of reading: what the page shows, and what of it the summary shows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from denouement.analysis.endings import strays
from denouement.analysis.sections.endings import endings_blocks
from denouement.analysis.sections.sentiment import contrast_table, sentiment_blocks
from denouement.analysis.sections.statistics import statistics_sections
from denouement.analysis.sentiment import RIGHT
from denouement.analysis.sentiment_contrast import against_right
from denouement.analysis.statistics_files import FILE as STATISTICS
from denouement.cloze.evaluation.sections import (
    best_variants,
    comparison_tables,
    detail_tables,
    further_blocks,
    overview_blocks,
)
from denouement.corpus.sections import ingest_blocks
from denouement.generators.sections import training_section
from denouement.metrics.sections import interval_tables, meanings, notes, overview
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
from denouement.report.charts import accuracy_chart, outcome_charts, ranked_chart, sentiment_chart, training_chart
from denouement.report.endings import stories_with_endings
from denouement.report.run_folder import Origin, RunFolder, read_beside
from denouement.report.stale import Stale, joined_endings, joined_sentiment
from denouement.report.terms import SYSTEMS, TERMS
from denouement.schemas import read_table
from denouement.study.results.preferences import StudyResults, beside_papers

_SPREAD = "sentiment"  # the finding of the statistics that is shown with the sentiment of endings
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
        missing: where there is nothing to show, the command that makes it, and a text that says what it needs.
        stale: its results that were made from other files than those of the run.
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
        content: what it shows; None where the files hold nothing to show yet.
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
        needs = "Run"
    return replace(section, missing=(f"dvc repro {kind.stages[-1]} report", needs))


def _data(run: RunFolder, _: Sequence[Stale]) -> Content:
    return Content(ingest_blocks(run.ingest, read_table(run.layout.rejects, "rejects")))


def _statistics(run: RunFolder, _: Sequence[Stale]) -> Content:
    moved = _SPREAD if run.layout.sentiment.exists() else None
    folds: list[Block] = [_folded(part) for name, part in _statistics_parts(run).items() if name != moved]
    return Content([*folds, Paragraph("The same on a terminal: denouement statistics.")])


def _statistics_parts(run: RunFolder) -> dict[str, Section]:
    file = run.layout.statistics / STATISTICS
    found = run.statistics.statistics.found.values()
    pictures = {chart.file: read_beside(file, chart.file) for each in found for chart in each.figures if chart.file}
    return statistics_sections(run.statistics, pictures)


def _folded(part: Section) -> Fold:
    return Fold(part.title, [*([Paragraph(part.what)] if part.what else []), *part.blocks])


def _training(run: RunFolder, _: Sequence[Stale]) -> Content:
    shown = [training_chart(run.read_histories), *training_section(run.read_histories)]
    return Content(shown, shown)


def _endings(run: RunFolder, stale: Sequence[Stale]) -> Content:
    sentiment = joined_sentiment(run.sentiment, stale) if run.layout.sentiment.exists() else None
    stories = stories_with_endings(run.cases, run.labelled[0], joined_endings(run, stale), sentiment)
    left_out = [Paragraph(f"{sentence}.") for sentence in strays(run.read_endings, run.cases)]
    read = [Section("Read the endings", "", [Stories(stories, compared_with=RIGHT)])] if stories else []
    return Content([*endings_blocks(run.repetition), *left_out, *read], left_out)


def _sentiment(run: RunFolder, stale: Sequence[Stale]) -> Content:
    result = run.sentiment_result
    if not result.groups:
        return Content([Paragraph("There is no ending to measure.")])
    contrasts = against_right(joined_sentiment(run.sentiment, stale))
    shown = [
        sentiment_chart(result),
        *sentiment_blocks(result),
        *(Paragraph(f"{sentence}.") for sentence in run.labelled[1]),
    ]
    compared = [contrast_table(contrasts)] if contrasts else []
    source = []
    if run.is_official:
        source = [Paragraph("Mori et al. 2019, Table 4, with the values of the paper below ours.")]
    return Content([*shown, *compared, *_spread(run, stale)], [*source, *shown])


def _spread(run: RunFolder, stale: Sequence[Stale]) -> list[Block]:
    """How scores are spread, which the stage `statistics` works out; nothing without it."""
    part = _statistics_parts(run).get(_SPREAD) if (run.layout.statistics / STATISTICS).exists() else None
    if part is None:
        return []
    marks = [Paragraph(str(each).capitalize()) for each in stale if each.anchor == "statistics"]
    fold = _folded(part)
    return [Fold("How scores are spread", [*marks, *fold.blocks])]


def _scores(run: RunFolder, _: Sequence[Stale]) -> Content:
    shown = overview(run.scores)
    tables = [meanings(run.scores), *interval_tables(run.scores)]
    return Content([*shown, *(Fold(table.title, [table]) for table in tables), *notes(run.scores)], shown)


def _story_cloze(run: RunFolder, _: Sequence[Stale]) -> Content:
    systems = run.evaluation.systems
    tried = dict.fromkeys(row.system for row in systems)
    overview = [accuracy_chart(best_variants(systems)), *overview_blocks(systems)]
    tables = [*detail_tables(systems), *comparison_tables(run.evaluation), *further_blocks(run.evaluation)]
    full: list[Block] = [
        *overview,
        *(Fold(block.title, [block]) if isinstance(block, Table) and block.title else block for block in tables),
    ]
    left_out = {name for names in (run.parameter("cloze", "systems") or {}).values() for name in names} - set(tried)
    if left_out:
        how = "add them to cloze.systems in params.yaml, and run dvc repro cloze report"
        full.append(Bullets(f"Not evaluated in this run ({how}):", sorted(left_out)))
    terms = [(system, f"It {SYSTEMS[system]}.") for system in tried if system in SYSTEMS]
    return Content(full, overview if best_variants(systems) else (), terms)


def _human_evaluation(run: RunFolder, _: Sequence[Stale]) -> Content | None:
    from denouement.study.results.rankings import RankingResults
    from denouement.study.results.sections import scale_section, study_sections
    from denouement.study.results.table_3 import shown_story

    scales = [scale_section(results) for results in run.scale_results]
    pairs = study_sections(_beside_papers(run)) if run.has_votes else []
    if not (pairs or scales):
        return None
    ranked = [kind for results in run.scale_results if isinstance(results, RankingResults) for kind in results.kinds]
    chart = [*(outcome_charts(run.study.questions) if pairs else []), *map(ranked_chart, ranked)]
    stories = [shown_story(row) for row in run.judged.slice(0, _JUDGED).to_pylist()]
    title = f"The first {len(stories)} of {run.judged.num_rows:,} stories with their endings, answers and reasons"
    rest = Paragraph("All stories are in results.html in the folder of the study.")
    return Content(
        [*chart, *pairs, *scales, *([Fold(title, [Stories(stories), rest])] if stories else [])],
        [*chart, *(section for section in pairs if not section.title.startswith(_PAGE_ALONE)), *scales],
    )


def _reasons(run: RunFolder, _: Sequence[Stale]) -> Content:
    from denouement.study.reasons import ELEMENTS
    from denouement.study.reasons.examples import draw_examples
    from denouement.study.reasons.sections import element_blocks, named_elements, ticked_boxes, word_blocks
    from denouement.study.reasons.words import word_chart

    words = run.reasons.words
    caption = f"The words used most in {words.reasons:,} reasons"
    chart = Chart("reasons.svg", word_chart(words.words, words.reasons), caption)
    tags = read_table(run.layout.study / "reason_elements.parquet", "reason_elements")
    examples: dict[str, list[str]] = {}
    for row in draw_examples(tags, ELEMENTS, _EXAMPLES, seed=1).to_pylist():
        denied = ", denied" if row["denied"] else ""
        quoted = f"“{' '.join(row['reason'].split())}” (chose {row['choice']}; matched “{row['words']}”{denied})"
        examples.setdefault(row["element"], []).append(quoted)
    most = ", ".join(f"{row.word} ({row.count:,})" for row in words.words[:_WORDS])
    ticked: list[Block] = []
    if boxes := run.reasons.elements.boxes:
        ticked = [Paragraph("What they ticked beside their reasons:"), ticked_boxes(boxes)]
    intro = f"The words that annotators use most: {most}. The elements of a story that they name:"
    return Content(
        [
            Section("Words", "", [chart, Fold("The same as a table", word_blocks(words))]),
            Section("Elements", "", element_blocks(run.reasons.elements)),
            Section(
                "Examples by element",
                "",
                [Bullets(f"{element.replace('_', ' ')}:", quoted) for element, quoted in examples.items()],
            ),
        ],
        [
            Paragraph(intro),
            named_elements(run.reasons.elements),
            *ticked,
            chart,
        ],
    )


def _beside_papers(run: RunFolder) -> StudyResults:
    """The results of pairs; of a study of this run's stories with a paper's values where these stories are official."""
    cases = run.cases["case_id"].to_pylist() if run.layout.cloze.exists() else []
    is_of_run = bool({*run.judged["case_id"].to_pylist()} & {*cases})
    return beside_papers(run.study) if run.is_official and is_of_run else run.study


_KINDS = (
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
        ["statistics", "sentiment"],
        lambda run: [
            run.layout.sentiment,
            run.layout.cloze,
            *(path for path in [run.layout.statistics / STATISTICS] if path.exists()),
        ],
        _sentiment,
    ),
    _Kind(
        "scores",
        "Scores",
        "What automatic scores make of the endings of people and generators; no score is what people say.",
        ["metrics"],
        lambda run: [run.layout.score_summary],
        _scores,
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
        "training",
        "Training",
        "How well each generator learned to predict the words of stories that it had not seen.",
        ["train"],
        lambda run: run.histories,
        _training,
    ),
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
        "What the stories are like, and how right endings differ from wrong ones, which gives them away.",
        ["statistics"],
        lambda run: [run.layout.statistics / STATISTICS],
        _statistics,
    ),
)
