"""The text of a cell: what is mended in it, and what is left as written and counted.

White space is mended: none at either end, one plain space elsewhere. Mojibake (UTF-8 read in another encoding, such as
`donâ€™t` or `fianc√©`) is repaired. Everything else stays as written: quotes, dashes, accents, spelling, a missing full
stop, U+FFFD.
"""

import re
from collections import defaultdict

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

ODDITIES = {
    "spaces_collapsed": "surrounding, doubled or unusual spaces, made one plain space",
    "line_breaks_joined": "a line break inside a cell, made a space",
    "mojibake_repaired": "mojibake, repaired",
    "mojibake_left": "mojibake that could not be repaired, left",
    "replacement_characters": "U+FFFD (a character lost before), left",
    "missing_full_stop": "a sentence without its full stop, left",
    "two_sentences": "more than one sentence in a cell, left",
}

# All other cells are printable ASCII with single spaces inside: nothing to mend, and nearly every cell is one of them.
_TO_LOOK_AT = r"^ | $|  |[^ -~]"

# Beyond ASCII and the quotes and dashes of word processors: text that an encoding error could have made.
_SUSPICIOUS = re.compile(r"[^\x00-\x7f‘’“”–—…]")

# U+2000 to U+2FFF (general punctuation and symbols) read as Mac Roman; English text has no low quote `‚` before such
# a pair, so the rule is safe where a general one would not be: `“é` is Mac Roman for a character, too.
_MAC_ROMAN_SYMBOL = re.compile("‚[" + re.escape(bytes(range(0x80, 0xC0)).decode("mac_roman")) + "]{2}")

_END = r"[.!?…][\"'”’»)\]]*$"
_SENTENCE_STARTS_INSIDE = r"[.!?…][\"'”’»)\]]* [\"'“‘«(\[]*\p{Lu}"
_BEFORE_START = re.compile(r"([^\s.!?…\"'“‘«(\[]*)([.!?…]+)[\"'”’»)\]]* [\"'“‘«(\[]*(?=\w)(?=[^\Wa-z\d_])")
_ABBREVIATIONS = {
    "mr",
    "mrs",
    "ms",
    "dr",
    "jr",
    "sr",
    "st",
    "mt",
    "prof",
    "rev",
    "gen",
    "col",
    "sgt",
    "lt",
    "capt",
    "vs",
}


def clean(cells: pa.StringArray) -> tuple[pa.StringArray, dict[str, npt.NDArray[np.int64]]]:
    """Mend white space and mojibake in every cell.

    Returns:
        The cells, and for each kind of `ODDITIES` seen the indices of the cells that held it.
    """
    to_look_at = pc.match_substring_regex(cells, _TO_LOOK_AT)
    indices = np.flatnonzero(to_look_at.to_numpy(zero_copy_only=False))
    if not len(indices):
        return cells, {}
    mended, seen = [], defaultdict(list)
    for index, written in zip(indices.tolist(), cells.filter(to_look_at).to_pylist(), strict=True):
        text, kinds = clean_text(written)
        mended.append(text)
        for kind in kinds:
            seen[kind].append(index)
    cells = pc.replace_with_mask(cells, to_look_at, pa.array(mended, pa.string()))
    return cells, {kind: np.array(where, dtype=np.int64) for kind, where in seen.items()}


def clean_text(written: str) -> tuple[str, list[str]]:
    """One cell's text with its white space and mojibake mended, and the kinds of `ODDITIES` that it held."""
    kinds = []
    text = written
    if _SUSPICIOUS.search(written):
        text = repair_mojibake(written)
        if text != written:
            kinds.append("mojibake_repaired")
        elif _looks_wrong(text):
            kinds.append("mojibake_left")
    spaced = " ".join(text.split())
    if "\n" in text.strip() or "\r" in text.strip():
        kinds.append("line_breaks_joined")
    elif spaced != text:
        kinds.append("spaces_collapsed")
    if "\ufffd" in spaced:
        kinds.append("replacement_characters")
    return spaced, kinds


def repair_mojibake(text: str) -> str:
    """Undo a UTF-8 text's decoding in another encoding: ftfy's rules, then one of ours for Mac Roman.

    ftfy (Speer 2019) leaves `‚Å•` and the like alone; a `‚` and two further high characters of Mac Roman are decoded
    here. What comes out unprintable (such as U+2065, an unassigned character) is removed.
    """
    import ftfy

    return _MAC_ROMAN_SYMBOL.sub(_from_mac_roman, ftfy.fix_encoding(text))


def _from_mac_roman(found: re.Match[str]) -> str:
    character = found[0].encode("mac_roman").decode("utf-8")
    return character if character.isprintable() or character.isspace() else ""


def _looks_wrong(text: str) -> bool:
    from ftfy.badness import is_bad

    return bool(is_bad(text))


def odd_sentences(cells: pa.StringArray) -> dict[str, npt.NDArray[np.int64]]:
    """The indices of cleaned cells that lack a full stop, or hold more than one sentence; empty cells are passed over.

    A sentence ends in `.`, `!`, `?` or `…`, with closing quotes or brackets after it. Another one starts inside a cell
    where such an end, a space and a capital letter follow each other, unless the word before is an initial or an
    abbreviation such as `Mr.`: a rule of thumb, for counting only.
    """
    unfinished = np.flatnonzero(pc.invert(pc.ends_with(cells, ".")).to_numpy(zero_copy_only=False))
    ends = pc.match_substring_regex(cells.take(unfinished), _END)
    empty = pc.equal(cells.take(unfinished), "")
    without_stop = unfinished[~pc.or_(ends, empty).to_numpy(zero_copy_only=False)]

    several = np.flatnonzero(pc.match_substring_regex(cells, _SENTENCE_STARTS_INSIDE).to_numpy(zero_copy_only=False))
    several = several[[_holds_two(text) for text in cells.take(several).to_pylist()]] if len(several) else several
    found = {"missing_full_stop": without_stop, "two_sentences": several}
    return {kind: indices for kind, indices in found.items() if len(indices)}


def _holds_two(text: str) -> bool:
    return any(
        end != "." or not (len(word) == 1 or word.lower() in _ABBREVIATIONS)
        for word, end in _BEFORE_START.findall(text)
    )
