"""The summary of a reproduction, for a terminal and for pull requests: its key tables. The page has all of them."""

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis.endings import endings_table, strays
from denouement.analysis.named_tables import read_tables
from denouement.analysis.sentiment import read_sentiment, sentiment_result
from denouement.analysis.statistics import Statistics
from denouement.analysis.statistics_files import FILE as STATISTICS
from denouement.charts import run as figures
from denouement.console import text_table
from denouement.corpus.cases import labelled_cases, right_and_wrong
from denouement.corpus.ingest import IngestSummary
from denouement.corpus.sections import ingest_section
from denouement.documents import document, read_document
from denouement.files import write_text
from denouement.legible import printed
from denouement.present.cells import Interval
from denouement.present.markdown import render
from denouement.report.run import Run, read_json, read_reasons, read_scales, read_study
from denouement.report.stale import find_stale, joined_endings
from denouement.report.tables import cloze_text, endings_text, sentiment_text, training_text
from denouement.schemas import read_table
from denouement.study.reasons.sections import named_elements
from denouement.study.reasons.words import FrequentWords, word_chart
from denouement.study.results.sections import scale_section, study_sections

SUMMARY = "summary.md"
TRAINING_FIGURE, SENTIMENT_FIGURE, CLOZE_FIGURE = "training.svg", "sentiment.svg", "cloze.svg"
STUDY_FIGURE, REASONS_FIGURE = "study.svg", "reasons.svg"

_EXAMPLES = 3
_WORDS = 10
_DETAILS = ("Answers", "Strengths", "Annotators")  # sections of human evaluations that the page alone has

_CORPUS = {
    "sample": "the embedded **sample corpus**, small stories written by rule: good for a look at every part, not for "
    "figures to compare with published ones",
    "official": "**the official files** named below",
}


def write_summary(run: Run, out: Path) -> str:
    """Write `summary.md` into `out`, and beside it its figures as SVG.

    The same run gives the same bytes: no times, no paths outside the working folder. Generators, statistics and answers
    may be missing: their sections are then left out.

    Returns:
        The text of `summary.md`.

    Raises:
        UserError: corpus, sentiment, Story Cloze systems or results of studies are missing, or a file is unreadable.
    """
    ingest = read_document(run.corpus / "ingest.json", IngestSummary, "ingest")
    is_official = ingest.corpus == "official"
    cloze = read_table(run.corpus / "cloze.parquet", "cloze")
    _, left_out = labelled_cases(cloze)
    stale = find_stale(run)
    sentiment = sentiment_result(read_sentiment(run.sentiment))
    endings = read_tables(run.endings, "endings")
    sections = [
        "# What went in and what came out",
        f"Story ending generators were trained on {_CORPUS[ingest.corpus]}, and wrote endings for the Story Cloze "
        "contexts; the endings of the cases and theirs are compared below. These are the key tables; `report.html` "
        "beside this file has everything, all endings to search, and where each number came from.",
        *(f"**Stale**: {each.what}. Renew it with `{each.renew}`." for each in stale),
        "## Data",
        render(ingest_section(ingest, read_table(run.corpus / "rejects.parquet", "rejects"))),
    ]
    if histories := run.read_histories():
        figures.save(figures.training_curves(histories), out / TRAINING_FIGURE)
        sections += ["## Training", training_text(histories), f"![Perplexity by epoch]({TRAINING_FIGURE})"]
    if repetition := endings_table(endings, cloze):
        told = [f"{sentence}." for sentence in strays(endings, cloze)]
        sections += ["## Endings", endings_text(repetition), *told]
    if rows := [asdict(row) for row in sentiment.groups]:
        figures.save(figures.sentiment_shares(rows), out / SENTIMENT_FIGURE)
        sections += [
            "## Sentiment",
            f"Mori et al. 2019, Table 4{', with the figures of the paper below ours' if is_official else ''}.",
            sentiment_text(sentiment),
            *(f"{sentence}." for sentence in left_out),
            f"![Negative, neutral and positive endings by group]({SENTIMENT_FIGURE})",
        ]
    evaluation = read_json(run.story_cloze)
    systems = [{**row, "by_sentiment": None, "by_length": None} for row in evaluation["systems"] if not row["blind"]]
    if any(row["accuracy"] is not None for row in systems):
        figures.save(figures.cloze_accuracies(evaluation["systems"]), out / CLOZE_FIGURE)
        sections += [
            "## Story Cloze",
            "Which of two endings is the right one? How often each system knows"
            f"{', with the figures of the papers beside ours' if is_official else ''}.",
            cloze_text(systems, {}),
            f"![Accuracy of each system]({CLOZE_FIGURE})",
        ]
    if (statistics := run.statistics / STATISTICS).exists():
        sections += _biases(read_document(statistics, Statistics, "statistics"))
    people = read_study(run)
    if people.answers or run.scales:
        sections += [
            "## Human evaluation",
            "What people said who read stories with endings of the corpus and of systems.",
        ]
    if people.answers:
        figures.save(figures.study_outcomes(document(people)["pairs"]), out / STUDY_FIGURE)
        sections += [
            *(
                render([section], level=3)
                for section in study_sections(people)
                if not section.title.startswith(_DETAILS)
            ),
            f"![What people agree on, by pair of systems, which stand at the ends of its bar]({STUDY_FIGURE})",
        ]
    sections += [render([scale_section(of_scale)], level=3) for of_scale in read_scales(run)]
    if (run.study / "reasons.json").exists():
        reasons = read_reasons(run)
        figures.save(word_chart(reasons.words.words, reasons.words.reasons), out / REASONS_FIGURE)
        sections += [
            "### Reasons",
            f"The words that annotators use most: {_words(reasons.words)}. The elements of a story that they name:",
            render([named_elements(reasons.elements)], level=4),
            f"![The most frequent words]({REASONS_FIGURE})",
        ]
    if examples := _examples(cloze, joined_endings(run, stale)):
        sections += [
            f"## The first {len(examples)} endings",
            "In the order of the file, none left out.",
            *examples,
        ]
    sections += ["## Where the rest is", _places(run)]
    text = printed(_without_html("\n\n".join(sections))) + "\n"
    write_text(out / SUMMARY, text)
    return text


