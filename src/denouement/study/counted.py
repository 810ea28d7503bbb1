"""The answers that results are worked out from."""

import pyarrow as pa
import pyarrow.compute as pc


def counted(answers: pa.Table) -> pa.Table:
    """Those rows of a table `votes`, `ratings` or `orders` that are accepted, attention checks apart."""
    return answers.filter(pc.and_(pc.equal(answers["status"], "accepted"), pc.invert(answers["is_check"])))
