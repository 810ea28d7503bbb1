"""Which Story Cloze cases count, and which of their two endings is right."""

import pyarrow as pa
import pyarrow.compute as pc

from denouement.schemas import RELEASES, SPLITS

CaseSets = dict[tuple[str, str], pa.Table]
"""Labelled cases by release and split."""


def labelled_cases(cloze: pa.Table) -> tuple[pa.Table, list[str]]:
    """The labelled cases of one release: v1.0, as in the paper, when the table holds any; else v1.5; else the sample.

    One release, since v1.5 repeats nearly all validation cases of v1.0, and to count those twice would be wrong.

    Returns:
        The cases, and a sentence with the count for each kind of case left out.
    """
    labelled = cloze.filter(pc.is_valid(cloze["right_ending"]))
    left_out = []
    if blind := cloze.num_rows - labelled.num_rows:
        left_out.append(f"{blind:,} blind cloze cases are not in right and wrong: no label tells their right ending")
    present = set(pc.unique(labelled["release"]).to_pylist())
    if len(present) < 2:
        return labelled, left_out
    chosen = next(release for release in RELEASES if release in present)
    cases = labelled.filter(pc.equal(labelled["release"], chosen))
    left_out.append(
        f"{labelled.num_rows - cases.num_rows:,} cloze cases of {', '.join(sorted(present - {chosen}))} are not in "
        f"right and wrong: only {chosen} is counted, since releases share cases"
    )
    return cases, left_out


def right_and_wrong(cases: pa.Table) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """The right and the wrong ending of each labelled case."""
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
