"""Endings of many contexts as a table, and how likely a generator holds given endings."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch

from denouement import provenance, schemas
from denouement.console import progress
from denouement.files import file_digest
from denouement.generators.base import Generator
from denouement.generators.decoding import Decoding, Ending, decode
from denouement.text.vocabulary import END, PAD

Context = Sequence[str]


def generate_endings(
    generator: Generator,
    cases: pa.Table,
    decoding: Decoding | None = None,
    system: str | None = None,
    n: int = 1,
    batch_size: int = 128,
) -> pa.Table:
    """Write `n` endings for every case, with progress on a terminal.

    Args:
        generator: put into evaluation mode.
        cases: columns `case_id` and `context`, such as a cloze table or what `corpus.contexts.read_contexts` gives.
        decoding: greedy by default.
        system: the name in the column `system`; None: the generator's own.
        n: endings for each case, see `decode`.
        batch_size: cases decoded side by side; a beam of width 5 holds five rows for each.

    Returns:
        A table `endings` in the order of the cases, the endings of a case together. `log_prob` (nats) and `n_tokens`
        are those of `decoding.Ending`.

    Raises:
        UserError: as `decode`.
    """
    decoding = decoding or Decoding()
    decoding.check_count(n)
    contexts = cases["context"].to_pylist()
    generator.expect(contexts)
    endings: list[list[Ending]] = [[] for _ in contexts]
    batches = _batches(list(map(_length, contexts)), batch_size)
    for batch in progress(batches, "endings", total=len(batches), unit="batches"):
        for case, decoded in zip(batch, decode(generator, [contexts[i] for i in batch], decoding, n), strict=True):
            endings[case] = decoded
    name = system or generator.name
    rows = [
        {
            "case_id": case_id,
            "system": name,
            "ending": ending.text,
            "log_prob": ending.log_prob,
            "n_tokens": ending.n_tokens,
        }
        for case_id, found in zip(cases["case_id"].to_pylist(), endings, strict=True)
        for ending in found
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["endings"].schema)


def written_from(decoding: Decoding, cases: pa.Table, model: Path) -> dict[str, str]:
    """The metadata of a table of endings: how they were chosen, for which contexts, and by which checkpoint."""
    made_from = {provenance.CONTEXTS: provenance.contexts_digest(cases), provenance.MODEL: file_digest(model)}
    return {"decoding": str(decoding), **provenance.as_metadata(made_from)}


@torch.inference_mode()
def score(
    generator: Generator, contexts: Sequence[Context], endings: Sequence[str], batch_size: int = 128
) -> tuple[np.ndarray, np.ndarray]:
    """How likely the generator holds each ending after its context.

    Args:
        generator: put into evaluation mode.
        contexts: N contexts.
        endings: N endings, one for each. A word outside the vocabulary counts as the word UNKNOWN.
        batch_size: pairs scored side by side, those of similar length together.

    Returns:
        `log_prob` float64 [N], nats, the sum over the ending's tokens and END; and `n_tokens` int64 [N], END included,
        so `-log_prob / n_tokens` is nats per token. For an ending that `decode` wrote they are what it reported, up to
        the rounding of sums, as long as its text gives its words back when tokenised.

    Raises:
        ValueError: not as many endings as contexts.
    """
    if len(contexts) != len(endings):
        raise ValueError(f"{len(contexts)} contexts but {len(endings)} endings")
    generator.eval()
    generator.expect(contexts)
    words = [[*generator.vocabulary.encode(ending), END] for ending in endings]
    n_tokens = np.array([len(ending) for ending in words], dtype=np.int64)
    log_prob = np.zeros(len(words))
    lengths = list(zip(map(_length, contexts), n_tokens.tolist(), strict=True))
    for batch in _batches(lengths, batch_size):
        targets = torch.nn.utils.rnn.pad_sequence(
            [torch.tensor(words[i]) for i in batch], batch_first=True, padding_value=PAD
        )
        of_batch = [contexts[i] for i in batch]
        shared = all(context == of_batch[0] for context in of_batch)
        inputs = generator.prepare(of_batch[:1] if shared else of_batch)
        log_prob[batch] = generator.token_log_probs(inputs, targets.to(generator.device)).double().sum(1).cpu().numpy()
    return log_prob, n_tokens


def _length(context: Context) -> int:
    return sum(map(len, context))


def _batches(lengths: Sequence[Any], size: int) -> list[list[int]]:
    """Places of `lengths` in batches of similar length, the longest first: if memory is short, it shows at once."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    return [order[start : start + size] for start in range(0, len(order), size)]
