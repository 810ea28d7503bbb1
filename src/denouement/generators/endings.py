"""Endings of many contexts as a table."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from denouement import provenance, schemas
from denouement.console import note, progress
from denouement.errors import UserError
from denouement.files import file_digest
from denouement.generators.base import Ending, Generator
from denouement.generators.batches import context_length, similar_batches
from denouement.generators.decoding import Decoding


def generate_endings(
    generator: Generator,
    cases: pa.Table,
    decoding: Decoding | None = None,
    system: str | None = None,
    n: int = 1,
    batch_size: int = 128,
) -> pa.Table:
    """Write `n` endings for every case, with progress on a terminal, and say what the generator has to say of them.

    Args:
        generator: writes them.
        cases: columns `case_id` and `context`, such as a cloze table or the result of `corpus.contexts.read_contexts`.
        decoding: greedy by default.
        system: the name in the column `system`; None: the generator's own.
        n: endings for each case, see `Generator.write`.
        batch_size: cases that the generator gets at once; a beam of width 5 holds five rows for each.

    Returns:
        A table `endings` in the order of the cases, the endings of a case together. `log_prob` (nats) and `n_tokens`
        are those of `Ending`, null where the generator gives no probabilities.

    Raises:
        UserError: as `Generator.write`; or there is no ending at all.
    """
    decoding = decoding or Decoding()
    generator.check(decoding, n)
    contexts = cases["context"].to_pylist()
    generator.expect(contexts)
    endings: list[list[Ending]] = [[] for _ in contexts]
    batches = similar_batches(list(map(context_length, contexts)), batch_size)
    for batch in progress(batches, "endings", total=len(batches), unit="batches"):
        for case, written in zip(batch, generator.write([contexts[i] for i in batch], decoding, n), strict=True):
            endings[case] = written
    for line in generator.notes():
        note(line)
    name = system or generator.name
    rows = [
        {
            "case_id": case_id,
            "system": name,
            "ending": ending.text,
            "log_prob": ending.log_prob,
            "n_tokens": ending.n_tokens,
        }
        for case_id, of_case in zip(cases["case_id"].to_pylist(), endings, strict=True)
        for ending in of_case
    ]
    if contexts and not rows:
        raise UserError(f"{name}: wrote no ending for any of {len(contexts):,} contexts")
    return pa.Table.from_pylist(rows, schemas.TABLES["endings"].schema)


def log_prob_per_token(endings: pa.Table) -> float | None:
    """Mean log-probability of a token in nats, over the endings that have one; None where none has."""
    tokens = pc.sum(endings["n_tokens"]).as_py()  # nulls are left out
    log_prob = pc.sum(endings["log_prob"].cast(pa.float64())).as_py()
    return log_prob / tokens if tokens else None


def written_from(generator: Generator, decoding: Decoding | None, cases: pa.Table, model: Path) -> dict[str, str]:
    """The metadata of a table of endings: how they were chosen, for which contexts, and by which checkpoint.

    Args:
        generator: which wrote them; see `Generator.record`.
        decoding: None where the generator decodes no words.
        cases: as `generate_endings` takes them, without those that got no ending.
        model: the checkpoint.
    """
    made_from = {provenance.CONTEXTS: provenance.contexts_digest(cases), provenance.MODEL: file_digest(model)}
    chosen = {} if decoding is None else {"decoding": str(decoding)}
    return {**chosen, **generator.record(), **provenance.as_metadata(made_from)}
