"""A generator small enough to work out by hand: a Markov chain of second order over a few words.

It has the interface of a neural generator and needs no training, so that all endings
can be listed with their exact probabilities.
"""

import itertools
from collections.abc import Sequence

import torch
from torch import Tensor

from denouement.generators.decoding import Decoding
from denouement.generators.neural.search import decode
from denouement.text.vocabulary import END, PAD, START, UNKNOWN

SPECIAL = (PAD, START, END, UNKNOWN)
FIRST = max(SPECIAL) + 1


class Letters:
    """Words are `a` to `h`, then `word8`, `word9`, ...; a text is words with spaces between."""

    def __init__(self, size: int) -> None:
        self.words = [*"abcdefgh", *(f"word{number}" for number in range(8, size))][:size]

    def decode(self, ids: Sequence[int]) -> str:
        return " ".join(self.words[i - FIRST] for i in ids)

    def encode(self, text: str) -> list[int]:
        return [self.words.index(word) + FIRST if word in self.words else UNKNOWN for word in text.split()]


class MarkovToy:
    """A context is one number in words; it picks one of the chains.

    `log_probs` [chains, V, V, V]: log-probability of a word after the two before it, START standing before the first.
    """

    name = "markov_toy"
    device = torch.device("cpu")

    def __init__(self, log_probs: Tensor) -> None:
        self.log_probs = log_probs
        self.vocabulary = Letters(log_probs.shape[-1] - FIRST)
        self.rows_seen: list[int] = []

    @classmethod
    def random(cls, words: int = 4, chains: int = 3, seed: int = 0, spread: float = 1.5) -> "MarkovToy":
        """Special words get probability too, so that forbidding them shows."""
        size = FIRST + words
        noise = torch.randn(chains, size, size, size, generator=torch.Generator().manual_seed(seed))
        return cls((spread * noise).log_softmax(-1))

    @classmethod
    def of(cls, following: dict[str, dict[str, float]], words: int = 4) -> "MarkovToy":
        """One chain of first order from probabilities by hand: `{"^": {"a": 0.6, "$": 0.4}, "a": ...}`."""
        size = FIRST + words
        ids = {"^": START, "$": END, "?": UNKNOWN, "_": PAD} | {
            letter: FIRST + i for i, letter in enumerate("abcdefgh"[:words])
        }
        table = torch.full((1, size, size, size), -torch.inf)
        table[..., END] = 0.0
        for before, after in following.items():
            table[0, :, ids[before], :] = -torch.inf
            for word, probability in after.items():
                table[0, :, ids[before], ids[word]] = torch.tensor(probability).log()
        return cls(table)

    def check(self, decoding: Decoding, n: int) -> None:
        decoding.check_count(n)

    def notes(self) -> list[str]:
        return []

    def write(self, contexts: Sequence[Sequence[str]], decoding: Decoding, n: int) -> list:
        return decode(self, contexts, decoding, n)

    def expect(self, contexts: Sequence[Sequence[str]]) -> None:
        pass

    def prepare(self, contexts: Sequence[Sequence[str]]) -> Tensor:
        return torch.tensor([int(context[0]) for context in contexts])

    def start(self, inputs: Tensor) -> tuple[Tensor, ...]:
        return inputs, torch.full_like(inputs, START)

    def step(self, words: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, tuple[Tensor, ...]]:
        chain, before = state
        self.rows_seen.append(len(words))
        return self.log_probs[chain, before, words], (chain, words)

    def token_log_probs(self, inputs: Tensor, targets: Tensor) -> Tensor:
        inputs = inputs.expand(len(targets))
        state, words, columns = self.start(inputs), torch.full_like(inputs, START), []
        for target in targets.T:
            log_probs, state = self.step(words, state)
            columns.append(log_probs.gather(1, target[:, None])[:, 0].masked_fill(target == PAD, 0))
            words = target
        return torch.stack(columns, dim=1)

    def conditional(self, chain: int, words: Sequence[int], word: int) -> float:
        """The log-probability of `word` after `words`."""
        before, last = (START, START, *words)[-2:]
        return self.log_probs[chain, before, last, word].item()

    def log_prob(self, chain: int, words: Sequence[int]) -> float:
        """The log-probability of `words` and END after them."""
        return sum(self.conditional(chain, words[:place], word) for place, word in enumerate((*words, END)))

    def every_ending(self, chain: int, max_length: int, min_length: int = 0) -> dict[tuple[int, ...], float]:
        """All endings that decoding may write, and their log-probabilities."""
        letters = range(FIRST, self.log_probs.shape[-1])
        return {
            words: self.log_prob(chain, words)
            for length in range(min_length, max_length + 1)
            for words in itertools.product(letters, repeat=length)
        }
