"""Data sets of cases besides Story Cloze, as they are published: how a row of each becomes a case.

A data set is recognised by the fields of its rows. Only what is published here or follows from a name is taken: nothing
is guessed.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

Row = Mapping[str, Any]
"""A row's values by field: all are texts in a delimited file, any JSON in JSON Lines."""

_CAUSAL = {"cause": "What was the cause of this?", "effect": "What happened as a result?"}
_UNKNOWN = "-1"  # in the place of a label in copies of test files that have none
_BETWEEN = "What happened between these two sentences?"


class RowError(ValueError):
    """A row is no case; the message says why."""


class ShiftedError(RowError):
    """The number of the right ending would be one if they were counted from another number.

    Attributes:
        begins: that number.
        first: the one from which they are counted.
    """

    def __init__(self, message: str, begins: int, first: int) -> None:
        super().__init__(message)
        self.begins, self.first = begins, first

    def is_contradicted(self, case: "PublishedCase") -> bool:
        """Whether a case of the same file has a right ending that would then have no number."""
        return case.right == (1 if self.begins > self.first else len(case.endings))


@dataclass(frozen=True)
class PublishedCase:
    """A row as a case.

    Attributes:
        case_id: as published; "" where a row has none.
        context: the text before the endings; one that is not taken apart into sentences yet, or its sentences.
        endings: to choose from.
        right: the number of the right one, from 1; None without a label.
        question: what is asked; None: which ending is right.
        language: None where the row does not say it.
    """

    case_id: str
    context: str | Sequence[str]
    endings: Sequence[str]
    right: int | None
    question: str | None = None
    language: str | None = None


@dataclass(frozen=True)
class CaseLayout:
    """A published layout.

    Attributes:
        release: the name of the data set; None where rows of any data set may have this layout.
        needed: the fields by which it is recognised.
        choice: makes a case of a row.
        label: the field that says which ending is right.
        names_stories: whether several cases have the id of one story.
    """

    release: str | None
    needed: frozenset[str]
    choice: Callable[[Row], PublishedCase]
    label: str = "label"
    names_stories: bool = False


def layout_of(fields: Collection[str]) -> CaseLayout | None:
    """The layout of rows with these fields; None if it is none of `LAYOUTS`."""
    return next((layout for layout in LAYOUTS if layout.needed <= set(fields)), None)


def _possible_stories(row: Row) -> PublishedCase:
    """Ashida and Sugawara 2022: four endings of a ROCStories passage, and a question which of them suits it."""
    endings = _texts(row, "options")
    right = _number(row, "gold_label", endings, first=0)
    return PublishedCase(_text(row, "question_id"), _text(row, "document"), endings, right, _text(row, "question"))


def _hellaswag(row: Row) -> PublishedCase:
    """Zellers et al. 2019: `ctx_b`, if it is not empty, is the beginning of the sentence that the endings complete."""
    endings = [_completed(row, "ctx_b", ending) for ending in _texts(row, "endings")]
    return PublishedCase(_text(row, "ind"), _text(row, "ctx_a"), endings, _number(row, "label", endings, first=0))


def _swag(row: Row) -> PublishedCase:
    """Zellers et al. 2018: `sent2` is the beginning of the sentence that the endings complete."""
    endings = [_completed(row, "sent2", ending) for ending in _numbered(row, "ending", first=0)]
    case_id = f"{_text(row, 'video-id')}-{_text(row, 'fold-ind')}"
    return PublishedCase(case_id, _text(row, "sent1"), endings, _number(row, "label", endings, first=0))


def _copa(row: Row) -> PublishedCase:
    """Roemmele et al. 2011, as in SuperGLUE (Wang et al. 2019) and Balanced COPA (Kavumba et al. 2019)."""
    asked = _text(row, "question")
    if asked not in _CAUSAL:
        raise RowError(f"question is {asked!r}, not cause or effect")
    endings = _numbered(row, "choice", first=1)
    case_id = _text(row, "idx") or _text(row, "id")
    return PublishedCase(
        case_id, _text(row, "premise"), endings, _number(row, "label", endings, first=0), _CAUSAL[asked]
    )


