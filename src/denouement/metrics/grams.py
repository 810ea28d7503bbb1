"""Counting what texts share, for many texts at once: n-grams, and the longest run of words."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_WORD = re.compile(r"\w+(?:['’-]\w+)*")


def words(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation.

    >>> words("Ann didn't look.")
    ['ann', "didn't", 'look']
    """
    return _WORD.findall(text.lower())


@dataclass(frozen=True)
class Coded:
    """Texts as numbers, one after the other.

    Attributes:
        ids: int64 [items]: which word or character each item of the texts is; equal ones have equal numbers.
        owner: int64 [items]: the text that each is of.
        lengths: int64 [texts].
    """

    ids: Ints
    owner: Ints
    lengths: Ints

    def grams(self, order: int) -> Iterator[tuple[Ints, Ints]]:
        """For n = 1 to `order` the number of each n-gram and its text, each int64 [n-grams]; equal ones are equal."""
        ids, starts = self.ids, np.arange(len(self.ids))
        for n in range(1, order + 1):
            if n > 1:
                inside = starts + n - 1 < len(self.ids)
                ids, starts = ids[inside], starts[inside]
                inside = self.owner[starts + n - 1] == self.owner[starts]
                ids, starts = ids[inside], starts[inside]
                pairs = ids * (self.ids.max(initial=0) + 1) + self.ids[starts + n - 1]
                ids = np.unique(pairs, return_inverse=True)[1].reshape(-1)
            yield ids, self.owner[starts]


def coded(texts: Sequence[Sequence[str]]) -> Coded:
    """Texts, each a sequence of words (or a text, whose characters then count), as numbers."""
    known: dict[str, int] = {}
    ids = np.fromiter((known.setdefault(item, len(known)) for text in texts for item in text), np.int64)
    lengths = np.array([*map(len, texts)], np.int64)
    return Coded(ids, np.repeat(np.arange(len(texts)), lengths), lengths)


