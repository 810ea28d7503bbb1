"""From a sentence to words and back.

The words are those of the Penn Treebank: contractions are split (`did` + `n't`, `Tom` + `'s`), punctuation marks are
words of their own, an opening double quote is two backticks and a closing one two apostrophes. So the words can be
joined to the sentence again. Unlike in the Treebank, numbers (`7:30`, `1,000`), hyphenated words, abbreviations with
inner full stops (`a.m.`) and contractions of two words (`gonna`) are not split.
"""

import re
from collections.abc import Sequence

OPENING_QUOTE = "``"
CLOSING_QUOTE = "''"
OPENING_APOSTROPHE = "`"

_APOSTROPHES = "'’"
_WORD = re.compile(
    rf"""
      (?:[^\W\d_]\.){{2,}}                                        # a.m.  U.S.
    | \d+(?:[.,:/]\d+)*(?:[^\W_]|[-{_APOSTROPHES}/](?=[^\W_]))*    # 7:30  1,000.50  3rd  12-year-old
    | [A-F][+-](?![^\W_])                                          # A+
    | [^\W_](?:[^\W_]|[-{_APOSTROPHES}/&@](?=[^\W_])|\.(?=[^\W\d_]{{2}}))*  # well-known  o'clock  and/or  site.com
    | \.{{2,}} | -{{2,}}                                            # ...  --
    | \S
    """,
    re.VERBOSE,
)
_CONTRACTION = re.compile(rf"(?i)^(.+?)(n[{_APOSTROPHES}]t|[{_APOSTROPHES}](?:s|m|d|re|ve|ll))$")
_WHOLE = re.compile(rf"(?i)^o[{_APOSTROPHES}]")
_SUFFIX = re.compile(rf"(?i)^(?:n[{_APOSTROPHES}]t|[{_APOSTROPHES}](?:s|m|d|re|ve|ll)|[{_APOSTROPHES}])$")
_NO_SPACE_BEFORE = {*".,;:!?%)]}”", CLOSING_QUOTE, "...", "…", "°"}
_NO_SPACE_AFTER = {*"$£€#([{“‘", OPENING_QUOTE, OPENING_APOSTROPHE}
_SURFACE = {OPENING_QUOTE: '"', CLOSING_QUOTE: '"', OPENING_APOSTROPHE: "'"}


def tokenize(sentence: str) -> list[str]:
    """The words of a sentence, with upper and lower case as written.

    Args:
        sentence: any text; white space of any kind separates words.

    Returns:
        Words without white space, none empty. An apostrophe before a word is a backtick when it opens a quotation.
    """
    words: list[str] = []
    for match in _WORD.finditer(sentence):
        word = match.group()
        opens = match.start() == 0 or sentence[match.start() - 1].isspace() or words[-1] in _NO_SPACE_AFTER
        if word == '"':
            words.append(OPENING_QUOTE if opens else CLOSING_QUOTE)
        elif word == "'":
            words.append(OPENING_APOSTROPHE if opens else word)
        elif (split := _CONTRACTION.match(word)) and not _WHOLE.match(word):
            words.extend(split.groups())
        else:
            words.append(word)
    return words


def lowered(sentence: str) -> list[str]:
    """The words of `tokenize` in lower case."""
    return [word.lower() for word in tokenize(sentence)]


def detokenize(words: Sequence[str]) -> str:
    """The sentence that `words` make, with a capital as its first letter: the reverse of `tokenize`.

    Args:
        words: as `tokenize` returns them; the first may be in lower case.

    Returns:
        Printable text on one line.
    """
    pieces: list[str] = []
    glued = True
    for word in words:
        printable = "".join(character for character in _SURFACE.get(word, word) if character.isprintable())
        if not printable:
            continue
        if not (glued or word in _NO_SPACE_BEFORE or _SUFFIX.match(word)):
            pieces.append(" ")
        pieces.append(printable)
        glued = word in _NO_SPACE_AFTER
    return capitalize("".join(pieces))


def capitalize(sentence: str) -> str:
    """`sentence` with its first letter as a capital, if it begins with a letter (after any punctuation)."""
    for place, character in enumerate(sentence):
        if character.isalpha():
            return sentence[:place] + character.upper() + sentence[place + 1 :]
        if character.isalnum():
            break
    return sentence
