"""Scores of cases by systems that were fitted to other cases of the same table."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.cloze.base import ClozeSystem, Scores, has_ending
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.console import progress
from denouement.corpus import overlap


def folds(n: int, k: int, seed: int) -> npt.NDArray[np.int64]:
    """int64 [n]: the fold, 0 to k - 1, of each case; drawn at random, of sizes that differ by one at most."""
    return np.random.default_rng(seed).permutation(np.arange(n) % k)


def story_folds(cases: pa.Table, k: int, seed: int) -> npt.NDArray[np.int64]:
    """int64 [cases]: the fold of each case as by `folds`, cases of one story (`corpus.overlap`) in one fold.

    Raises:
        MissingResourceError: fewer stories than folds.
    """
    story_of = overlap.stories_of(cases)
    n = int(story_of.max(initial=-1)) + 1
    if n < k:
        of_stories = "" if n == cases.num_rows else " of one story" if n == 1 else f" of {n} stories"
        raise MissingResourceError(
            f"{cases.num_rows} labelled cases{of_stories} cannot be parted into {k} folds; give more cases with "
            "--train, or fewer --folds"
        )
    return folds(n, k, seed)[story_of]


def out_of_fold(
    make: Callable[[], ClozeSystem],
    cases: pa.Table,
    resources: Resources,
    k: int,
    what: str = "folds",
    also: pa.Table | None = None,
) -> dict[str, Scores]:
    """The scores of labelled cases, each by a system fitted to the other k - 1 folds.

    Folds are those of `story_folds`, so that no system has seen the story that it is asked about.

    Args:
        make: returns a prepared system that is not fitted yet.
        cases: labelled cases of the table `cloze`.
        resources: see `Resources`; its seed draws the folds.
        k: folds, at least 2.
        what: the name that the progress bar shows.
        also: further labelled cases that every system is fitted to, none of whose stories is among `cases`.

    Raises:
        MissingResourceError: fewer stories than folds.
    """
    fold_of = story_folds(cases, k, resources.seed)
    scores: dict[str, Scores] = {}
    for fold in progress(range(k), what, unit="fold"):
        held_out = fold_of == fold
        system = make()
        others = cases.filter(pa.array(~held_out))
        system.fit(others if also is None else pa.concat_tables([others, also]), resources)
        for variant, part in system.score(cases.filter(pa.array(held_out)), resources).items():
            # the cases held out may all have fewer endings than others have
            whole = scores.setdefault(variant, np.full(has_ending(cases).shape, -np.inf))
            whole[held_out, : part.shape[1]] = part
    return scores
