"""Speed of decoding: batches that finished endings leave, against the same model one context at a time."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch

from benchmarks.table import Row, best_of_three
from denouement.corpus.contexts import read_contexts
from denouement.corpus.sample import stories
from denouement.encoders.base import Vectors
from denouement.encoders.embeddings import SentenceVectors
from denouement.generators import GENERATORS
from denouement.generators.base import generator_class
from denouement.generators.decoding import Decoding
from denouement.generators.endings import generate_endings
from denouement.generators.neural.decoder import NeuralGenerator
from denouement.text.vocabulary import END, NEVER_GENERATED, START, Vocabulary

CASES = 1871  # Story Cloze v1.0, validation
WORDS = 12_000
DIMENSION = 384
# Random weights hardly ever end a sentence; this is the median length of the endings of ROCStories.
DECODING = Decoding(max_length=10)
ALONE_EVERY = 10  # alone, each context costs the same, so every tenth shows the speed


def measure() -> list[Row]:
    """A row a generator of the paper's size: greedy endings a second on the CPU."""
    cases = _cases()
    contexts = cases["context"].to_pylist()
    neural = [name for name in sorted(GENERATORS) if issubclass(generator_class(name), NeuralGenerator)]
    return [_compare(name, _generator(name, contexts), cases, contexts[::ALONE_EVERY]) for name in neural]


def _compare(name: str, generator: NeuralGenerator, cases: pa.Table, alone: Sequence[Sequence[str]]) -> Row:
    def ours() -> list[str]:
        endings: list[str] = generate_endings(generator, cases, DECODING)["ending"].to_pylist()
        return endings

    def theirs() -> list[str]:
        return [_one_at_a_time(generator, context) for context in alone]

    assert ours()[::ALONE_EVERY] == theirs()
    seconds, seconds_alone = best_of_three(ours, theirs)
    speed, speed_alone = CASES / seconds, len(alone) / seconds_alone
    against = f"the same model, one context at a time ({len(alone)} of them)"
    what = f"greedy generation of {CASES:,} endings, {name}"
    return Row(what, against, speed, speed_alone, "endings/s", speed / speed_alone, 8.0)


@torch.inference_mode()
def _one_at_a_time(generator: NeuralGenerator, context: Sequence[str]) -> str:
    """A plain greedy loop."""
    state = generator.start(generator.prepare([context]))
    word, words = torch.tensor([START]), []
    while len(words) < DECODING.max_length:
        log_probs, state = generator.step(word, state)
        log_probs[:, [*NEVER_GENERATED, *[END] * (not words)]] = -torch.inf
        word = log_probs.argmax(-1)
        if word == END:
            break
        words.append(word.item())
    return generator.vocabulary.decode(words)


def _cases() -> pa.Table:
    """The real contexts where they are at hand, else as many of the sample corpus."""
    folder = Path(os.environ.get("DENOUEMENT_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))
    files = sorted(folder.glob("story_cloze/*spring2016*val.csv"))
    if files:
        return read_contexts(files[0])
    sample = list(stories(CASES, seed=1))
    contexts = [story.sentences[:-1] for story in sample]
    return pa.table({"case_id": [story.story_id for story in sample], "context": contexts})


class _Stored(SentenceVectors):
    """Vectors of sentences that are all there."""

    def __init__(self, vectors: Mapping[str, Vectors]) -> None:
        self._vectors = vectors

    def __call__(self, sentences: Sequence[str]) -> Vectors:
        return np.stack([self._vectors[sentence] for sentence in sentences])

    def prepare(self, sentences: Sequence[str]) -> None:
        pass


def _generator(name: str, contexts: Sequence[Sequence[str]]) -> NeuralGenerator:
    """Of the paper's size and random weights; sentence vectors, if it reads them, are random and looked up."""
    kind = generator_class(name)
    known = Vocabulary.build(sentence for context in contexts for sentence in context).words[4:]
    words = [*known, *(f"word{number}" for number in range(WORDS))][: WORDS - 4]
    arguments = {"encoder": "minilm", "fingerprint": "", "dimension": DIMENSION} if kind.reads_vectors else {}
    torch.manual_seed(1)
    generator = kind(kind.settings_class(), Vocabulary(words), **arguments).eval()
    if kind.reads_vectors:
        rows = {sentence for context in contexts for sentence in context}
        vectors = np.random.default_rng(1).normal(size=(len(rows), DIMENSION)).astype(np.float32)
        generator.sentence_vectors = _Stored(dict(zip(rows, vectors, strict=True)))
    return generator
