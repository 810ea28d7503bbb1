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
from denouement.schemas import SPLITS, in_order


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

    Rows are the same case when they have the same id and language, or the same context and question with the same
    endings, in any order. A context with other endings is another case here, since endings are counted.
    """
    together = _endings(cases, together=True).texts
    questions = cases["question"].combine_chunks().fill_null("")
    asked = _join(_join(keys.contexts(cases).combine_chunks(), questions), together)
    found = np.arange(cases.num_rows)
    for column in (_join(cases["case_id"].combine_chunks(), cases["language"].combine_chunks()), asked):
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
        same_endings: how many of these have the same endings in `first`: two cases all of them in any order; a story
            and a case, if the story's last sentence is one of the case's endings.
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
    for split, release in itertools.product(SPLITS, in_order(pc.unique(cases["release"]).to_pylist())):
        is_of = pc.and_(pc.equal(cases["release"], release), pc.equal(cases["split"], split))
        groups[f"{release} {split}"] = _where(cases, is_of)
    return {name: _Group.of(rows) for name, rows in groups.items() if rows.num_rows}


def _where(rows: pa.Table, mask: pa.ChunkedArray) -> pa.Table:
    return rows if pc.all(mask).as_py() else rows.filter(mask)


def _shared(names: tuple[str, str], first: _Group, second: _Group) -> SharedStories:
    same_id = _is_in(second.ids, first.ids)
    same_context = _is_in(second.contexts, first.contexts)
    same_endings = np.zeros(len(second.ids), dtype=bool)
    together = _holds_cases(first.rows) and _holds_cases(second.rows)
    ours, theirs = _endings(second.rows, together), _endings(first.rows, together)
    for of_second, of_first in ((second.ids, first.ids), (second.contexts, first.contexts)):
        same_endings[ours.rows[_is_in(ours.behind(of_second), theirs.behind(of_first))]] = True
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


@dataclass(frozen=True)
class _Endings:
    """Normalised endings, and int64 [endings] the row that each is of."""

    texts: pa.StringArray | pa.ChunkedArray
    rows: npt.NDArray[np.int64]

    def behind(self, column: pa.StringArray | pa.ChunkedArray) -> pa.StringArray:
        """Each ending with what its row has in a column before it."""
        return _join(column.take(pa.array(self.rows)), self.texts)


def _endings(rows: pa.Table, together: bool) -> _Endings:
    """The normalised endings that are compared; with `together` all endings of a case are one text."""
    if not _holds_cases(rows):
        return _Endings(keys.last_sentences(rows), np.arange(rows.num_rows))
    lists = rows["endings"].combine_chunks()
    texts = keys.normalised(lists.flatten())
    rows_of = pc.list_parent_indices(lists).to_numpy()
    if not together:
        return _Endings(texts, rows_of)
    ends = pa.array(np.append(0, np.cumsum(pc.list_value_length(lists).to_numpy())), pa.int32())
    of_rows = ["\n".join(sorted(of_row)) for of_row in pa.ListArray.from_arrays(ends, texts).to_pylist()]
    return _Endings(pa.array(of_rows, pa.string()), np.arange(rows.num_rows))


def _holds_cases(rows: pa.Table) -> bool:
    return "case_id" in rows.column_names


def _join(ones: pa.StringArray, others: pa.StringArray) -> pa.StringArray:
    return pc.binary_join_element_wise(ones, others, "\n")


def _is_in(texts: pa.StringArray, others: pa.StringArray) -> npt.NDArray[np.bool_]:
    return np.asarray(pc.is_in(texts, others), dtype=bool)
