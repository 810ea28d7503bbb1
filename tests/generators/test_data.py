import numpy as np
import pyarrow as pa
import pytest
import torch
from corpus_toy import Corpus

from denouement import schemas
from denouement.encoders.embeddings import EmbeddingTable
from denouement.generators.neural.data import (
    OrderedBatches,
    Ragged,
    RandomBatches,
    StorySet,
    WordContexts,
    read_stories,
    sentences,
)
from denouement.text.vocabulary import END, PAD, Vocabulary

STORIES = 103


@pytest.fixture
def stories() -> StorySet:
    draw = np.random.default_rng(1)
    contexts = Ragged.from_rows([[7] * int(n) for n in draw.integers(3, 30, STORIES)])
    return StorySet(WordContexts(contexts), Ragged.from_rows([[7] * int(n) for n in draw.integers(2, 12, STORIES)]))


def test_rows_are_padded_at_either_end():
    ragged = Ragged.from_rows([[1, 2, 3], [4], [], [5, 6]])
    assert ragged.padded(np.array([1, 0])).tolist() == [[4, 0, 0], [1, 2, 3]]
    assert ragged.padded(np.array([3, 2, 0]), left=True).tolist() == [[0, 5, 6], [0, 0, 0], [1, 2, 3]]
    assert ragged.padded(np.array([3])).tolist() == [[5, 6]]


def _dealt(sampler) -> list[list[int]]:
    return [rows.tolist() for _, rows in sampler]


@pytest.mark.parametrize("size", [2, 8, 17, 102, 103, 500])
def test_every_story_comes_once_an_epoch_and_none_alone(stories, size):
    sampler = RandomBatches(stories, size, seed=1)
    batches = _dealt(sampler)
    assert sorted(row for batch in batches for row in batch) == list(range(STORIES))
    assert len(batches) == len(sampler)
    assert min(map(len, batches)) >= 2
    assert max(map(len, batches)) <= size + 1


def test_seed_and_epoch_alone_decide_the_order(stories):
    def epoch(seed: int, number: int) -> list[list[int]]:
        sampler = RandomBatches(stories, 8, seed)
        sampler.set_epoch(number)
        return _dealt(sampler)

    np.random.seed(0)
    first = epoch(1, 4)
    np.random.seed(1)
    assert epoch(1, 4) == first
    assert epoch(1, 5) != first
    assert epoch(2, 4) != first


def _told(endings: np.ndarray, pool: int, contexts: np.ndarray | None = None) -> StorySet:
    """Stories whose endings, and contexts, have these lengths."""
    words = WordContexts(Ragged.from_rows([7] * int(n) for n in (endings if contexts is None else contexts)))
    words.pool = pool
    return StorySet(words, Ragged.from_rows([7] * int(n) for n in endings))


def _unevenness(stories: StorySet, size: int) -> float:
    """Mean over the batches of 20 epochs of (mean ending length - its mean over all stories)^2, by random draws' value.

    Draws without replacement give 1 on average: the variance of a mean of n of N is s^2 / n * (N - n) / (N - 1).
    """
    lengths = stories.endings.lengths
    deviations = []
    sampler = RandomBatches(stories, size, seed=3)
    for epoch in range(20):
        sampler.set_epoch(epoch)
        deviations += [(lengths[rows].mean() - lengths.mean()) ** 2 for _, rows in sampler]
    n = len(lengths)
    return float(np.mean(deviations) / (lengths.var() / size * (n - size) / (n - 1)))


def test_endings_of_all_lengths_share_a_batch():
    draw = np.random.default_rng(1)
    lengths = draw.integers(2, 22, 1024)
    # 640 batches: the mean of their squared deviations has a standard error of about sqrt(2 / 640) = 6%.
    assert _unevenness(_told(lengths, pool=1), 32) == pytest.approx(1, abs=0.2)
    # Contexts' lengths decide what is drawn together, and tell nothing of the endings here.
    contexts = draw.integers(20, 60, 1024)
    assert _unevenness(_told(lengths, pool=8, contexts=contexts), 32) == pytest.approx(1, abs=0.2)


def test_contexts_of_vectors_share_a_batch_whatever_their_lengths(corpus: Corpus):
    rows = schemas.read_table(corpus.stories, "stories")
    table = EmbeddingTable.open(corpus.embeddings)
    told = [story[-1 - kept :] for story, kept in zip(sentences(rows), [1, 2, 3, 4] * 18, strict=True)]
    shortened = rows.set_column(2, rows.schema.field("sentences"), pa.array(told, rows.schema.field("sentences").type))
    stories = read_stories(shortened, Vocabulary.build(told[0]), table, training=True)
    assert all(len(set(stories.contexts.lengths[rows])) > 1 for _, rows in RandomBatches(stories, 12, seed=1))


