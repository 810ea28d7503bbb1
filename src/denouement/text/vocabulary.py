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
    `The` and `the` are one word and `Tom` keeps its capital. `decode` restores the capital.

    Attributes:
        words: the word of each id; the special ones, which no text contains, come first.
        lowered: capitalised words in the vocabulary that become lower case at the start of a sentence.
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
            sentences: of training stories only, so that no held-out words leak in.
            min_count: rarer words are unknown.
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
        """The ids of a sentence's words, `UNKNOWN` for words that are not in the vocabulary; without START and END."""
        words = tokenize(sentence)
        start = _start(words)
        if start is not None and (words[start] not in self._ids or words[start] in self.lowered):
            words[start] = _lower(words[start]) if _lower(words[start]) in self._ids else words[start]
        return [self._ids.get(word, UNKNOWN) for word in words]

    def unknown(self, sentence: str) -> list[str]:
        """The words of a sentence that are not in the vocabulary, as written, each as often as it comes."""
        words = zip(tokenize(sentence), self.encode(sentence), strict=True)
        return [word for word, number in words if number == UNKNOWN]

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
        """Words with a capital inside sentences, or seen only at sentence starts: mostly names, and `I`."""
        return frozenset(word for word in self.words[len(_SPECIAL) :] if word[0].isupper())

    def to_json(self) -> dict[str, Any]:
        """The vocabulary as values that JSON can hold, for `from_json`."""
        return {"words": list(self.words[len(_SPECIAL) :]), "lowered": sorted(self.lowered)}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Vocabulary:
        """The vocabulary that `to_json` described.

        Raises:
            KeyError, TypeError: `document` is not the result of `to_json`.
        """
        for name in ("words", "lowered"):
            listed = document[name]
            if not isinstance(listed, list) or not all(isinstance(word, str) and word for word in listed):
                raise TypeError(f"{name} of the vocabulary are no list of words")
        return cls(document["words"], document["lowered"])


def _lower(word: str) -> str:
    return word[0].lower() + word[1:]


def _start(words: Sequence[str]) -> int | None:
    """The position of the sentence's first word if it has a capital, else None; punctuation before it is skipped."""
    for place, word in enumerate(words):
        if word[0].isalnum():
            return place if word[0].isupper() else None
    return None
