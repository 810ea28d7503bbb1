"""Results of long work that are kept in files, and used again until something that they depend on changes."""

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from denouement.console import warn
from denouement.errors import UserError

Made = TypeVar("Made")

_MOST = 8  # files of one name; older ones are of settings, inputs or code that have changed since


def kept(
    path: Path | None,
    depends_on: object,
    make: Callable[[], Made],
    read: Callable[[Path], Made],
    write: Callable[[Made, Path], None],
) -> Made:
    """What `make` returns, read from a file where it was made before.

    The file's name has a digest of `depends_on` in it, so that a result is read again only for the same content of all
    that decides it. A file is never changed: any of them may be deleted at any time, and is then made again. So is one
    that `read` refuses, with a warning. The oldest files of a name are removed where there are more than a few.

    Args:
        path: the file's place and name, to which the digest is added: `scores/dssm.parquet` becomes
            `scores/dssm-0a1b2c3d4e5f6789.parquet`. None keeps nothing.
        depends_on: all that decides the result: settings, seed, digests of inputs and of code. Values are JSON's; any
            other one counts as its text.
        make: makes the result. What it raises is not kept.
        read: reads the result from a file, and raises a `UserError` where the file is damaged.
        write: writes the result to a file in one go, so that a killed run leaves nothing half-written.
    """
    if path is None:
        return make()
    digest = hashlib.sha256(json.dumps(depends_on, sort_keys=True, default=str).encode()).hexdigest()
    pattern = f"{path.stem}-*{path.suffix}"
    path = path.with_name(f"{path.stem}-{digest[:16]}{path.suffix}")
    if path.exists():
        try:
            return read(path)
        except UserError as error:
            warn(f"{error}: it is made again now")
    made = make()
    write(made, path)
    with suppress(FileNotFoundError):  # another run removed one first
        for old in sorted(path.parent.glob(pattern), key=lambda each: each.stat().st_mtime_ns)[:-_MOST]:
            old.unlink()
    return made