def _words(words: FrequentWords) -> str:
    return ", ".join(f"{row.word} ({row.count:,})" for row in words.words[:_WORDS])


def _biases(statistics: Statistics) -> list[str]:
    """How often a model is right that sees endings alone, by release and split; nothing where it was not worked out."""
    rows = [
        [name, f"{row.n:,}", f"{row.accuracy:.1%}", str(Interval(row.low, row.high, 1, of_share=True))]
        for name, of_set in (statistics.bias_monitor.values.sets.items() if statistics.bias_monitor else ())
        for row in of_set.variants
        if not row.variant
    ]
    if not rows:
        return []
    return [
        "## What gives endings away",
        "How often a model that never sees the story knows the right ending; 50% would give nothing away.",
        text_table(["cases of", "n", "right", "95% interval"], rows),
    ]


def _examples(cloze: pa.Table, endings: Sequence[Path]) -> list[str]:
    """The first contexts of the cloze table that have a generated ending, with all their endings, as Markdown."""
    written: dict[str, list[tuple[str, str]]] = {}  # by case: system and ending
    for path in endings:
        table = read_table(path, "endings")
        columns = [table[name].to_pylist() for name in ("case_id", "system", "ending")]
        for case_id, system, ending in zip(*columns, strict=True):
            written.setdefault(case_id, []).append((system, ending))
    labelled, _ = labelled_cases(cloze)
    right, _ = right_and_wrong(labelled)
    right_of = dict(zip(labelled["case_id"].to_pylist(), right.to_pylist(), strict=True))
    shown = cloze.filter(pc.is_in(cloze["case_id"], pa.array(written, pa.string())))
    contexts: dict[str, list[str]] = {}
    for case_id, context in zip(shown["case_id"].to_pylist(), shown["context"].to_pylist(), strict=True):
        contexts.setdefault(case_id, context)
        if len(contexts) == _EXAMPLES:
            break
    return [
        "\n".join(
            [
                f"{place}. `{case_id}` {_escaped(' '.join(context))}",
                f"   - right: {_escaped(right_of.get(case_id, '(a blind case: no label tells its right ending)'))}",
                *(f"   - {system}: {_escaped(ending)}" for system, ending in written[case_id]),
            ]
        )
        for place, (case_id, context) in enumerate(contexts.items(), start=1)
    ]


def _places(run: Run) -> str:
    places = {
        "all stories and cases as tables": [run.corpus],
        "all endings": run.endings,
        "the sentiment of each ending": [run.sentiment],
        "what each Story Cloze system chose": [run.story_cloze.parent],
        "what the stories are like, what gives endings away": [run.statistics] if run.statistics.exists() else [],
        "what people answered and why (`results.html`)": [run.study],
    }
    return "\n".join(
        f"- {what}: {', '.join(f'`{_shown(path)}`' for path in paths)}" for what, paths in places.items() if paths
    )


def _shown(path: Path) -> str:
    """`path` within the working folder, else its name alone: a summary must not tell where it was made."""
    absolute, here = path.resolve(), Path.cwd()
    return absolute.relative_to(here).as_posix() if absolute.is_relative_to(here) else path.name


def _escaped(text: str) -> str:
    """Text of a story as Markdown that shows it as it is, once `_without_html` has seen it."""
    return re.sub(r"[\\`*\[]", r"\\\g<0>", text)


def _without_html(markdown: str) -> str:
    """The same with every tag shown as text: file names, cells and endings hold whatever people or generators wrote."""
    return re.sub(r"<(?=[a-z/!?])", r"\\<", markdown, flags=re.IGNORECASE)
