"""How repetitive the endings of each system are: a generator that found one safe ending shows here first."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis.sentiment import RIGHT
from denouement.corpus.cases import labelled_cases, right_and_wrong
from denouement.schemas import empty_table, read_schema, read_table

_WORD = re.compile(r"\w+(?:['’-]\w+)*")


def endings_table(endings: Sequence[Path], cloze: Path | None = None) -> list[dict[str, Any]]:
    """One row a system: how many of its endings differ, how long they are, and how likely it found them.

    Args:
        endings: endings tables.
        cloze: adds a first row `right`, the right endings of the same cases. Shares of distinct
            endings and words fall as n grows, so only rows of equal n compare.

    Returns:
        Rows of `system`; `n`; `distinct` endings, as written, and `distinct_share` (0 to 1); `most_frequent` with
        `most_frequent_count` and `most_frequent_share`; `mean_words` (an ending, punctuation not counted);
        `distinct_1`, `distinct_2`: distinct words and pairs of neighbours as a share of all (Li et al. 2016, words in
        lower case; None without any); `log_prob_per_token` (nats; the sum over all tokens by their number; None for
        right endings); and `decoding`, the settings in words (None where the table does not record them).

    Raises:
        UserError: an unreadable table.
    """
    tables = {path: read_table(path, "endings") for path in endings}
    decoding = {
        system: (read_schema(path, "endings").metadata or {}).get(b"decoding", b"").decode() or None
        for path, part in tables.items()
        for system in pc.unique(part["system"]).to_pylist()
    }
    table = pa.concat_tables([empty_table("endings"), *tables.values()])
    rows: list[dict[str, Any]] = []
    for system in pc.unique(table["system"]).to_pylist():
        part = table.filter(pc.equal(table["system"], system))
        tokens = pc.sum(part["n_tokens"]).as_py()
        log_prob = pc.sum(part["log_prob"].cast(pa.float64())).as_py()
        rows.append(
            {
                "system": system,
                **repetition(part["ending"].to_pylist()),
                "log_prob_per_token": log_prob / tokens if tokens else None,
                "decoding": decoding[system],
            }
        )
    if cloze is not None:
        cases, _ = labelled_cases(read_table(cloze, "cloze"))
        if table.num_rows:
            cases = cases.filter(pc.is_in(cases["case_id"], pc.unique(table["case_id"])))
        right, _ = right_and_wrong(cases)
        if len(right):
            without = {"log_prob_per_token": None, "decoding": None}
            rows.insert(0, {"system": RIGHT, **repetition(right.to_pylist()), **without})
    return rows


def strays(endings: Sequence[Path], cloze: pa.Table) -> list[str]:
    """A sentence for each table that has endings of cases which the table `cloze` lacks, and so are left out."""
    found = []
    for path in endings:
        of_case = read_table(path, "endings")["case_id"]
        n = len(of_case) - pc.sum(pc.is_in(of_case, cloze["case_id"].combine_chunks())).as_py() if len(of_case) else 0
        if n:
            found.append(
                f"{n:,} of {len(of_case):,} endings of {path.name} belong to cases that are not among the Story Cloze "
                "cases, and are not set beside right endings"
            )
    return found


def repetition(endings: Sequence[str]) -> dict[str, Any]:
    """The columns of `endings_table` that text alone gives, for at least one ending."""
    counts = Counter(endings)
    most_frequent, most_frequent_count = counts.most_common(1)[0]  # the first one, of equally frequent ones
    words = [_WORD.findall(ending.lower()) for ending in endings]
    return {
        "n": len(endings),
        "distinct": len(counts),
        "distinct_share": len(counts) / len(endings),
        "most_frequent": most_frequent,
        "most_frequent_count": most_frequent_count,
        "most_frequent_share": most_frequent_count / len(endings),
        "mean_words": sum(map(len, words)) / len(endings),
        "distinct_1": _distinct_share([word for ending in words for word in ending]),
        "distinct_2": _distinct_share([pair for ending in words for pair in pairwise(ending)]),
    }


def _distinct_share(items: Sequence[object]) -> float | None:
    return len(set(items)) / len(items) if items else None
