"""Reading only regular files, writing files atomically, and digests of files' content."""

import glob
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from denouement.errors import UserError

_STALE_SECONDS = 24 * 60 * 60


def existing_file(path: Path) -> Path:
    """`path`, after checking that it is a regular file that can be opened.

    Raises:
        UserError: it is missing, is a folder or a device, may not be read, or has a name that is not UTF-8.
    """
    path = Path(path)
    try:
        str(path).encode()
        is_file = stat.S_ISREG(path.stat().st_mode)
        if is_file:
            path.open("rb").close()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UserError(f"{path}: no such file") from error
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:  # not UTF-8, which tables and libraries need, or with a NUL
        raise UserError(f"{path}: a name that is not UTF-8; rename the file") from error
    if not is_file:
        raise UserError(f"{path}: {'a folder' if path.is_dir() else 'a device or a pipe'}; name a file")
    return path


def visible_files(folder: Path) -> Iterator[Path]:
    """The files in `folder` and the folders below it, sorted, except hidden files and those in hidden folders.

    Paths in a folder that may be listed but not entered are included: whether they are files cannot be seen.
    """
    for path in sorted(folder.rglob("*")):
        try:
            is_other = any(part.startswith(".") for part in path.relative_to(folder).parts) or not path.is_file()
        except OSError:
            is_other = False
        if not is_other:
            yield path


def check_output(path: Path, read: Iterable[Path] = ()) -> None:
    """Check that a file can be written to `path` and that it is none of the files that are `read`.

    It is called before long work, whose result would be lost otherwise.

    Raises:
        UserError: a folder or a device, a file that is read, or a place that is not writable.
    """
    path = Path(path)
    try:
        str(path).encode()
        folder = next(each for each in path.absolute().parents if each.exists())
        if path.is_dir():
            raise UserError(f"{path} is a folder: name a file to write")
        if path.exists() and not path.is_file():
            raise UserError(f"{path} is a device or a pipe: name a file to write")
        if any(_same_file(path, each) for each in read):
            raise UserError(f"{path} is read too: name another file to write")
        if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
            raise UserError(f"cannot write {path}: {folder} is not writable; name another place for the output")
    except OSError as error:
        raise _unwritable(path, error) from error
    except ValueError as error:
        raise UserError(f"cannot write {path}: the name is not UTF-8; name another file") from error


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the folder of `path` to write to; rename it to `path` if the block raises no error.

    The data is flushed to the disk before the rename, so a crash leaves the old file or the new one, never a part of
    it. Temporary files (`.NAME.xxxxxxxx.part`) that killed processes left are deleted when `path` is written a day
    later.

    Raises:
        UserError: `path` is no file, its folder cannot be made or written to, or the disk is full.
    """
    path = Path(path)
    check_output(path)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path)
        yield part
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.replace(path)
    except OSError as error:
        if error.filename not in (None, *map(str, (part, path, *path.parents))):
            raise  # of another file, which the block reads
        raise _unwritable(path, error) from error
    finally:
        with suppress(OSError):
            part.unlink()


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Make a folder and lock it for the block, then delete it and its parents where they were made and are empty.

    The lock ends with the process, also where that is killed.

    Raises:
        UserError: another process has it, or it cannot be made.
    """
    import fcntl  # not on Windows

    made = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        opened = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise _unwritable(folder, error) from error
    try:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UserError(f"{folder}: another process writes into it; wait until it ends, or name another") from error
        except OSError as error:  # such as a network disk without locks
            raise _unwritable(folder, error) from error
        try:
            yield
        finally:
            for each in made:
                with suppress(OSError):  # not empty
                    each.rmdir()
    finally:
        os.close(opened)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text with `\\n` line ends, atomically."""
    with atomic_write(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def file_digest(path: Path) -> str:
    """Hex SHA-256 of a file's content."""
    with Path(path).open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _sweep(path: Path) -> None:
    """Delete temporary files of `path` that a kill or a power cut left more than a day ago."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _STALE_SECONDS:
                left.unlink()


def _unwritable(path: Path, error: OSError) -> UserError:
    reason = os.strerror(error.errno) if error.errno else str(error).partition("\n")[0]
    return UserError(f"cannot write {path}: {reason}; name another place for the output")


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them is missing
        return False
