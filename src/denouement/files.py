"""Writing files so that nothing half-written is ever left, and telling files apart by content."""

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from denouement.errors import UserError


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a path beside `path` to write to; rename it to `path` when the block ends without an error.

    The data is flushed to the disk before the rename, so a crash leaves the old file or the new one, never a part.

    Raises:
        UserError: the folder cannot be made or written to.
    """
    path = Path(path)
    if path.is_dir():
        raise UserError(f"{path} is a folder: name a file to write")
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}; name another place for the output") from error
    try:
        yield beside
        with beside.open("rb") as written:
            os.fsync(written.fileno())
        beside.replace(path)
    except PermissionError as error:
        raise UserError(f"cannot write {path}: {error.strerror}; name another place for the output") from error
    finally:
        beside.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text with `\\n` line ends, atomically."""
    with atomic_write(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")


def file_digest(path: Path) -> str:
    """Hex SHA-256 of a file's content."""
    with Path(path).open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
