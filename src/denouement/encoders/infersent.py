"""InferSent: a BiLSTM with max pooling, trained on natural language inference (Conneau et al. 2017)."""

import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import numpy as np

from denouement.encoders.base import SentenceEncoder, Vectors, existing_file, fingerprint, torch_device
from denouement.encoders.word_vectors import TextVectors
from denouement.errors import UserError
from denouement.text.treebank import treebank_tokens

if TYPE_CHECKING:
    import torch


class _Version(NamedTuple):
    """The differences between the two published encoders."""

    start: str
    end: str
    moses: bool  # tokens like those of the Moses tokenizer instead of the Penn Treebank's
    zeros_in_max: bool  # the zeros that pad a short sentence take part in the maximum over time
    vectors: str  # the word vectors it was trained with


_VERSIONS = {
    1: _Version("<s>", "</s>", moses=False, zeros_in_max=True, vectors="glove.840B.300d.txt"),
    2: _Version("<p>", "</p>", moses=True, zeros_in_max=False, vectors="crawl-300d-2M.vec"),
}
_PREFIX = "enc_lstm."


@dataclass(eq=False)
class InferSent(SentenceEncoder):
    """The published encoders, from the files as they are published.

    A sentence is tokenised and put between the version's boundary tokens, and words without a vector are left out; the
    end token always remains. The vector holds the largest value over time of each unit of the two directions: 4096
    numbers for the published weights.

    Deviation: with version 1 the published code lets the zeros that pad a sentence to the longest of its batch take
    part in the maximum. So only the longest sentence can have a negative number, and vectors depend on the batch. Here
    the zero always takes part, as it does in the published code for all but the longest sentences of a batch.

    Attributes:
        weights: `infersent1.pkl` or `infersent2.pkl`.
        vectors: the word vectors it was trained with: GloVe 840B (version 1) or fastText crawl (version 2).
        version: 1 or 2.
        device: such as cpu or cuda:0; null takes a GPU where there is one.
    """

    name: ClassVar[str] = "infersent"

    weights: str
    vectors: str
    version: Literal[1, 2] = 1
    device: str | None = None

    def __post_init__(self) -> None:
        existing_file(self.weights, "weights", "the published infersent1.pkl or infersent2.pkl")
        existing_file(self.vectors, "vectors", f"the word vectors {self._published.vectors}")

    @property
    def dimension(self) -> int:
        """Numbers in a vector: the units of both directions."""
        return 2 * self._lstm.hidden_size

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the version, the weights and the word vectors."""
        return fingerprint(f"{self.name} {self.version}", Path(self.weights), Path(self.vectors))

    @cached_property
    def _lstm(self) -> "torch.nn.LSTM":
        lstm = _load_lstm(Path(self.weights))
        return lstm.to(torch_device(self.device))

    @cached_property
    def _words(self) -> TextVectors:
        words = TextVectors(Path(self.vectors))
        if words.dimension != self._lstm.input_size:
            raise UserError(
                f"{self.vectors}: vectors of {words.dimension} numbers, but {self.weights} reads words of "
                f"{self._lstm.input_size}; name {self._published.vectors} with the option vectors"
            )
        return words

    @property
    def _published(self) -> _Version:
        return _VERSIONS[self.version]

    def prepare(self, texts: Iterable[str]) -> None:
        """Read the vectors of the words of `texts` that were not read before: one pass through the file of vectors.

        Raises:
            UserError: the file has no vector for the token that ends a sentence.
        """
        tokens = (token for text in texts for token in self._tokens(text))
        self._words.learn(chain((self._published.start, self._published.end), tokens))
        if self._published.end not in self._words:
            raise UserError(
                f"{self.vectors}: no vector for {self._published.end}, which ends every sentence of InferSent version "
                f"{self.version}; name {self._published.vectors} with the option vectors"
            )

    def _tokens(self, sentence: str) -> list[str]:
        tokens = treebank_tokens(sentence)
        if self._published.moses:  # as published: do n't -> don 't, an approximation of the Moses tokenizer
            tokens = tuple(" ".join(tokens).replace(" n't ", "n 't ").split())
        return [self._published.start, *tokens, self._published.end]

    def _encode_batch(self, sentences: Sequence[str]) -> Vectors:
        import torch
        from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence

        device = next(self._lstm.parameters()).device
        sequences = [torch.from_numpy(np.stack(self._known(sentence))).to(device) for sentence in sentences]
        with torch.inference_mode():
            packed = pack_sequence(sequences, enforce_sorted=False)
            states, _ = pad_packed_sequence(self._lstm(packed)[0], padding_value=-torch.inf)  # [time, batch, 2 units]
            pooled = states.amax(dim=0)
            if self._published.zeros_in_max:
                pooled = pooled.clamp(min=0)
        return pooled.cpu().numpy()  # [batch, 2 units]

    def _known(self, sentence: str) -> list[Vectors]:
        tokens = self._tokens(sentence)
        if tokens[0] not in self._words:
            self._note(f"no vector for {tokens[0]}, so sentences are read without it", sentence)
        if not any(token in self._words for token in tokens[1:-1]):
            self._note("no known word, so only the tokens around it are read", sentence)
        return [self._words[token] for token in tokens if token in self._words]


def _load_lstm(path: Path) -> "torch.nn.LSTM":
    """The BiLSTM of a published file, which is a dictionary of tensors; no code in the file is run.

    Raises:
        UserError: damaged, holds more than tensors, or other tensors than a BiLSTM's.
    """
    import torch

    try:
        tensors = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise UserError(f"{path}: not a plain file of weights, so it is not loaded; name the published file") from error
    except Exception as error:  # a damaged file makes torch's reader fail in a dozen ways
        raise UserError(f"{path}: damaged file of weights; fetch the published file again") from error
    names = {
        f"{kind}_l0{side}" for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh") for side in ("", "_reverse")
    }
    if (
        not isinstance(tensors, dict)
        or set(tensors) != {_PREFIX + name for name in names}
        or not all(isinstance(tensor, torch.Tensor) and tensor.ndim for tensor in tensors.values())
    ):
        raise UserError(f"{path}: not InferSent's weights (one bidirectional LSTM `enc_lstm`); name the published file")
    if not all(tensor.is_floating_point() and tensor.isfinite().all() for tensor in tensors.values()):
        raise UserError(f"{path}: weights that are no finite numbers; fetch the published file again")
    units, dimension = (tensors[_PREFIX + name].shape[-1] for name in ("weight_hh_l0", "weight_ih_l0"))
    lstm = torch.nn.LSTM(dimension, units, bidirectional=True)
    try:
        lstm.load_state_dict({name: tensors[_PREFIX + name] for name in names})
    except RuntimeError as error:
        raise UserError(
            f"{path}: shapes of weights that make no bidirectional LSTM; name the published file"
        ) from error
    return lstm.eval().requires_grad_(False)
