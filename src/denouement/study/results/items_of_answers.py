"""Whether a table of items belongs to a table of answers."""

import pyarrow as pa

from denouement.errors import UserError


def lacking(answers: pa.Table, items: pa.Table) -> tuple[int, int]:
    """How many of the items that were answered are not in the table `items`, and how many there are.

    Args:
        answers: a table of answers.
        items: the table `items`.

    Raises:
        UserError: none of those that were answered is in it.
    """
    answered, known = _ids(answers), _ids(items)
    if answered and not answered & known:
        raise UserError("items: none of the items that were answered is in this table; give that of the same study")
    return len(answered - known), len(answered)


def _ids(table: pa.Table) -> set[tuple[str, str]]:
    return set(zip(table["study"].to_pylist(), table["item_id"].to_pylist(), strict=True))
