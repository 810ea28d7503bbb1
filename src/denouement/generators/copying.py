"""What generators that copy endings of training stories share: which stories they know, and which one they leave out.

A story with the very context that needs an ending is left out, also where letter case, spacing or punctuation differ:
its ending would be the human ending of this case, not a generated one.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement.corpus import keys
from denouement.errors import UserError
from denouement.generators.base import Context
from denouement.generators.history import Counts, History
from denouement.schemas import read_table


def read_training(stories: Path) -> tuple[pa.Table, Counts]:
    """The rows of a table `stories` that may be learned from, and how many these are and are held out.

    Raises:
        UserError: there is none.
    """
    rows = read_table(stories, "stories")
    training = rows.filter(pc.equal(rows["split"], "train"))
    if not training.num_rows:
        raise UserError(f"{stories}: no training stories; at least 1 is needed")
    return training, Counts(training.num_rows, rows.num_rows - training.num_rows)


def without_epochs(name: str, counts: Counts, vocabulary: int | None = None) -> History:
    """The history of a generator that learns at once."""
    return History(name, None, vocabulary, counts, None, None, None, [])


def digests(stories: pa.Table) -> npt.NDArray[np.int64]:
    """A number for the context of each row of a table `stories` or `cloze`, normalised.

    Equal contexts have equal numbers, and different ones nearly always different ones.
    """
    texts = keys.contexts(stories).to_pylist()
    found = [hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(found), np.int64).copy()


def left_out(contexts: Sequence[Context], known: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Which stories, by the digests of their contexts [N], have the very context: [contexts, N]."""
    wanted = digests(pa.table({"context": pa.array(contexts, pa.list_(pa.string()))}))
    same: npt.NDArray[np.bool_] = wanted[:, None] == known
    return same
