"""Which characters of a text a person sees: one rule for texts that people write, pages show and commands print.

- **Not to be shown** are control characters other than ends of lines and tabs (Unicode's category Cc), surrogates (Cs),
  and characters that change the direction of the text after them (embeddings, overrides and isolates of the Unicode
  Bidirectional Algorithm, UAX 9). A page, a table or a terminal may drop them, obey them or show other text than was
  written.
- **Marks of direction** (LRM, RLM, ALM) belong to the spelling of languages that are written from right to left, and
  stay in a text that has such letters.
- **Invisible** are characters without a width: format characters (Cf) such as the zero width space and the byte order
  mark, and the selectors and joiners of other categories that Unicode ignores by default (UAX 44). They are harmless,
  but are no text.
- **Blanks** are white space and the few letters and symbols without a visible shape.
"""

import re
import unicodedata

# Embeddings and overrides with their end; isolates with their end.
_TURNING = "\u202a-\u202e\u2066-\u2069"
_CODES_NOT_SHOWN = f"\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\ud800-\udfff{_TURNING}"
_NOT_SHOWN = re.compile(f"[{_CODES_NOT_SHOWN}]")
_NOT_PRINTED = re.compile(f"[{_CODES_NOT_SHOWN}\u2028\u2029]")  # and line ends of some terminals

# Fillers of Hangul and the empty pattern of Braille.
_DRAWN_AS_NOTHING = re.compile("[\u115f\u1160\u2800\u3164\uffa0]")
# Ignored by default, though of other categories than Cf: joiners of graphemes, Khmer's inherent vowels, selectors.
_IGNORED = re.compile("[\u034f\u17b4\u17b5\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_TURNS = re.compile(f"[{_TURNING}]")
_MARKS_DIRECTION = re.compile("[\u200e\u200f\u061c]")
_SHAPES_ITS_NEIGHBOURS = re.compile("[\u200c\u200d\ufe00-\ufe0f]")  # ligatures, and emoji made of several


def can_be_shown(text: str) -> bool:
    """Whether a text holds no characters that are not to be shown."""
    return (text.isascii() and text.isprintable()) or not _NOT_SHOWN.search(text)


def cleaned(text: str) -> str:
    """The text without invisible characters that shape no other, and with plain spaces for blank letters.

    Marks of direction stay in a text with letters that are written from right to left.
    """
    if text.isascii():
        return text
    is_rtl = any(unicodedata.bidirectional(c) in ("R", "AL") and not _MARKS_DIRECTION.match(c) for c in text)

    def stays(c: str) -> bool:
        shapes = _SHAPES_ITS_NEIGHBOURS.match(c) or (is_rtl and _MARKS_DIRECTION.match(c))
        return bool(shapes or _NOT_SHOWN.match(c)) or not _is_invisible(c)

    return _DRAWN_AS_NOTHING.sub(" ", "".join(filter(stays, text)))


def unturned(text: str) -> str:
    """The text without characters that change the direction of the text after them."""
    return _TURNS.sub("", text)


def seen(text: str) -> str:
    """The visible part of a text: no invisible characters, one space for any blanks, none at its ends."""
    if not text.isascii():
        text = _DRAWN_AS_NOTHING.sub(" ", "".join(c for c in text if not _is_invisible(c)))
    return " ".join(text.split())


def printed(text: str) -> str:
    """The text for a terminal: characters that are not to be shown are written as escapes such as `\\u001b`.

    Ends of lines and tabs stay. JSON has the same escapes, so a JSON document keeps its meaning.
    """
    return _NOT_PRINTED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _is_invisible(character: str) -> bool:
    return unicodedata.category(character) == "Cf" or _IGNORED.match(character) is not None
