"""Fine-tuning speed on real stories where they are at hand: batches by length and budget against a plain loop.

Tokens of stories a second, padding not counted. The plain loop reads the stories in the order of their file, pads each
batch to its longest story, and gives transformers the labels, so that logits are made for every token.
"""

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import torch

from benchmarks.table import Row
from benchmarks.training import real_or_sample_stories
from denouement.generators.causal.data import BudgetBatches, TokenStories, read_token_stories
from denouement.generators.causal.settings import FineTuningSettings
from denouement.generators.causal.training import losses
from denouement.generators.causal.weights import make_trainable
from denouement.generators.fine_tuned import FineTunedModel
from denouement.language_models.model import load
from denouement.language_models.source import SMOLLM2

STORIES = 192
BUDGET = 2048  # tokens in a batch of ours, padding included
BATCH = 32  # stories in a batch of the plain loop
ROUNDS = 2
WAYS = {
    "all weights, fp32": ({"freeze_embeddings": False}, False, 1.5),
    "embeddings as they are, fp32": ({}, False, 1.5),
    "embeddings as they are, bf16": ({}, True, 2.0),
    "adapters of rank 16, bf16": ({"method": "lora"}, True, None),
}


def measure() -> list[Row]:
    """A row a way of training."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as process:
        rounds = [[process.submit(_speed, name).result() for name in (None, *WAYS)] for _ in range(ROUNDS)]
    plain, *ours = [max(column) for column in zip(*rounds, strict=True)]
    against = f"a plain loop, all weights, fp32, {BATCH} stories in file order"
    return [
        Row(
            f"fine-tuning {SMOLLM2}, {name}, {STORIES} stories, {BUDGET:,} tokens a batch",
            against,
            speed,
            plain,
            "tokens/s",
            speed / plain,
            at_least,
        )
        for (name, (_, _, at_least)), speed in zip(WAYS.items(), ours, strict=True)
    ]


def _speed(name: str | None) -> float:
    """Tokens a second of one of `WAYS`, or of the plain loop."""
    changes, in_bf16, _ = WAYS[name] if name is not None else ({"freeze_embeddings": False}, False, None)
    settings = FineTuningSettings(**changes)  # type: ignore[arg-type]
    generator = FineTunedModel(settings, load(settings.model, device="cpu"))
    stories = real_or_sample_stories()
    drawn = np.random.default_rng(1).permutation(len(stories))[:STORIES]
    read = read_token_stories(stories.take(drawn), generator.model, generator.end, "stories")
    make_trainable(generator.model.network, settings)
    weights = [weight for weight in generator.model.network.parameters() if weight.requires_grad]
    optimizer = torch.optim.Adam(weights, settings.learning_rate, fused=name is not None)
    if name is None:
        return _plain(generator, read, optimizer)
    began = time.perf_counter()
    for rows in BudgetBatches(read.widths, BUDGET, seed=1):
        with torch.autocast("cpu", torch.bfloat16, enabled=in_bf16):
            loss = losses(generator.model.network, read[rows])["loss"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return len(read.ids.flat) / (time.perf_counter() - began)


def _plain(generator: FineTunedModel, stories: TokenStories, optimizer: torch.optim.Optimizer) -> float:
    """What one writes first, with the context left out of the labels."""
    began = time.perf_counter()
    for start in range(0, len(stories), BATCH):
        rows = np.arange(start, min(start + BATCH, len(stories)))
        batch = stories[rows]
        real = torch.arange(batch.ids.shape[1]) < torch.from_numpy(stories.ids.lengths[rows])[:, None]
        labels = batch.ids.masked_fill(~batch.learned, -100)
        loss = generator.model.network(input_ids=batch.ids, attention_mask=real.long(), labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return len(stories.ids.flat) / (time.perf_counter() - began)
