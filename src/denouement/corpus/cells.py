"""The text of a cell: what is mended in it, and what stays as written and is counted.

White space is mended: none at either end, one plain space elsewhere; a cell without visible characters (only zero width
spaces, blank letters or control characters) becomes empty. Mojibake (UTF-8 read in another encoding, such as
`donâ€™t` or `fianc√©`) is repaired. Everything else stays as written: quotes, dashes, accents, spelling, a missing full
stop, U+FFFD.
"""

import re
from collections import defaultdict

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement.legible import seen
from denouement.text.sentences import is_finished, split_sentences

ODDITIES = {
    "spaces_collapsed": "surrounding, doubled or unusual spaces, made one plain space",
    "line_breaks_joined": "a line break inside a cell, made a space",
    "mojibake_repaired": "mojibake, repaired",
    "mojibake_left": "mojibake that could not be repaired, left",
    "replacement_characters": "U+FFFD (a character lost before), left",
    "missing_full_stop": "a sentence without its full stop, left",
    "two_sentences": "more than one sentence in a cell, left",
    "quotes_lost": "quotes around the beginning of a cell (of any row), which CSV drops",
}

_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f]+")  # control characters, which `legible.seen` does not remove
_SPACE = ord(" ")
_ELLIPSIS = "…".encode()[0]  # and of other punctuation

# Text that an encoding error may have produced. A character beyond ASCII takes two bytes or more in UTF-8, so in
# another encoding it becomes two or more characters beyond ASCII, at least one of which is no quote or dash of a word
# processor. The single characters are those that ftfy repairs alone: U+00A0, the second half of `Ã `, may have become a
# plain space.
_SUSPICIOUS = re.compile(r"[\x80-\x9fŒœÂÃ]|[^\x00-\x7f‘’“”–—…][^\x00-\x7f]|[^\x00-\x7f][^\x00-\x7f‘’“”–—…]")

# U+2000 to U+2FFF (general punctuation and symbols) read as Mac Roman. The rule is safe, since English text has no low
# quote `‚` before such a pair; a general rule would not be, since `“é` in Mac Roman may be one character, too.
_MAC_ROMAN_SYMBOL = re.compile("‚[" + re.escape(bytes(range(0x80, 0xC0)).decode("mac_roman")) + "]{2}")


def clean(cells: pa.StringArray) -> tuple[pa.StringArray, dict[str, npt.NDArray[np.int64]]]:
    """Mend white space and mojibake in every cell.

    Returns:
        The cells, and for each kind of `ODDITIES` seen the indices of the cells that held it.
    """
    indices = _to_look_at(cells)
    if not len(indices):
        return cells, {}
    mended, seen = {}, defaultdict(list)
    for index, written in zip(indices.tolist(), cells.take(pa.array(indices)).to_pylist(), strict=True):
        text, kinds = clean_text(written)
        if text != written:
            mended[index] = text
        for kind in kinds:
            seen[kind].append(index)
    if mended:
        is_mended = np.zeros(len(cells), dtype=bool)
        is_mended[list(mended)] = True
        cells = pc.replace_with_mask(cells, pa.array(is_mended), pa.array(mended.values(), pa.string()))
    return cells, {kind: np.array(where, dtype=np.int64) for kind, where in seen.items()}


def clean_text(written: str) -> tuple[str, list[str]]:
    """One cell's text with its white space and mojibake mended, and the kinds of `ODDITIES` that it held."""
    kinds = []
    text = written
    if _SUSPICIOUS.search(written):
        text = repair_mojibake(written)
        if text != written:
            kinds.append("mojibake_repaired")
        if _looks_wrong(text):
            kinds.append("mojibake_left")
    spaced = " ".join(text.split())
    if spaced != text:
        inner = text.strip()
        kinds.append("line_breaks_joined" if "\n" in inner or "\r" in inner else "spaces_collapsed")
    if "\ufffd" in spaced:
        kinds.append("replacement_characters")
    return spaced if _UNSEEN.sub("", seen(spaced)) else "", kinds


def repair_mojibake(text: str) -> str:
    """Repair UTF-8 text that was decoded in another encoding: with ftfy's rules, then one of our own for Mac Roman.

    ftfy (Speer 2019) does not repair `‚Å•` and the like; here `‚` and two further high characters of Mac Roman are
    decoded. If the result is unprintable (such as U+2065, an unassigned character), it is removed.
    """
    if _looks_wrong(text):
        import ftfy

        text = ftfy.fix_encoding(text)
    return _MAC_ROMAN_SYMBOL.sub(_from_mac_roman, text)


def _from_mac_roman(found: re.Match[str]) -> str:
    character = found[0].encode("mac_roman").decode("utf-8")
    return character if character.isprintable() or character.isspace() else ""


def _looks_wrong(text: str) -> bool:
    from ftfy.badness import is_bad

    return bool(is_bad(text))


def odd_sentences(cells: pa.StringArray) -> dict[str, npt.NDArray[np.int64]]:
    """The indices of cleaned cells that lack a full stop, or hold more than one sentence; empty cells are ignored.

    Sentences end by the rule of `text.sentences`.
    """
    if not len(cells):
        return {}
    # Comparing bytes selects the few cells for which a regular expression is needed.
    offsets, data = bytes_of(cells)
    filled = np.flatnonzero(offsets[1:] > offsets[:-1])
    is_stop = data == _ELLIPSIS
    for stop in b".!?":
        is_stop |= data == stop
    last = offsets[1:][filled] - 1
    unfinished = filled[~is_stop[last]]
    unfinished = unfinished[[not is_finished(text) for text in cells.take(pa.array(unfinished)).to_pylist()]]
    is_stop[last] = False
    several = _cells_at(np.flatnonzero(is_stop), offsets)
    several = several[[len(split_sentences(text)) > 1 for text in cells.take(pa.array(several)).to_pylist()]]
    found = {"missing_full_stop": unfinished, "two_sentences": several}
    return {kind: indices for kind, indices in found.items() if len(indices)}


def _to_look_at(cells: pa.StringArray) -> npt.NDArray[np.int64]:
    """The indices of the few cells with a space at an end, two spaces in a row, or anything but printable ASCII."""
    offsets, data = bytes_of(cells)
    filled = offsets[1:] > offsets[:-1]
    ends = np.concatenate([offsets[:-1][filled], offsets[1:][filled] - 1])
    is_space = data == _SPACE
    doubled = np.flatnonzero(is_space[1:] & is_space[:-1])
    # Below a space the difference wraps round to a large number.
    unusual = np.flatnonzero(data - np.uint8(_SPACE) > ord("~") - _SPACE)
    return _cells_at(np.concatenate([unusual, doubled, ends[is_space[ends]]]), offsets)


def bytes_of(cells: pa.StringArray) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """The UTF-8 bytes of all cells, one after another, and where each cell starts and the last one ends."""
    _, offset_buffer, byte_buffer = cells.buffers()
    if not len(cells):
        return np.zeros(1, np.int32), np.zeros(0, np.uint8)
    offsets = np.frombuffer(offset_buffer, np.int32)[cells.offset : cells.offset + len(cells) + 1]
    data = np.frombuffer(byte_buffer or b"", np.uint8)[offsets[0] : offsets[-1]]
    return offsets - offsets[0], data


def _cells_at(positions: npt.NDArray[np.int64], offsets: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """The indices, without repetition, of the cells to which the bytes at `positions` belong."""
    return np.unique(np.searchsorted(offsets, positions, side="right") - 1)
