"""What git knows of the code that made a result."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_ALL_BUT_LOCK = (".", ":(exclude)dvc.lock")  # a reproduction itself writes dvc.lock


@dataclass(frozen=True)
class Commit:
    """A commit.

    Attributes:
        name: its hexadecimal digits.
        is_changed: whether tracked files differ from it.
    """

    name: str
    is_changed: bool

    def __str__(self) -> str:
        return f"{self.name[:12]}{' with changes that are not committed' if self.is_changed else ''}"


def commit(folder: Path, paths: Sequence[str] = _ALL_BUT_LOCK) -> Commit | None:
    """The commit that is checked out in `folder`; None outside of a repository, or where git is missing.

    Args:
        folder: any folder of the repository.
        paths: which files are compared with the commit: git's pathspecs, relative to `folder`.
    """
    try:
        name = _git(folder, "rev-parse", "HEAD")
        changed = _git(folder, "status", "--porcelain", "--untracked-files=no", "--", *paths)
    except (OSError, subprocess.CalledProcessError):
        return None
    return Commit(name, bool(changed))


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603
