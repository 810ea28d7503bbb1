"""The answers to one question about pairs that count, grouped by items and pairs of systems."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement import schemas
from denouement.answers import chosen_question, counted, questions_of
from denouement.errors import UserError
from denouement.schemas import BETTER
from denouement.study.design.questions import MUCH, SLIGHTLY
from denouement.study.results.agreement import BOTH, FIRST, NEITHER, SECOND, Codes, Counts, like_an_answer

_STRENGTHS = pa.array([SLIGHTLY, MUCH], pa.int8())

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Ballot:
    """The answers that count, as numbers.

    Attributes:
        pairs: the pairs of systems; where one is human, it is the second.
        items: the columns `study`, `item_id`, `case_id` and `pair` (place in `pairs`), a row an item: ordered by pair,
            then by first answer.
        item: int64 [answers], each answer's row in `items`.
        choice: int64 [answers]: FIRST, SECOND, BOTH or NEITHER.
        votes: the rows of the table `votes`, in the same order.
        question: what was asked.
    """

    pairs: list[tuple[str, str]]
    items: pa.Table
    item: Numbers
    choice: Codes
    votes: pa.Table
    question: str = BETTER

    def counts(self) -> Counts:
        """int64 [items, 4]: how many annotators gave each answer."""
        flat = np.bincount(self.item * 4 + self.choice, minlength=4 * self.items.num_rows)
        return flat.reshape(-1, 4).astype(np.int64)


def count(votes: pa.Table, question: str | None = None) -> Ballot:
    """The answers of `votes` to one question that count, grouped by items and pairs.

    Args:
        votes: the table `votes`.
        question: the question; None is the first of the table.

    Raises:
        UserError: in a row the choice contradicts the answer and the sides, both sides are one system, or a system has
            the name of an answer (`both`, `neither`).
    """
    _check_choices(votes)
    asked = question or next(iter(questions_of(votes)), BETTER)
    accepted = counted(votes.filter(pc.equal(votes["question"], asked)))
    if not accepted.num_rows:
        items = schemas.empty_table("votes").select(["study", "item_id", "case_id"])
        none = np.zeros(0, np.int64)
        return Ballot([], items.append_column("pair", pa.array(none)), none, none, accepted, asked)
    sides, names = numbered(accepted["position_a"], accepted["position_b"], accepted["choice"])
    place = {
        name: order for order, name in enumerate(sorted(names, key=lambda name: (name.startswith("human_"), name)))
    }
    order = np.array([place[name] for name in names])
    first, second = np.minimum(order[sides[0]], order[sides[1]]), np.maximum(order[sides[0]], order[sides[1]])
    chosen = order[sides[2]]
    choice = np.select([chosen == first, chosen == second, chosen == place.get("both")], [FIRST, SECOND, BOTH], NEITHER)
    pair_codes, pair = np.unique(first * len(names) + second, return_inverse=True)
    by_place = sorted(place, key=lambda name: place[name])
    pairs = [(by_place[code // len(names)], by_place[code % len(names)]) for code in pair_codes.tolist()]
    keys = accepted.select(["study", "item_id", "case_id"]).append_column("pair", pa.array(pair))
    in_order = keys.append_column("row", pa.array(np.arange(keys.num_rows)))
    items = in_order.group_by(["study", "item_id", "pair"]).aggregate([("case_id", "min"), ("row", "min")])
    items = items.sort_by([("pair", "ascending"), ("row_min", "ascending")])
    items = items.rename_columns({"case_id_min": "case_id"}).select(keys.column_names)
    places = items.drop_columns("case_id").append_column("item", pa.array(np.arange(items.num_rows)))
    joined = in_order.join(places, ["study", "item_id", "pair"]).sort_by("row")
    return Ballot(pairs, items, joined["item"].to_numpy(), choice.astype(np.int64), accepted, asked)


def ballot_of_file(path: Path, votes: pa.Table, question: str | None = None) -> Ballot:
    """As `count`, of the table `votes` of a file, with answers.

    Raises:
        UserError: as `count`, no such question, or no answer that counts.
    """
    ballot = count(votes, chosen_question(path, question, questions_of(votes)))
    if not len(ballot.choice):
        raise UserError(f"{path}: no accepted answer in it; collect answers first")
    return ballot


def _check_choices(votes: pa.Table) -> None:
    """Refuse votes whose choice contradicts the answer and the sides, or does not show which system was chosen."""
    answer, a, b = votes["answer"], votes["position_a"], votes["position_b"]
    if problem := like_an_answer([*a.unique().to_pylist(), *b.unique().to_pylist()]):
        raise UserError(f"votes: {problem}; give it another name")
    said = pc.if_else(pc.equal(answer, "A"), a, pc.if_else(pc.equal(answer, "B"), b, answer))
    wrong = pc.sum(pc.not_equal(said, votes["choice"])).as_py() or 0
    if wrong:
        raise UserError(
            f"votes: in {wrong:,} rows the choice is not what answer and sides say; export or import them again"
        )
    may_be = pc.and_(pc.is_in(answer, pa.array(["A", "B"])), pc.is_in(votes["strength"], _STRENGTHS))
    if n := pc.sum(pc.and_not(pc.is_valid(votes["strength"]), may_be)).as_py():
        raise UserError(f"votes: in {n:,} rows a strength is not 1 or 2, or belongs to no side; correct them")
    alike = pc.sum(pc.equal(a, b)).as_py() or 0
    if alike:
        raise UserError(f"votes: in {alike:,} rows both sides are the same system; name the two systems apart")


def numbered(*columns: pa.ChunkedArray) -> tuple[list[Numbers], list[str]]:
    """Text columns as numbers, and the list of all distinct values, in which the numbers are places."""
    together = pa.chunked_array([chunk for column in columns for chunk in column.chunks], pa.string())
    encoded = together.combine_chunks().dictionary_encode()
    codes = np.asarray(encoded.indices, dtype=np.int64)
    ends = np.cumsum([len(column) for column in columns])[:-1]
    return list(np.split(codes, ends)), encoded.dictionary.to_pylist()
