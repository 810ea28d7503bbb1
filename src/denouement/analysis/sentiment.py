"""Sentiment of endings by group: Mori et al. 2019, Table 4, and the test of Sharma et al. 2018, Table 2."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis.comparison import compare
from denouement.console import warn
from denouement.corpus.cases import labelled_cases, right_and_wrong
from denouement.corpus.kind import SAMPLE
from denouement.errors import UserError
from denouement.provenance import MadeFrom, rows_digest
from denouement.schemas import TABLES, read_table
from denouement.text.sentiment import COLUMNS, NEGATIVE, POSITIVE, vader

if TYPE_CHECKING:
    import numpy as np

RIGHT, WRONG, STORIES = "right", "wrong", "rocstories"

_FURTHER = re.compile(r"#\d+$")  # what `ending_ids` puts behind the case of a further ending

PUBLISHED: dict[str, dict[str, int | float]] = {
    RIGHT: {"n": 3742, "mean": 0.146, "positive": 1652, "negative": 715},
    WRONG: {"n": 3742, "mean": 0.011, "positive": 997, "negative": 1016},
    STORIES: {"n": 98161, "mean": 0.119, "positive": 39368, "negative": 20558},
    "h_seq2seq": {"n": 1871, "mean": 0.457, "positive": 1337, "negative": 81},
}
"""Mori et al. 2019, Table 4. The paper gives n for H-Seq2seq alone; the others are the sizes of the corpora named."""

PUBLISHED_OF = {
    RIGHT: "v1.0 validation and test",
    WRONG: "v1.0 validation and test",
    STORIES: "all ROCStories",
    "h_seq2seq": "",  # the paper does not say of which splits its contexts are
}
"""What the published figures are of."""

PUBLISHED_P = 3.48e-54
"""Sharma et al. 2018, Table 2: right against wrong endings of Story Cloze v1.0 (3,742 cases)."""


def score_groups(
    stories: Path | None, cloze: Path | None, endings: Sequence[Path], workers: int | None = None
) -> pa.Table:
    """Score every ending of the given tables with VADER.

    Groups: `right` and `wrong`, the endings of the labelled cloze cases of one release (`labelled_cases`);
    `rocstories`, the last sentences of the stories, whatever corpus they are of; and each system of `endings`.

    A `text_id` is `release/split/case_id` for cloze endings and `source/split/story_id` for stories, which tells what
    a group was measured on. For a system's endings it is the `case_id`, and `case_id#2`, `case_id#3` for its further
    endings of the same case in the same table.

    Args:
        stories: a stories table, or None.
        cloze: a cloze table, or None. Blind cases, and those of a further release, are left out with a warning.
        endings: endings tables; one that holds no ending gives no group, with a warning.
        workers: processes, as in `denouement.text.sentiment.vader`.

    Returns:
        The table `sentiment`: groups in the order above, rows of a group in the order of its file.

    Raises:
        UserError: an unreadable table, a system in two tables with the same case, or a system named like a group.
    """
    ids: list[str] = []
    groups: list[str] = []
    texts: list[str] = []
    for group, group_ids, group_texts in _groups(stories, cloze, endings):
        ids += group_ids
        groups += [group] * len(group_ids)
        texts += group_texts
    scores = vader(texts, workers)
    columns = [pa.array(ids, pa.string()), pa.array(groups, pa.string()), *(pa.array(column) for column in scores.T)]
    return pa.table(columns, names=["text_id", "group", *COLUMNS]).cast(TABLES["sentiment"].schema)


def groups_made_from(stories: Path | None, cloze: Path | None, endings: Sequence[Path]) -> MadeFrom:
    """By group the digest of the texts that `score_groups` scores: the record of the table `sentiment`.

    Raises:
        UserError: as `score_groups`, which also gives the warnings.
    """
    found = _groups(stories, cloze, endings, say=lambda _: None)
    return {group: rows_digest(zip(ids, texts, strict=True)) for group, ids, texts in found}


def read_sentiment(path: Path) -> pa.Table:
    """The table `sentiment` in `path`, as `score_groups` makes it.

    Raises:
        UserError: unreadable, a score that is no number, a text of a corpus whose id does not name it, or a case
            with one of its endings alone.
    """
    table = read_table(path, "sentiment")
    of_corpus = pc.is_in(table["group"], pa.array([RIGHT, WRONG, STORIES]))
    strange = pc.or_(
        pc.invert(pc.is_finite(table["compound"])),
        pc.and_(of_corpus, pc.invert(pc.match_substring_regex(table["text_id"], "^[^/]*/[^/]*/"))),
    )
    if n := pc.sum(strange).as_py():
        raise UserError(
            f"{path}: {n:,} of {table.num_rows:,} scores are no numbers or of no text; make the table again"
        )
    ids = {group: table.filter(pc.equal(table["group"], group))["text_id"].to_pylist() for group in (RIGHT, WRONG)}
    if n := len(set(ids[RIGHT]) ^ set(ids[WRONG])):
        raise UserError(
            f"{path}: {n:,} cases have the score of one of their two endings alone; make the table again from the cases"
        )
    return table


def sentiment_table(sentiment: pa.Table) -> list[dict[str, Any]]:
    """Mori et al. 2019, Table 4: one row a group, in the order of the table `sentiment`.

    Returns:
        Rows of `group`; `of` (which releases, sources and splits the texts are of; empty for a system); `n`; `mean`
        (compound); `positive`, `negative` (counts) with `positive_share`, `negative_share` (0 to 1); `t`, `p` of the
        two-sided one-sample t-test of the mean against 0 (None when n < 2 or all scores are equal), not corrected for
        the number of groups; and `paper`, the published figures with the same keys up to the shares. It is None where
        the group is not in the paper, where right and wrong endings are not of v1.0, and for texts of the sample corpus
        and endings to it.
    """
    corpora = _corpora(sentiment)
    is_sample = any(SAMPLE in splits for splits in corpora.values())
    rows = []
    for group in pc.unique(sentiment["group"]).to_pylist():
        part = sentiment.filter(pc.equal(sentiment["group"], group))
        compound = _compound(part)
        positive, negative = int((compound >= POSITIVE).sum()), int((compound <= NEGATIVE).sum())
        counts = _with_shares(
            {"n": len(compound), "mean": float(compound.mean()), "positive": positive, "negative": negative}
        )
        splits = corpora.get(group)
        compares = not is_sample if splits is None else SAMPLE not in splits
        if group in (RIGHT, WRONG):
            compares = splits is not None and set(splits) == {"v1.0"}
        paper = None
        if group in PUBLISHED and compares:
            paper = {"of": PUBLISHED_OF[group], **_with_shares(PUBLISHED[group])}
        of = _origin(splits) if splits else ""
        rows.append({"group": group, "of": of, **counts, **_against_zero(compound), "paper": paper})
    return rows


def right_against_wrong(sentiment: pa.Table) -> dict[str, Any] | None:
    """Is the mean compound of right endings that of wrong endings? Sharma et al. 2018, Table 2.

    The two-sample test is Student's, as published; both groups are of equal size, so Welch's t would be the same. It
    takes all scores for independent, but the two endings of a case share their context and tend to opposite sentiment,
    which makes the paired test by case, given beside it, the sound one. In v1.0 it has the smaller t.

    Returns:
        `n` cases; `mean_difference` (right - wrong); `t`, `df`, `p` of the two-sample test; `paired_t`, `paired_df`,
        `paired_p`; `paper_p`, None for another release than v1.0. All tests are two-sided. None without both groups; t
        and p are None for fewer than two cases and where nothing varies.
    """
    import numpy as np

    right = sentiment.filter(pc.equal(sentiment["group"], RIGHT))
    wrong = sentiment.filter(pc.equal(sentiment["group"], WRONG))
    if not right.num_rows or not wrong.num_rows:
        return None
    place = {text_id: row for row, text_id in enumerate(wrong["text_id"].to_pylist())}
    pairs = np.array([place[text_id] for text_id in right["text_id"].to_pylist()])
    right_scores, wrong_scores = _compound(right), _compound(wrong)[pairs]
    found = compare(right_scores, wrong_scores)
    return {
        "n": found["n"],
        "mean_difference": found["difference"],
        "t": found["t"],
        "df": 2 * found["n"] - 2,
        "p": found["p"],
        "paired_t": found["paired_t"],
        "paired_df": found["n"] - 1,
        "paired_p": found["paired_p"],
        "paper_p": PUBLISHED_P if set(_corpora(right)[RIGHT]) == {"v1.0"} else None,
    }


def _groups(
    stories: Path | None, cloze: Path | None, endings: Sequence[Path], say: Callable[[str], None] = warn
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Name, text ids and texts of each group that has a text; `say` gets what is left out."""
    if cloze is not None:
        cases, left_out = labelled_cases(read_table(cloze, "cloze"))
        for sentence in left_out:
            say(sentence)
        ids = _joined(cases["release"], cases["split"], cases["case_id"])
        for group, texts in zip((RIGHT, WRONG), right_and_wrong(cases), strict=True):
            if ids:
                yield group, ids, texts.to_pylist()
    if stories is not None:
        table = read_table(stories, "stories")
        sentences = table["sentences"].combine_chunks()
        last = sentences.values.take(pc.subtract(sentences.offsets[1:], 1))
        if table.num_rows:
            yield STORIES, _joined(table["source"], table["split"], table["story_id"]), last.to_pylist()
    yield from _systems(endings, say)


