"""Speed of training on the CPU: the trainer of this package against a plain PyTorch loop over the same model."""

import os
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch.nn import functional
from torch.utils.data import DataLoader

from benchmarks.table import Row
from denouement import schemas
from denouement.corpus import sample
from denouement.corpus.ingest import ingest
from denouement.generators.base import generator_class
from denouement.generators.neural.data import OrderedBatches, StorySet, read_stories, sentences
from denouement.generators.neural.decoder import NeuralGenerator
from denouement.generators.neural.lightning import Batch, EpochLog, StoryBatches, TrainedNetwork
from denouement.generators.neural.training import optimise
from denouement.text.vocabulary import PAD, START, Vocabulary

DIMENSION = 384
EPOCHS = 2  # a round: the first warms up
ROUNDS = 3
BATCH = 64
# Stories a round, so that all of it takes a few minutes. The vocabulary is that of the whole corpus.
STORIES = {"h_seq2seq": 1600, "seq2seq": 1024}
SORTED = "batches of equal lengths"  # what random batches are measured against
LEAST_OF_SORTED = 0.85  # 0.92 to 0.97 when measured: training on mixed lengths is worth that, but not much more
ASKED: dict[str, list[tuple[str, dict[str, str], float | None]]] = {
    "h_seq2seq": [
        ("fp32, full softmax", {}, 1.6),
        ("bf16, full softmax", {"precision": "bf16-mixed"}, 2.5),
        ("fp32, adaptive softmax", {"softmax": "adaptive"}, 7.0),
    ],
    "seq2seq": [("fp32, full softmax", {}, 1.4), ("bf16, full softmax", {"precision": "bf16-mixed"}, 2.2)],
}


def measure() -> list[Row]:
    """A row a generator and way of training: target words a second, ENDs counted."""
    corpus = _corpus()
    vocabulary = Vocabulary.build(sentence for story in sentences(corpus) for sentence in story)
    rows = []
    for name, ways in ASKED.items():
        kind = generator_class(name)
        chosen = corpus.slice(0, STORIES[name])
        table = RandomVectors(sum(map(len, sentences(chosen)))) if kind.reads_vectors else None
        stories = read_stories(chosen, vocabulary, table, training=True)
        plain, by_length, *ours = _fastest(
            name, vocabulary, stories, [None, SORTED, *(changes for _, changes, _ in ways)]
        )
        against = f"a plain loop, fp32, full softmax, {BATCH} stories in file order, logits for padding too"
        for (way, _, at_least), speed in zip(ways, ours, strict=True):
            what = f"training {name}, {way}, {len(stories):,} stories, {len(vocabulary):,} words"
            rows.append(Row(what, against, speed, plain, "words/s", speed / plain, at_least))
        what = f"training {name}, {ways[0][0]}, random batches, {len(stories):,} stories"
        against = f"the same with {SORTED}, hence without padding"
        rows.append(Row(what, against, ours[0], by_length, "words/s", ours[0] / by_length, LEAST_OF_SORTED))
    return rows


def _fastest(
    name: str, vocabulary: Vocabulary, stories: StorySet, ways: Sequence[dict[str, str] | str | None]
) -> list[float]:
    """The highest speed of each way in some rounds, all ways in turns, so that a busy spell hits all.

    Each run has a process of its own, as a training has: memory that other runs left lying about would make the plain
    loop faster or slower by a quarter, by chance.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as process:
        rounds = [
            [process.submit(_speed, name, vocabulary, stories, changes).result() for changes in ways]
            for _ in range(ROUNDS)
        ]
    return [max(column) for column in zip(*rounds, strict=True)]


def _speed(name: str, vocabulary: Vocabulary, stories: StorySet, way: dict[str, str] | str | None) -> float:
    """Words a second of this package's trainer with changed settings, with `SORTED` batches, or of the plain loop."""
    if way is None:
        return _plain(_generator(name, vocabulary, {}), stories)
    if way == SORTED:
        return _ours(_generator(name, vocabulary, {}), stories, SortedBatches)
    assert isinstance(way, dict)
    return _ours(_generator(name, vocabulary, way), stories)


class SortedBatches(StoryBatches):
    """Batches of stories of like length, contexts first, then endings: as little padding as there can be."""

    def train_dataloader(self) -> DataLoader[Batch]:
        """Of the training stories."""
        sampler = OrderedBatches(self._training, self._settings.batch_size)
        return DataLoader(self._training, batch_size=None, sampler=sampler)


def _ours(generator: NeuralGenerator, stories: StorySet, batches: type[StoryBatches] = StoryBatches) -> float:
    """Words a second in the fastest epoch."""
    speeds: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        log = EpochLog(Path(folder), generator.settings, lambda _, figures: speeds.append(figures["words_per_second"]))
        optimise(
            TrainedNetwork(generator),
            generator.settings,
            batches(stories, None, generator.settings),
            [log],
            Path(folder) / "last.parquet",
        )
    return max(speeds)


def _plain(generator: NeuralGenerator, stories: StorySet) -> float:
    """What one writes first: batches in file order, one cross-entropy over all positions, Adam as it comes."""
    optimizer = torch.optim.Adam(generator.parameters(), lr=0.001)
    noise = torch.Generator().manual_seed(1)
    speeds = []
    for _ in range(EPOCHS):
        began = time.perf_counter()
        for start in range(0, len(stories), BATCH):
            inputs, targets = stories[0, np.arange(start, min(start + BATCH, len(stories)))]
            before = functional.pad(targets[:, :-1], (1, 0), value=START)
            hidden, _ = generator.decode(before, generator.start(generator.disturb(inputs, noise)))
            logits = functional.linear(hidden, generator.output.weight, generator.output.bias)
            loss = functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PAD)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        speeds.append(stories.tokens / (time.perf_counter() - began))
    return max(speeds)


def _generator(name: str, vocabulary: Vocabulary, changes: dict[str, str]) -> NeuralGenerator:
    kind = generator_class(name)
    settings = kind.settings_class(epochs=EPOCHS, batch_size=BATCH, accelerator="cpu", **changes)  # type: ignore[arg-type]
    architecture = {"encoder": "random", "fingerprint": "", "dimension": DIMENSION} if kind.reads_vectors else {}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return kind(settings, vocabulary, **architecture)


class RandomVectors:
    """In place of a table of sentence vectors: their values do not matter to the speed."""

    views = 0

    def __init__(self, n: int) -> None:
        self._vectors = np.random.default_rng(1).standard_normal((n, DIMENSION), np.float32).astype(np.float16)
        self._asked = 0

    def view(self, view: int | None) -> npt.NDArray[np.float16]:
        """The same vectors whichever view is asked for."""
        return self._vectors

    def rows(self, sentences: Sequence[str]) -> npt.NDArray[np.int64]:
        """A row of its own for each sentence."""
        self._asked += len(sentences)
        return np.arange(self._asked - len(sentences), self._asked)


def _corpus() -> pa.Table:
    """The training stories of the real data where it is at hand, else of the sample grammar."""
    shared = Path(os.environ.get("DENOUEMENT_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))
    real = shared / "rocstories" / "ROCStories_sample.csv"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not real.is_file():
            sample.write_sample(folder, 8000, 2, seed=1)
        ingest([real if real.is_file() else folder / "sample_stories.csv"], folder / "corpus")
        stories = schemas.read_table(folder / "corpus" / "stories.parquet", "stories")
    return stories.filter(pc.equal(stories["split"], "train"))
