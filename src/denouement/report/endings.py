"""All generated endings beside the right ones, as stories to read."""

from collections.abc import Collection, Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis.sentiment import RIGHT, ending_ids
from denouement.corpus.cases import in_english, right_and_wrong
from denouement.present.sections import ShownEnding, ShownStory
from denouement.text.sentiment import NEGATIVE, POSITIVE


def stories_with_endings(
    cases: pa.Table, labelled: pa.Table, endings: Iterable[pa.Table], sentiment: pa.Table | None
) -> list[ShownStory]:
    """The stories that have a generated ending, each with the right one first, where it is known, and all generated.

    Args:
        cases: the table `cloze`, whose order they come in.
        labelled: its cases that count.
        endings: tables `endings`.
        sentiment: the table `sentiment`, whose scores are shown behind the endings.
    """
    compounds = _compounds(sentiment)
    written: dict[str, list[ShownEnding]] = {}
    for table in endings:
        columns = [table[name].to_pylist() for name in ("case_id", "system", "ending")]
        for case_id, system, ending, text_id in zip(*columns, ending_ids(table), strict=True):
            shown = ShownEnding(system, ending, sentiment_word(compounds.get((system, text_id))))
            written.setdefault(case_id, []).append(shown)
    right = _right_endings(labelled, written, compounds)
    rows = cases.filter(pc.is_in(cases["case_id"], pa.array(written, pa.string())))
    rows = pa.concat_tables([in_english(rows)[0], rows])  # of a case in several languages the English context is shown
    contexts: dict[str, list[str]] = {}
    for case_id, context in zip(rows["case_id"].to_pylist(), rows["context"].to_pylist(), strict=True):
        contexts.setdefault(case_id, context)
    return [
        ShownStory(case_id, " ".join(context), [*right.get(case_id, []), *written[case_id]])
        for case_id, context in contexts.items()
    ]


def sentiment_word(compound: float | None) -> str:
    """Such as `positive, 0.62`; nothing where the sentiment was not measured."""
    if compound is None:
        return ""
    word = "positive" if compound >= POSITIVE else "negative" if compound <= NEGATIVE else "neutral"
    return f"{word}, {compound:.2f}"


def _right_endings(
    labelled: pa.Table, wanted: Collection[str], compounds: Mapping[tuple[str, str], float]
) -> dict[str, list[ShownEnding]]:
    shown = labelled.filter(pc.is_in(labelled["case_id"], pa.array(wanted, pa.string())))
    columns = [shown[name].to_pylist() for name in ("release", "split", "case_id")]
    found: dict[str, list[ShownEnding]] = {}
    for release, split, case_id, ending in zip(*columns, right_and_wrong(shown)[0].to_pylist(), strict=True):
        compound = compounds.get((RIGHT, f"{release}/{split}/{case_id}"))
        found.setdefault(case_id, [ShownEnding(RIGHT, ending, sentiment_word(compound))])
    return found


def _compounds(sentiment: pa.Table | None) -> dict[tuple[str, str], float]:
    """By group and text id the compound score, as VADER rounded it."""
    if sentiment is None:
        return {}
    columns = [sentiment[name].to_pylist() for name in ("group", "text_id", "compound")]
    return {(group, text_id): round(compound, 4) for group, text_id, compound in zip(*columns, strict=True)}