def _systems(endings: Sequence[Path], say: Callable[[str], None]) -> Iterator[tuple[str, list[str], list[str]]]:
    ids: dict[str, list[str]] = {}
    texts: dict[str, list[str]] = {}
    source: dict[tuple[str, str], int] = {}  # the table, by its place, that a case of a system was first seen in
    for number, path in enumerate(endings):
        table = read_table(path, "endings")
        if not table.num_rows:
            say(f"{path} holds no endings")
        columns = [table[name].to_pylist() for name in ("case_id", "system", "ending")]
        for case_id, system, ending, text_id in zip(*columns, ending_ids(table), strict=True):
            if system in (RIGHT, WRONG, STORIES):
                raise UserError(f"{path}: a system named {system!r}, which is the name of a group: name it otherwise")
            first = source.setdefault((system, case_id), number)
            if first != number:
                raise UserError(
                    f"{path}: case {case_id} of system {system!r} stands in {endings[first]} too: "
                    "give one of the tables, or give their systems different names"
                )
            ids.setdefault(system, []).append(text_id)
            texts.setdefault(system, []).append(ending)
    for system in ids:
        yield system, ids[system], texts[system]


def ending_ids(endings: pa.Table) -> list[str]:
    """The `text_id` of each row of a table `endings`: its case, and `case#2`, `case#3` for further endings to it."""
    seen: Counter[tuple[str, str]] = Counter()
    ids = []
    for system, case_id in zip(endings["system"].to_pylist(), endings["case_id"].to_pylist(), strict=True):
        seen[system, case_id] += 1
        count = seen[system, case_id]
        ids.append(case_id if count == 1 else f"{case_id}#{count}")
    return ids


