"""Which Story Cloze cases count, and which of their two endings is right."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement.corpus import keys
from denouement.corpus.overlap import firsts
from denouement.schemas import RELEASES, SPLITS, preferred_release

CaseSets = dict[tuple[str, str], pa.Table]
"""Labelled cases by release and split."""

POOLED = ("validation", "test")
"""The splits that the papers' tables of endings combine."""


@dataclass(frozen=True)
class Distinct:
    """Cases without repeated ones.

    Attributes:
        cases: rows of the table `cloze`; of a repeated case the first row.
        repeated: how many rows were left out because they repeat a case.
        contradicting: how many of these name another right ending than the row that counts.
    """

    cases: pa.Table
    repeated: int
    contradicting: int

    @property
    def note(self) -> str:
        """A sentence that says how many rows were left out; empty where none was."""
        if not self.repeated:
            return ""
        others = f", {self.contradicting:,} of them with another right ending" if self.contradicting else ""
        return f"{self.repeated:,} cloze cases repeat an earlier one{others}: only the first counts"


def distinct(cases: pa.Table) -> Distinct:
    """The labelled cases without those that repeat an earlier one (`overlap.firsts`)."""
    first = firsts(cases)
    repeated = first != np.arange(cases.num_rows)
    right = keys.normalised(right_and_wrong(cases)[0].combine_chunks())
    contradicting = np.asarray(pc.not_equal(right, right.take(pa.array(first))), dtype=bool)
    return Distinct(cases.filter(pa.array(~repeated)), int(repeated.sum()), int(contradicting.sum()))


def pooled(sets: CaseSets, release: str) -> Distinct | None:
    """The labelled cases of a release's validation and test as one set, as in the papers' tables.

    None where validation or test has no labelled case.
    """
    parts = [sets[release, split] for split in POOLED if (release, split) in sets]
    return distinct(pa.concat_tables(parts)) if len(parts) == len(POOLED) else None


def labelled_cases(cloze: pa.Table) -> tuple[pa.Table, list[str]]:
    """The labelled cases of one release: v1.0, as in the paper, if the table has any; else v1.5; else the sample.

    Only one release, since v1.5 repeats nearly all validation cases of v1.0, which would count twice; for the same
    reason a case that is in two splits, or twice in one, counts once (`distinct`).

    Returns:
        The cases, and a sentence with the count for each kind of case left out.
    """
    labelled = cloze.filter(pc.is_valid(cloze["right_ending"]))
    left_out = []
    if blind := cloze.num_rows - labelled.num_rows:
        left_out.append(f"{blind:,} blind cloze cases are not in right and wrong: no label names their right ending")
    present = set(pc.unique(labelled["release"]).to_pylist())
    cases = labelled
    if len(present) > 1:
        chosen = preferred_release(present)
        cases = labelled.filter(pc.equal(labelled["release"], chosen))
        left_out.append(
            f"{labelled.num_rows - cases.num_rows:,} cloze cases of {', '.join(sorted(present - {chosen}))} are not in "
            f"right and wrong: only {chosen} is counted, since releases share cases"
        )
    once = distinct(cases)
    if once.note:
        left_out.append(once.note)
    return once.cases, left_out


def right_and_wrong(cases: pa.Table) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """The right and the wrong ending of each labelled case.

    >>> endings = {"ending_1": ["He won.", "It rained."], "ending_2": ["Ice melts.", "Ann ran."]}
    >>> cases = pa.table({**endings, "right_ending": [1, 2]})
    >>> right, wrong = right_and_wrong(cases)
    >>> right.to_pylist(), wrong.to_pylist()
    (['He won.', 'Ann ran.'], ['Ice melts.', 'It rained.'])
    """
    first_is_right = pc.equal(cases["right_ending"], 1)
    right = pc.if_else(first_is_right, cases["ending_1"], cases["ending_2"])
    wrong = pc.if_else(first_is_right, cases["ending_2"], cases["ending_1"])
    return right, wrong


def labelled_sets(cloze: pa.Table) -> CaseSets:
    """The labelled cases of each release and split that has any."""
    labelled = cloze.filter(pc.is_valid(cloze["right_ending"]))
    found = {}
    for release in RELEASES:
        for split in SPLITS:
            of_set = pc.and_(pc.equal(labelled["release"], release), pc.equal(labelled["split"], split))
            if (cases := labelled.filter(of_set)).num_rows:
                found[release, split] = cases
    return found
