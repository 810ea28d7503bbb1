"""Which question's answers are written, where a study asked several about the same endings."""

import pyarrow as pa
import pyarrow.compute as pc

from denouement.errors import UserError


def one_question(votes: pa.Table, question: str | None) -> pa.Table:
    """The votes on one question.

    Args:
        votes: the table `votes`.
        question: its name; None where the votes are on one question alone.

    Raises:
        UserError: there are several questions and none is named, or the named one is not among them.
    """
    names = sorted(pc.unique(votes["question"]).to_pylist())
    if question is None and len(names) > 1:
        raise UserError(f"votes: answer {len(names)} questions ({', '.join(names)}); name one with --question")
    if question is not None and votes.num_rows and question not in names:
        raise UserError(f"--question {question}: the votes answer {', '.join(names)}")
    return votes if question is None else votes.filter(pc.equal(votes["question"], question))
