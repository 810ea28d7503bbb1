"""What the documents of a run hold, so far as the report reads it: a damaged one is told before a part of it is missed.

A shape is a type; a set of values; a list of one shape; a mapping whose keys must be there, but for those that end with
`?`, the key `str` standing for every key; or a tuple of shapes, one of which must hold.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_NUMBER = (float, None)
_SHARE = {"n": int, "share": float}
_TEXTS = [str]

SHAPES: dict[str, tuple[str, Any]] = {
    "corpus/ingest.json": (
        "ingest",
        {
            "corpus": frozenset({"sample", "official"}),
            "files": [{"file": str, "oddities": {str: int}}],
            "stories": {str: {str: int}},
            "cloze": {str: {str: int}},
            "overlap": {"pairs": [{"first": str, "second": str, "same_story": int}], "repeated": {str: int}},
        },
    ),
    "history.json": (
        "train",
        {
            "best_epoch": int,
            "vocabulary": int,
            "stories": {"train": int, "validation": int},
            "epochs": [
                {"epoch": int, "train_loss": float, "validation_loss": _NUMBER, "validation_perplexity": _NUMBER}
            ],
        },
    ),
    "statistics/statistics.json": (
        "statistics",
        {
            "bias_monitor?": {
                "values": {
                    "sets": {
                        str: {"variants": [{"variant": str, "n": int, "accuracy": float, "low": float, "high": float}]}
                    }
                }
            },
            str: {
                "title": str,
                "what": str,
                "tables": [{"title": str, "header": _TEXTS, "rows": [_TEXTS], "note": str}],
                "figures": [{"file": str, "what": str}],
            },
        },
    ),
    "cloze/evaluation.json": (
        "cloze",
        {
            "systems": [
                {
                    **dict.fromkeys(("system", "variant", "release", "split"), str),
                    **dict.fromkeys(("accuracy", "low", "high", "paper"), _NUMBER),
                    **dict.fromkeys(("by_sentiment", "by_length"), ({str: {"n": int, "accuracy": float}}, None)),
                    **dict.fromkeys(("trained_on", "missing"), (str, None)),
                    "blind": bool,
                    "n": int,
                    "ties": (int, None),
                }
            ],
            "comparisons": {str: [{"one": str, "other": str, "only_one": int, "only_other": int, "p": _NUMBER}]},
            "notes": {str: {str: int}},
        },
    ),
    "study/results.json": (
        "study",
        {
            "answers": int,
            "studies": _TEXTS,
            "statuses": {str: int},
            "pairs": [
                {
                    "first": str,
                    "second": str,
                    "items": int,
                    "paper": ({str: int}, None),
                    "agreement": dict.fromkeys(("first", "second", "both", "neither", "no_agreement"), _SHARE),
                }
            ],
        },
    ),
    "study/reasons.json": (
        "study",
        {
            "words": {"reasons": int, "distinct": int, "words": [{"word": str, "count": int, "reasons": int}]},
            "elements": {"elements": [{"element": str, "n": int, "denied": int}]},
        },
    ),
    "dvc.lock": ("", {"stages": {str: {"cmd": str, "params?": {str: {str: object}}}}}),
}
"""By the end of its path the stage that makes a document, and its shape."""


def misfit(path: Path, content: Any) -> str | None:
    """What of a document is not as its stage writes it, in a few words, and how to mend it; None where all is."""
    stage, shape = next((found for name, found in SHAPES.items() if path.match(name)), ("", {}))
    place = next(_misfits(content, shape, ()), None)
    if place is None:
        return None
    where = " > ".join(map(str, place[:6])) or "the whole of it"
    return f"{where} is missing or not what is written there; make it again{f': dvc repro {stage}' if stage else ''}"


def _misfits(value: Any, shape: Any, place: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The places within a document, as keys and numbers from 0, of what is not of its shape."""
    if isinstance(shape, tuple):
        if not any(next(_misfits(value, one, place), None) is None for one in shape):
            yield place
    elif isinstance(shape, dict) and isinstance(value, dict):
        for key, one in shape.items():
            name = key if key is str else key.removesuffix("?")
            for each in value if name is str else {name} & value.keys():
                yield from _misfits(value[each], one, (*place, each))
            if name == key and key is not str and key not in value:
                yield (*place, key)
    elif isinstance(shape, list) and isinstance(value, list):
        for number, each in enumerate(value):
            yield from _misfits(each, shape[0], (*place, number))
    elif not _is(value, shape):
        yield place


def _is(value: Any, kind: Any) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if isinstance(kind, frozenset):
        return isinstance(value, str) and value in kind
    return value is None if kind is None else isinstance(kind, type) and isinstance(value, kind)
