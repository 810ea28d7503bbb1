"""The words of a story and its endings that people marked as part of their reasons."""

from collections import Counter, defaultdict
from dataclasses import dataclass

import pyarrow as pa

from denouement.answers import counted
from denouement.errors import UserError
from denouement.study.design.marking import words_of
from denouement.study.reasons.words import stop_words
from denouement.study.reasons.written import Key, key_of


@dataclass(frozen=True)
class MarkedWord:
    """A word, and in how many answers it is marked."""

    word: str
    answers: int


@dataclass(frozen=True)
class MarkedIn:
    """The words that are marked in one kind of text.

    Attributes:
        system: whose endings; None: the story before the ending.
        answers: in how many answers any word of it is marked.
        words: the most frequent first, equally frequent ones by alphabet.
    """

    system: str | None
    answers: int
    words: list[MarkedWord]


@dataclass(frozen=True)
class MarkedWords:
    """The words that people marked most often.

    Attributes:
        answers: how many that count have a marked word.
        parts: the story before the ending, then a system each, by name.
    """

    answers: int
    parts: list[MarkedIn]


def most_marked(highlights: pa.Table, top: int) -> MarkedWords:
    """The `top` words that people marked most often in the story, and in the endings of each system.

    Words are in lower case, without the punctuation around them and without English stop words.

    Args:
        highlights: a table `highlights`.
        top: how many words of each.

    Raises:
        UserError: no answer that counts has a marked word.
    """
    rows = counted(highlights).to_pylist()
    if not rows:
        raise UserError(f"none of the {highlights.num_rows} marks is of an answer that counts: nothing to count")
    marked: dict[str | None, dict[Key, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        words = {_plain(word) for word in words_of(row["text"])}
        marked[row["system"]][key_of(row)] |= words - stop_words() - {""}
    parts = []
    for system in sorted(marked, key=lambda each: (each is not None, each or "")):
        of_answers = marked[system]
        counts = Counter(word for words in of_answers.values() for word in words)
        ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        parts.append(MarkedIn(system, len(of_answers), [MarkedWord(*each) for each in ordered[:top]]))
    return MarkedWords(len({key_of(row) for row in rows}), parts)


def _plain(word: str) -> str:
    """The word in lower case, from its first letter or digit to its last."""
    places = [place for place, character in enumerate(word) if character.isalnum()]
    return word[places[0] : places[-1] + 1].lower() if places else ""
