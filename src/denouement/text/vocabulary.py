"""The words that a generator knows, as numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from denouement.text.words import detokenize, tokenize

PAD, START, END, UNKNOWN = range(4)
_SPECIAL = ("<pad>", "<start>", "<end>", "<unknown>")
NEVER_GENERATED = (PAD, START, UNKNOWN)


class Vocabulary:
    """Words numbered from the most frequent to the rarest, after the four special ones.

    Sentence starts are truecased: the first word of a sentence takes the case that it mostly has elsewhere, so that
    `The` and `the` are one word and `Tom` stays what it is. `decode` gives the capital back.

    Attributes:
        words: word of each id; the special ones, which no text contains, come first.
        lowered: words that are written with a capital at a sentence start only, though the vocabulary holds them.
    """

    def __init__(self, words: Sequence[str], lowered: Iterable[str] = ()) -> None:
        """Number `words` (without the special ones) in the order given."""
        self.words: tuple[str, ...] = (*_SPECIAL, *words)
        self.lowered = frozenset(lowered)
        self._ids = {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and (self.words, self.lowered) == (other.words, other.lowered)

    @classmethod
    def build(cls, sentences: Iterable[str], min_count: int = 1, max_size: int | None = None) -> Vocabulary:
        """The vocabulary of training sentences.

        Args:
            sentences: of training stories only, or what is held out leaks in.
            min_count: words seen less often are unknown.
            max_size: at most so many words, the special ones counted; None: no limit.
        """
        starts: Counter[str] = Counter()
        elsewhere: Counter[str] = Counter()
        for sentence in sentences:
            words = tokenize(sentence)
            start = _start(words)
            if start is not None:
                starts[words.pop(start)] += 1
            elsewhere.update(words)
        lowered = {word for word in starts if elsewhere[_lower(word)] > elsewhere[word]}
        counts = elsewhere.copy()
        for word, count in starts.items():
            counts[_lower(word) if word in lowered else word] += count
        ranked = sorted((word for word in counts if counts[word] >= min_count), key=lambda word: (-counts[word], word))
        kept = ranked if max_size is None else ranked[: max_size - len(_SPECIAL)]
        return cls(kept, lowered.intersection(kept))

    def encode(self, sentence: str) -> list[int]:
        """The ids of a sentence's words, `UNKNOWN` for those that training did not see; without START and END."""
        words = tokenize(sentence)
        start = _start(words)
        if start is not None and (words[start] not in self._ids or words[start] in self.lowered):
            words[start] = _lower(words[start]) if _lower(words[start]) in self._ids else words[start]
        return [self._ids.get(word, UNKNOWN) for word in words]

    def decode(self, ids: Iterable[int]) -> str:
        """The sentence that `ids` spell, up to END; special words are left out."""
        words = []
        for number in ids:
            if number == END:
                break
            if number >= len(_SPECIAL):
                words.append(self.words[number])
        return detokenize(words)

    @property
    def capitalised(self) -> frozenset[str]:
        """Words that keep their capital inside a sentence, or were seen at a start only: names above all, and `I`."""
        return frozenset(word for word in self.words[len(_SPECIAL) :] if word[0].isupper())

    def to_json(self) -> dict[str, Any]:
        """What `from_json` makes the same vocabulary from."""
        return {"words": list(self.words[len(_SPECIAL) :]), "lowered": sorted(self.lowered)}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Vocabulary:
        """The vocabulary that `to_json` described.

        Raises:
            KeyError, TypeError: something else, which no vocabulary of this class wrote.
        """
        for name in ("words", "lowered"):
            listed = document[name]
            if not isinstance(listed, list) or not all(isinstance(word, str) and word for word in listed):
                raise TypeError(f"{name} of the vocabulary are no list of words")
        return cls(document["words"], document["lowered"])


def _lower(word: str) -> str:
    return word[0].lower() + word[1:]


def _start(words: Sequence[str]) -> int | None:
    """Place of the word that has the sentence's capital, if it begins with one."""
    for place, word in enumerate(words):
        if word[0].isalnum():
            return place if word[0].isupper() else None
    return None
