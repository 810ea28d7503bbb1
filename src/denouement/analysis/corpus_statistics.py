"""How long sentences and titles are, and how the vocabulary grows: Mostafazadeh et al. 2016, section 3.1, Figure 2."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.text.words import lowered

_GROWTH_POINTS = 60


@dataclass(frozen=True)
class Words:
    """The words of all stories as numbers, so that a large corpus takes little memory.

    Attributes:
        ids: int32 [words], the place of each word in `vocabulary`, in lower case, story after story.
        sentence_lengths: int64 [sentences], words of each sentence.
        story_lengths: int64 [stories], sentences of each story.
        vocabulary: the words in the order in which they are first met.
    """

    ids: npt.NDArray[np.int32]
    sentence_lengths: npt.NDArray[np.int64]
    story_lengths: npt.NDArray[np.int64]
    vocabulary: list[str]

    @classmethod
    def of(cls, stories: Iterable[Sequence[str]]) -> "Words":
        """The words (`text.words.tokenize`) of stories, each a list of sentences."""
        from array import array

        place: dict[str, int] = {}
        ids, sentences, lengths = array("i"), array("q"), array("q")
        for story in stories:
            lengths.append(len(story))
            for sentence in story:
                words = lowered(sentence)
                sentences.append(len(words))
                ids.extend(place.setdefault(word, len(place)) for word in words)
        return cls(
            np.frombuffer(ids, np.int32) if ids else np.empty(0, np.int32),
            np.frombuffer(sentences, np.int64) if sentences else np.empty(0, np.int64),
            np.frombuffer(lengths, np.int64) if lengths else np.empty(0, np.int64),
            list(place),
        )


def by_position(words: Words) -> list[dict[str, Any]]:
    """How many words the sentences at each place in a story have: Figure 2.

    Returns:
        Rows `position` (from 1), `n` sentences, `mean`, `sd` (None for one sentence), `median`, and `counts`: how many
        sentences have 0, 1, 2, ... words.
    """
    starts = np.cumsum(words.story_lengths) - words.story_lengths
    positions = np.arange(len(words.sentence_lengths)) - np.repeat(starts, words.story_lengths)
    rows = []
    for position in range(int(words.story_lengths.max(initial=0))):
        lengths = words.sentence_lengths[positions == position]
        rows.append({"position": position + 1, **_summary(lengths), "counts": np.bincount(lengths).tolist()})
    return rows


def title_lengths(titles: Sequence[str | None]) -> dict[str, Any]:
    """Words of titles: `n`, `mean`, `sd`, `median` and `counts`, and how many stories have no title (`untitled`).

    The figures are None where no story has a title.
    """
    lengths = [len(lowered(title)) for title in titles if title]
    untitled = sum(1 for title in titles if not title)
    counts = np.bincount(np.array(lengths, np.int64)).tolist() if lengths else []
    return {**_summary(np.array(lengths, np.int64)), "untitled": untitled, "counts": counts}


def vocabulary_growth(words: Words) -> dict[str, Any]:
    """How many different words the first words of the corpus are, in the order of the file.

    Returns:
        `tokens`, `types`, `once` (words that stand once), `points`: pairs of tokens and types up to there; and
        `heaps_exponent`, the slope of log types by log tokens over these points (Heaps 1978; None for fewer than two):
        1 would be a new word each time.
    """
    n = len(words.ids)
    if not n:
        return {"tokens": 0, "types": 0, "once": 0, "points": [], "heaps_exponent": None}
    counts = np.bincount(words.ids)
    is_new = np.zeros(n, dtype=bool)
    is_new[np.unique(words.ids, return_index=True)[1]] = True
    seen = np.cumsum(is_new)
    ends = np.unique(np.geomspace(min(100, n), n, _GROWTH_POINTS).round().astype(np.int64))
    points = [(int(end), int(seen[end - 1])) for end in ends]
    exponent = None
    if len(points) > 1:
        tokens, types = np.log(np.array(points, float)).T
        exponent = float(np.polyfit(tokens, types, 1)[0])
    return {
        "tokens": n,
        "types": len(counts),
        "once": int((counts == 1).sum()),
        "points": [list(point) for point in points],
        "heaps_exponent": exponent,
    }


def sentences_of(stories: pa.Table) -> Iterable[list[str]]:
    """The sentences of each story, without all of them in memory as Python's strings."""
    for batch in stories.select(["sentences"]).to_batches(max_chunksize=5000):
        yield from batch["sentences"].to_pylist()


def _summary(lengths: npt.NDArray[np.int64]) -> dict[str, Any]:
    n = len(lengths)
    return {
        "n": n,
        "mean": float(lengths.mean()) if n else None,
        "sd": float(lengths.std(ddof=1)) if n > 1 else None,
        "median": float(np.median(lengths)) if n else None,
    }
