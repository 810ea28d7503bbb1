"""Where the small corpus lies, small settings of every generator, and a perplexity worked out the long way."""

import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch

from denouement import schemas
from denouement.generators import GENERATORS
from denouement.generators.base import GeneratorSettings, generator_class
from denouement.generators.checkpoints import load_generator
from denouement.generators.neural.decoder import NeuralGenerator
from denouement.text.vocabulary import END


@dataclass(frozen=True)
class Corpus:
    stories: Path
    embeddings: Path


def small(name: str, **changes: Any) -> GeneratorSettings:
    """A generator that trains in a second: of the small settings those that it has, and all `changes`."""
    kind = generator_class(name).settings_class
    sizes = {"units": 12, "epochs": 3, "batch_size": 8, "best_epoch": "validation"}
    own = {field.name for field in fields(kind)}
    return kind(**{**{key: value for key, value in sizes.items() if key in own}, **changes})


def neural() -> list[str]:
    """The registered generators that decode an ending word by word, and are trained in epochs."""
    return [name for name in sorted(GENERATORS) if issubclass(generator_class(name), NeuralGenerator)]


def perplexity(path: Path, corpus: Corpus) -> float:
    """Of the validation endings, one story at a time, worked out from single log-probabilities."""
    generator = load_generator(path, embeddings=corpus.embeddings)
    nats, tokens = 0.0, 0
    rows = schemas.read_table(corpus.stories, "stories").to_pylist()
    with torch.inference_mode():
        for story in (row["sentences"] for row in rows if row["split"] == "validation"):
            ending = torch.tensor([[*generator.vocabulary.encode(story[-1]), END]])
            nats -= generator.token_log_probs(generator.prepare([story[:-1]]), ending).sum().item()
            tokens += ending.numel()
    return math.exp(nats / tokens)
