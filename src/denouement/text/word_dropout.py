"""Word dropout: some words of an input sentence are removed, so that a generator does not depend on single words."""

import hashlib

import numpy as np


def drop_words(sentence: str, probability: float, seed: int, view: int) -> str:
    """`sentence` without the words that are dropped; there is an independent draw for each word.

    Words are separated by blanks, so punctuation is dropped with its word, and the rest is text for any encoder. The
    draw depends only on `seed`, `view` and the sentence: not on the order of sentences, the machine, or a library's
    version. If all words would be dropped, the one with the highest draw stays, since no encoder has a vector for an
    empty text.

    Args:
        sentence: the words.
        probability: that a word is dropped, from 0 to 1.
        seed: of the run.
        view: which of several independent draws of the same sentence.

    Source: Mori et al. 2019, section 3 (probability 0.3, A.1), after Iyyer et al. 2015. Keeping one word is ours.
    """
    words = sentence.split()
    if not words:
        return sentence
    bits = hashlib.shake_128(f"{seed}\0{view}\0{sentence}".encode()).digest(4 * len(words))
    draws = np.frombuffer(bits, dtype="<u4") / 2**32  # [words], uniform in [0, 1)
    kept = draws >= probability
    kept[draws.argmax()] = True  # changes something only when all draws are below `probability`
    return " ".join(word for word, keep in zip(words, kept, strict=True) if keep)
