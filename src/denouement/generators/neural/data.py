"""Stories as numbers, and their order and batches in training.

In memory are the stories as flat arrays (4 bytes a word) instead of Python objects, and one view of the sentence
vectors at a time: a corpus of 98,161 stories takes a few hundred megabytes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import torch
from torch import Tensor
from torch.utils.data import Dataset, Sampler

from denouement.generators.neural.decoder import ContextBatch
from denouement.text.vocabulary import END, Vocabulary

if TYPE_CHECKING:
    from denouement.encoders.embeddings import EmbeddingTable

Rows: TypeAlias = npt.NDArray[np.int64]


class Ragged:
    """Rows of numbers of different lengths, in one flat array.

    Attributes:
        flat: the numbers of all rows, int32.
        lengths: of each row, int64.
    """

    def __init__(self, flat: npt.NDArray[np.int32], lengths: Rows) -> None:
        self.flat = flat
        self.lengths = lengths
        self._starts = np.cumsum(lengths) - lengths

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[int]]) -> Ragged:
        """From each row's numbers."""
        flat = array("i")
        lengths = array("q")
        for row in rows:
            flat.extend(row)
            lengths.append(len(row))
        return cls(np.array(flat, dtype=np.int32), np.array(lengths, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.lengths)

    def padded(self, rows: Rows, left: bool = False) -> npt.NDArray[np.int64]:
        """The given rows as one table: zeros after their ends, or on the left, make all as long as the longest."""
        lengths = self.lengths[rows][:, None]
        columns = np.arange(lengths.max(initial=0))[None]
        places = columns - (columns.size - lengths if left else 0)
        real = (places >= 0) & (places < lengths)
        table = np.zeros(real.shape, dtype=np.int64)
        table[real] = self.flat[(self._starts[rows][:, None] + places)[real]]
        return table


class Contexts(Protocol):
    """The contexts of a corpus, as a generator reads them.

    Attributes:
        lengths: of each context the number of its words, or of its sentences, which is its cost in a batch; int64.
        pool: training draws so many batches together and sorts their contexts by `lengths`, to need less padding. With
            1 each batch is a random draw by itself, with contexts of all lengths.
    """

    lengths: Rows
    pool: int

    def batch(self, rows: Rows, epoch: int) -> ContextBatch:
        """The contexts of the given stories."""
        ...


class WordContexts:
    """All words of each context as one sequence, padded on the left."""

    pool = 8  # a step for each word: with 8, 7% of the words in batches of 64 are padding, with 1, 50%

    def __init__(self, words: Ragged) -> None:
        self._words = words
        self.lengths = words.lengths

    def batch(self, rows: Rows, epoch: int) -> ContextBatch:
        """See `Contexts`. Values are word ids [B, T]."""
        padded = self._words.padded(rows, left=True)
        return ContextBatch(torch.from_numpy(padded), torch.from_numpy(self.lengths[rows]))


class VectorContexts:
    """The vectors of each context's sentences.

    Each epoch reads another view of the table: the vectors of the sentences with other words dropped. Where there are
    fewer views than epochs, the epochs use the views in turn.
    """

    pool = 1  # a context takes few steps, and batch normalisation should see all lengths together

    def __init__(self, sentences: Ragged, table: EmbeddingTable) -> None:
        """Take the vectors in the rows `sentences` of `table`."""
        self._sentences = sentences
        self._table = table
        self._view: int | None = None
        self._vectors: npt.NDArray[Any] | None = None
        self.lengths = sentences.lengths

    def batch(self, rows: Rows, epoch: int) -> ContextBatch:
        """See `Contexts`. Values are sentence vectors [B, S, D]."""
        view = epoch % self._table.views if self._table.views else None
        if self._vectors is None or view != self._view:
            self._vectors = None  # free the old view before the new one is read
            self._vectors = self._table.view(view)
            self._view = view
        return _gather(self._vectors, self._sentences, rows)


class UndroppedVectorContexts:
    """The vectors of each context's sentences without dropped words, the same in every epoch; for validation."""

    pool = 1

    def __init__(self, sentences: Ragged, table: EmbeddingTable) -> None:
        """Copy the few vectors that the contexts need out of `table`."""
        needed, places = np.unique(sentences.flat, return_inverse=True)
        self._vectors = table.view(None)[needed]
        self._sentences = Ragged(places.astype(np.int32), sentences.lengths)
        self.lengths = sentences.lengths

    def batch(self, rows: Rows, epoch: int) -> ContextBatch:
        """See `Contexts`. Values are sentence vectors [B, S, D]."""
        return _gather(self._vectors, self._sentences, rows)


def _gather(vectors: npt.NDArray[Any], sentences: Ragged, rows: Rows) -> ContextBatch:
    lengths = sentences.lengths[rows]
    values = vectors[sentences.padded(rows)].astype(np.float32)
    values[np.arange(values.shape[1]) >= lengths[:, None]] = 0
    return ContextBatch(torch.from_numpy(values), torch.from_numpy(lengths))


@dataclass(frozen=True)
class StorySet(Dataset[tuple[ContextBatch, Tensor]]):
    """Contexts with their endings. An item is a whole batch; its key is the epoch and the rows of the stories.

    Attributes:
        contexts: of the stories.
        endings: words of each ending, END last.
    """

    contexts: Contexts
    endings: Ragged

    def __len__(self) -> int:
        return len(self.endings)

    def __getitem__(self, key: tuple[int, Rows]) -> tuple[ContextBatch, Tensor]:
        epoch, rows = key
        return self.contexts.batch(rows, epoch), torch.from_numpy(self.endings.padded(rows))

    @property
    def tokens(self) -> int:
        """How many words a generator learns to predict in one epoch; END counts as a word."""
        return len(self.endings.flat)


class RandomBatches(Sampler[tuple[int, Rows]]):
    """Batches of stories drawn at random, without regard to the lengths of endings; they depend on seed and epoch only.

    Batches of endings of equal length would be faster but would give another model: batch normalisation would see one
    length at a time, and a word of a short ending would weigh more than one of a long ending, since a batch's loss is a
    mean over its words. Endings need no such care, since the decoder does no work for padding. Padding of contexts
    costs time, so `Contexts.pool` batches are drawn together, and their stories are sorted by the length of their
    contexts before they are cut into batches.

    Several devices take the batches in turn. Where the number of batches is no multiple of the number of devices, the
    first batches are used twice, so that every device has equally many.
    """

    def __init__(self, stories: StorySet, size: int, seed: int, rank: int = 0, devices: int = 1) -> None:
        """Make batches of `size` stories for the device `rank` of `devices`.

        A last batch of one story is joined to the one before it: batch normalisation needs two.
        """
        self._contexts = stories.contexts
        self._size = size
        self._seed = seed
        self._rank = rank
        self._devices = devices
        self._epoch = 0
        full, rest = divmod(len(stories), size)
        self._batches = max(full + (rest > 1), 1)

    def set_epoch(self, epoch: int) -> None:
        """Lightning calls this before each epoch, with its number."""
        self._epoch = epoch

    def __len__(self) -> int:
        return -(-self._batches // self._devices)

    def __iter__(self) -> Iterator[tuple[int, Rows]]:
        draw = np.random.default_rng((self._seed, self._epoch))
        lengths = self._contexts.lengths
        order = draw.permutation(len(lengths))
        pool = self._contexts.pool * self._size
        for start in range(0, len(order), pool):
            drawn = order[start : start + pool]
            order[start : start + pool] = drawn[np.argsort(lengths[drawn], kind="stable")]
        batches = np.split(order, np.arange(1, self._batches) * self._size)
        dealt = draw.permutation(self._batches)
        for turn in range(len(self)):
            yield self._epoch, batches[dealt[(turn * self._devices + self._rank) % self._batches]]


class OrderedBatches(Sampler[tuple[int, Rows]]):
    """Every story once, ordered by length; for validation. Devices take batches in turn, and some get one fewer.

    Batches are smaller than `size` where otherwise a device would get none. There must be at least as many stories as
    devices.
    """

    def __init__(self, stories: StorySet, size: int, rank: int = 0, devices: int = 1) -> None:
        size = min(size, len(stories) // devices)
        order = np.lexsort((stories.endings.lengths, stories.contexts.lengths))
        self._batches = [order[start : start + size] for start in range(0, len(order), size)][rank::devices]

    def __len__(self) -> int:
        return len(self._batches)

    def __iter__(self) -> Iterator[tuple[int, Rows]]:
        for batch in self._batches:
            yield 0, batch


def sentences(stories: pa.Table) -> Iterator[list[str]]:
    """The sentences of each story; only a part of the stories are Python objects at a time."""
    for batch in stories.select(["sentences"]).to_batches(max_chunksize=4096):
        yield from batch.column(0).to_pylist()


def read_stories(stories: pa.Table, vocabulary: Vocabulary, table: EmbeddingTable | None, training: bool) -> StorySet:
    """The context and the ending of each story as numbers.

    Args:
        stories: table `stories`.
        vocabulary: numbers the words.
        table: of sentence vectors, for a generator that reads vectors; None for one that reads words.
        training: whether to read the views with dropped words.

    Raises:
        UserError: a sentence has no vector in `table`.
    """
    endings = Ragged.from_rows([*vocabulary.encode(story[-1]), END] for story in sentences(stories))
    if table is None:
        words = Ragged.from_rows(
            [word for sentence in story[:-1] for word in vocabulary.encode(sentence)] for story in sentences(stories)
        )
        return StorySet(WordContexts(words), endings)
    context = Ragged.from_rows(table.rows(story[:-1]).tolist() for story in sentences(stories))
    return StorySet((VectorContexts if training else UndroppedVectorContexts)(context, table), endings)