def in_blocks(size: int, n: int, of_block: Callable[[slice], npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """The results of blocks of `size` rows of `n`, so that memory stays small; rows are along the last axis."""
    return np.concatenate([of_block(slice(start, start + size)) for start in range(0, max(n, 1), size)], axis=-1)


def matches(
    candidates: Sequence[Sequence[str]], others: Sequence[Sequence[str]], row_of_other: Ints, order: int
) -> tuple[Ints, Ints, Ints]:
    """How many n-grams of each candidate its others have, counted at most as often as in the one that has most of it.

    Args:
        candidates: N texts.
        others: M texts.
        row_of_other: int64 [M]: the candidate that each is compared with.
        order: n-grams of 1 to so many items.

    Returns:
        int64 [order, N] matches; int64 [order, N] n-grams of the candidates; int64 [order, M] n-grams of the others.
    """
    n = len(candidates)
    matched, of_candidates, of_others = [], [], []
    for grams, owner in coded([*candidates, *others]).grams(order):
        width = int(grams.max(initial=0)) + 1
        is_candidate = owner < n
        keys, counts = np.unique(owner * width + grams, return_counts=True)
        split = np.searchsorted(keys, n * width)
        own_keys, own_counts = keys[:split], counts[:split]
        wanted = row_of_other[keys[split:] // width - n] * width + keys[split:] % width
        most = np.zeros(len(own_keys), np.int64)
        at = np.searchsorted(own_keys, wanted)
        is_there = own_keys[np.minimum(at, len(own_keys) - 1)] == wanted if len(own_keys) else np.zeros(len(at), bool)
        np.maximum.at(most, at[is_there], counts[split:][is_there])
        clipped = np.minimum(own_counts, most)
        matched.append(np.bincount(own_keys // width, clipped, n).astype(np.int64))
        of_candidates.append(np.bincount(owner[is_candidate], minlength=n))
        of_others.append(np.bincount(owner[~is_candidate] - n, minlength=len(others)))
    return np.array(matched), np.array(of_candidates), np.array(of_others)


def longest_common_subsequences(ones: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> Ints:
    """int64 [N]: how many words of each text are in the other one in the same order, not necessarily side by side."""
    n = len(ones)
    both = coded([*ones, *others])
    starts = np.cumsum(both.lengths) - both.lengths
    lengths, other_lengths = both.lengths[:n], both.lengths[n:]
    longest = np.zeros(n, np.int64)
    by_length = np.argsort(lengths * (other_lengths.max(initial=0) + 1) + other_lengths, kind="stable")
    for start in range(0, n, 2048):
        rows = by_length[start : start + 2048]
        one = _padded(both.ids, starts[rows], lengths[rows], -1)
        other = _padded(both.ids, starts[n + rows], other_lengths[rows], -2)
        found = np.zeros((len(rows), other.shape[1] + 1), np.int64)
        for at in range(one.shape[1]):
            extended = found[:, :-1] + (one[:, at, None] == other)
            found[:, 1:] = np.maximum(found[:, 1:], extended)
            np.maximum.accumulate(found, axis=1, out=found)
        longest[rows] = found[:, -1]
    return longest


def _padded(ids: Ints, starts: Ints, lengths: Ints, filler: int) -> Ints:
    """int64 [texts, longest] of some texts, with `filler` behind the shorter ones."""
    places = starts[:, None] + np.arange(lengths.max(initial=0))
    inside = np.arange(places.shape[1]) < lengths[:, None]
    found = np.full(places.shape, filler, np.int64)
    found[inside] = ids[places[inside]]
    return found


def longest_shared_runs(
    texts: Sequence[Sequence[str]], sources: Sequence[Sequence[str]], row_of_source: Ints | None = None
) -> Ints:
    """int64 [N]: the most words side by side of each text that are side by side in a source, too.

    Args:
        texts: N texts in words.
        sources: M texts in words.
        row_of_source: int64 [M]: the text that each is a source of; None: each is a source of all texts.
    """
    known = {word: number for number, word in enumerate(dict.fromkeys(word for text in texts for word in text), 1)}
    of_texts, text_owner = _numbers(texts, known)
    of_sources, source_owner = _numbers(sources, known)
    text_row = text_owner if row_of_source is not None else np.zeros_like(text_owner)
    source_row = row_of_source[source_owner] if row_of_source is not None else np.zeros_like(source_owner)
    longest = np.zeros(len(texts), np.int64)
    text_at, source_at = np.arange(len(of_texts)), np.flatnonzero(of_sources)
    # the run of n - 1 words that begins at each place, as a number; before the first word it is the row
    text_run, source_run = text_row, source_row[source_at]
    for n in range(1, max(map(len, texts), default=0) + 1):
        text_at, text_run = _longer(text_at, text_run, of_texts, text_owner, n)
        source_at, source_run = _longer(source_at, source_run, of_sources, source_owner, n)
        runs, text_run = np.unique(text_run * (len(known) + 1) + of_texts[text_at + n - 1], return_inverse=True)
        text_run = text_run.reshape(-1)
        wanted = source_run * (len(known) + 1) + of_sources[source_at + n - 1]
        if not len(runs) or not len(wanted):
            break
        place = np.minimum(np.searchsorted(runs, wanted), len(runs) - 1)
        is_there = runs[place] == wanted
        source_at, source_run = source_at[is_there], place[is_there]
        is_shared = np.zeros(len(runs), bool)
        is_shared[source_run] = True
        kept = is_shared[text_run]
        text_at, text_run = text_at[kept], text_run[kept]
        longest[text_owner[text_at]] = n
    return longest


def _longer(at: Ints, run: Ints, words: Ints, owner: Ints, n: int) -> tuple[Ints, Ints]:
    """Those of the runs that can have `n` words: their text does not end before."""
    inside = at + n - 1 < len(words)
    at, run = at[inside], run[inside]
    inside = owner[at + n - 1] == owner[at]
    return at[inside], run[inside]


def _numbers(texts: Sequence[Sequence[str]], known: dict[str, int]) -> tuple[Ints, Ints]:
    """The number of each word of the texts, 0 for an unknown one, and its text."""
    ids = np.fromiter((known.get(word, 0) for text in texts for word in text), np.int64)
    return ids, np.repeat(np.arange(len(texts)), [*map(len, texts)])
