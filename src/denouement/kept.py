"""Results of long work, kept in files and used again until something that they depend on changes."""

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

from denouement.console import warn
from denouement.errors import UserError

Made = TypeVar("Made")

_MOST = 8  # files of one name; older ones belong to former settings, inputs or code


def kept(
    path: Path | None,
    depends_on: object,
    make: Callable[[], Made],
    read: Callable[[Path], Made],
    write: Callable[[Made, Path], None],
) -> Made:
    """The result of `make`, read from a file if it was made before.

    The file's name contains a digest of `depends_on`, so a result is used again only for equal inputs. Files are never
    changed. Each may be deleted at any time, and is then made again, as is a file that `read` refuses, with a warning.
    Of a name only the newest few files are kept.

    Args:
        path: the file's place and name, to which the digest is added: `scores/dssm.parquet` becomes
            `scores/dssm-0a1b2c3d4e5f6789.parquet`. None keeps nothing.
        depends_on: everything that determines the result: settings, seed, digests of inputs and of code. A value that
            JSON cannot hold counts as its text.
        make: makes the result. Its exceptions are passed on.
        read: reads the result from a file, and raises a `UserError` where the file is damaged.
        write: writes the result to a file, atomically.
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


@cache
def code_digest() -> str:
    """Hex SHA-256 of the code of this package and its word lists, for results that any of it may change."""
    digest = hashlib.sha256()
    package = Path(__file__).parent
    for path in sorted([*package.rglob("*.py"), *package.rglob("*.yaml")]):  # word lists are YAML
        digest.update(path.read_bytes())
    return digest.hexdigest()