def _art(row: Row) -> PublishedCase:
    """Bhagavatula et al. 2020: which of two sentences comes between two others."""
    endings = _numbered(row, "hyp", first=1)
    context = [_text(row, "obs1"), _text(row, "obs2")]
    return PublishedCase(_text(row, "story_id"), context, endings, _number(row, "label", endings, first=1), _BETWEEN)


def _plain(row: Row) -> PublishedCase:
    """Cases of one's own."""
    endings = _texts(row, "endings") if "endings" in row else _numbered(row, "ending_", first=1)
    context = row.get("context")
    return PublishedCase(
        _text(row, "case_id") or _text(row, "id"),
        _texts(row, "context") if isinstance(context, list) else _text(row, "context"),
        endings,
        _number_or_text(row, "right", endings),
        _text(row, "question") or None,
        _text(row, "language") or None,
    )


LAYOUTS = (
    CaseLayout(
        "possible_stories",
        frozenset({"roc_passage_id", "question_id", "question", "document", "options"}),
        _possible_stories,
        "gold_label",
    ),
    CaseLayout("hellaswag", frozenset({"ind", "ctx_a", "ctx_b", "endings"}), _hellaswag),
    CaseLayout("swag", frozenset({"video-id", "fold-ind", "sent1", "sent2", "ending0", "ending1"}), _swag),
    CaseLayout("copa", frozenset({"premise", "choice1", "choice2", "question"}), _copa),
    CaseLayout("art", frozenset({"story_id", "obs1", "obs2", "hyp1", "hyp2"}), _art, names_stories=True),
    CaseLayout(None, frozenset({"context", "ending_1", "ending_2", "right"}), _plain, "right"),
    CaseLayout(None, frozenset({"context", "endings", "right"}), _plain, "right"),
)
"""In the order in which they are tried."""


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str | None):
        raise RowError(f"{name} is no text")
    return (value or "").strip()


def _texts(row: Row, name: str) -> list[str]:
    value = row.get(name)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise RowError(f"{name} is no list of texts")
    return [each.strip() for each in value]


def _numbered(row: Row, name: str, first: int) -> list[str]:
    """The texts of the fields `name` and a number, as long as there are any; empty ones may be the last alone."""
    names = [f"{name}{number}" for number in _while_there(row, name, first)]
    texts = [_text(row, each) for each in names]
    while texts and not texts[-1]:
        texts.pop()
    if "" in texts:
        raise RowError(f"empty: {names[texts.index('')]}")
    return texts


def _while_there(row: Row, name: str, first: int) -> Sequence[int]:
    last = next(number for number in count(first) if f"{name}{number}" not in row)
    return range(first, last)


def _completed(row: Row, name: str, ending: str) -> str:
    """An ending behind the beginning of its sentence; one that is empty stays so, as it is no ending."""
    return f"{_text(row, name)} {ending}".strip() if ending else ""


def _number(row: Row, name: str, endings: Sequence[str], first: int) -> int | None:
    """The number, from 1, of the right ending; `first` is that of the first one in the file."""
    written = _text(row, name)
    if written in ("", _UNKNOWN):
        return None
    last = first + len(endings) - 1
    if written.isdecimal() and first <= int(written) <= last:
        return int(written) - first + 1
    raise _no_number(written, f"{name} is {written!r}, not a whole number from {first} to {last}", first, last)


def _number_or_text(row: Row, name: str, endings: Sequence[str]) -> int | None:
    """The right ending by its number, from 1, or by its text; not one that may be meant in two ways."""
    written = _text(row, name)
    if not written:
        return None
    places = [place for place, ending in enumerate(endings, 1) if ending == written]
    if written.isdecimal() and 1 <= int(written) <= len(endings):
        places.append(int(written))
    if not places:
        message = f"{name} is {written!r}, neither a number from 1 to {len(endings)} nor one of the endings"
        raise _no_number(written, message, 1, len(endings))
    if len(set(places)) > 1:
        raise RowError(f"{name} is {written!r}, which names endings {' and '.join(map(str, sorted(set(places))))}")
    return places[0]


def _no_number(written: str, message: str, first: int, last: int) -> RowError:
    """The error of a number that is not from `first`, 0 or 1, to `last`."""
    begins = 1 - first
    fits = last + 1 if begins else 0
    return ShiftedError(message, begins, first) if written == str(fits) else RowError(message)
