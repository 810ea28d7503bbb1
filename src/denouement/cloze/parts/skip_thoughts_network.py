"""What trains a skip-thoughts encoder: a decoder for the sentence before and one for the sentence after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from denouement.cloze.parts.training import Learner
from denouement.encoders.skip_thoughts_network import SentenceGru
from denouement.generators.neural.output import AdaptiveSoftmax
from denouement.text.vocabulary import PAD, START

Story: TypeAlias = Sequence[Tensor]
"""Sentences as `SentenceGru.words` returns them."""


class SkipThoughtNetwork(Learner[Sequence[Story]]):
    """An encoder, and decoders that predict the words of a sentence from the vector of its neighbour.

    As in Kiros et al. 2015, section 2, the encoder shares its word vectors with the decoders, and these share their
    last layer. There a decoder's gates read the sentence's vector h together with each word's, through matrices of
    their own (C h, equations 5 to 7). Here `condition` brings h to the width of a word's vector, once, and the sum of
    both goes through the gates' matrices for words, which takes less time.
    """

    def __init__(self, encoder: SentenceGru, units: int) -> None:
        """Add decoders with `units` units each to `encoder`."""
        super().__init__()
        self.encoder = encoder
        embedding = encoder.embedding.embedding_dim
        self.condition = nn.Linear(encoder.dimension, embedding)
        self.previous = nn.GRU(embedding, units, batch_first=True)
        self.following = nn.GRU(embedding, units, batch_first=True)
        self.output = AdaptiveSoftmax(units, len(encoder.vocabulary))

    def loss(self, batch: Sequence[Story]) -> tuple[Tensor, int]:
        """Minus the log-probability of all neighbours in a batch of stories, summed, and how many words they have."""
        sentences = [sentence for story in batch for sentence in story]
        places = [place for story in batch for place in range(len(story))]
        later = [row for row, place in enumerate(places) if place]
        earlier = [row - 1 for row in later]
        vectors = self.encoder(sentences)
        log_probs = (
            self._log_probs(self.following, vectors[earlier], [sentences[row] for row in later]),
            self._log_probs(self.previous, vectors[later], [sentences[row] for row in earlier]),
        )
        return -torch.cat(log_probs).sum(), sum(map(len, log_probs))

    def _log_probs(self, decoder: nn.GRU, vectors: Tensor, sentences: Sequence[Tensor]) -> Tensor:
        """The log-probability of each word of `sentences`, in their order, given the `vectors` of neighbours."""
        targets = pad_sequence([*sentences], batch_first=True)
        before = self.encoder.embedding(nn.functional.pad(targets[:, :-1], (1, 0), value=START))
        hidden, _ = decoder(before + self.condition(vectors)[:, None])
        real = targets != PAD
        return self.output.target_log_probs(hidden[real], targets[real])
