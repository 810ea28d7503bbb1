"""Words as NLTK's tokenizer of the Penn Treebank makes them, which is how the papers counted and encoded them."""

from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nltk.tokenize import NLTKWordTokenizer


@lru_cache(maxsize=8192)  # a block of sentences is tokenised to learn its words, and again to encode it
def treebank_tokens(sentence: str) -> tuple[str, ...]:
    """Tokens as NLTK's `word_tokenize` makes them of one sentence.

    `word_tokenize` first splits a text into sentences with a model that must be downloaded; here a text is one
    sentence, so that of two sentences in one text the first keeps its full stop attached (`home.`).
    """
    return tuple(_tokenizer().tokenize(sentence))


@cache
def _tokenizer() -> "NLTKWordTokenizer":
    from nltk.tokenize import NLTKWordTokenizer

    return NLTKWordTokenizer()
