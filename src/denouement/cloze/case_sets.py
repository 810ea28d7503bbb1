"""Which Story Cloze cases are scored together, and what may be learned from without having seen them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement.console import warn
from denouement.corpus import keys, overlap
from denouement.errors import UserError
from denouement.schemas import RELEASES, SPLITS, shortened


@dataclass(frozen=True)
class CaseSet:
    """The cases of one release and split that are scored, and what may be learned from without having seen them.

    Attributes:
        release, split: of all of them.
        cases: rows of the table `cloze`.
        train: labelled cases to fit to, without those whose story stands among `cases`; None: cross-validate.
        left_out: how many training cases were left out for that.
    """

    release: str
    split: str
    cases: pa.Table
    train: pa.Table | None = None
    left_out: int = 0

    @property
    def name(self) -> str:
        """Release and split."""
        return f"{self.release} {self.split}"

    @property
    def blind(self) -> bool:
        """Whether a label is missing: then there are predictions and no accuracy."""
        return bool(self.cases["right_ending"].null_count)


def case_sets(train: pa.Table | None, test: pa.Table | None) -> list[CaseSet]:
    """The cases to score, a set for each release and split of `test`, or of `train` where there is no `test`.

    A set of which all cases stand among the labelled ones of `train` is cross-validated on itself; for any other, the
    cases of `train` that stand in it are left out. Of training cases that stand in two releases, one is learned from.

    Raises:
        UserError: no cases, or one without a context.
    """
    scored = train if test is None else test
    if scored is None or not scored.num_rows:
        raise UserError("no Story Cloze cases to score: give a table with --test, or with --train to cross-validate")
    for cases in filter(None, (train, test)):
        check_contexts(cases)
    labelled = None if train is None else _distinct(train.filter(pc.is_valid(train["right_ending"])))
    sets = []
    for split in SPLITS:
        for release in RELEASES:
            cases = scored.filter(pc.and_(pc.equal(scored["release"], release), pc.equal(scored["split"], split)))
            if not cases.num_rows:
                continue
            is_blind = cases["right_ending"].null_count > 0
            if labelled is None or (not is_blind and overlap.in_common(cases, labelled).all()):
                sets.append(CaseSet(release, split, cases))
            else:
                kept = overlap.without(labelled, cases)
                sets.append(CaseSet(release, split, cases, kept, labelled.num_rows - kept.num_rows))
    return sets


def check_contexts(cases: pa.Table) -> None:
    """Make sure that each case has a context, which systems go on from.

    Raises:
        UserError: one has none; it names the first.
    """
    without = cases.filter(pc.equal(pc.list_value_length(cases["context"]), 0))["case_id"]
    if len(without):
        raise UserError(
            f"{len(without):,} of {cases.num_rows:,} cases have no sentence of context, the first is "
            f"{shortened([without[0].as_py()])}; leave them out"
        )


def _distinct(cases: pa.Table) -> pa.Table:
    """The cases without those whose id or context an earlier one has."""
    is_first = np.ones(cases.num_rows, dtype=bool)
    for column in (cases["case_id"], keys.contexts(cases)):
        numbers = column.combine_chunks().dictionary_encode().indices.to_numpy()
        firsts = np.unique(numbers, return_index=True)[1]
        is_first &= np.isin(np.arange(cases.num_rows), firsts)
    return cases.filter(pa.array(is_first))


def unseen_stories(stories: pa.Table | None, sets: Sequence[CaseSet]) -> pa.Table | None:
    """The stories without those that stand among the scored cases; a warning counts these."""
    if stories is None:
        return None
    unseen = stories
    for each in sets:
        unseen = overlap.without(unseen, each.cases)
    if left_out := stories.num_rows - unseen.num_rows:
        warn(f"{left_out:,} of {stories.num_rows:,} stories stand among the scored cases and are left out")
    return unseen
