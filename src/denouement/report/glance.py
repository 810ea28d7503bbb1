"""The most important values of a run, each with the section that shows more."""

from collections.abc import Iterator
from dataclasses import dataclass

from denouement.analysis.sentiment import RIGHT, STORIES, WRONG
from denouement.cloze.evaluation.results import SystemRow
from denouement.cloze.evaluation.sections import system_name
from denouement.report.run_folder import RunFolder

_SHOWN = {RIGHT: "right endings", WRONG: "wrong endings"}


@dataclass(frozen=True)
class GlanceValue:
    """A value of the run, and the paper's where there is one.

    Attributes:
        what: what it is of.
        here: the value, as it is written.
        paper: that of the paper, likewise; empty where there is none.
        anchor: the section that has more.
    """

    what: str
    here: str
    paper: str
    anchor: str


def glance(run: RunFolder) -> list[GlanceValue]:
    """What a reader asks first, in the order of the sections; what has not been run is left out."""
    return [*_data(run), *_training(run), *_endings(run), *_sentiment(run), *_story_cloze(run), *_people(run)]


def _data(run: RunFolder) -> Iterator[GlanceValue]:
    if not run.layout.ingest.exists():
        return
    stories = sum(n for by_split in run.ingest.stories.values() for n in by_split.values())
    papers = ("98,161", "3,742") if run.is_official else ("", "")
    yield GlanceValue("Stories", f"{stories:,}", papers[0], "data")
    what = "Cases: four sentences and two endings, one known to be right"
    yield GlanceValue(what, f"{run.labelled[0].num_rows:,}", papers[1], "data")


def _training(run: RunFolder) -> Iterator[GlanceValue]:
    for name, history in run.read_histories.items():
        if history.used and history.used.validation_perplexity is not None:
            what = f"Perplexity of {name}: among how many words it is undecided (fewer is better)"
            yield GlanceValue(what, f"{history.used.validation_perplexity:.1f}", "", "training")


def _endings(run: RunFolder) -> Iterator[GlanceValue]:
    for row in run.repetition if run.endings else []:
        if row.system != RIGHT:
            what = f"Endings of {row.system} that differ from each other"
            yield GlanceValue(what, f"{row.distinct_share:.1%} of {row.n:,}", "", "endings")


def _sentiment(run: RunFolder) -> Iterator[GlanceValue]:
    for row in run.sentiment_result.groups if run.layout.sentiment.exists() else []:
        if row.group != STORIES:
            what = f"Positive among {_SHOWN.get(row.group, 'endings of ' + row.group)}"
            paper = f"{row.paper.positive_share:.1%}" if row.paper else ""
            yield GlanceValue(what, f"{row.positive_share:.1%}", paper, "sentiment")


def _story_cloze(run: RunFolder) -> Iterator[GlanceValue]:
    best: dict[str, tuple[float, SystemRow]] = {}  # by release and split
    for row in run.evaluation.systems if run.layout.evaluation.exists() else []:
        if row.accuracy is not None and (row.cases not in best or row.accuracy > best[row.cases][0]):
            best[row.cases] = row.accuracy, row
    for cases, (accuracy, row) in best.items():
        what = f"Cases whose right ending the best system chooses ({cases}: {system_name(row)}); chance is 50%"
        paper = f"{row.paper:.1%}" if row.paper is not None else ""
        yield GlanceValue(what, f"{accuracy:.1%}", paper, "story-cloze")


def _people(run: RunFolder) -> Iterator[GlanceValue]:
    for row in run.study.pairs if (run.layout.study / "results.json").exists() else []:
        published = vars(row.paper) if row.paper else {}
        for name, side in ((row.first, "first"), (row.second, "second")):
            paper = f"{published[side] / sum(published.values()):.0%}" if published else ""
            what = f"People prefer {name}, of {row.items:,} stories ({row.first} or {row.second})"
            yield GlanceValue(what, f"{vars(row.agreement)[side].share:.0%}", paper, "human-evaluation")
