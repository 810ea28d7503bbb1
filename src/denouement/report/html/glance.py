"""The run in a few figures, each with the section that tells more."""

from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc

from denouement.corpus.cases import labelled_cases
from denouement.documents import document
from denouement.report.run import Run, read_json, read_study
from denouement.report.tables import system_name
from denouement.schemas import read_table


@dataclass(frozen=True)
class Figure:
    """A figure of the run, and the paper's where there is one."""

    what: str
    here: str
    paper: str
    anchor: str


def glance(run: Run) -> list[Figure]:
    """What a reader asks first, in the order of the sections; what has not been run is left out."""
    return [*_data(run), *_training(run), *_endings(run), *_sentiment(run), *_story_cloze(run), *_people(run)]


def _data(run: Run) -> list[Figure]:
    path = run.corpus / "ingest.json"
    if not path.exists():
        return []
    ingest = read_json(path)
    stories = sum(n for by_split in ingest["stories"].values() for n in by_split.values())
    cases, _ = labelled_cases(read_table(run.corpus / "cloze.parquet", "cloze"))
    papers = ("98,161", "3,742") if ingest["corpus"] == "official" else ("", "")
    what = "Cases: four sentences and two endings, one known to be right"
    return [
        Figure("Stories", f"{stories:,}", papers[0], "data"),
        Figure(what, f"{cases.num_rows:,}", papers[1], "data"),
    ]


def _training(run: Run) -> list[Figure]:
    best = {}
    for name, history in run.read_histories().items():
        epochs = {entry["epoch"]: entry["validation_perplexity"] for entry in history["epochs"]}
        if epochs.get(history["best_epoch"]) is not None:
            best[name] = epochs[history["best_epoch"]]
    return [
        Figure(f"Words that {name} wavers between (perplexity; fewer is better)", f"{value:.1f}", "", "training")
        for name, value in best.items()
    ]


def _endings(run: Run) -> list[Figure]:
    found = []
    for path in run.endings:
        table = read_table(path, "endings")
        for system in table["system"].unique().to_pylist():
            texts = table["ending"].filter(pc.equal(table["system"], system))
            share = len(texts.unique()) / len(texts)
            what = f"Endings of {system} that differ from each other"
            found.append(Figure(what, f"{share:.1%} of {len(texts):,}", "", "endings"))
    return found


def _sentiment(run: Run) -> list[Figure]:
    from denouement.analysis.sentiment import RIGHT, STORIES, WRONG, read_sentiment, sentiment_table

    if not run.sentiment.exists():
        return []
    named = {RIGHT: "right endings", WRONG: "wrong endings"}
    return [
        Figure(
            f"Positive among {named.get(row.group, 'endings of ' + row.group)}",
            f"{row.positive_share:.1%}",
            f"{row.paper.positive_share:.1%}" if row.paper else "",
            "sentiment",
        )
        for row in sentiment_table(read_sentiment(run.sentiment))
        if row.group != STORIES
    ]


def _story_cloze(run: Run) -> list[Figure]:
    if not run.story_cloze.exists():
        return []
    best: dict[str, dict[str, Any]] = {}  # by release and split
    for row in read_json(run.story_cloze)["systems"]:
        cases = f"{row['release']} {row['split']}"
        if row["accuracy"] is not None and (cases not in best or row["accuracy"] > best[cases]["accuracy"]):
            best[cases] = row
    return [
        Figure(
            f"Right endings told from wrong ones ({cases}) by the best system, {system_name(row)}; chance is 50%",
            f"{row['accuracy']:.1%}",
            f"{row['paper']:.1%}" if row["paper"] is not None else "",
            "story-cloze",
        )
        for cases, row in best.items()
    ]


def _people(run: Run) -> list[Figure]:
    if not (run.study / "results.json").exists():
        return []
    found = []
    for row in document(read_study(run))["pairs"]:
        paper = row["paper"]
        for side in ("first", "second"):
            published = f"{paper[side] / sum(paper.values()):.0%}" if paper else ""
            what = f"People prefer {row[side]}, of {row['items']:,} stories ({row['first']} or {row['second']})"
            found.append(Figure(what, f"{row['agreement'][side]['share']:.0%}", published, "human-evaluation"))
    return found
