"""How likely texts go on in given ways, and the states of a layer while they are read.

Each context is read once (`rows.py`); the output layer is applied only where a token is foretold, and no layer above
the one whose states are wanted is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from denouement.console import progress
from denouement.language_models.model import LanguageModel, output_layer
from denouement.language_models.rows import Inputs, batches, make_rows


@dataclass(frozen=True)
class Likelihoods:
    """How likely each continuation of a context is.

    Attributes:
        log_prob: of all tokens of each continuation after the context, in nats, float64 [k].
        n_tokens: of each continuation, int64 [k].
    """

    log_prob: npt.NDArray[np.float64]
    n_tokens: npt.NDArray[np.int64]


def likelihoods(
    model: LanguageModel, contexts: Sequence[str], continuations: Sequence[Sequence[str]]
) -> list[Likelihoods]:
    """How likely each context goes on in each of its ways.

    Args:
        model: the language model.
        contexts: N texts; an empty one is the beginning of any text.
        continuations: for each context k >= 1 texts with the blank before their first word, k as it comes.

    Raises:
        UserError: a continuation is empty, or too long for the model.
    """
    rows = make_rows(model, contexts, continuations)
    found: list[Likelihoods | None] = [None] * len(rows)
    with model.running():
        for batch in progress(batches(rows), "reading", unit="batch"):
            inputs = Inputs.of([rows[at] for at in batch], model)
            counts = [[span.stop - span.start for span in row.spans] for row in inputs.rows]
            of_tokens = torch.split(_log_probs(model, inputs).double().cpu(), [sum(each) for each in counts])
            for at, of_row, lengths in zip(batch, of_tokens, counts, strict=True):
                sums = [float(each.sum()) for each in torch.split(of_row, lengths)]
                found[at] = Likelihoods(np.array(sums), np.array(lengths, np.int64))
    return [each for each in found if each is not None]


def states(
    model: LanguageModel, contexts: Sequence[str], continuations: Sequence[Sequence[str]], layer: int
) -> list[npt.NDArray[np.float32]]:
    """The mean state of a layer over the tokens of each continuation, read after its context.

    Args:
        model: the language model.
        contexts, continuations: as `likelihoods`.
        layer: how many layers are below; 0 is the embeddings.

    Returns:
        For each context float32 [k, width].
    """
    return [of_context[0] for of_context in states_of_layers(model, contexts, continuations, [layer])]


def states_of_layers(
    model: LanguageModel, contexts: Sequence[str], continuations: Sequence[Sequence[str]], layers: Sequence[int]
) -> list[npt.NDArray[np.float32]]:
    """As `states`, of several layers in one reading.

    Returns:
        For each context float32 [layers, k, width].

    Raises:
        ValueError: the model has fewer layers.
    """
    if not all(0 <= layer <= len(model.layers) for layer in layers):
        raise ValueError(f"layer: from 0 to {len(model.layers)} in {model.source.given}, not {[*layers]}")
    rows = make_rows(model, contexts, continuations)
    found: list[npt.NDArray[np.float32] | None] = [None] * len(rows)
    with model.running():
        for batch in progress(batches(rows), "reading", unit="batch"):
            inputs = Inputs.of([rows[at] for at in batch], model)
            by_layer = _states(model, inputs, layers)
            of_layers = torch.stack([by_layer[layer] for layer in layers])
            for column, (at, row) in enumerate(zip(batch, inputs.rows, strict=True)):
                means = [of_layers[:, column, span].float().mean(1) for span in row.spans]
                found[at] = torch.stack(means, 1).cpu().numpy()
    return [each for each in found if each is not None]


def _log_probs(model: LanguageModel, inputs: Inputs) -> torch.Tensor:
    """Of all tokens of all continuations, one row after another, float [tokens]."""
    columns = [row.foretelling for row in inputs.rows]
    places = (
        torch.tensor([at for at, of_row in enumerate(columns) for _ in of_row], device=model.device),
        torch.tensor([column for of_row in columns for column in of_row], device=model.device),
    )
    tokens = torch.tensor([token for row in inputs.rows for token in row.foretold], device=model.device)
    with _only(model, places):
        logits = model.network(
            input_ids=inputs.ids, position_ids=inputs.positions, attention_mask=inputs.mask, use_cache=False
        ).logits
    of_tokens: torch.Tensor = torch.log_softmax(logits.float(), 1).gather(1, tokens[:, None])[:, 0]
    return of_tokens


@contextmanager
def _only(model: LanguageModel, places: tuple[torch.Tensor, torch.Tensor]) -> Iterator[None]:
    """Apply the output layer, a fifth of the work in a small model, to the states at some places alone."""

    def chosen(_: torch.nn.Module, given: tuple[Any, ...]) -> tuple[Any, ...]:
        return (given[0][places], *given[1:])

    hook = output_layer(model.network).register_forward_pre_hook(chosen)
    try:
        yield
    finally:
        hook.remove()


class _Reached(Exception):  # noqa: N818 - no error: it ends a reading whose further layers nobody needs
    pass


def _states(model: LanguageModel, inputs: Inputs, layers: Sequence[int]) -> dict[int, torch.Tensor]:
    """The states below some layers, [rows, width, hidden]; above all layers they are normalised."""
    found: dict[int, torch.Tensor] = {}
    last = max(layers)
    hooks = []

    def keep(layer: int, state: torch.Tensor) -> None:
        found[layer] = state
        if layer == last:
            raise _Reached

    for layer in {*layers} - {len(model.layers)}:
        hooks.append(
            model.layers[layer].register_forward_pre_hook(
                lambda _, args, kwargs, layer=layer: keep(layer, args[0] if args else kwargs["hidden_states"]),
                with_kwargs=True,
            )
        )
    try:
        found[len(model.layers)] = model.network.base_model(
            input_ids=inputs.ids, position_ids=inputs.positions, attention_mask=inputs.mask, use_cache=False
        ).last_hidden_state
    except _Reached:
        pass
    finally:
        for hook in hooks:
            hook.remove()
    return found
