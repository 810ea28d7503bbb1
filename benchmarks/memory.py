"""Peak memory of training on as many stories as both ROCStories releases hold, with a full vocabulary."""

import resource
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pyarrow as pa

from benchmarks.table import Row
from benchmarks.training import DIMENSION, RandomVectors
from denouement import schemas
from denouement.corpus import sample
from denouement.generators.base import generator_class
from denouement.generators.neural.data import read_stories, sentences
from denouement.generators.neural.lightning import EpochLog, StoryBatches, TrainedNetwork
from denouement.generators.neural.training import optimise
from denouement.text.vocabulary import Vocabulary

STORIES = 98_161
ALLOWED = 4.0  # GiB
SECONDS = 20  # of training: memory has reached its height once each length of batch was met


def measure() -> list[Row]:
    """A row a generator, each trained in a process of its own."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stories.parquet"
        schemas.write_table(_stories(), path, "stories")
        for name in ("h_seq2seq", "seq2seq"):
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                words, peak = process.submit(_train, name, path).result()
            what = f"peak memory of training {name} on {STORIES:,} stories, {words:,} words"
            rows.append(Row(what, "what it may take", peak, ALLOWED, "GiB", ALLOWED / peak, 1.0))
    return rows


def _stories() -> pa.Table:
    """Stories of the sample grammar, each with a word of its own kind in it, so that the vocabulary is a large one."""
    rows = []
    for number, story in enumerate(sample.stories(STORIES, seed=1)):
        first, *others = story.sentences
        rows.append([f"{first[:-1]} by way{number % 30_000}.", *others])
    columns = {
        "story_id": [str(number) for number in range(STORIES)],
        "title": [None] * STORIES,
        "sentences": rows,
        "source": ["sample"] * STORIES,
        "split": ["train"] * STORIES,
    }
    return pa.table(columns, schema=schemas.TABLES["stories"].schema)


def _train(name: str, path: Path) -> tuple[int, float]:
    """Train for some seconds; gives the size of the vocabulary and this process's peak memory in GiB."""
    kind = generator_class(name)
    settings = kind.settings_class(accelerator="cpu", max_time=f"00:00:{SECONDS}")
    table_of_stories = schemas.read_table(path, "stories")
    every = (sentence for story in sentences(table_of_stories) for sentence in story)
    vocabulary = Vocabulary.build(every, settings.min_count, settings.max_size)
    table = RandomVectors(4 * STORIES) if kind.reads_vectors else None
    stories = read_stories(table_of_stories, vocabulary, table, training=True)
    architecture = {"encoder": "random", "fingerprint": "", "dimension": DIMENSION} if kind.reads_vectors else {}
    generator = kind(settings, vocabulary, **architecture)
    with tempfile.TemporaryDirectory() as folder:
        log = EpochLog(Path(folder), settings, None)
        optimise(
            TrainedNetwork(generator),
            settings,
            StoryBatches(stories, None, settings),
            [log],
            Path(folder) / "last.parquet",
        )
    return len(vocabulary), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
