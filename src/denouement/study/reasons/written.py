"""Selects the reasons that are analysed."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import pyarrow as pa

from denouement.answers import counted
from denouement.errors import UserError
from denouement.legible import seen
from denouement.text.language import is_latin, looks_english

Key: TypeAlias = tuple[str, ...]
"""Study, item, annotator and, in tables that have it, question of an answer."""


def key_of(row: Mapping[str, Any]) -> Key:
    """The key of the answer of a row."""
    return tuple(row[name] for name in ("study", "item_id", "annotator_id", "question") if name in row)


def written_reasons(votes: pa.Table) -> pa.Table:
    """The rows of a table `votes` whose reason is analysed: accepted answers to real questions, reasons in English.

    Left out are answers that do not count (excluded, rejected, surplus), attention checks, answers without a
    reason or with one that has only invisible characters (`legible.seen`), and reasons that do not look English.

    Raises:
        UserError: no row is left.
    """
    english = english_reasons(votes)
    if english.num_rows:
        return english
    if strange := not_english(votes):
        raise UserError(
            f"none of the {strange:,} reasons looks English: words, topics and elements are found in English "
            "alone; read the others with `denouement study results --reasons`"
        )
    raise UserError(f"none of the {votes.num_rows} votes is accepted and has a reason: nothing to analyse")


def english_reasons(votes: pa.Table) -> pa.Table:
    """The rows that `written_reasons` returns, which may be none here."""
    written = _with_reason(votes)
    return written.filter(_look_english(written["reason"].to_pylist()))


def not_english(votes: pa.Table) -> int:
    """How many reasons of a table `votes` are left out because they do not look English."""
    return int(_with_reason(votes).num_rows - english_reasons(votes).num_rows)


def _with_reason(votes: pa.Table) -> pa.Table:
    has_text = pa.array([bool(seen(reason or "")) for reason in votes["reason"].to_pylist()], pa.bool_())
    return counted(votes.filter(has_text))


def _look_english(reasons: Sequence[str]) -> pa.BooleanArray:
    """By the letters of each reason; by the words of all of these together, since one reason has too few to tell."""
    latin = [is_latin(reason) for reason in reasons]
    are_english = looks_english("\n".join(reason for reason, its in zip(reasons, latin, strict=True) if its))
    return pa.array([its and are_english for its in latin], pa.bool_())
