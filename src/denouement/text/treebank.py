"""Tokens by NLTK's Penn Treebank tokenizer, with which the papers counted and encoded words."""

from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nltk.tokenize import NLTKWordTokenizer


@lru_cache(maxsize=8192)  # a block of sentences is tokenised to read its words' vectors, and again to encode it
def treebank_tokens(sentence: str) -> tuple[str, ...]:
    """The tokens that NLTK's `word_tokenize` returns for one sentence.

    `word_tokenize` first splits a text into sentences, with a model that must be downloaded. Here a text is one
    sentence, so if it holds two, the full stop of the first stays attached (`home.`).
    """
    return tuple(_tokenizer().tokenize(sentence))


@cache
def _tokenizer() -> "NLTKWordTokenizer":
    from nltk.tokenize import NLTKWordTokenizer

    return NLTKWordTokenizer()
