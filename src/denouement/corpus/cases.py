"""Which Story Cloze cases count, and which of their endings is right."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement import schemas
from denouement.corpus import keys
from denouement.corpus.overlap import firsts
from denouement.files import existing_file
from denouement.schemas import ENGLISH, SPLITS, in_order, preferred_release

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
    """The English labelled cases of one release, the first there is (`schemas.in_order`): v1.0, as in the paper.

    Only one release, since v1.5 repeats nearly all validation cases of v1.0, which would count twice; for the same
    reason a case that is in two splits, or twice in one, counts once (`distinct`). Only English ones, since what is
    measured of endings (sentiment, words, syntax) is measured by English tools.

    Returns:
        The cases, and a sentence with the count for each kind of case left out.
    """
    labelled = cloze.filter(pc.is_valid(cloze["right_ending"]))
    left_out = []
    if blind := cloze.num_rows - labelled.num_rows:
        left_out.append(f"{blind:,} blind cloze cases are not in right and wrong: no label names their right ending")
    labelled, others = in_english(labelled)
    left_out += others
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


def in_english(cases: pa.Table) -> tuple[pa.Table, list[str]]:
    """The English cases, and a sentence with the number of the others, where there are any."""
    is_english = pc.equal(cases["language"], ENGLISH)
    others = cases.filter(pc.invert(is_english))
    if not others.num_rows:
        return cases, []
    languages = ", ".join(sorted(pc.unique(others["language"]).to_pylist()))
    return cases.filter(is_english), [
        f"{others.num_rows:,} cloze cases in {languages} are left out: endings are measured by tools for English"
    ]


def with_human_endings(path: Path) -> pa.Table:
    """The cases of a table `cloze`, or stories of a table `stories` as cases with their last sentence as only ending.

    Raises:
        UserError: no such file, or neither of these tables.
    """
    if schemas.table_name(existing_file(path)) != "stories":
        return schemas.read_table(path, "cloze")
    stories = schemas.read_table(path, "stories")
    sentences = stories["sentences"].to_pylist()
    n = stories.num_rows
    columns = {
        "case_id": stories["story_id"],
        "context": [story[:-1] for story in sentences],
        "question": pa.nulls(n, pa.string()),
        "endings": [story[-1:] for story in sentences],
        "right_ending": [1] * n,
        "language": [ENGLISH] * n,
        "release": stories["source"],
        "split": stories["split"],
    }
    schema = schemas.TABLES["cloze"].schema
    return pa.table({name: columns[name] for name in schema.names}, schema=schema)


def n_endings(cases: pa.Table) -> npt.NDArray[np.int64]:
    """int64 [cases]: how many endings each case has."""
    return np.asarray(pc.list_value_length(cases["endings"]).to_numpy(), np.int64)


def is_right(cases: pa.Table) -> npt.NDArray[np.bool_]:
    """bool [endings]: whether each ending of labelled cases is the right one; the endings follow each other by case."""
    n = n_endings(cases)
    found = np.zeros(int(n.sum()), bool)
    found[np.cumsum(n) - n + cases["right_ending"].to_numpy() - 1] = True
    return found


def right_and_wrong(cases: pa.Table) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """The right ending of each labelled case, and the wrong ones: all of the first case, all of the second ...

    >>> endings = [["He won.", "Ice melts."], ["It rained.", "Ann ran.", "Ice is hot."]]
    >>> cases = pa.table({"endings": endings, "right_ending": [1, 2]})
    >>> right, wrong = right_and_wrong(cases)
    >>> right.to_pylist(), wrong.to_pylist()
    (['He won.', 'Ann ran.'], ['Ice melts.', 'It rained.', 'Ice is hot.'])
    """
    endings, right = pc.list_flatten(cases["endings"]), is_right(cases)
    return endings.filter(pa.array(right)), endings.filter(pa.array(~right))


def labelled_sets(cloze: pa.Table) -> CaseSets:
    """The labelled cases, in English, of each release and split that has any."""
    labelled, _ = in_english(cloze.filter(pc.is_valid(cloze["right_ending"])))
    found = {}
    for release in in_order(pc.unique(labelled["release"]).to_pylist()):
        for split in SPLITS:
            of_set = pc.and_(pc.equal(labelled["release"], release), pc.equal(labelled["split"], split))
            if (cases := labelled.filter(of_set)).num_rows:
                found[release, split] = cases
    return found
