"""The sentence encoder of skip-thought vectors (Kiros et al. 2015): a GRU whose last state is the vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from denouement.encoders.base import Vectors
from denouement.errors import UserError, first_line
from denouement.tensors import UNBUILDABLE
from denouement.text.vocabulary import END, PAD, UNKNOWN, Vocabulary


class SentenceGru(nn.Module):
    """Reads the words of a sentence and END in both directions; the vector joins the two last states.

    This is bi-skip of Kiros et al. 2015, section 3, with both directions trained together.

    Attributes:
        dimension: numbers in a vector, half from each direction.
    """

    def __init__(self, vocabulary: Vocabulary, embedding: int, dimension: int, names: bool) -> None:
        """Make a network; without `names` it skips the capitalised words of the vocabulary."""
        super().__init__()
        self.vocabulary = vocabulary
        self.dimension = dimension
        self.names = names
        capitalised = vocabulary.capitalised
        self._passed_over = frozenset(
            number for number, word in enumerate(vocabulary.words) if not names and word in capitalised
        )
        self.embedding = nn.Embedding(len(vocabulary), embedding, padding_idx=PAD)
        self.forwards = nn.GRU(embedding, dimension // 2, batch_first=True)
        self.backwards = nn.GRU(embedding, dimension // 2, batch_first=True)

    def words(self, sentence: str) -> Tensor:
        """The ids of a sentence's words that the network reads, and END; int64 [T]."""
        return torch.tensor([*self._read(sentence), END])

    def knows(self, sentence: str) -> bool:
        """Whether the vocabulary holds any word of the sentence that the network reads."""
        return any(word != UNKNOWN for word in self._read(sentence))

    def _read(self, sentence: str) -> list[int]:
        return [word for word in self.vocabulary.encode(sentence) if word not in self._passed_over]

    def forward(self, sentences: Sequence[Tensor]) -> Tensor:
        """Vectors [sentences, dimension] of sentences given as their `words`."""
        last = torch.tensor([len(sentence) - 1 for sentence in sentences])
        states = [
            gru(self.embedding(pad_sequence(read, batch_first=True)))[0][torch.arange(len(last)), last]
            for gru, read in (
                (self.forwards, [*sentences]),
                (self.backwards, [sentence.flip(0) for sentence in sentences]),
            )
        ]
        return torch.cat(states, dim=-1)

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Vectors [sentences, dimension]."""
        device = self.embedding.weight.device
        with torch.inference_mode():
            vectors: Vectors = self([self.words(sentence).to(device) for sentence in sentences]).cpu().numpy()
        return vectors

    def described(self) -> dict[str, Any]:
        """Everything but the weights that `loaded` needs to make this network again."""
        return {
            "vocabulary": self.vocabulary.to_json(),
            "embedding": self.embedding.embedding_dim,
            "dimension": self.dimension,
            "names": self.names,
        }


def loaded(checkpoint: Mapping[str, Any], where: str) -> SentenceGru:
    """The encoder of a trained model, ready to encode (eval mode).

    Args:
        checkpoint: `encoder` is the result of `SentenceGru.described`; `state_dict` holds the weights under names that
            begin with `encoder.`, and also those of the decoders.
        where: the file, which an error message names.

    Raises:
        UserError: it holds no encoder, or one that this version does not know.
    """
    try:
        described = checkpoint["encoder"]
        network = SentenceGru(**{**described, "vocabulary": Vocabulary.from_json(described["vocabulary"])})
        network.load_state_dict(
            {
                name.removeprefix("encoder."): weights
                for name, weights in checkpoint["state_dict"].items()
                if name.startswith("encoder.")
            }
        )
    except UNBUILDABLE as error:
        raise UserError(f"{where}: not a skip-thoughts model that this version knows ({first_line(error)})") from error
    return network.eval()
