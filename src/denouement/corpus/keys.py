"""When two texts are the same story: equal letters and digits, whatever the case, spacing and punctuation."""

import re
import unicodedata

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

_BETWEEN = b"\xff"  # stands in no UTF-8 text
_LOWERED = bytes(range(256)).lower()
_DROPPED = bytes(byte for byte in range(128) if not chr(byte).isalnum())

_UNICODE_BETWEEN = re.compile(r"[^\w\x00-\x7f]+")


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
    # All texts in one go: ten times as fast as a regular expression or a call for each.
    together = _BETWEEN.join(texts.cast(pa.binary()).to_pylist())
    return pa.array(together.translate(_LOWERED, _DROPPED).split(_BETWEEN), pa.binary()).cast(pa.string())


def contexts(table: pa.Table) -> pa.StringArray:
    """The normalised context of each row of the table `cloze`, or `stories`: there all sentences but the last."""
    sentences = _sentences(table, "context" if "context" in table.column_names else "sentences")
    texts, ends = sentences.flatten(), _ends(sentences)
    if "context" not in table.column_names:
        is_context = np.ones(len(texts), dtype=bool)
        is_context[ends - 1] = False
        texts, ends = texts.filter(pa.array(is_context)), ends - np.arange(1, len(ends) + 1)
    offsets = pa.array(np.concatenate([[0], ends]), pa.int32())
    return normalised(pc.binary_join(pa.ListArray.from_arrays(offsets, texts), ""))


def last_sentences(stories: pa.Table) -> pa.StringArray:
    """The normalised last sentence of each story."""
    sentences = _sentences(stories, "sentences")
    return normalised(sentences.flatten().take(pa.array(_ends(sentences) - 1)))


def _fold(text: str) -> str:
    return _UNICODE_BETWEEN.sub("", unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()))


def _sentences(table: pa.Table, name: str) -> pa.ListArray:
    column = table[name]
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _ends(lists: pa.ListArray) -> npt.NDArray[np.int64]:
    """Where each list ends in the lists' flat values."""
    return np.cumsum(pc.list_value_length(lists).to_numpy(zero_copy_only=False), dtype=np.int64)
