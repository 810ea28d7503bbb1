"""Word dropout: forget some words of an input sentence, so that a generator does not lean on any one of them."""

import hashlib

import numpy as np


def drop_words(sentence: str, probability: float, seed: int, view: int) -> str:
    """`sentence` without the words that an independent draw for each word drops, in their old order.

    Words are what is between blanks, so a mark goes with the word it is attached to and what is left reads as text
    for any encoder. The draw depends on `seed`, `view` and the sentence alone: not on the order in which sentences
    come, the machine, or a library's version. When every word would go, the one with the highest draw stays, since an
    encoder has no vector for nothing.

    Args:
        sentence: the words.
        probability: that a word is dropped, from 0 to 1.
        seed: of the whole run.
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