def test_pools_leave_little_padding_of_contexts():
    contexts = np.random.default_rng(1).integers(20, 60, 2048)

    def padded(pool: int) -> float:
        batches = [rows for _, rows in RandomBatches(_told(contexts, pool), 32, seed=1)]
        assert sorted(np.concatenate(batches)) == list(range(2048))
        return sum(int(contexts[rows].max()) * len(rows) for rows in batches) / contexts.sum() - 1

    # Uniform lengths from 20 to 59: the longest of 32 is 58.4, 1.48 of the mean 39.5; an eighth of the range is 5.
    assert padded(1) == pytest.approx(0.48, abs=0.03)
    assert padded(8) == pytest.approx(5 / 2 / 39.5, abs=0.03)


@pytest.mark.parametrize("pool", [1, 2, 8])
@pytest.mark.parametrize("stories", [2, 3, 16, 17, 33, 65])  # a story left over after whole pools of two is 33
def test_no_story_is_alone_in_a_batch_of_batch_normalisation(stories, pool):
    batches = _dealt(RandomBatches(_told(np.arange(2, 2 + stories), pool), 16, seed=1))
    assert sorted(row for batch in batches for row in batch) == list(range(stories))
    assert min(map(len, batches)) >= 2


@pytest.mark.parametrize("devices", [2, 3])
def test_devices_share_the_batches(stories, devices):
    def all_of(make) -> list[list[list[int]]]:
        return [_dealt(make(rank)) for rank in range(devices)]

    training = all_of(lambda rank: RandomBatches(stories, 8, 1, rank, devices))
    assert len({len(batches) for batches in training}) == 1  # they must step together
    assert {row for batches in training for batch in batches for row in batch} == set(range(STORIES))
    validation = all_of(lambda rank: OrderedBatches(stories, 8, rank, devices))
    assert sorted(row for batches in validation for batch in batches for row in batch) == list(range(STORIES))


@pytest.mark.parametrize("size", [1, 8, 64, 1000])
@pytest.mark.parametrize("devices", [1, 2, 7, STORIES])
def test_each_device_has_validation_stories_whatever_the_batch_size(stories, size, devices):
    dealt = [[rows for _, rows in OrderedBatches(stories, size, rank, devices)] for rank in range(devices)]
    assert all(dealt)
    assert max(len(rows) for batches in dealt for rows in batches) <= size
    assert sorted(row for batches in dealt for rows in batches for row in rows) == list(range(STORIES))


def test_stories_become_words_and_vectors(corpus: Corpus):
    rows = schemas.read_table(corpus.stories, "stories")
    told = list(sentences(rows))
    assert told == rows["sentences"].to_pylist()
    vocabulary = Vocabulary.build(sentence for story in told for sentence in story)
    picked = np.array([3, 0])

    words, endings = read_stories(rows, vocabulary, None, training=True)[0, picked]
    for row, story in enumerate(picked):
        context = [word for sentence in told[story][:-1] for word in vocabulary.encode(sentence)]
        assert words.values[row, -len(context) :].tolist() == context
        assert words.lengths[row] == len(context)
        ending = [*vocabulary.encode(told[story][-1]), END]
        assert endings[row].tolist() == ending + [PAD] * (endings.shape[1] - len(ending))


def test_each_epoch_reads_its_view_and_validation_reads_no_dropped_words(corpus: Corpus):
    rows = schemas.read_table(corpus.stories, "stories").slice(0, 4)
    told = list(sentences(rows))
    vocabulary = Vocabulary.build(sentence for story in told for sentence in story)
    table = EmbeddingTable.open(corpus.embeddings)
    training = read_stories(rows, vocabulary, table, training=True)
    validation = read_stories(rows, vocabulary, table, training=False)
    picked = np.array([2, 1])
    for epoch in (0, 1, 2, 5):
        inputs, _ = training[epoch, picked]
        for row, story in enumerate(picked):
            expected = table.view(epoch % 2)[table.rows(told[story][:-1])].astype(np.float32)
            torch.testing.assert_close(inputs.values[row], torch.from_numpy(expected))
        undropped, _ = validation[epoch, picked]
        expected = table.view(None)[table.rows(told[picked[0]][:-1])].astype(np.float32)
        torch.testing.assert_close(undropped.values[0], torch.from_numpy(expected))


def test_contexts_of_different_sentence_counts_are_padded_with_zeros(corpus: Corpus):
    rows = schemas.read_table(corpus.stories, "stories").slice(0, 2)
    one, other = rows["sentences"].to_pylist()
    table = EmbeddingTable.open(corpus.embeddings)
    told = pa.array([one[:2] + other[-1:], other], rows.schema.field("sentences").type)
    shortened = rows.set_column(2, rows.schema.field("sentences"), told)
    inputs, _ = read_stories(shortened, Vocabulary.build(one), table, training=True)[0, np.array([0, 1])]
    assert inputs.lengths.tolist() == [2, 4]
    assert (inputs.values[0, 2:] == 0).all()
    assert (inputs.values[1] != 0).any(1).all()
