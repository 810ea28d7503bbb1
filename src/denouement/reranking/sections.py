"""What a chooser prefers, as blocks."""

from collections.abc import Sequence

from denouement.present.cells import Cell, ShareAndInterval
from denouement.present.sections import Block, Bullets, Paragraph, Table
from denouement.reranking.preferred import WRONG, Preferences


def preference_blocks(found: Preferences) -> list[Block]:
    """A row a system, what the human ending is, and what is to be known of the chooser."""
    rows: list[list[Cell]] = [
        [row.system, row.n, ShareAndInterval(row.share or 0.0, row.low, row.high), row.equal] for row in found.systems
    ]
    against = []
    if found.labelled:
        against.append(f"the right one in the {found.labelled:,} labelled cases")
    if found.blind:
        against.append(
            f"the ending of the case that the chooser likes best in the {found.blind:,} blind cases, where not all are "
            "right"
        )
    has_wrong = any(row.system == WRONG for row in found.systems)
    wrong = f" {WRONG}: how often the chooser prefers a wrong ending, so how often it errs." if has_wrong else ""
    return [
        Table(
            ["system", "cases", "preferred to the human ending", "equal"],
            rows,
            note=f"By the scores of {found.chooser}, with the exact 95% interval. The human ending is "
            f"{' and '.join(against)}.{wrong}",
        ),
        *_bullets("Not independent of how endings were chosen", found.dependent),
        *_bullets("Not compared", found.left_out),
        Paragraph("A chooser reads for what it has learned; only people can say which ending they prefer."),
    ]


def _bullets(title: str, items: Sequence[str]) -> list[Block]:
    return [Bullets(title, items)] if items else []
