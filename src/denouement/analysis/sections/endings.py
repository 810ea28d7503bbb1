"""How repetitive endings are, as blocks."""

import textwrap
from collections.abc import Sequence

from denouement.analysis.endings import SystemEndings
from denouement.present.cells import Cell, CountAndShare, Number
from denouement.present.sections import Block, Paragraph, Table


def endings_blocks(rows: Sequence[SystemEndings]) -> list[Block]:
    """A row a system, and the settings that its endings were decoded with."""
    columns = ["system", "n", "distinct", "words", "distinct-1", "distinct-2", "log-prob per token", "most frequent"]
    cells: list[list[Cell]] = [
        [
            row.system,
            row.n,
            CountAndShare(row.distinct, row.distinct_share),
            Number(row.mean_words, 1),
            Number(row.distinct_1, 3),
            Number(row.distinct_2, 3),
            Number(row.log_prob_per_token, 2),
            f"{textwrap.shorten(row.most_frequent, 60, placeholder=' ...')} "
            f"({row.most_frequent_count:,}, {row.most_frequent_share:.1%})",
        ]
        for row in rows
    ]
    return [
        Table(columns, cells),
        Paragraph(
            "Distinct endings with their share of all; mean length in words; distinct-1 and distinct-2: distinct words "
            "and pairs of words as a share of all; mean log-probability in nats. Low shares are repetition."
        ),
        *(Paragraph(f"Decoding of {row.system}: {row.decoding}.") for row in rows if row.decoding),
    ]
