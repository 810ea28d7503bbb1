"""One table of all whose endings a run has: people and systems, each with what was measured of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from denouement.analysis.endings import SystemEndings
from denouement.analysis.sentiment import RIGHT, STORIES, WRONG, SentimentCounts, sentiment_result
from denouement.present.cells import Cell, Number, Share, ShareAndInterval
from denouement.present.sections import Table
from denouement.report.run_folder import RunFolder
from denouement.report.stale import Stale, joined_repetition, joined_sentiment
from denouement.study.design.names import HUMAN_RIGHT, HUMAN_WRONG
from denouement.study.design.showing import shown
from denouement.study.results.clustered import Preference

HUMAN = {RIGHT: "human, right", WRONG: "human, wrong"}
"""How human endings are named for people."""

_PEOPLE = {HUMAN_RIGHT: RIGHT, HUMAN_WRONG: WRONG}  # as a study names the same endings

_SHOWN = ("endings", "sentiment", "human-evaluation")  # the sections whose values are in the table


@dataclass(frozen=True)
class SystemValues:
    """What was measured of the endings of one system, or of people; None where it was not.

    Attributes:
        system: its name, or `right` or `wrong`.
        study: where its endings in a study are not known to be those of this run, what the study is called, and only
            `preference` is there.
        preference: of the answers that prefer its endings or human ones, how many prefer its.
        chosen: where a study shows no right human endings, its share of the strengths of all systems
            (`choice_model.Strength`).
        sentiment: of its endings.
        endings: how many of them differ, and how long they are.
        perplexity: of stories held out.
    """

    system: str
    study: str = ""
    preference: Preference | None = None
    chosen: float | None = None
    sentiment: SentimentCounts | None = None
    endings: SystemEndings | None = None
    perplexity: float | None = None

    @property
    def name(self) -> str:
        """How it is named for people."""
        named = HUMAN.get(self.system, self.system)
        return f"{named}, as shown in {self.study}" if self.study else named


def system_values(run: RunFolder, stale: Sequence[Stale]) -> list[SystemValues]:
    """People first; then systems, those that people prefer more first; then by perplexity, the lowest first.

    Args:
        run: the folder of a run.
        stale: what `stale.find_stale` returned of it. What must not be set beside the rest is left out.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}

    def add(system: str, study: str = "", **measured: object) -> None:
        found.setdefault((system, study), {}).update(measured)

    for name, history in run.read_histories.items():
        add(name, perplexity=history.used and history.used.validation_perplexity)
    for of_system in joined_repetition(run, stale):
        add(of_system.system, endings=of_system)
    if run.layout.sentiment.exists():
        for group in sentiment_result(joined_sentiment(run.sentiment, stale)).groups:
            if group.group != STORIES:
                add(group.group, sentiment=group)
    if run.has_votes and run.study.chief.is_better:  # what other questions find is in their own section
        elsewhere, study = shown_elsewhere(run), ", ".join(run.study.studies)
        for pair in run.study.chief.pairs:
            if pair.second == HUMAN_RIGHT:
                name = _PEOPLE.get(pair.first, pair.first)
                add(name, study if name in elsewhere else "", preference=pair.preference)
        if not any(pair.second == HUMAN_RIGHT for pair in run.study.chief.pairs):
            for strength in run.study.chief.strengths.systems:
                name = _PEOPLE.get(strength.system, strength.system)
                add(name, study if name in elsewhere else "", chosen=strength.share)
    rows = [SystemValues(system, study, **measured) for (system, study), measured in found.items()]
    return sorted(rows, key=_place)


def systems_table(rows: Sequence[SystemValues], stale: Sequence[Stale] = ()) -> Table | None:
    """A row a system; a column for each value that at least one of them has. None without a row or a value.

    Args:
        rows: what `system_values` returned.
        stale: of the run; what of it may be in the table is named below it.
    """
    columns: dict[str, list[Cell]] = {
        "preferred to human endings": [_preferred(row.preference) for row in rows],
        "chosen": ["" if row.chosen is None else Share(row.chosen) for row in rows],
        "endings": [row.endings.n if row.endings else row.sentiment.n if row.sentiment else "" for row in rows],
        "distinct": [Share(row.endings.distinct_share) if row.endings else "" for row in rows],
        "words": [Number(row.endings.mean_words, 1) if row.endings else "" for row in rows],
        "mean sentiment": [Number(row.sentiment.mean, 3) if row.sentiment else "" for row in rows],
        "positive": [Share(row.sentiment.positive_share) if row.sentiment else "" for row in rows],
        "perplexity": ["" if row.perplexity is None else Number(row.perplexity, 1) for row in rows],
    }
    measured = {name: cells for name, cells in columns.items() if any(cell != "" for cell in cells)}
    if not measured:
        return None
    notes = {
        "preferred to human endings": "Preferred: of the answers for its ending or the human one, those for its own, "
        "with the 95% interval; human endings stand first, the others are sorted by it.",
        "chosen": "Chosen: how often its ending is expected to be chosen among those of all systems of the study, ties "
        "aside, by the answers of people.",
        "distinct": "Distinct: how many of the endings differ. Words: mean length.",
        "mean sentiment": "Sentiment: from -1, negative, to 1, positive (VADER).",
        "perplexity": "Perplexity: among how many words the generator is undecided; lower is better.",
    }
    marks = "; ".join(each.what for each in stale if each.anchor in _SHOWN)
    return Table(
        ["endings of", *measured],
        [[row.name, *(cells[place] for cells in measured.values())] for place, row in enumerate(rows)],
        note=" ".join(
            [*(text for name, text in notes.items() if name in measured), *([f"Stale: {marks}."] if marks else [])]
        ),
    )


def shown_elsewhere(run: RunFolder) -> set[str]:
    """The systems of this run whose name is in the study, too, but whose endings there are not known to be the same.

    A study may be of another run, or of a paper whose systems have the same names. They are the same where each ending
    in the study is, for its case, the one that the system wrote in this run, as a study shows it.
    """
    ours = {name for row in run.study.pairs for name in (row.first, row.second)} & {
        *run.read_histories,
        *_written(run),
    }
    if not ours:
        return set()
    written: dict[tuple[str, str], str] = {}
    for _, table in run.read_endings:
        columns = (table[name].to_pylist() for name in ("case_id", "system", "ending"))
        for case_id, system, ending in zip(*columns, strict=True):
            written.setdefault((case_id, system), shown(ending))  # of several endings a study shows the first
    judged: dict[str, list[bool]] = {name: [] for name in ours}
    for side in ("first", "second"):
        columns = (run.judged[name].to_pylist() for name in ("case_id", side, f"ending_{side}"))
        for case_id, system, ending in zip(*columns, strict=True):
            if system in judged:
                judged[system].append(written.get((case_id, system)) == shown(ending))
    return {system for system, same in judged.items() if not same or not all(same)}


def _written(run: RunFolder) -> set[str]:
    return {system for _, table in run.read_endings for system in table["system"].unique().to_pylist()}


def _preferred(preference: Preference | None) -> Cell:
    if preference is None or preference.share is None:
        return ""
    return ShareAndInterval(preference.share, preference.low, preference.high)


def _place(row: SystemValues) -> tuple[int, float, float, str]:
    share = row.preference.share if row.preference else row.chosen
    people = list(HUMAN).index(row.system) if row.system in HUMAN else len(HUMAN)
    perplexity = float("inf") if row.perplexity is None else row.perplexity
    return people, 0.0 if share is None else -share, perplexity, row.name
