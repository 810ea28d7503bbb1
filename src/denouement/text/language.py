"""Whether a text looks like English, by how many of its words are everyday English ones."""

import unicodedata

from denouement.text.words import lowered

_EVERYDAY = """
    the and he she his her him they them their it its was were had been that this with for to of my mine your you i
    at when but did not n't 's 'd 'll 've 're 'm because after before then out up off all there would could should
    who what which where while into from about by as if be is are do does have has so very just get got went go one
    our we us an a in on or no more some too day time home new
"""
_WORDS = frozenset(_EVERYDAY.split())
_FEWEST_WORDS = 8
_LEAST_SHARE = (
    0.22  # 0.5 is the median of stories in English; in other languages that use Latin letters it is below 0.2
)


def is_latin(text: str) -> bool:
    """Whether nearly all letters of `text` are Latin ones, as in English; a text without letters is.

    >>> is_latin("Naïve, but it fits."), is_latin("話に合っている。")
    (True, False)
    """
    letters = [character for character in text if character.isalpha()]
    return sum(unicodedata.name(letter, "").startswith("LATIN") for letter in letters) >= 0.8 * len(letters)


def looks_english(text: str) -> bool:
    """Whether `text` may be English; a text of few words always may, if its letters are Latin.

    >>> looks_english("He was late for school because his car would not start.")
    True
    >>> looks_english("Er kam zu spät zur Schule, denn sein Auto sprang nicht an.")
    False
    """
    if not is_latin(text):
        return False
    words = [word for word in lowered(text) if any(map(str.isalpha, word))]
    if len(words) < _FEWEST_WORDS:
        return True
    return sum(word in _WORDS for word in words) >= _LEAST_SHARE * len(words)
