"""How a sentence of any writer is spelled on annotators' pages, and which sentences cannot be shown."""

import re
import unicodedata

from denouement.corpus.cells import clean_text
from denouement.legible import can_be_shown, cleaned, seen
from denouement.text.sentences import is_finished
from denouement.text.words import CLOSING_QUOTE, OPENING_QUOTE, capitalize, detokenize, tokenize

# Readers could recognise a system by its curly or straight marks, or by those of the Penn Treebank: all become plain.
_PLAIN_MARKS = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "…": "...", "–": "-", "—": "-", "\xa0": " "})
_TREEBANK_QUOTE = re.compile("``|''")

# Blanks that people do not write, but programs do that divide sentences into words.
_TOKENIZED = re.compile(r"""\ [.,;:!?%)\]}]|[(\[{$]\ |(?:^|\ )"(?:\ |$)""")
_APART = re.compile(r"(?i) (?=(?:n't|'(?:s|m|d|re|ve|ll))\b)|(?<=s) (?=' )")
# Japanese writes no blanks, and has stops, commas and dots of full width.
_JAPANESE = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"  # kana and ideographs
_IS_JAPANESE = re.compile(f"[{_JAPANESE}]")
_WIDE = f"[{_JAPANESE}\u3001-\u3003\u3008-\u3011\uff01-\uff60]"
_BLANK_AT_WIDE = re.compile(f"(?<={_WIDE}) | (?={_WIDE})")
_STOPS = {".": "。", "．": "。", "｡": "。", ",": "、", "，": "、", "､": "、", "!": "！", "?": "？"}
_NARROW_STOP = re.compile(f"(?<=[{_JAPANESE}」』）！？!?]) ?[.．｡,，､!?](?![.．｡0-9])")
_DOTS = re.compile(r"(?:…|‥|\.{3,}|・{2,}|。{2,})+")
_JAPANESE_END = re.compile(r"""[。！？!?….♪〜～]["'”’»)\]」』）】]*\Z|[」』]\Z""")
_LONE_I = re.compile(r"(?<![\w.'-])i(?=$|[ ,;!?)\"]|'(?:m|d|ve|ll)\b|[.](?!\w))")


def unusable(written: str) -> str | None:
    """Why a sentence cannot be part of an item: `empty` (no visible character) or `not_shown`; None where it can.

    The rule of `legible` is applied to what `shown` returns, in which unusual blanks are plain ones, and invisible
    characters are removed.
    """
    if not seen(written):
        return "empty"
    return None if can_be_shown(shown(written)) else "not_shown"


def shown(written: str) -> str:
    """The text as annotators see it; one rule applies to all writers, so that its form does not show who wrote it.

    Straight marks, one blank between words, no invisible characters (`legible.cleaned`); words that were divided are
    put together (`do n't go .`), the first letter and the word I are capitals, and the text ends with a full stop
    unless it has an end mark. `shown(shown(x))` is `shown(x)`.

    A text with kana or ideographs keeps its quotation marks and has no blanks at these characters; its stops and commas
    are those of Japanese, and its rows of dots become two ellipses.
    """
    text = unicodedata.normalize("NFC", clean_text(cleaned(written))[0])
    return _shown_japanese(text) if _IS_JAPANESE.search(text) else _shown_latin(text)


def _shown_japanese(text: str) -> str:
    before = None
    while text != before:  # a mark that became one of Japanese may make its neighbours ones
        before = text
        text = _DOTS.sub("……", _BLANK_AT_WIDE.sub("", text))
        text = _NARROW_STOP.sub(lambda found: _STOPS[found[0][-1]], text)
        if not _JAPANESE_END.search(text):
            text = text.rstrip(" 、,;:；：・-")
    return text if _JAPANESE_END.search(text) else f"{text}。"


def _shown_latin(text: str) -> str:
    text = text.translate(_PLAIN_MARKS)
    text = _APART.sub("", " ".join(_TREEBANK_QUOTE.sub('"', text).split()))
    if _TOKENIZED.search(text):
        words = tokenize(text)
        quotes = [place for place, word in enumerate(words) if word in (OPENING_QUOTE, CLOSING_QUOTE)]
        if len(quotes) % 2 == 0:  # blanks around a quotation mark do not show whether it is an opening one
            for number, place in enumerate(quotes):
                words[place] = CLOSING_QUOTE if number % 2 else OPENING_QUOTE
        text = detokenize(words)
    text = capitalize(_LONE_I.sub("I", text))
    return text if is_finished(text) or not text else text.rstrip(" ,;:-") + "."
