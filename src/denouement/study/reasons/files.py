"""What was found in the reasons, as files."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from denouement import provenance
from denouement.charts.output import save
from denouement.errors import UserError
from denouement.files import write_text
from denouement.provenance import MadeFrom
from denouement.schemas import TABLES, write_table
from denouement.study.reasons.elements import elements_document, read_labels, tag_reasons
from denouement.study.reasons.rules import read_rules
from denouement.study.reasons.words import (
    MOST_FREQUENT,
    content_words,
    word_chart,
    word_frequencies,
    words_document,
)
from denouement.study.reasons.written import written_reasons


def write_reasons(out: Path, votes: pa.Table, made_from: MadeFrom, cache: Path | None = None) -> dict[str, Any] | None:
    """Write the words and the elements of the reasons into the folder `out`; the same answers give the same bytes.

    Written are `reasons.json`, `reason_words.parquet`, `reason_elements.parquet` and the chart `reason_words.svg`.

    Args:
        out: the folder.
        votes: the table `votes`.
        made_from: its digest, which stands in each table.
        cache: a Parquet file that keeps parses.

    Returns:
        What `reasons.json` holds: `words` as `denouement reasons words --json` prints it, and `elements`, likewise.
        None, and nothing is written, when no answer that counts has a reason, or none has a word to count.

    Raises:
        UserError: no parser, or a folder that cannot be written to.
    """
    try:
        reasons = written_reasons(votes)["reason"].to_pylist()
    except UserError:
        return None
    texts = content_words(reasons, cache)
    words = word_frequencies(texts)
    if not words:
        return None
    tags = tag_reasons(votes, read_rules(), cache)
    found = {
        "words": words_document(texts, words),
        "elements": elements_document(votes, tags, read_labels()),
    }
    metadata = provenance.as_metadata(made_from)
    of_words = pa.Table.from_pylist(words, TABLES["reason_words"].schema)
    write_table(of_words, out / "reason_words.parquet", "reason_words", metadata)
    write_table(tags, out / "reason_elements.parquet", "reason_elements", metadata)
    if chart := word_chart(words[:MOST_FREQUENT], len(texts)):
        save(chart, out / "reason_words.svg")
    write_text(out / "reasons.json", json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    return found
