"""The same story in two places: a system that is trained on one and tested on the other has already seen it.

Two rows are the same story when they have the same id, or the same normalised context (`keys`): the four sentences
of a cloze case, or all sentences but the last of a story.
"""

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement.corpus import keys
from denouement.schemas import RELEASES, SPLITS


def leaks(train: pa.Table, test: pa.Table) -> list[str]:
    """The ids of the cases of `test` whose story is also in `train`, in the order of `test`.

    Args:
        train: rows of the table `stories` or `cloze`.
        test: rows of the table `cloze` (or `stories`).
    """
    ids: list[str] = _Group.of(test).ids.filter(pa.array(in_common(test, train))).to_pylist()
    return ids


def without(train: pa.Table, test: pa.Table) -> pa.Table:
    """The rows of `train` whose story is not in `test`; both are rows of the table `stories` or `cloze`."""
    return train.filter(pa.array(~in_common(train, test)))


def in_common(rows: pa.Table, others: pa.Table) -> npt.NDArray[np.bool_]:
    """bool [rows]: whether each row's story is also in `others`; both are rows of the table `stories` or `cloze`."""
    ours, theirs = _Group.of(rows), _Group.of(others)
    return _is_in(ours.ids, theirs.ids) | _is_in(ours.contexts, theirs.contexts)


def firsts(cases: pa.Table) -> npt.NDArray[np.int64]:
    """int64 [cases]: the number of the first row of the table `cloze` that is the same case; for most rows their own.

    Rows are the same case when they have the same id, or the same context with the same two endings, in either order.
    A context with other endings is another case here, since endings are counted.
    """
    [both] = _endings(cases, as_pair=True)
    found = np.arange(cases.num_rows)
    for column in (cases["case_id"].combine_chunks(), _join(keys.contexts(cases).combine_chunks(), both)):
        values = column.dictionary_encode().indices.to_numpy()
        _, first, place = np.unique(values, return_index=True, return_inverse=True)
        found = np.minimum(found, first[place])
    return found


def stories_of(rows: pa.Table) -> npt.NDArray[np.int64]:
    """int64 [rows]: the number of each row's story, counted from 0 in the order of the rows.

    Rows have the same number if they are the same story, or if a third row is the same story as both.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = rows.num_rows
    group = _Group.of(rows)
    ids = group.ids.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    contexts = group.contexts.combine_chunks().dictionary_encode().indices.to_numpy(zero_copy_only=False)
    ends = np.concatenate([n + ids, 2 * n + contexts])  # rows, ids and contexts are the nodes of a graph
    edges = coo_array((np.ones(2 * n), (np.tile(np.arange(n), 2), ends)), shape=(3 * n, 3 * n))
    labels = connected_components(edges, directed=False)[1][:n]
    _, first, places = np.unique(labels, return_index=True, return_inverse=True)
    numbers: npt.NDArray[np.int64] = np.argsort(np.argsort(first))[places].astype(np.int64)
    return numbers


@dataclass(frozen=True)
class SharedStories:
    """How many stories two groups share; a group is a source of stories, or a release and split of cases.

    Attributes:
        first, second: the groups.
        first_rows, second_rows: their sizes.
        same_id, same_context: rows of `second` whose id, or normalised context, is also in `first`.
        same_story: rows for which one or the other holds, which leak from `first` to `second`.
        same_endings: how many of these have the same endings in `first`: two cases the same two in either order; a
            story and a case, if the story's last sentence is one of the case's endings.
        other_endings: how many of these have other endings.
    """

    first: str
    second: str
    first_rows: int
    second_rows: int
    same_id: int
    same_context: int
    same_story: int
    same_endings: int
    other_endings: int


@dataclass(frozen=True)
class Overlap:
    """How many stories groups share, and how many are repeated within a group.

    Attributes:
        pairs: one for every two groups.
        repeated: by group the number of rows with the context of an earlier row of the group, if there are any.
    """

    pairs: tuple[SharedStories, ...]
    repeated: dict[str, int]


def find_overlap(stories: pa.Table, cases: pa.Table) -> Overlap:
    """Compare every two groups of rows of the tables `stories` and `cloze`."""
    groups = _groups(stories, cases)
    pairs = tuple(_shared(names, groups[names[0]], groups[names[1]]) for names in itertools.combinations(groups, 2))
    repeated = {name: len(group.ids) - len(pc.unique(group.contexts)) for name, group in groups.items()}
    return Overlap(pairs, {name: n for name, n in repeated.items() if n})


@dataclass(frozen=True)
class _Group:
    """Rows of one table with the ids and contexts by which the same story is recognised."""

    rows: pa.Table
    ids: pa.StringArray
    contexts: pa.ChunkedArray

    @classmethod
    def of(cls, rows: pa.Table) -> "_Group":
        return cls(rows, rows["case_id" if _holds_cases(rows) else "story_id"].combine_chunks(), keys.contexts(rows))


def _groups(stories: pa.Table, cases: pa.Table) -> dict[str, _Group]:
    groups = {
        source: _where(stories, pc.equal(stories["source"], source))
        for source in sorted(pc.unique(stories["source"]).to_pylist())
    }
    for split, release in itertools.product(SPLITS, RELEASES):
        is_of = pc.and_(pc.equal(cases["release"], release), pc.equal(cases["split"], split))
        groups[f"{release} {split}"] = _where(cases, is_of)
    return {name: _Group.of(rows) for name, rows in groups.items() if rows.num_rows}


def _where(rows: pa.Table, mask: pa.ChunkedArray) -> pa.Table:
    return rows if pc.all(mask).as_py() else rows.filter(mask)


def _shared(names: tuple[str, str], first: _Group, second: _Group) -> SharedStories:
    same_id = _is_in(second.ids, first.ids)
    same_context = _is_in(second.contexts, first.contexts)
    same_endings = np.zeros(len(second.ids), dtype=bool)
    as_pair = _holds_cases(first.rows) and _holds_cases(second.rows)
    for ours, theirs in itertools.product(_endings(second.rows, as_pair), _endings(first.rows, as_pair)):
        same_endings |= _is_in(_join(second.ids, ours), _join(first.ids, theirs))
        same_endings |= _is_in(_join(second.contexts, ours), _join(first.contexts, theirs))
    same_story = same_id | same_context
    return SharedStories(
        first=names[0],
        second=names[1],
        first_rows=len(first.ids),
        second_rows=len(second.ids),
        same_id=int(same_id.sum()),
        same_context=int(same_context.sum()),
        same_story=int(same_story.sum()),
        same_endings=int(same_endings.sum()),
        other_endings=int((same_story & ~same_endings).sum()),
    )


def _endings(rows: pa.Table, as_pair: bool) -> list[pa.StringArray | pa.ChunkedArray]:
    """The columns of normalised endings that are compared; with `as_pair` both endings of a case are one text."""
    if not _holds_cases(rows):
        return [keys.last_sentences(rows)]
    one, other = (keys.normalised(rows[name].combine_chunks()) for name in ("ending_1", "ending_2"))
    if not as_pair:
        return [one, other]
    return [pc.if_else(pc.less(one, other), _join(one, other), _join(other, one))]


def _holds_cases(rows: pa.Table) -> bool:
    return "case_id" in rows.column_names


def _join(ones: pa.StringArray, others: pa.StringArray) -> pa.StringArray:
    return pc.binary_join_element_wise(ones, others, "\n")


def _is_in(texts: pa.StringArray, others: pa.StringArray) -> npt.NDArray[np.bool_]:
    return np.asarray(pc.is_in(texts, others), dtype=bool)
