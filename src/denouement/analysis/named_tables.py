"""Tables that are named in messages by the file that they were read from."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from denouement.schemas import read_table

NamedTable: TypeAlias = tuple[Path, pa.Table]
"""A file, and the table that was read from it."""


def read_tables(paths: Sequence[Path], name: str) -> list[NamedTable]:
    """The tables `name` of several files.

    Raises:
        UserError: as `read_table`.
    """
    return [(path, read_table(path, name)) for path in paths]
