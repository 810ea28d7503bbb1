"""How long the Story Cloze systems take, everything that is learned without gradient descent included.

On the real stories and Story Cloze v1.0 validation cases where they are at hand, else on as many of the sample corpus.
"""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.compute as pc
import torch

from benchmarks.table import Row
from denouement.cloze import SYSTEMS
from denouement.cloze.evaluation.evaluate import evaluate
from denouement.cloze.resources import Resources
from denouement.corpus import sample
from denouement.corpus.ingest import ingest
from denouement.corpus.readers import find_files
from denouement.encoders.base import load_encoder
from denouement.generators import GENERATORS
from denouement.generators.base import generator_class
from denouement.generators.checkpoints import save_generator
from denouement.generators.neural.decoder import NeuralGenerator
from denouement.schemas import read_table
from denouement.text.vocabulary import Vocabulary

STORIES, CASES = 8_160, 1_871
TRAINED = ("skip_thoughts", "dssm")  # what they learn by gradient descent is kept, and not timed


def measure() -> list[Row]:
    """EndingReg alone, parses included, and all systems together, parses included; each once, from nothing kept."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        stories, cases = tables(folder)
        neural = [name for name in sorted(GENERATORS) if issubclass(generator_class(name), NeuralGenerator)]
        models = [_untrained(name, stories["sentences"].to_pylist(), folder) for name in neural]
        resources = Resources(stories=stories, generators=models, cache=folder / "cache")
        alone = _seconds(lambda: evaluate(["ending_reg"], cases, None, resources))
        evaluate(TRAINED, cases, None, resources)
        shutil.rmtree(folder / "cache" / "scores")
        (folder / "cache" / "parses.parquet").unlink()
        together = _seconds(lambda: evaluate(list(SYSTEMS), cases, None, resources))
    what = f"{cases.num_rows:,} Story Cloze cases and {stories.num_rows:,} stories, nothing kept"
    return [
        _row(f"EndingReg, ten folds, of {what}", alone, 60),
        _row(f"all {len(SYSTEMS)} systems, neural networks trained before, of {what}", together, 360),
    ]


def _row(what: str, seconds: float, allowed: float) -> Row:
    return Row(what, "what it may take", seconds, allowed, "s", allowed / seconds, 1.0)


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def tables(folder: Path) -> tuple[pa.Table, pa.Table]:
    """The tables `stories` and `cloze`, of the latter the v1.0 validation cases."""
    brought = Path(os.environ.get("DENOUEMENT_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))
    files = find_files(brought)[0] if brought.is_dir() else []
    if not files:
        sample.write_sample(folder / "sample", stories=STORIES, cases=CASES, seed=1)
        files = find_files(folder / "sample")[0]
    ingest(files, folder)
    cases = read_table(folder / "cloze.parquet", "cloze")
    labelled = cases.filter(pc.is_in(cases["release"], pa.array(["v1.0", "sample"])))
    return read_table(folder / "stories.parquet", "stories"), labelled


def _untrained(name: str, stories: list[list[str]], folder: Path) -> Path:
    """A checkpoint of the paper's size and random weights: scoring takes as long as by a trained one."""
    kind = generator_class(name)
    arguments = {}
    if kind.reads_vectors:
        encoder = load_encoder("minilm")
        arguments = {"encoder": "minilm", "fingerprint": encoder.fingerprint, "dimension": encoder.dimension}
    torch.manual_seed(1)
    vocabulary = Vocabulary.build((sentence for story in stories for sentence in story), 2)
    generator = kind(kind.settings_class(), vocabulary, **arguments)
    path = folder / f"{name}.parquet"
    save_generator(generator, path)
    return path
