"""A language model's first layers with a linear head that scores endings, and the file that keeps what they learned."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor, nn

from denouement.cloze.parts.vectors import Floats
from denouement.console import progress
from denouement.corpus import keys
from denouement.errors import UserError, first_line
from denouement.language_models.model import LanguageModel, load
from denouement.language_models.rows import Inputs, batches, make_rows
from denouement.tensors import UNBUILDABLE, read_checkpoint, write_checkpoint


class ChooserNetwork(nn.Module):
    """Scores each ending by the state of its last token, which has read the context and the ending.

    The weights are a copy of the language model's, but for the embeddings, which are shared with it and never change.
    """

    def __init__(self, model: LanguageModel, layers: int) -> None:
        """Copy the first `layers` layers."""
        super().__init__()
        body: Any = model.network.base_model
        embeddings = body.get_input_embeddings().weight
        # what deepcopy finds in its memo it takes as it is
        memo = {id(embeddings): embeddings, id(model.layers): copy.deepcopy(model.layers[:layers])}
        self.body = copy.deepcopy(body, memo)
        self.head = nn.Linear(embeddings.shape[1], 1, bias=False, device=model.device)

    def weights(self) -> dict[str, nn.Parameter]:
        """The weights that are learned, by name: all but the embeddings."""
        body: Any = self.body
        embeddings = body.get_input_embeddings().weight
        return {name: weight for name, weight in self.named_parameters() if weight is not embeddings}

    def forward(self, inputs: Inputs) -> list[Tensor]:
        """The scores of the endings of each row, [k]."""
        states = self.body(
            input_ids=inputs.ids, position_ids=inputs.positions, attention_mask=inputs.mask, use_cache=False
        ).last_hidden_state
        ends = ([span.stop - 1 for span in row.spans] for row in inputs.rows)
        return [self.head(of_row[of])[:, 0].float() for of_row, of in zip(states, ends, strict=True)]

    def learned(self) -> dict[str, Tensor]:
        """What `weights` hold, without what computes their gradients."""
        return {name: weight.detach() for name, weight in self.weights().items()}

    def take(self, learned: Mapping[str, Tensor]) -> None:
        """Take weights that `learned` gave.

        Raises:
            RuntimeError: they are of another network.
        """
        missing, unexpected = self.load_state_dict(dict(learned), strict=False)
        if unexpected or set(missing) & set(self.learned()):
            raise RuntimeError("the weights are of another network")


@dataclass
class Chooser:
    """Scores endings after their contexts.

    Attributes:
        model: the language model that it was made of.
        layers: how many of its layers.
        networks: one for each seed; their scores are averaged.
        trained_on: by the digest of each context that it learned from (`context_digests`) what that is from: a release
            and split, or the stories.
        history: what was trained, JSON-ready.
        autocast: whether products are made in bfloat16.
        context: whether the contexts are read; false: each ending is read by itself.
    """

    model: LanguageModel
    layers: int
    networks: list[ChooserNetwork]
    trained_on: Mapping[str, str] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    autocast: bool = False
    context: bool = True

    def scores(self, contexts: Sequence[str], endings: Sequence[Sequence[str]], what: str = "score") -> list[Floats]:
        """The scores of the endings of each context; differences are log-odds of being the right one.

        Args:
            contexts: N texts, sentences with a blank between; not read without `context`.
            endings: of each context k >= 1, k as it comes.
            what: the name that the progress bar shows.

        Returns:
            For each context float64 [k].
        """
        before = contexts if self.context else [""] * len(contexts)
        rows = make_rows(self.model, before, list(map(after, endings)))
        found: list[Floats] = [np.empty(0)] * len(rows)
        with torch.inference_mode():
            for batch in progress(batches(rows), what, unit="batch"):
                inputs = Inputs.of([rows[at] for at in batch], self.model)
                with cast(self.model, self.autocast):
                    of_networks = [network.eval()(inputs) for network in self.networks]
                for at, of_row in zip(batch, zip(*of_networks, strict=True), strict=True):
                    found[at] = torch.stack(of_row).double().mean(0).cpu().numpy()
        return found

    def digest(self) -> str:
        """Of the weights."""
        digest = hashlib.sha256()
        for network in self.networks:
            for name, weight in network.learned().items():
                digest.update(name.encode() + weight.cpu().numpy().tobytes())
        return digest.hexdigest()

    def save(self, path: Path) -> None:
        """Write the checkpoint; it holds what was learned and not the embeddings of the language model."""
        described = {
            "model": self.model.source.given,
            "digest": self.model.source.digest,
            "layers": self.layers,
            "autocast": self.autocast,
            "context": self.context,
            "trained_on": {
                of: sorted(digest for digest, its in self.trained_on.items() if its == of)
                for of in sorted(set(self.trained_on.values()))
            },
            "history": self.history,
        }
        write_checkpoint({"chooser": described, "networks": [each.learned() for each in self.networks]}, path)


def load_chooser(path: Path, language_model: LanguageModel | str | None = None) -> Chooser:
    """The chooser that `Chooser.save` wrote.

    Args:
        path: of the checkpoint.
        language_model: the one that it was made of, in float32, or where that lies now; None: where it lay then.

    Raises:
        UserError: not a checkpoint of a chooser, a damaged one, or another language model than it was made of.
    """
    checkpoint = read_checkpoint(path)
    try:
        of = checkpoint["chooser"]
        given, digest, layers, autocast = str(of["model"]), of["digest"], int(of["layers"]), bool(of["autocast"])
        trained_on = {str(digest): name for name, digests in of["trained_on"].items() for digest in digests}
        history, networks = of["history"], checkpoint["networks"]
        context = bool(of.get("context", True))  # checkpoints did not say so before
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise UserError(f"{path}: not a checkpoint of a chooser; `denouement cloze train` writes one") from error
    try:
        model = language_model if isinstance(language_model, LanguageModel) else load(language_model or given)
    except UserError as error:
        mend = "" if language_model else "; if the model lies elsewhere now, name that place with --language-model"
        raise UserError(f"{path}: made of the language model {given}: {error}{mend}") from error
    if model.source.digest != digest:
        raise UserError(
            f"{path}: was made of another language model than {model.source.given} ({given}): name that one with "
            "--language-model"
        )
    try:
        loaded = [ChooserNetwork(model, layers) for _ in networks]
        for network, learned in zip(loaded, networks, strict=True):
            network.take(learned)
    except UNBUILDABLE as error:
        raise UserError(f"{path}: not the weights of a chooser ({first_line(error)}); train it again") from error
    return Chooser(model, layers, loaded, trained_on, history, autocast, context)


def context_digests(contexts: Sequence[Sequence[str]]) -> list[str]:
    """A digest of each context, a list of sentences, by which two that differ in case or marks are the same."""
    texts = keys.normalised(pa.array(["".join(sentences) for sentences in contexts], pa.string()))
    return [hashlib.sha256(text.encode()).hexdigest()[:32] for text in texts.to_pylist()]


def after(endings: Sequence[str]) -> list[str]:
    """The endings as they follow a context: with a blank before the first word."""
    return [f" {ending}" for ending in endings]


def cast(model: LanguageModel, to_bfloat16: bool) -> torch.autocast:
    """Where products are made in bfloat16, or not."""
    return torch.autocast(model.device.type, torch.bfloat16, enabled=to_bfloat16)
