"""All generated endings beside the right ones, to search in a page."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup

from denouement.analysis.sentiment import RIGHT, ending_ids
from denouement.corpus.cases import labelled_cases, right_and_wrong
from denouement.legible import printed
from denouement.report.html.blocks import Browser, Story
from denouement.schemas import read_table
from denouement.text.sentiment import NEGATIVE, POSITIVE

_SHOWN = 10  # stories that stand in the page without a search: what paper shows


def endings_browser(cloze: pa.Table, endings: Sequence[Path], sentiment: pa.Table | None) -> Browser | None:
    """The stories that have a generated ending, in the order of the cloze table; None where there is none.

    The page's data are a document `systems` (`right` first) and `stories`, each `[id, context, endings]` with endings
    `[place of its system, text, compound or null]`: the right ending, where it is known, and all generated.
    """
    compounds = _compounds(sentiment)
    written: dict[str, list[tuple[str, str, float | None]]] = {}
    systems = [RIGHT]
    for path in endings:
        table = read_table(path, "endings")
        columns = [table[name].to_pylist() for name in ("case_id", "system", "ending")]
        for case_id, system, ending, text_id in zip(*columns, ending_ids(table), strict=True):
            if system not in systems:
                systems.append(system)
            written.setdefault(case_id, []).append((system, ending, compounds.get((system, text_id))))
    stories = _stories(cloze, written, compounds)
    if not stories:
        return None
    data = json.dumps(
        {
            "systems": systems,
            "negative": NEGATIVE,
            "positive": POSITIVE,
            "stories": [
                [case_id, context, [[systems.index(system), text, compound] for system, text, compound in of_story]]
                for case_id, context, of_story in stories
            ],
        },
        ensure_ascii=False,
        separators=(",", ":"),
        allow_nan=False,
    )
    return Browser(
        # in a script element nothing but "<" can end or change how the text is read
        data=Markup(printed(data).replace("<", "\\u003c")),  # noqa: S704
        systems=systems,
        total=len(stories),
        first=[
            Story(case_id, context, [(system, text, sentiment_word(value)) for system, text, value in of_story])
            for case_id, context, of_story in stories[:_SHOWN]
        ],
    )


def sentiment_word(compound: float | None) -> str:
    """Such as `positive, 0.62`; nothing where the sentiment was not measured."""
    if compound is None:
        return ""
    word = "positive" if compound >= POSITIVE else "negative" if compound <= NEGATIVE else "neutral"
    return f"{word}, {compound:.2f}"


def _stories(
    cloze: pa.Table,
    written: Mapping[str, list[tuple[str, str, float | None]]],
    compounds: Mapping[tuple[str, str], float],
) -> list[tuple[str, str, list[tuple[str, str, float | None]]]]:
    labelled, _ = labelled_cases(cloze)
    columns: list[list[Any]] = [labelled[name].to_pylist() for name in ("release", "split", "case_id")]
    right: dict[str, tuple[str, str, float | None]] = {}
    for release, split, case_id, ending in zip(*columns, right_and_wrong(labelled)[0].to_pylist(), strict=True):
        compound = compounds.get((RIGHT, f"{release}/{split}/{case_id}"))
        right.setdefault(case_id, (RIGHT, ending, compound))
    contexts: dict[str, list[str]] = {}
    shown = cloze.filter(pc.is_in(cloze["case_id"], pa.array(written, pa.string())))
    for case_id, context in zip(shown["case_id"].to_pylist(), shown["context"].to_pylist(), strict=True):
        contexts.setdefault(case_id, context)
    return [
        (case_id, " ".join(context), [*([right[case_id]] if case_id in right else []), *written[case_id]])
        for case_id, context in contexts.items()
    ]


def _compounds(sentiment: pa.Table | None) -> dict[tuple[str, str], float]:
    """By group and text id the compound score, as VADER rounded it."""
    if sentiment is None:
        return {}
    columns = [sentiment[name].to_pylist() for name in ("group", "text_id", "compound")]
    return {(group, text_id): round(compound, 4) for group, text_id, compound in zip(*columns, strict=True)}
