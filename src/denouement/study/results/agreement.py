"""On which answer to a pair of endings several annotators agree: the rules of Mori et al. 2019, A.2."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from denouement.study.design.names import TIES

FIRST, SECOND, BOTH, NEITHER = range(4)
"""The places of the answers to a pair: its first system, its second system, both, neither."""

NO_AGREEMENT = -1


Counts = npt.NDArray[np.int64]
"""int64 [items, 4]: how many annotators gave each answer."""

Codes = npt.NDArray[np.int64]
"""int64 [items]: the place of an answer, or NO_AGREEMENT."""

# The agreement where two answers are equally the most frequent. The paper names all six cases.
_AGREED_TIES = {
    (FIRST, SECOND): BOTH,
    (FIRST, BOTH): FIRST,
    (SECOND, BOTH): SECOND,
    (FIRST, NEITHER): FIRST,
    (SECOND, NEITHER): SECOND,
    (BOTH, NEITHER): BOTH,
}


def like_an_answer(systems: Iterable[str]) -> str | None:
    """The problem that one of the names of `systems` is also an answer; None where none is."""
    mistaken = sorted(set(TIES) & set(systems))
    return f"a system is called {mistaken[0]}, which is an answer" if mistaken else None


def _outcomes() -> Codes:
    """The agreement by the set of the most frequent answers, where the set is a number with a bit for each answer."""
    outcomes = np.full(16, NO_AGREEMENT)
    for answer in (FIRST, SECOND, BOTH, NEITHER):
        outcomes[1 << answer] = answer
    for (one, other), outcome in _AGREED_TIES.items():
        outcomes[1 << one | 1 << other] = outcome
    return outcomes


_OUTCOMES = _outcomes()


def agreement(counts: Counts) -> Codes:
    """The answer that the annotators of each item agree on.

    It is the most frequent one. Where two are equally frequent and more so than the others, the paper's rule for five
    annotators (two votes each) applies, here with any number of annotators: both systems make `both`; a system and
    `both` or `neither` make the system; `both` and `neither` make `both`. Three or four equally frequent answers, which
    five annotators cannot give, are no agreement; nor is an item without answers.

    Of five answers to each of three stories, the most are for the second ending; two each are for both systems; two
    each are for the first system and for neither:

    >>> agreement(np.array([[1, 3, 1, 0], [2, 2, 0, 1], [2, 1, 0, 2]])).tolist() == [SECOND, BOTH, FIRST]
    True

    Args:
        counts: int64 [items, 4], in the order FIRST, SECOND, BOTH, NEITHER.

    Returns:
        int64 [items]: the place of the answer, or NO_AGREEMENT.
    """
    is_top = counts == counts.max(axis=1, keepdims=True)
    sets = is_top @ (1 << np.arange(4))
    return np.where(counts.any(axis=1), _OUTCOMES[sets], NO_AGREEMENT)
