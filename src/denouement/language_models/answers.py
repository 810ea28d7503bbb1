"""Answers of served models, kept on disk: what was asked once is never asked, or paid for, again.

An answer is found by the digest of all that determines it: the address, the model, the prompt, all settings of
decoding. Each is written when it comes, so a run that is killed goes on where it was. Neither prompts nor keys are
kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from denouement.errors import UserError
from denouement.language_models.endpoint import ServedAnswer


def usual_place() -> Path:
    """The file of answers in the user's folder of caches."""
    caches = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(caches) if Path(caches).is_absolute() else Path.home() / ".cache") / "denouement" / "served.db"


class Answers:
    """The answers in a file; several threads and processes may read and write it at once."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path, self._connection, self._lock = path, connection, threading.Lock()

    def close(self) -> None:
        """End; a thread that still wants to keep an answer gets an error."""
        with self._lock:
            self._connection.close()

    def get(self, url: str, body: Mapping[str, Any]) -> ServedAnswer | None:
        """The answer to a request; None where it is not kept.

        Raises:
            UserError: the file is damaged.
        """
        with self._lock, _told(self._path):
            row = self._connection.execute("SELECT answer FROM answers WHERE request = ?", (_digest(url, body),))
            found = row.fetchone()
            return None if found is None else ServedAnswer(**json.loads(found[0]))

    def keep(self, url: str, body: Mapping[str, Any], answer: ServedAnswer) -> None:
        """Keep an answer; the first one to a request stays.

        Raises:
            UserError: the file cannot be written.
        """
        values = (_digest(url, body), json.dumps(asdict(answer)))
        with self._lock, _told(self._path), self._connection:
            self._connection.execute("INSERT OR IGNORE INTO answers (request, answer) VALUES (?, ?)", values)


@contextmanager
def opened(path: Path) -> Iterator[Answers]:
    """The answers in a file of SQLite, which is made where it is missing.

    Raises:
        UserError: it cannot be made, or is another file.
    """
    with _told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=60, check_same_thread=False)
    answers = Answers(path, connection)
    try:
        with _told(path), connection:
            connection.execute("CREATE TABLE IF NOT EXISTS answers (request TEXT PRIMARY KEY, answer TEXT NOT NULL)")
        yield answers
    finally:
        answers.close()


def _digest(url: str, body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps([url, body], sort_keys=True).encode()).hexdigest()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say in one line what is wrong with the file."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise UserError(f"{path}: cannot keep answers there ({error}); name another file as cache") from error
    except (ValueError, TypeError) as error:
        raise UserError(f"{path}: holds a damaged answer; delete the file, or name another as cache") from error
