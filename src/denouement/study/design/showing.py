"""How a sentence is written on annotators' pages, whoever wrote it, and which sentences cannot be shown."""

import re
import unicodedata

from denouement.corpus.cells import clean_text
from denouement.legible import can_be_shown, cleaned, seen
from denouement.text.sentences import is_finished
from denouement.text.words import CLOSING_QUOTE, OPENING_QUOTE, capitalize, detokenize, tokenize

# Marks that one system writes curly and another straight would tell them apart; so would those of the Penn Treebank.
_PLAIN_MARKS = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "…": "...", "–": "-", "—": "-", "\xa0": " "})
_TREEBANK_QUOTE = re.compile("``|''")

# Blanks where nobody writes one, but who takes sentences apart into words does.
_TOKENIZED = re.compile(r"""\ [.,;:!?%)\]}]|[(\[{$]\ |(?:^|\ )"(?:\ |$)""")
_APART = re.compile(r"(?i) (?=(?:n't|'(?:s|m|d|re|ve|ll))\b)|(?<=s) (?=' )")
_LONE_I = re.compile(r"(?<![\w.'-])i(?=$|[ ,;!?)\"]|'(?:m|d|ve|ll)\b|[.](?!\w))")


def unusable(written: str) -> str | None:
    """Why a sentence can be no part of an item: `empty` of anything to see, or `not_shown`; None when it can.

    The rule is `legible`'s, of the text as `shown` makes it: unusual blanks are plain ones by then, and what is
    invisible is gone.
    """
    if not seen(written):
        return "empty"
    return None if can_be_shown(shown(written)) else "not_shown"


def shown(written: str) -> str:
    """The text as annotators see it, so that its form does not tell who wrote it; the same rule for everyone.

    Straight marks, one blank between words, no invisible characters (`legible.cleaned`); words that were taken apart
    are put together (`do n't go .`), the first letter and the word I are capitals, and a full stop stands at the end
    unless there is an end mark. `shown(shown(x))` is `shown(x)`.
    """
    text = unicodedata.normalize("NFC", clean_text(cleaned(written))[0]).translate(_PLAIN_MARKS)
    text = _APART.sub("", " ".join(_TREEBANK_QUOTE.sub('"', text).split()))
    if _TOKENIZED.search(text):
        words = tokenize(text)
        quotes = [place for place, word in enumerate(words) if word in (OPENING_QUOTE, CLOSING_QUOTE)]
        if len(quotes) % 2 == 0:  # blanks around them do not tell which opens
            for number, place in enumerate(quotes):
                words[place] = CLOSING_QUOTE if number % 2 else OPENING_QUOTE
        text = detokenize(words)
    text = capitalize(_LONE_I.sub("I", text))
    return text if is_finished(text) or not text else text.rstrip(" ,;:-") + "."
