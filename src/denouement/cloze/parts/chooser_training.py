"""Fine-tuning of a chooser: the softmax over the endings of a case, the right one's minus log-probability as the loss.

A plain loop rather than a Lightning trainer: there is no validation, no logger and nothing to resume, since a training
takes minutes and a cross-validation keeps the scores of each fold that is done.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence

import torch
from torch import nn

from denouement.cloze.parts.chooser import Chooser, ChooserNetwork, after, cast, context_digests
from denouement.cloze.parts.chooser_settings import ChooserTraining, Example
from denouement.cloze.parts.training import seeded
from denouement.console import note, progress
from denouement.errors import UserError
from denouement.language_models.model import LanguageModel
from denouement.language_models.rows import Inputs, make_rows

_POOL = 16  # batches whose cases are sorted by length together
_TIMED = 5  # batches after which the rest of the time is estimated
_LONG = 60  # seconds: an estimate below it is not worth a line


def train(
    model: LanguageModel,
    examples: Sequence[Example],
    training: ChooserTraining,
    *,
    seed: int,
    what: str,
    start: Chooser | None = None,
    autocast: bool = False,
) -> Chooser:
    """A chooser that learned from examples; the same one each time for equal arguments, without `max_minutes`.

    Args:
        model: the language model, in float32; it is not changed.
        examples: at least one.
        training: the settings.
        seed: of the first network; each further one has the next.
        what: the name that progress shows.
        start: what the networks go on from, with as many of them; None: the language model's layers and a new head.
        autocast: whether products are made in bfloat16; weights and sums stay in float32.

    Raises:
        UserError: training diverged, or the language model has fewer layers than `training.layers`.
    """
    layers = _n_layers(model, training)
    networks, history = [], []
    for number in range(training.seeds):
        with seeded(seed + number):
            network = ChooserNetwork(model, layers)
        if start is not None:
            network.take(start.networks[number].learned())
        name = f"{what}, network {number + 1}" if training.seeds > 1 else what
        losses = _fit(network, model, examples, training, seed + number, name, autocast)
        networks.append(network)
        history.append({"seed": seed + number, "examples": len(examples), "losses": losses})
    digests = context_digests([each.story or each.context for each in examples])
    trained_on = dict(start.trained_on if start else {}) | {
        digest: each.of for digest, each in zip(digests, examples, strict=True)
    }
    return Chooser(model, layers, networks, trained_on, [*(start.history if start else []), *history], autocast)


def _n_layers(model: LanguageModel, training: ChooserTraining) -> int:
    most = len(model.layers)
    if training.layers is not None and training.layers > most:
        raise UserError(f"layers: {training.layers} of a language model that has {most}")
    return training.layers or max(1, round(0.8 * most))


def _fit(
    network: ChooserNetwork,
    model: LanguageModel,
    examples: Sequence[Example],
    training: ChooserTraining,
    seed: int,
    what: str,
    autocast: bool,
) -> list[float]:
    """Train a network in place, and return the mean loss of each epoch in nats a case."""
    rows = make_rows(model, [each.before for each in examples], [after(each.endings) for each in examples])
    order = torch.Generator().manual_seed(seed)
    epochs = [list(_batches([len(each) for each in rows], training.batch_size, order)) for _ in range(training.epochs)]
    n_steps = sum(map(len, epochs))
    weights = list(network.weights().values())
    optimizer = torch.optim.AdamW(weights, training.learning_rate)
    warm = max(1, n_steps // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, (n_steps - step) / max(1, n_steps - warm))
    )
    network.train()
    means: list[float] = []
    began, step = time.monotonic(), 0
    for number, batches in enumerate(epochs):
        losses = []
        for batch in progress(batches, f"{what}: epoch {number + 1}", unit="batch"):
            with cast(model, autocast):
                scores = network(Inputs.of([rows[at] for at in batch], model))
            rights = [torch.log_softmax(of, 0)[examples[at].right] for at, of in zip(batch, scores, strict=True)]
            loss = -torch.stack(rights).sum()
            gradients = torch.autograd.grad(loss / len(batch), weights)
            for weight, gradient in zip(weights, gradients, strict=True):
                weight.grad = gradient
            nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            schedule.step()
            losses.append((float(loss.detach()), len(batch)))
            if not math.isfinite(losses[-1][0]):
                raise UserError(f"{what}: training diverged in epoch {number + 1}: lower learning_rate")
            step, passed = step + 1, time.monotonic() - began
            if step == _TIMED and (seconds := passed / step * n_steps) > _LONG:
                note(f"{what}: about {seconds / 60:.0f} minutes for {training.epochs} epochs of {len(rows):,} cases")
            if training.max_minutes is not None and passed > 60 * training.max_minutes:
                note(f"{what}: ended after {step} of {n_steps} steps, as max_minutes says")
                network.eval()
                return [*means, _mean(losses)]
        means.append(_mean(losses))
    network.eval()
    return means


def _mean(losses: Sequence[tuple[float, int]]) -> float:
    return sum(summed for summed, _ in losses) / sum(count for _, count in losses)


def _batches(lengths: Sequence[int], size: int, order: torch.Generator) -> Iterator[list[int]]:
    """The places of all rows in batches of similar length, in an order that is drawn."""
    places = torch.randperm(len(lengths), generator=order).tolist()
    found = []
    for start in range(0, len(places), size * _POOL):
        pool = sorted(places[start : start + size * _POOL], key=lambda at: lengths[at])
        found += [pool[at : at + size] for at in range(0, len(pool), size)]
    for at in torch.randperm(len(found), generator=order).tolist():
        yield found[at]
