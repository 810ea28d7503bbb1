"""The section `entry` of a study's file: how annotators enter the study, and where its last page leads."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from denouement.study.design.mistakes import Mistake

_PROLIFIC = "https://app.prolific.com/submissions/complete?cc="


@dataclass(frozen=True)
class Entry:
    """How annotators enter a study.

    Attributes:
        kind: `links`, a private link for each; `open`, one link for all, where each browser is one annotator;
            `prolific`, one link with PROLIFIC_PID, STUDY_ID and SESSION_ID.
        links: how many private links are made; 10 by default, and None in the other kinds of entry.
        completion_code: a code that the last page shows.
        completion_url: the address to which the last page leads; on Prolific it is made from the code.
        screen_out_code, screen_out_url: the same for those who fail the training.
        no_place_code, no_place_url: the same for those who get no question, since others answered all of them.
        people: how many people are expected; None: as many as there are links, or not known.
    """

    kind: Literal["links", "open", "prolific"] = "links"
    links: int | None = None
    completion_code: str = ""
    completion_url: str = ""
    screen_out_code: str = ""
    screen_out_url: str = ""
    no_place_code: str = ""
    no_place_url: str = ""
    people: int | None = None

    def __post_init__(self) -> None:
        if self.kind == "links" and self.links is None:
            object.__setattr__(self, "links", 10)
        if self.kind == "prolific":
            for end in ("completion", "screen_out", "no_place"):
                code = getattr(self, f"{end}_code")
                if code and not getattr(self, f"{end}_url"):
                    object.__setattr__(self, f"{end}_url", f"{_PROLIFIC}{code}")

    def mistakes(self) -> Iterator[Mistake]:
        """What is missing or out of range."""
        if self.kind == "links" and not 1 <= (self.links or 0) <= 10_000:
            yield Mistake(("kind", "links"), f"links: must be between 1 and 10,000, not {self.links}")
        if self.kind != "links" and self.links is not None:
            yield Mistake(("kind", "links"), f"links: entry of kind {self.kind} has none: leave the key out")
        if self.kind == "links" and self.people is not None:
            yield Mistake(("kind", "people"), "people: entry of kind links has one person a link: leave the key out")
        if self.people is not None and not 1 <= self.people <= 1_000_000:
            yield Mistake(("people",), f"people: must be between 1 and 1,000,000, not {self.people}")
        for key in ("completion_code", "screen_out_code", "no_place_code"):
            code = getattr(self, key)
            if not re.fullmatch(r"[A-Za-z0-9_-]{0,64}", code):
                yield Mistake((key,), f"{key}: must be letters, digits, - and _, not {code!r}")
        for key in ("completion_url", "screen_out_url", "no_place_url"):
            url = getattr(self, key)
            if url and not _is_https(url):
                yield Mistake((key,), f"{key}: must begin with https:// and a host, not {url!r}")
        if self.kind == "prolific" and not self.completion_url:
            yield Mistake(
                ("kind", "completion_code", "completion_url"),
                "completion_code: is missing: Prolific shows it on the page of the study",
            )


def _is_https(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    printable = not any(unicodedata.category(c).startswith(("C", "Z")) for c in url)
    return parts.scheme == "https" and bool(parts.hostname) and printable
