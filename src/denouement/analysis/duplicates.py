"""Stories that are in a corpus twice, word for word or nearly so."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis.corpus_statistics import Words
from denouement.corpus import keys

SIMILAR = 0.7
"""Two stories are near-duplicates when the sets of their sequences of `ORDER` words have this Jaccard similarity."""

ORDER = 3
"""How many words stand in a sequence."""

_BANDS, _ROWS = 24, 4  # two stories of similarity s are compared with a probability of 1 - (1 - s^4)^24
_EXAMPLES = 5
_PRIME = (1 << 31) - 1

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class NearDuplicate:
    """A story, the earlier one that it resembles (their ids), and the Jaccard similarity of the two."""

    story: str
    earlier: str
    similarity: float


@dataclass(frozen=True)
class Duplicates:
    """How many of `n` stories repeat an earlier one; the first of its kind is not counted.

    Attributes:
        same_story: all sentences are the same, by `keys.normalised`.
        same_context: all sentences but the last are.
        near: the two are similar, but not the same story; of these the first ones are `examples`.
    """

    n: int
    same_story: int
    same_context: int
    near: int
    examples: tuple[NearDuplicate, ...]


def duplicates(stories: pa.Table, words: Words) -> Duplicates:
    """Count the stories that repeat an earlier one of the table.

    Near-duplicates are looked for by MinHash (Broder 1997) with bands, and each candidate is compared exactly; of
    pairs just above the bound 1 in 700 is missed, of those of similarity 0.8 fewer than 1 in 100,000. A story is
    compared only with the first one of each of its bands, so that a corpus of templates, in which a story resembles
    thousands, takes no longer; one that resembles only a later story of the band may be missed.

    Args:
        stories: the table `stories`.
        words: the words of the same stories.
    """
    n = stories.num_rows
    if not n:
        return Duplicates(0, 0, 0, 0, ())
    contexts, last = keys.contexts(stories), keys.last_sentences(stories)
    whole = pc.binary_join_element_wise(contexts, last, "\n").combine_chunks()
    same = _repeats(whole)
    similar = _similar(words, np.flatnonzero(~same))
    ids = stories["story_id"]
    return Duplicates(
        n,
        int(same.sum()),
        int(_repeats(contexts.combine_chunks()).sum()),
        len(similar),
        tuple(
            NearDuplicate(ids[story].as_py(), ids[earlier].as_py(), similarity)
            for story, earlier, similarity in similar[:_EXAMPLES]
        ),
    )


def _repeats(texts: pa.StringArray) -> npt.NDArray[np.bool_]:
    """bool [n]: whether the same text comes earlier."""
    codes = texts.dictionary_encode().indices.to_numpy()
    is_repeat = np.ones(len(codes), dtype=bool)
    is_repeat[np.unique(codes, return_index=True)[1]] = False
    return is_repeat


def _similar(words: Words, distinct: Numbers) -> list[tuple[int, int, float]]:
    """Each of the `distinct` stories that resembles an earlier one, with that one and their similarity."""
    shingles, ends = _shingles(words)
    starts = np.concatenate([[0], ends[:-1]])
    distinct = distinct[ends[distinct] > starts[distinct]]
    if len(distinct) < 2:
        return []
    signatures = _signatures(shingles, starts, ends)[:, distinct]
    pairs = _candidates(signatures)
    found: dict[int, tuple[int, float]] = {}
    for later, earlier in pairs.tolist():
        if later in found:
            continue
        one, other = (
            set(shingles[starts[each] : ends[each]].tolist()) for each in (distinct[later], distinct[earlier])
        )
        similarity = len(one & other) / len(one | other)
        if similarity >= SIMILAR:
            found[later] = (earlier, similarity)
    return [
        (int(distinct[later]), int(distinct[earlier]), similarity)
        for later, (earlier, similarity) in sorted(found.items())
    ]


def _shingles(words: Words) -> tuple[Numbers, Numbers]:
    """A number for each sequence of `ORDER` words within a story, and where each story's end."""
    n_sentences = np.cumsum(words.story_lengths)
    ends = np.concatenate([[0], np.cumsum(words.sentence_lengths)])[n_sentences]
    lengths = np.diff(ends, prepend=0)
    size = np.int64(len(words.vocabulary) + 1)  # with 3 words below 2^63 up to two million different words
    padded = np.concatenate([words.ids.astype(np.int64), np.zeros(ORDER, np.int64)])
    numbers = np.zeros(len(words.ids), np.int64)
    for place in range(ORDER):
        numbers = numbers * size + padded[place : place + len(words.ids)]
    places = np.arange(len(words.ids)) - np.repeat(ends - lengths, lengths)
    is_inside = places <= np.repeat(lengths, lengths) - ORDER
    return numbers[is_inside], np.cumsum(np.maximum(lengths - ORDER + 1, 0))


def _signatures(shingles: Numbers, starts: Numbers, ends: Numbers) -> Numbers:
    """int64 [hashes, stories]: the least hash of each story's shingles by each of `_BANDS * _ROWS` hash functions.

    The hash functions are drawn from a fixed seed. That does no harm, since no story was written with them in mind.
    """
    drawn = np.random.default_rng(2016).integers(1, _PRIME, size=(_BANDS * _ROWS, 2))
    folded = shingles % _PRIME
    has_any = ends > starts
    signatures = np.full((len(drawn), len(ends)), _PRIME, np.int64)
    for row, (factor, offset) in enumerate(drawn):
        hashes = (folded * factor + offset) % _PRIME  # below 2^62
        signatures[row, has_any] = np.minimum.reduceat(hashes, starts[has_any])
    return signatures


def _candidates(signatures: Numbers) -> Numbers:
    """int64 [pairs, 2]: each story with the first story that has the same band, later story first, sorted."""
    pairs = []
    for band in range(_BANDS):
        rows = np.ascontiguousarray(signatures[band * _ROWS : (band + 1) * _ROWS].T)
        _, first, group = np.unique(
            rows.view(f"V{rows.itemsize * _ROWS}").ravel(), return_index=True, return_inverse=True
        )
        earlier = first[group.ravel()]
        later = np.flatnonzero(earlier != np.arange(len(earlier)))
        pairs.append(np.column_stack([later, earlier[later]]))
    return np.unique(np.concatenate(pairs), axis=0)
