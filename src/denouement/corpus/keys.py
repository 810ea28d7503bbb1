"""When two texts are the same story: equal letters and digits, whatever the case, spacing and punctuation."""

import unicodedata

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

# For each byte of UTF-8: whether it stays (bytes from 0x80 on are of characters that are no ASCII), and in lower case.
_IS_KEPT = np.array([byte >= 0x80 or chr(byte).isalnum() for byte in range(256)])
_LOWERED = np.frombuffer(bytes(range(256)).lower(), np.uint8)


def normalised(texts: pa.StringArray) -> pa.StringArray:
    """Each text's letters and digits alone, in lower case (Unicode NFKC and case folding), without spaces.

    So `It’s  5 p.m.` and `its 5 PM` are the same text.
    """
    if not len(texts):
        return texts
    beyond_ascii = pc.invert(pc.string_is_ascii(texts))
    if pc.any(beyond_ascii).as_py():
        folded = [_fold(text) for text in texts.filter(beyond_ascii).to_pylist()]
        texts = pc.replace_with_mask(texts, beyond_ascii, pa.array(folded, pa.string()))
    # The rest is done on the bytes of all texts at once: regular expressions take ten times as long.
    offsets, data = _parts(texts)
    kept = _IS_KEPT[data]
    ends = np.zeros(len(data) + 1, dtype=np.int32)
    np.cumsum(kept, out=ends[1:])
    return _strings(ends[offsets], _LOWERED[data[kept]])


def contexts(table: pa.Table) -> pa.StringArray:
    """The normalised context of each row of the table `cloze`, or `stories`: there all sentences but the last."""
    if "context" in table.column_names:
        return _joined(_one_array(table["context"]))
    stories = _one_array(table["sentences"])
    flat, ends = stories.flatten(), _ends(stories)
    is_context = np.ones(len(flat), dtype=bool)
    is_context[ends - 1] = False
    offsets = pa.array(np.concatenate([[0], ends - np.arange(1, len(ends) + 1)]), pa.int32())
    return _joined(pa.ListArray.from_arrays(offsets, flat.filter(pa.array(is_context))))


def last_sentences(stories: pa.Table) -> pa.StringArray:
    """The normalised last sentence of each story."""
    sentences = _one_array(stories["sentences"])
    return normalised(sentences.flatten().take(pa.array(_ends(sentences) - 1)))


def _joined(texts: pa.ListArray) -> pa.StringArray:
    """The normalised texts of each list, one after another."""
    offsets, data = _parts(normalised(texts.flatten()))
    return _strings(offsets[np.concatenate([[0], _ends(texts)])], data)


def _ends(lists: pa.ListArray) -> npt.NDArray[np.int64]:
    """Where each list ends in the lists' flat values."""
    return np.cumsum(pc.list_value_length(lists).to_numpy(zero_copy_only=False), dtype=np.int64)


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


def _fold(text: str) -> str:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(character for character in folded if character.isalnum())


def _parts(texts: pa.StringArray) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """The offsets (starting at 0) and UTF-8 bytes of the texts, none of which is null."""
    _, offset_buffer, data_buffer = texts.buffers()
    if not len(texts):
        return np.zeros(1, np.int32), np.zeros(0, np.uint8)
    offsets = np.frombuffer(offset_buffer, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(data_buffer, np.uint8)[offsets[0] : offsets[-1]] if data_buffer else np.zeros(0, np.uint8)
    return offsets - offsets[0], data


def _strings(offsets: npt.NDArray[np.int32], data: npt.NDArray[np.uint8]) -> pa.StringArray:
    return pa.StringArray.from_buffers(
        len(offsets) - 1, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(np.ascontiguousarray(data))
    )
