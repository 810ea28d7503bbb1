"""The base of generators that write with a causal language model.

The model continues a prompt, and the first sentence of what it writes is the ending. An answer without an ending (it is
empty, repeats the story, or refuses) is drawn again with another seed; what is still missing is counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from denouement.errors import UserError
from denouement.generators.base import Context, Ending, Generator, check_contexts
from denouement.generators.decoding import Decoding
from denouement.language_models.model import LanguageModel, Precision, load
from denouement.language_models.one_sentence import WrittenSentence, first_sentence, without_ending
from denouement.language_models.reading import likelihoods
from denouement.language_models.source import find
from denouement.language_models.writing import Sampling, continuations

TRIES = 4
"""How often an ending is drawn for a context before it is left out."""

_TOKENS_A_WORD = 2  # ROCStories endings have 1.04 tokens of SmolLM2 a word, punctuation marks counted as words
_OTHER_DRAWS = 2**32  # above all seeds that a user can choose


class CausalGenerator(Generator):
    """A generator that writes with a causal language model.

    Attributes:
        model: the language model.
        end: text of the token that ends an ending, where it counts as a part of it; else empty.
    """

    decodes: ClassVar[bool] = True
    can_score: ClassVar[bool] = True

    end: str = ""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self._forget()

    @classmethod
    def check(cls, decoding: Decoding, n: int) -> None:
        """See `Generator`: refuse a beam, and what would keep a model from an early end or a repetition."""
        refused = [name for name in decoding.changed if name in ("min_length", "no_repeat_ngram")]
        if decoding.method == "beam":
            refused = ["method beam", *refused]
        if refused:
            raise UserError(f"{cls.name}: a language model takes no {', '.join(refused)}; decode with greedy or sample")
        super().check(decoding, n)

    def prompt(self, context: Context) -> str:
        """What the model continues with the ending; here the context alone."""
        return " ".join(context)

    def write(self, contexts: Sequence[Context], decoding: Decoding | None = None, n: int = 1) -> list[list[Ending]]:
        """See `Generator`.

        A context gets fewer endings, or none, where the model's answers hold none; `notes` says so.
        """
        return self.with_probabilities(contexts, self.draw(contexts, decoding, n))

    def draw(self, contexts: Sequence[Context], decoding: Decoding | None = None, n: int = 1) -> list[list[Ending]]:
        """See `Generator`. Probabilities are left out: a model's are of the ending after the context, not the prompt.

        `max_length` words are at most twice as many tokens of the model. Greedy decoding, which would only repeat
        itself, has one try.
        """
        decoding = decoding or Decoding()
        self.check(decoding, n)
        check_contexts(contexts)
        found: list[list[str]] = [[] for _ in contexts]
        failed: list[WrittenSentence] = []
        for attempt in range(1 if decoding.method == "greedy" else TRIES):
            waiting = [at for at, texts in enumerate(found) if len(texts) < n]
            if not waiting:
                break
            # n of each, however many it lacks: what a context gets does not depend on the others
            drawn = continuations(
                self.model, [self.prompt(contexts[at]) for at in waiting], _sampling(decoding, attempt), n
            )
            for at, answers in zip(waiting, drawn, strict=True):
                taken = [first_sentence(answer.text, contexts[at]) for answer in answers]
                failed += [each for each in taken if each.text is None]
                found[at] += [each.text for each in taken if each.text is not None][: n - len(found[at])]
        self._failed += failed
        self._missing += n * len(contexts) - sum(map(len, found))
        return [[Ending(text) for text in texts] for texts in found]

    def score(
        self, contexts: Sequence[Context], endings: Sequence[str]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """See `Generator`. Endings are read after the context alone, whatever prompt they are written with."""
        if len(contexts) != len(endings):
            raise ValueError(f"{len(contexts)} contexts but {len(endings)} endings")
        places: defaultdict[str, list[int]] = defaultdict(list)
        for at, context in enumerate(contexts):
            places[" ".join(context)].append(at)
        asked = [[f" {endings[at]}{self.end}" for at in of_context] for of_context in places.values()]
        log_prob, n_tokens = np.zeros(len(endings)), np.zeros(len(endings), np.int64)
        for of_context, read in zip(places.values(), likelihoods(self.model, [*places], asked), strict=True):
            log_prob[of_context], n_tokens[of_context] = read.log_prob, read.n_tokens
        return log_prob, n_tokens

    def expect(self, contexts: Sequence[Context]) -> None:
        """See `Generator`: what `notes` counts begins here."""
        self._forget()

    def notes(self) -> list[str]:
        """See `Generator`: how many answers gave no ending, and how many endings are missing because of them."""
        if not self._failed:
            return []
        n = self._missing
        then = f"{n:,} {'ending is' if n == 1 else 'endings are'} missing" if n else "they were drawn again"
        return [f"{self.name}: {without_ending(self._failed)}; {then}"]

    def _forget(self) -> None:
        """Count from nothing."""
        self._failed: list[WrittenSentence] = []
        self._missing = 0


def read_base(given: str, digest: object, device: str, precision: Precision = "float32") -> LanguageModel:
    """The language model that a checkpoint names, which must have the very weights that it had then.

    Args:
        given: its folder, file or name.
        digest: of its files then.
        device, precision: as `load`.

    Raises:
        UserError: it is not there, or it is another one.
    """
    if find(given).digest != digest:
        raise UserError(
            f"made with other weights or another tokenizer than {given} has now: put that model there again, or train "
            "again"
        )
    return load(given, precision=precision, device=device)


def _sampling(decoding: Decoding, attempt: int) -> Sampling:
    return Sampling(
        temperature=0 if decoding.method == "greedy" else decoding.temperature,
        top_p=decoding.top_p,
        top_k=decoding.top_k,
        most_tokens=_TOKENS_A_WORD * decoding.max_length,
        seed=decoding.seed + attempt * _OTHER_DRAWS,
    )
