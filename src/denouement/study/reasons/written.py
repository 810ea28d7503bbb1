"""Selects the reasons that are analysed."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import pyarrow as pa

from denouement.answers import counted
from denouement.errors import UserError
from denouement.legible import seen

Key: TypeAlias = tuple[str, ...]
"""Study, item, annotator and, in tables that have it, question of an answer."""


def key_of(row: Mapping[str, Any]) -> Key:
    """The key of the answer of a row."""
    return tuple(row[name] for name in ("study", "item_id", "annotator_id", "question") if name in row)


def written_reasons(votes: pa.Table) -> pa.Table:
    """The rows of a table `votes` whose reason is analysed: accepted answers to real questions with a reason.

    Left out are answers that do not count (excluded, rejected, surplus), attention checks, and answers without a
    reason or with one that has only invisible characters (`legible.seen`).

    Raises:
        UserError: no row is left.
    """
    has_text = pa.array([bool(seen(reason or "")) for reason in votes["reason"].to_pylist()], pa.bool_())
    written = counted(votes.filter(has_text))
    if not written.num_rows:
        raise UserError(f"none of the {votes.num_rows} votes is accepted and has a reason: nothing to analyse")
    return written
