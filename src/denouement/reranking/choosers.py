"""What tells a good ending from a worse one: a chooser that was trained on cases, or a language model as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from denouement.cloze.parts.chooser import context_digests, load_chooser
from denouement.cloze.parts.vectors import Floats
from denouement.errors import UserError
from denouement.files import existing_file, file_digest
from denouement.language_models.model import load
from denouement.language_models.reading import likelihoods
from denouement.language_models.source import find
from denouement.tensors import read_state

CHECKPOINT = ".parquet"


@dataclass(frozen=True)
class EndingChooser:
    """Scores endings after their contexts; the higher, the better.

    Attributes:
        given: the path or name by which the user names it.
        digest: of its checkpoint, or of the language model's files.
        trained_on: by the digest of each context that it learned from what that is from, such as `v1.0 validation`;
            None: a language model as it is, which learned from no cases.
        of_texts: the scores of the endings [k] of each context, a text.
    """

    given: str
    digest: str
    trained_on: Mapping[str, str] | None
    of_texts: Callable[[Sequence[str], Sequence[Sequence[str]]], list[Floats]]

    def scores(self, contexts: Sequence[str], endings: Sequence[Sequence[str]]) -> list[Floats]:
        """The scores of endings; equal ones of a context have equal scores.

        Args:
            contexts: N texts: sentences, and what is asked after them, with a blank between.
            endings: k >= 0 of each context, k as it comes.

        Returns:
            For each context float64 [k].
        """
        # each text once: read in two places of a row, its scores would differ by rounding
        different = [list(dict.fromkeys(of_context)) for of_context in endings]
        some = [at for at, of_context in enumerate(different) if of_context]
        found = self.of_texts([contexts[at] for at in some], [different[at] for at in some]) if some else []
        known: list[dict[str, float]] = [{} for _ in endings]
        for at, of_context in zip(some, found, strict=True):
            known[at] = dict(zip(different[at], of_context.tolist(), strict=True))
        return [np.array([known[at][text] for text in texts], np.float64) for at, texts in enumerate(endings)]

    def refuse_trained(self, contexts: Sequence[Sequence[str]], mend: str) -> None:
        """Make sure that it learned from none of the contexts, whose right endings it would know.

        Args:
            contexts: the sentences of each.
            mend: what the user can do, for the message.

        Raises:
            UserError: it learned from some; they are counted by what they are from.
        """
        known = Counter(filter(None, map((self.trained_on or {}).get, context_digests(contexts))))
        if known:
            listed = ", ".join(f"{n:,} of {name}" for name, n in sorted(known.items()))
            raise UserError(
                f"{self.given}: was trained on {known.total():,} of the {len(contexts):,} contexts ({listed}), so it "
                f"knows their right endings: {mend}"
            )


def open_chooser(given: str, language_model: str | None = None) -> EndingChooser:
    """The chooser that a user names.

    Args:
        given: a checkpoint that `denouement cloze train` wrote; or the folder, GGUF file or name of a language model,
            by whose log-probability per token endings are then compared.
        language_model: where the language model of a checkpoint lies now; None: where it lay when it was trained.

    Raises:
        UserError: nothing is there, or it cannot be used; a checkpoint that does not say which cases it learned from.
    """
    path = Path(given)
    if path.suffix == CHECKPOINT:
        chooser = load_chooser(path, language_model)
        if not chooser.trained_on:
            raise UserError(
                f"{path}: does not say which cases it was trained on, so it cannot be kept from those: train it again "
                "with `denouement cloze train`"
            )
        return EndingChooser(given, file_digest(path), chooser.trained_on, chooser.scores)
    if language_model is not None:
        raise UserError(f"{given}: is a language model itself, so --language-model names none for it: leave it out")
    model = load(given)

    def per_token(contexts: Sequence[str], endings: Sequence[Sequence[str]]) -> list[Floats]:
        asked = [[f" {ending}" for ending in of_context] for of_context in endings]
        return [read.log_prob / read.n_tokens for read in likelihoods(model, contexts, asked)]

    return EndingChooser(given, model.source.digest, None, per_token)


def digest_of(given: str) -> str:
    """The digest of a chooser that a user names, as `EndingChooser.digest`, without loading it.

    Raises:
        UserError: nothing is there.
    """
    path = Path(given)
    return file_digest(existing_file(path)) if path.suffix == CHECKPOINT else find(given).digest


def trained_on(given: str) -> set[str]:
    """The digests of the contexts that a chooser learned from, without loading it; a language model learned from none.

    Raises:
        UserError: nothing is there, or no chooser.
    """
    path = Path(given)
    if path.suffix != CHECKPOINT:
        return set()
    try:
        sets = read_state(path)["chooser"]["trained_on"]
        return {str(digest) for digests in sets.values() for digest in digests}
    except (LookupError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: not a checkpoint of a chooser; `denouement cloze train` writes one") from error


def is_made_of(path: Path, language_model: str) -> bool:
    """Whether the chooser of a checkpoint is made of this language model, a folder, GGUF file or name.

    Raises:
        UserError: no checkpoint, or no language model.
    """
    of = read_state(path).get("chooser")
    return isinstance(of, Mapping) and of.get("digest") == find(language_model).digest