def case_of(group: str, text_id: str, cases: Container[str]) -> str | None:
    """The one of `cases` that a text is of; None where there is none, as for the stories, which may have equal ids."""
    if group == STORIES:
        return None
    case_id = text_id.split("/", 2)[-1] if group in (RIGHT, WRONG) else text_id
    if case_id not in cases and group not in (RIGHT, WRONG):
        case_id = _FURTHER.sub("", case_id)
    return case_id if case_id in cases else None


def _joined(*columns: pa.ChunkedArray) -> list[str]:
    return pc.binary_join_element_wise(*columns, "/").to_pylist()  # type: ignore[no-any-return]


def _corpora(sentiment: pa.Table) -> dict[str, dict[str, set[str]]]:
    """Of each group of a corpus that is there, by release or source the splits of its texts."""
    of_corpus = sentiment.filter(pc.is_in(sentiment["group"], pa.array([RIGHT, WRONG, STORIES])))
    found: dict[str, dict[str, set[str]]] = {}
    for group, text_id in zip(of_corpus["group"].to_pylist(), of_corpus["text_id"].to_pylist(), strict=True):
        corpus, split, _ = text_id.split("/", 2)
        found.setdefault(group, {}).setdefault(corpus, set()).add(split)
    return found


def _origin(splits: Mapping[str, Collection[str]]) -> str:
    """Such as `v1.0 validation and test`, from the splits by release or source."""
    return "; ".join(
        f"{corpus} {' and '.join(sorted(splits[corpus], key=lambda split: (split == 'test', split)))}"
        for corpus in sorted(splits)
    )


def _compound(sentiment: pa.Table) -> "np.ndarray":
    """Compound scores as float64, exactly as VADER rounded them: float32 keeps four decimals, but not their value."""
    import numpy as np

    scores: np.ndarray = sentiment["compound"].to_numpy()
    return scores.astype(np.float64).round(4)


def _with_shares(counts: Mapping[str, int | float]) -> dict[str, int | float]:
    n = counts["n"]
    return {**counts, "positive_share": counts["positive"] / n, "negative_share": counts["negative"] / n}


def _against_zero(values: "np.ndarray") -> dict[str, float | None]:
    """t and p of the two-sided one-sample t-test against 0; None where nothing varies."""
    import numpy as np
    from scipy import stats

    if len(values) < 2 or not np.ptp(values):
        return {"t": None, "p": None}
    test = stats.ttest_1samp(values, 0.0)
    return {"t": float(test.statistic), "p": float(test.pvalue)}
