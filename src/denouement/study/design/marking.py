"""The words of a sentence, as people mark them."""

import re
from collections.abc import Collection

# Chinese and Japanese put no blanks between words: there each character is a word.
_WITHOUT_BLANKS = "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9f"
_WORD = re.compile(rf"[{_WITHOUT_BLANKS}]|[^\s{_WITHOUT_BLANKS}]+")


def word_places(text: str) -> list[tuple[int, int]]:
    """Where each word of a text begins and ends, in characters: what is between blanks, with its punctuation.

    >>> word_places("He slept.")
    [(0, 2), (3, 9)]
    """
    return [found.span() for found in _WORD.finditer(text)]


def words_of(text: str) -> list[str]:
    """The words of a text, as `word_places` divides it."""
    return _WORD.findall(text)


def runs(words: Collection[int]) -> list[tuple[int, int]]:
    """Numbers of words as runs without a gap: the first word of each, and the one after its last.

    >>> runs({4, 1, 2})
    [(1, 3), (4, 5)]
    """
    found: list[tuple[int, int]] = []
    for word in sorted(set(words)):
        if found and found[-1][1] == word:
            found[-1] = (found[-1][0], word + 1)
        else:
            found.append((word, word + 1))
    return found
