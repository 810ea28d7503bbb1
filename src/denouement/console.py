"""What a person sees while the program works: progress and warnings; and JSON for other programs."""

import json
import sys
from collections.abc import Iterable
from datetime import datetime
from typing import TypeVar

from denouement.errors import printable

Item = TypeVar("Item")


def progress(items: Iterable[Item], what: str, total: int | None = None, unit: str = "") -> Iterable[Item]:
    """Yield `items`, and draw a progress bar on standard error where that is a terminal."""
    from tqdm import tqdm

    return tqdm(items, desc=what, total=total, unit=f" {unit}" if unit else "it", disable=None, leave=False)


def note(message: str) -> None:
    """Print what is worth knowing, such as how long a work will take, on standard error, as one line."""
    sys.stderr.write(f"{printable(message)}\n")
    sys.stderr.flush()


def warn(message: str) -> None:
    """Print a warning on standard error, as one line."""
    note(f"warning: {message}")


def print_json(document: object) -> None:
    """Print one JSON document on standard output, times in ISO 8601; in ASCII where the output takes no UTF-8."""
    as_ascii = (getattr(sys.stdout, "encoding", None) or "utf-8").lower() not in ("utf-8", "utf8")
    text = json.dumps(document, ensure_ascii=as_ascii, indent=2, allow_nan=False, default=datetime.isoformat)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
