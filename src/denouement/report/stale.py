"""Which results of a run were made from other files than those that it has now.

A run of the whole graph renews every result of a changed file. After single stages, a report may show results side by
side that were made from different files. It marks these, and names the command that makes them again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from denouement import provenance
from denouement.analysis.endings import SystemEndings
from denouement.analysis.sentiment import RIGHT, STORIES, WRONG, groups_made_from
from denouement.answers import SCALES
from denouement.files import file_digest
from denouement.report.run_folder import RunFolder


@dataclass(frozen=True)
class Stale:
    """A result that was made from other files than those that are in the run now.

    Attributes:
        anchor: the section of the page that shows it.
        what: the file, and how it differs, in a sentence without its full stop.
        renew: the command that makes it anew.
        apart: what must not be joined with the rest: groups of the table `sentiment`, or endings by their file's stem.
    """

    anchor: str
    what: str
    renew: str
    apart: Sequence[str] = ()

    def __str__(self) -> str:
        return f"stale: {self.what}; renew it with `{self.renew}`"


def find_stale(run: RunFolder) -> list[Stale]:
    """All stale results of a run, in the order of the page.

    Raises:
        UserError: an unreadable table or record.
    """
    return [*_statistics(run), *_endings(run), *_sentiment(run), *_scores(run), *_story_cloze(run), *_study(run)]


def joined_endings(run: RunFolder, stale: Sequence[Stale]) -> list[pa.Table]:
    """The tables of endings that may be set beside the cases of the run."""
    apart = {name for each in stale if each.anchor == "endings" for name in each.apart}
    return [table for path, table in run.read_endings if path.stem not in apart]


def joined_sentiment(scores: pa.Table, stale: Sequence[Stale]) -> pa.Table:
    """The rows of the table `sentiment` that may be set beside the texts of the run."""
    apart = [name for each in stale if each.anchor == "sentiment" for name in each.apart]
    return scores.filter(pc.invert(pc.is_in(scores["group"], pa.array(apart, pa.string()))))


def joined_scores(run: RunFolder, stale: Sequence[Stale]) -> pa.Table:
    """The table `ending_scores` where it is of the endings of the run; empty where it may be of others."""
    belongs = run.layout.score_summary.exists() and not any(each.anchor == "scores" for each in stale)
    return run.ending_scores if belongs else run.ending_scores.slice(0, 0)


def joined_repetition(run: RunFolder, stale: Sequence[Stale]) -> list[SystemEndings]:
    """How far those endings repeat themselves that may be set beside the cases of the run; empty without any."""
    apart = {name for each in stale if each.anchor == "endings" for name in each.apart}
    return [row for row in run.repetition if row.system not in apart] if run.endings else []


def _endings(run: RunFolder) -> Iterator[Stale]:
    cloze = run.layout.cloze
    if not cloze.exists():
        return
    for path, table in run.read_endings:
        name, renew = run.name(path), f"dvc repro generate@{path.stem} report"
        made_from = provenance.of_table(path)
        model = run.layout.model(path.stem)
        if made_from is None:
            yield Stale("endings", f"{name} does not say what it was made from", renew)
        elif provenance.of_other_contexts(made_from, table, run.cases):
            what = f"{name} was written for other contexts than {run.name(cloze)} has"
            yield Stale("endings", what, renew, [path.stem])
        elif model.exists() and made_from.get(provenance.MODEL) != file_digest(model):
            yield Stale("endings", f"{name} was written by another checkpoint than {run.name(model)}", renew)


def _sentiment(run: RunFolder) -> Iterator[Stale]:
    path, stories, cloze = run.layout.sentiment, run.layout.stories, run.layout.cloze
    if not (path.exists() and stories.exists() and cloze.exists()):
        return
    name, renew = run.name(path), "dvc repro sentiment report"
    made_from = provenance.of_table(path)
    if made_from is None:
        groups = run.sentiment["group"].unique().to_pylist()
        yield Stale("sentiment", f"{name} does not say what it was made from", renew, groups)
        return
    now = groups_made_from(run.stories, run.cases, run.read_endings)
    if changed := [group for group in made_from if group in now and now[group] != made_from[group]]:
        yield Stale("sentiment", f"{name} has the scores of other texts of {_listed(changed)}", renew, changed)
    if gone := [group for group in made_from if group not in now]:
        yield Stale("sentiment", f"{name} has scores of {_listed(gone)}, of which there are no texts", renew, gone)
    if missing := [group for group in now if group not in made_from]:
        yield Stale("sentiment", f"{name} has no scores of {_listed(missing)}", renew)


def _scores(run: RunFolder) -> Iterator[Stale]:
    if run.layout.score_summary.exists():
        endings = {f"endings/{path.stem}": path for path in run.endings}
        sources = {**_corpus(run), "embeddings": run.layout.embeddings, **_models(run), **endings}
        yield from _folder("scores", run, run.layout.scores, sources, "dvc repro metrics report")


def _story_cloze(run: RunFolder) -> Iterator[Stale]:
    if run.layout.evaluation.exists():
        sources = {**_corpus(run), "embeddings": run.layout.embeddings, **_models(run)}
        yield from _folder("story-cloze", run, run.layout.story_cloze, sources, "dvc repro cloze report")


def _statistics(run: RunFolder) -> Iterator[Stale]:
    if (run.layout.statistics / "statistics.json").exists():
        sources = {**_corpus(run), **{f"endings/{path.stem}": path for path in run.endings}}
        yield from _folder("statistics", run, run.layout.statistics, sources, "dvc repro statistics report")


def _study(run: RunFolder) -> Iterator[Stale]:
    if (run.layout.study / "results.json").exists():
        sources = {
            name: path
            for name in ("votes", "items", *SCALES)
            if (path := run.layout.study / f"{name}.parquet").exists()
        }
        yield from _folder("human-evaluation", run, run.layout.study, sources, "dvc repro study report")


def _folder(anchor: str, run: RunFolder, folder: Path, sources: Mapping[str, Path], renew: str) -> Iterator[Stale]:
    """What a folder of results says that it was made from, against the sources that are there."""
    made_from = provenance.of_folder(folder)
    if made_from is None:
        yield Stale(anchor, f"{run.name(folder)} does not say what it was made from", renew)
        return
    now = {name: file_digest(path) for name, path in sources.items() if path.exists()}
    if other := sorted(name for name in now.keys() & made_from.keys() if now[name] != made_from[name]):
        yield Stale(anchor, f"{run.name(folder)} was made from another content of {_listed(other)}", renew)
    if gone := sorted(made_from.keys() - sources.keys()):
        yield Stale(anchor, f"{run.name(folder)} was made from {_listed(gone)} too, which the run does not have", renew)
    if missing := sorted(now.keys() - made_from.keys()):
        yield Stale(anchor, f"{run.name(folder)} was made without {_listed(missing)}", renew)


def _models(run: RunFolder) -> dict[str, Path]:
    return {f"models/{path.parent.name}": run.layout.model(path.parent.name) for path in run.histories}


def _corpus(run: RunFolder) -> dict[str, Path]:
    return {"stories": run.layout.stories, "cloze": run.layout.cloze}


def _listed(names: Sequence[str]) -> str:
    shown = {RIGHT: "right endings", WRONG: "wrong endings", STORIES: "the stories' endings"}
    return ", ".join(shown.get(name, name) for name in names)
