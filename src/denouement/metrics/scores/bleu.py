"""BLEU of single endings (Papineni et al. 2002), with the tokens and the smoothing of sacrebleu (Post 2018)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from denouement.cloze.resources import Resources
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.metrics.grams import Ints, in_blocks, matches

if TYPE_CHECKING:
    from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

ORDERS = (1, 2, 4)

_BLOCK = 20_000


@dataclass
class Bleu(EndingMetric):
    """BLEU-1, -2 and -4 of each ending against all its references, 0 to 100.

    They are the values of sacrebleu's `sentence_bleu`: tokens 13a, upper and lower case differ, smoothing `exp`, and
    only orders that the ending is long enough for.
    """

    name: ClassVar[str] = "bleu"
    measures: ClassVar[Mapping[str, Measure]] = {
        f"bleu_{order}_13a_exp": Measure(
            f"n-grams of up to {order} words that a reference has", "higher", "points", 0, 100
        )
        for order in ORDERS
    }
    needs: ClassVar[Sequence[str]] = ("references",)
    needs_references: ClassVar[bool] = True

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`."""

        def of_block(block: slice) -> Values:
            endings = [*map(tokens, rows.endings[block])]
            references = [[*map(tokens, of_ending)] for of_ending in rows.references[block]]
            row = np.repeat(np.arange(len(endings)), [*map(len, references)])
            matched, n_grams, _ = matches(endings, [text for each in references for text in each], row, max(ORDERS))
            closest = [
                min((len(text) for text in of_ending), key=lambda n: (abs(n - len(ending)), n))
                for ending, of_ending in zip(endings, references, strict=True)
            ]
            return np.array([bleu(matched[:n], n_grams[:n], np.array(closest, np.int64)) for n in ORDERS])

        return dict(zip(self.measures, in_blocks(_BLOCK, len(rows), of_block), strict=True))


def bleu(matched: Ints, n_grams: Ints, reference_lengths: Ints) -> Values:
    """The BLEU of each text, 0 to 100.

    An order without a match counts as half a match, the next such order as a quarter, and so on (`exp`). A text without
    any match has 0.

    Args:
        matched: int64 [order, N] n-grams of each length that the references have.
        n_grams: int64 [order, N] n-grams of each length; [0] are the lengths of the texts.
        reference_lengths: int64 [N].
    """
    unmatched = (matched == 0) & (n_grams > 0)
    smoothed = np.where(unmatched, 0.5 ** np.cumsum(unmatched, axis=0), matched)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(n_grams > 0, np.log(smoothed / n_grams), 0.0)
        precision = np.exp(logs.sum(axis=0) / (n_grams > 0).sum(axis=0))
        brevity = np.exp(np.minimum(0.0, 1 - reference_lengths / n_grams[0]))
    found: Values = np.where(matched.any(axis=0), 100 * precision * brevity, 0.0)
    return found


def tokens(text: str) -> list[str]:
    """The tokens of mteval-v13a, as sacrebleu has them."""
    return str(_tokenizer()(text)).split()


@cache
def _tokenizer() -> "BaseTokenizer":
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    return Tokenizer13a()  # type: ignore[no-untyped-call]
