"""How repetitive the endings of each system are, which shows a generator that always writes one safe ending."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis.named_tables import NamedTable
from denouement.analysis.sentiment import RIGHT
from denouement.corpus.cases import labelled_cases, right_and_wrong
from denouement.schemas import empty_table

_WORD = re.compile(r"\w+(?:['’-]\w+)*")


@dataclass(frozen=True)
class Repetition:
    """How far endings repeat each other, by their text alone.

    Attributes:
        n: endings.
        distinct: different ones, as written, with `distinct_share` (0 to 1) of all.
        most_frequent: the most frequent ending, with `most_frequent_count` and `most_frequent_share`.
        mean_words: of an ending, punctuation not counted.
        distinct_1, distinct_2: distinct words and pairs of neighbours as a share of all (Li et al. 2016), words in
            lower case; None without any.
    """

    n: int
    distinct: int
    distinct_share: float
    most_frequent: str
    most_frequent_count: int
    most_frequent_share: float
    mean_words: float
    distinct_1: float | None
    distinct_2: float | None


@dataclass(frozen=True)
class SystemEndings(Repetition):
    """The endings of one system.

    Attributes:
        log_prob_per_token: in nats, the sum over all tokens by their number; None where endings have none.
        decoding: the settings in words; None where the table does not record them.
    """

    system: str
    log_prob_per_token: float | None
    decoding: str | None


def endings_table(endings: Sequence[NamedTable], cloze: pa.Table | None = None) -> list[SystemEndings]:
    """How many of each system's endings differ, how long they are, and how likely they were to the system.

    Args:
        endings: tables `endings`, with the metadata that record the decoding.
        cloze: a table `cloze`, which adds a first row `right`, the right endings of the same cases. Shares of distinct
            endings and words fall as n grows, so only rows of equal n compare.
    """
    decoding = {
        system: (part.schema.metadata or {}).get(b"decoding", b"").decode() or None
        for _, part in endings
        for system in pc.unique(part["system"]).to_pylist()
    }
    table = pa.concat_tables([empty_table("endings"), *(part for _, part in endings)])
    rows = []
    if cloze is not None:
        cases, _ = labelled_cases(cloze)
        if table.num_rows:
            cases = cases.filter(pc.is_in(cases["case_id"], pc.unique(table["case_id"])))
        right, _ = right_and_wrong(cases)
        if len(right):
            rows.append(_of_system(RIGHT, right))
    for system in pc.unique(table["system"]).to_pylist():
        part = table.filter(pc.equal(table["system"], system))
        tokens = pc.sum(part["n_tokens"]).as_py()
        log_prob = pc.sum(part["log_prob"].cast(pa.float64())).as_py()
        rows.append(_of_system(system, part["ending"], log_prob / tokens if tokens else None, decoding[system]))
    return rows


def strays(endings: Sequence[NamedTable], cloze: pa.Table) -> list[str]:
    """A sentence for each table that has endings of cases which the table `cloze` lacks, and so are left out."""
    found = []
    for path, table in endings:
        of_case = table["case_id"]
        n = len(of_case) - pc.sum(pc.is_in(of_case, cloze["case_id"].combine_chunks())).as_py() if len(of_case) else 0
        if n:
            found.append(
                f"{n:,} of {len(of_case):,} endings of {path.name} belong to cases that are not among the Story Cloze "
                "cases, and are not compared with right endings"
            )
    return found


def repetition(endings: Sequence[str]) -> Repetition:
    """How far the endings, one or more, repeat each other.

    >>> found = repetition(["He was happy.", "He was happy.", "She ran home."])
    >>> found.distinct, found.most_frequent, found.mean_words
    (2, 'He was happy.', 3.0)
    """
    counts = Counter(endings)
    most_frequent, most_frequent_count = counts.most_common(1)[0]  # the first one, of equally frequent ones
    words = [_WORD.findall(ending.lower()) for ending in endings]
    return Repetition(
        n=len(endings),
        distinct=len(counts),
        distinct_share=len(counts) / len(endings),
        most_frequent=most_frequent,
        most_frequent_count=most_frequent_count,
        most_frequent_share=most_frequent_count / len(endings),
        mean_words=sum(map(len, words)) / len(endings),
        distinct_1=_distinct_share([word for ending in words for word in ending]),
        distinct_2=_distinct_share([pair for ending in words for pair in pairwise(ending)]),
    )


def _of_system(
    system: str, endings: pa.ChunkedArray, log_prob_per_token: float | None = None, decoding: str | None = None
) -> SystemEndings:
    return SystemEndings(
        **vars(repetition(endings.to_pylist())),
        system=system,
        log_prob_per_token=log_prob_per_token,
        decoding=decoding,
    )


def _distinct_share(items: Sequence[object]) -> float | None:
    return len(set(items)) / len(items) if items else None
