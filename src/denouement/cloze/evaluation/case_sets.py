"""Which Story Cloze cases are scored together, and which cases systems may learn from to score them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement.console import warn
from denouement.corpus import keys, overlap
from denouement.errors import UserError
from denouement.schemas import ENGLISH, SPLITS, in_order, read_table, set_name, shortened


@dataclass(frozen=True)
class CaseSet:
    """The cases of one release, split and language that are scored, and those to learn from that have other stories.

    Attributes:
        release, split, language: of all `cases`.
        cases: rows of the table `cloze`.
        train: labelled cases to fit to, none of whose stories is among `cases`; None where no cases to learn from are
            given.
        is_learned_from: whether `cases` are learned from themselves: then each is scored by a system that was fitted to
            the other folds, and to `train`.
        left_out: how many cases to learn from were left out because their story is among `cases`.
    """

    release: str
    split: str
    cases: pa.Table
    train: pa.Table | None = None
    is_learned_from: bool = False
    left_out: int = 0
    language: str = ENGLISH

    @property
    def name(self) -> str:
        """See `schemas.set_name`."""
        return set_name(self.release, self.split, self.language)

    @property
    def blind(self) -> bool:
        """Whether a label is missing: then there are predictions and no accuracy."""
        return bool(self.cases["right_ending"].null_count)


@dataclass(frozen=True)
class Learnable:
    """The cases that systems may learn from.

    Attributes:
        cases: labelled rows of the table `cloze`; None where no case was given to learn from.
        passed_over: how many of the cases given are not learned from, by the reason why.
    """

    cases: pa.Table | None = None
    passed_over: dict[str, int] = field(default_factory=dict)


def learnable(train: pa.Table | None, test: pa.Table | None) -> Learnable:
    """The labelled cases of `train` whose split is train or validation.

    Labelled cases of the split test are for scoring, so no system learns from them, with one exception and a warning:
    where `train` has no other labelled case, and `test` is another table.
    """
    if train is None:
        return Learnable()
    labelled = train.filter(pc.is_valid(train["right_ending"]))
    is_test = pc.equal(labelled["split"], "test")
    chosen, of_test = labelled.filter(pc.invert(is_test)), labelled.filter(is_test)
    if of_test.num_rows and not chosen.num_rows and test is not None and not test.equals(train):
        warn(f"{of_test.num_rows:,} labelled cases of the split test are learned from: there are no others")
        chosen, of_test = of_test, chosen
    passed_over = {
        "labelled cases of the split test, not learned from": of_test.num_rows,
        "cases without a label, not learned from": train.num_rows - labelled.num_rows,
        "cases whose story an earlier case has, learned from once": chosen.num_rows - learned_once(chosen).num_rows,
    }
    return Learnable(chosen, {text: n for text, n in passed_over.items() if n})


def learned_once(cases: pa.Table) -> pa.Table:
    """The cases without those whose id, or context with the same question, an earlier one in their language has."""
    is_first = np.ones(cases.num_rows, dtype=bool)
    asked = (keys.contexts(cases).combine_chunks(), cases["question"].combine_chunks().fill_null(""))
    for column in ((cases["case_id"].combine_chunks(),), asked):
        texts = pc.binary_join_element_wise(cases["language"].combine_chunks(), *column, "\n")
        numbers = texts.dictionary_encode().indices.to_numpy()
        firsts = np.unique(numbers, return_index=True)[1]
        is_first &= np.isin(np.arange(cases.num_rows), firsts)
    return cases.filter(pa.array(is_first))


def case_sets(
    scored: pa.Table | None,
    learned: pa.Table | None,
    releases: Sequence[str] = (),
    splits: Sequence[str] = (),
    languages: Sequence[str] = (),
) -> list[CaseSet]:
    """The cases to score, a set for each release, split and language, and what may be learned from for each.

    Where a set of the split train or validation has the stories of all cases to learn from of that release, split and
    language, it is cross-validated (`CaseSet.is_learned_from`). For any other set, such as a part of these cases, its
    stories are left out of the cases to learn from. These are in the set's language. A story that is in several
    releases is learned from once.

    Args:
        scored: of the table `cloze`.
        learned: see `learnable`; None: nothing to learn from.
        releases: only sets of these; empty: of all.
        splits: only sets of these; empty: of all.
        languages: only sets of these; empty: of all.

    Raises:
        UserError: no cases, or one without a context.
    """
    if scored is None or not scored.num_rows:
        raise UserError("no Story Cloze cases to score: give a table with --test, or with --train to cross-validate")
    for cases in filter(None, (scored, learned)):
        check_contexts(cases)
    distinct = None if learned is None else learned_once(learned)
    found = []
    for cases in _sets(scored, releases, splits, languages):
        release, split, language = _group(cases)
        if learned is None or distinct is None:
            found.append(CaseSet(release, split, cases, language=language))
            continue
        own = learned.filter(_is_of(learned, release, split, language))
        is_learned_from = split != "test" and not cases["right_ending"].null_count and _same_stories(cases, own)
        others = distinct.filter(pc.equal(distinct["language"], language))
        is_seen = overlap.in_common(others, cases)
        is_own = np.asarray(_is_of(others, release, split, language), dtype=bool) if is_learned_from else False
        rest, left_out = others.filter(pa.array(~is_seen)), int((is_seen & ~is_own).sum())
        found.append(CaseSet(release, split, cases, rest, is_learned_from, left_out, language))
    if not found:
        wanted = " ".join(" or ".join(names) for names in (releases, splits, languages) if names)
        raise UserError(f"no Story Cloze cases of {wanted} to score; there are those of {', '.join(counted(scored))}")
    return found


def read_cases(path: Path, **wanted: Sequence[str]) -> pa.Table:
    """The table `cloze` in a file.

    Args:
        path: the file.
        wanted: by column (`release`, `split`, `language`), and for each of its values listed there must be a case.

    Raises:
        UserError: no such file or table, or no case of a listed value; it names the values that are there.
    """
    cases = read_table(path, "cloze")
    check_named(cases, path, **wanted)
    return cases


def check_named(cases: pa.Table, path: Path, **wanted: Sequence[str]) -> None:
    """Make sure that there is a case of each value listed; see `read_cases`."""
    for column, values in wanted.items():
        present = pc.unique(cases[column]).to_pylist()
        if absent := [value for value in values if value not in present]:
            raise UserError(
                f"--{column} {absent[0]}: {path} has no such case; it has {', '.join(sorted(present)) or 'none'}"
            )


def chosen_cases(cases: pa.Table, path: Path, **wanted: Sequence[str]) -> pa.Table:
    """The cases that have one of the values listed, in each column that lists any.

    Args:
        cases: those of the file `path`.
        path: for messages.
        wanted: by column; see `read_cases`.

    Raises:
        UserError: as `read_cases`, or no case has a listed value in each column.
    """
    check_named(cases, path, **wanted)
    listed = {column: values for column, values in wanted.items() if values}
    for column, values in listed.items():
        cases = cases.filter(pc.is_in(cases[column], pa.array(values, pa.string())))
    if listed and not cases.num_rows:
        asked = " ".join(f"--{column} {value}" for column, values in listed.items() for value in values)
        raise UserError(f"{path}: has no case of {asked} together")
    return cases


def counted(cases: pa.Table) -> dict[str, int]:
    """How many cases there are of each release, split and language that has any."""
    return {set_name(*_group(of_set)): of_set.num_rows for of_set in _sets(cases)}


def check_contexts(cases: pa.Table) -> None:
    """Make sure that each case has a context.

    Raises:
        UserError: a case without one; it names the first.
    """
    without = cases.filter(pc.equal(pc.list_value_length(cases["context"]), 0))["case_id"]
    if len(without):
        raise UserError(
            f"{len(without):,} of {cases.num_rows:,} cases have no sentence of context, the first is "
            f"{shortened([without[0].as_py()])}; leave them out"
        )


def _sets(
    cases: pa.Table, releases: Sequence[str] = (), splits: Sequence[str] = (), languages: Sequence[str] = ()
) -> Iterator[pa.Table]:
    """The cases of each release, split and language that has any; only of those named, where any are.

    English comes before other languages.
    """
    spoken = sorted(pc.unique(cases["language"]).to_pylist(), key=lambda language: (language != ENGLISH, language))
    for split, release, language in product(SPLITS, in_order(pc.unique(cases["release"]).to_pylist()), spoken):
        wanted = ((splits, split), (releases, release), (languages, language))
        if all(value in values or not values for values, value in wanted):
            of_set = cases.filter(_is_of(cases, release, split, language))
            if of_set.num_rows:
                yield of_set


def _group(of_set: pa.Table) -> tuple[str, str, str]:
    """Release, split and language of a set."""
    release, split, language = (of_set[name][0].as_py() for name in ("release", "split", "language"))
    return release, split, language


def _is_of(cases: pa.Table, release: str, split: str, language: str) -> pa.ChunkedArray:
    is_of_split = pc.and_(pc.equal(cases["release"], release), pc.equal(cases["split"], split))
    return pc.and_(is_of_split, pc.equal(cases["language"], language))


def _same_stories(ones: pa.Table, others: pa.Table) -> bool:
    """Whether each has all the stories of the other, in any order."""
    return all(overlap.in_common(one, other).all() for one, other in ((ones, others), (others, ones)))


def unseen_stories(stories: pa.Table | None, sets: Sequence[CaseSet]) -> pa.Table | None:
    """The stories without those that are among the scored cases; a warning counts these."""
    if stories is None:
        return None
    unseen = stories
    for each in sets:
        unseen = overlap.without(unseen, each.cases)
    if left_out := stories.num_rows - unseen.num_rows:
        warn(f"{left_out:,} of {stories.num_rows:,} stories are among the scored cases and are left out")
    return unseen
