"""Writes the words and elements of the reasons to files."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from denouement import provenance
from denouement.charts.output import save
from denouement.console import warn
from denouement.documents import write_document
from denouement.errors import UserError
from denouement.provenance import MadeFrom
from denouement.schemas import write_table
from denouement.study.reasons.elements import ElementsSummary, elements_summary, read_labels, tag_reasons
from denouement.study.reasons.rules import read_rules
from denouement.study.reasons.words import (
    FrequentWords,
    content_words,
    most_frequent,
    word_chart,
    word_frequencies,
    word_table,
)
from denouement.study.reasons.written import not_english, written_reasons


@dataclass(frozen=True)
class ReasonsSummary:
    """The words of the reasons, and the elements of a story that they name."""

    words: FrequentWords
    elements: ElementsSummary


def write_reasons(out: Path, votes: pa.Table, made_from: MadeFrom, cache: Path | None = None) -> ReasonsSummary | None:
    """Write the words and the elements of the reasons into the folder `out`; the same answers give the same bytes.

    Written are `reasons.json` (a `ReasonsSummary`), `reason_words.parquet`, `reason_elements.parquet` and the chart
    `reason_words.svg`.

    Args:
        out: the folder.
        votes: the table `votes`.
        made_from: the digest of this table, which is written into each table.
        cache: a Parquet file that keeps parses.

    Returns:
        None where no answer that counts has a reason in English, or no reason has a word to count; no file is written
        then.

    Raises:
        UserError: no parser, or a folder that cannot be written to.
    """
    strange = not_english(votes)
    try:
        reasons = written_reasons(votes)["reason"].to_pylist()
    except UserError as error:
        if strange:
            warn(str(error))
        return None
    texts = content_words(reasons, cache)
    words = word_frequencies(texts)
    if not words:
        return None
    tags = tag_reasons(votes, read_rules(), cache)
    frequent = most_frequent(len(texts), words, not_english=strange)
    summary = ReasonsSummary(frequent, elements_summary(votes, tags, read_labels()))
    metadata = provenance.as_metadata(made_from)
    write_table(word_table(words), out / "reason_words.parquet", "reason_words", metadata)
    write_table(tags, out / "reason_elements.parquet", "reason_elements", metadata)
    if chart := word_chart(summary.words.words, len(texts)):
        save(chart, out / "reason_words.svg")
    write_document(summary, out / "reasons.json")
    return summary
