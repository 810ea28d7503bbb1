"""Greedy matching of the words of an ending and a human one by their vectors (BERTScore; Zhang et al. 2020)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from denouement.cloze.resources import Resources
from denouement.console import progress
from denouement.encoders.base import LONG, Vectors
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.metrics.looking_up import OfEncoder

_BLOCK = 1024


@dataclass
class TokenMatching(OfEncoder, EndingMetric):
    """F1 of greedy matching: each token counts with its highest cosine with a token of the other text.

    Precision is the mean over the tokens of the ending, recall that over those of the reference; of several references
    the one with the highest F1 counts. Neither weights by rareness nor rescaling are applied. With an encoder of a text
    in its context (minilm) it is BERTScore on that model.
    """

    name: ClassVar[str] = "token_matching"
    measures: ClassVar[Mapping[str, Measure]] = {
        "token_match_f1": Measure("tokens matched with a reference's by their vectors (F1)", "higher", "", -1),
    }
    needs: ClassVar[Sequence[str]] = ("references", "an encoder with vectors of words")
    needs_references: ClassVar[bool] = True
    goes_first: ClassVar[bool] = True
    unscorable: ClassVar[str] = "in which the encoder knows no word, or in none of their references"

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`."""
        vectors = self.remembered(resources)
        best = np.full(len(rows), -np.inf)
        order = sorted(range(len(rows)), key=lambda row: tuple(rows.references[row]))  # systems share references
        starts: Iterable[int] = range(0, len(rows), _BLOCK)
        if len(rows) >= LONG:
            starts = progress(starts, f"match tokens ({self.encoder})", unit="block")
        for start in starts:
            block = order[start : start + _BLOCK]
            texts = [text for row in block for text in (rows.endings[row], *rows.references[row])]
            tokens = {text: _unit(of_text) for text, of_text in vectors.with_tokens(texts).items()}
            for row in block:
                ending = tokens[rows.endings[row]]
                for reference in rows.references[row]:
                    if len(ending) and len(tokens[reference]):
                        best[row] = max(best[row], _f1(ending, tokens[reference]))
        return {f"token_match_f1 {self.encoder}": np.where(np.isinf(best), np.nan, best)}


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0))


def _f1(ending: Vectors, reference: Vectors) -> float:
    cosines = ending @ reference.T
    precision, recall = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
