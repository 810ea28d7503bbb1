"""Sentiment of endings by group: Mori et al. 2019, Table 4, and the test of Sharma et al. 2018, Table 2."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from denouement import provenance
from denouement.analysis.comparison import compare
from denouement.analysis.named_tables import NamedTable
from denouement.console import warn
from denouement.corpus.cases import labelled_cases, n_endings, right_and_wrong
from denouement.corpus.kind import SAMPLE
from denouement.errors import UserError
from denouement.papers import published
from denouement.provenance import MadeFrom, rows_digest
from denouement.schemas import TABLES, read_table
from denouement.text.sentiment import COLUMNS, NEGATIVE, POSITIVE, vader

if TYPE_CHECKING:
    import numpy as np

RIGHT, WRONG, STORIES = "right", "wrong", "rocstories"

_FURTHER = re.compile(r"#\d+$")  # behind the case of a further ending, see `score_groups`


@dataclass(frozen=True)
class SentimentCounts:
    """How positive and negative `n` texts are.

    Attributes:
        of: which releases, sources and splits the texts are of; empty where that is not known.
        mean: of VADER's compound scores.
        positive, negative: how many are, with `positive_share`, `negative_share` (0 to 1).
    """

    of: str
    n: int
    mean: float
    positive: int
    negative: int
    positive_share: float
    negative_share: float

    @classmethod
    def counted(cls, of: str, n: int, mean: float, positive: int, negative: int) -> "SentimentCounts":
        """Counts with the shares that follow from them."""
        return cls(of, n, mean, positive, negative, positive / n, negative / n)


@dataclass(frozen=True)
class GroupSentiment(SentimentCounts):
    """A row of Mori et al. 2019, Table 4.

    Attributes:
        group: such as `right`, or the name of a system.
        t, p: of the two-sided one-sample t-test of the mean against 0, not corrected for the number of groups. None for
            fewer than two texts, and where all scores are equal.
        paper: the published values. None where the group is not in the paper, where right and wrong endings are not of
            v1.0, and for texts of the sample corpus and endings to it.
    """

    group: str
    t: float | None
    p: float | None
    paper: SentimentCounts | None


@dataclass(frozen=True)
class RightAgainstWrong:
    """Is the mean compound of right endings that of wrong endings? Sharma et al. 2018, Table 2.

    All tests are two-sided; their t and p are None for fewer than two cases and where nothing varies.

    Attributes:
        n: cases.
        mean_difference: right less wrong.
        t, df, p: of the two-sample test.
        paired_t, paired_df, paired_p: of the test paired by case.
        paper_p: the published p, None for another release than v1.0.
    """

    n: int
    mean_difference: float | None
    t: float | None
    df: int
    p: float | None
    paired_t: float | None
    paired_df: int
    paired_p: float | None
    paper_p: float | None


@dataclass(frozen=True)
class SentimentResult:
    """The rows of Table 4, and the comparison of right with wrong endings; None without such endings."""

    groups: tuple[GroupSentiment, ...]
    right_against_wrong: RightAgainstWrong | None


def score_groups(
    stories: pa.Table | None,
    cloze: pa.Table | None,
    endings: Sequence[NamedTable] = (),
    workers: int | None = None,
    kept: Path | None = None,
) -> pa.Table:
    """Score every ending of the given tables with VADER.

    Groups: `right` and `wrong`, the endings of the labelled cloze cases of one release (`labelled_cases`);
    `rocstories`, the last sentences of the stories, of any corpus; and each system of `endings`.

    A `text_id` is `release/split/case_id` for cloze endings and `source/split/story_id` for stories, so that it names
    what a group was measured on. For a system's endings it is the `case_id`. Further endings of the same case in the
    same table, and further wrong endings of a case, have `#2`, `#3` behind it.

    Args:
        stories: a table `stories`, or None.
        cloze: a table `cloze`, or None. Blind cases, and those of a further release, are left out with a warning.
        endings: tables `endings`; one that holds no ending gives no group, with a warning.
        workers: processes, as in `denouement.text.sentiment.vader`.
        kept: a table `sentiment`, whose scores are used if it is of the same texts (`groups_made_from`); if not, a
            warning says that the texts are scored again.

    Returns:
        The table `sentiment`: groups in the order above, rows of a group in the order of its file.

    Raises:
        UserError: a system in two tables with the same case, a system named like a group, or a damaged table `kept`.
    """
    found = list(_groups(stories, cloze, endings, warn))
    ids = [text_id for each in found for text_id in each.ids]
    groups = [each.group for each in found for _ in each.ids]
    if kept:
        if provenance.of_table(kept) == _digests(found):
            return _in_order(read_sentiment(kept), groups, ids)
        warn(f"{kept}: has the scores of other texts than those that are given; the texts are scored again")
    scores = vader([text for each in found for text in each.texts], workers)
    columns = [pa.array(ids, pa.string()), pa.array(groups, pa.string()), *(pa.array(column) for column in scores.T)]
    return pa.table(columns, names=["text_id", "group", *COLUMNS]).cast(TABLES["sentiment"].schema)


def groups_made_from(stories: pa.Table | None, cloze: pa.Table | None, endings: Sequence[NamedTable] = ()) -> MadeFrom:
    """By group the digest of the texts that `score_groups` scores: the record of the table `sentiment`.

    Raises:
        UserError: as `score_groups`, which also gives the warnings.
    """
    return _digests(_groups(stories, cloze, endings, lambda _: None))


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
    right = set(ids[RIGHT])
    if n := len(right ^ {_case_of(text_id, right) for text_id in ids[WRONG]}):
        raise UserError(
            f"{path}: {n:,} cases have scores of right or of wrong endings alone; make the table again from the cases"
        )
    return table


def _case_of(text_id: str, cases: Container[str]) -> str:
    """The case, as the text id of its right ending, of a wrong ending."""
    return text_id if text_id in cases else _FURTHER.sub("", text_id)


def sentiment_result(sentiment: pa.Table) -> SentimentResult:
    """All that is measured on the table `sentiment`.

    >>> endings = pa.table(
    ...     {"case_id": ["a", "b"], "system": ["mine"] * 2, "ending": ["She was so happy.", "It was a horrible day."]}
    ... )
    >>> [row] = sentiment_result(score_groups(None, None, [(Path("mine.parquet"), endings)])).groups
    >>> row.group, row.n, row.positive, row.negative, round(row.mean, 4)
    ('mine', 2, 1, 1, 0.0762)
    """
    return SentimentResult(tuple(sentiment_table(sentiment)), right_against_wrong(sentiment))


def logged_values(result: SentimentResult) -> dict[str, dict[str, int | float]]:
    """The values that are logged: by group the number of texts, the mean, and how many are positive and negative."""
    return {
        row.group: {"n": row.n, "mean": row.mean, "positive": row.positive, "negative": row.negative}
        for row in result.groups
    }


def chief_values(result: SentimentResult, most: int = 12) -> dict[str, dict[str, float]]:
    """The mean compound score of each group, by which runs are compared; of the first `most` groups."""
    return {"mean_sentiment": {row.group: row.mean for row in result.groups[:most]}}


def plotted(result: SentimentResult) -> list[dict[str, str | float]]:
    """The rows of the plot of sentiment: the mean compound score of each group."""
    return [{"group": row.group, "mean": row.mean} for row in result.groups]


def sentiment_table(sentiment: pa.Table) -> list[GroupSentiment]:
    """Mori et al. 2019, Table 4: one row a group, in the order of the table `sentiment`."""
    corpora = _corpora(sentiment)
    is_sample = any(SAMPLE in splits for splits in corpora.values())
    rows = []
    for group in pc.unique(sentiment["group"]).to_pylist():
        compound = _compound(sentiment.filter(pc.equal(sentiment["group"], group)))
        splits = corpora.get(group)
        compares = not is_sample if splits is None else SAMPLE not in splits
        if group in (RIGHT, WRONG):
            compares = splits is not None and set(splits) == {"v1.0"}
        positive, negative = int((compound >= POSITIVE).sum()), int((compound <= NEGATIVE).sum())
        of = _origin(splits) if splits else ""
        counts = SentimentCounts.counted(of, len(compound), float(compound.mean()), positive, negative)
        t, p = _against_zero(compound)
        rows.append(GroupSentiment(**vars(counts), group=group, t=t, p=p, paper=_paper(group) if compares else None))
    return rows


def right_against_wrong(sentiment: pa.Table) -> RightAgainstWrong | None:
    """Compare the scores of right and wrong endings; None without both groups.

    The two-sample test is Student's, as published; where both groups are of equal size, Welch's t would be the same. It
    treats all scores as independent. But the endings of a case share their context, and two tend to opposite sentiment,
    so the sound test is the one paired by case, which is given too; in v1.0 it has the smaller t.
    """
    import numpy as np

    right = sentiment.filter(pc.equal(sentiment["group"], RIGHT))
    wrong = sentiment.filter(pc.equal(sentiment["group"], WRONG))
    if not right.num_rows or not wrong.num_rows:
        return None
    place = {text_id: row for row, text_id in enumerate(right["text_id"].to_pylist())}
    cases = np.array([place[_case_of(text_id, place)] for text_id in wrong["text_id"].to_pylist()])
    found = compare(_compound(right), _compound(wrong)[np.argsort(cases, kind="stable")], np.bincount(cases))
    is_published = set(_corpora(right)[RIGHT]) == {"v1.0"}
    return RightAgainstWrong(
        n=found.n,
        mean_difference=found.difference,
        t=found.t,
        df=right.num_rows + wrong.num_rows - 2,
        p=found.p,
        paired_t=found.paired_t,
        paired_df=found.n - 1,
        paired_p=found.paired_p,
        paper_p=float(published("sharma_2018", "Table 2")["vader"]["p"]) if is_published else None,
    )


@dataclass(frozen=True)
class _GroupTexts:
    """The texts of a group, and their ids."""

    group: str
    ids: list[str]
    texts: list[str]


def _groups(
    stories: pa.Table | None, cloze: pa.Table | None, endings: Sequence[NamedTable], say: Callable[[str], None]
) -> Iterator[_GroupTexts]:
    """Each group that has a text; `say` gets a sentence on each kind of text that is left out."""
    if cloze is not None:
        cases, left_out = labelled_cases(cloze)
        for sentence in left_out:
            say(sentence)
        ids = _joined(cases["release"], cases["split"], cases["case_id"])
        of_wrong = [
            f"{text_id}#{number}" if number > 1 else text_id
            for text_id, n in zip(ids, n_endings(cases), strict=True)
            for number in range(1, n)
        ]
        for group, of_group, texts in zip((RIGHT, WRONG), (ids, of_wrong), right_and_wrong(cases), strict=True):
            if ids:
                yield _GroupTexts(group, of_group, texts.to_pylist())
    if stories is not None and stories.num_rows:
        sentences = stories["sentences"].combine_chunks()
        last = sentences.values.take(pc.subtract(sentences.offsets[1:], 1))
        yield _GroupTexts(STORIES, _joined(stories["source"], stories["split"], stories["story_id"]), last.to_pylist())
    yield from _systems(endings, say)


def _systems(endings: Sequence[NamedTable], say: Callable[[str], None]) -> Iterator[_GroupTexts]:
    found: dict[str, _GroupTexts] = {}
    source: dict[tuple[str, str], int] = {}  # the place of the first table that has a case of a system
    for number, (path, table) in enumerate(endings):
        if not table.num_rows:
            say(f"{path} holds no endings")
        columns = [table[name].to_pylist() for name in ("case_id", "system", "ending")]
        for case_id, system, ending, text_id in zip(*columns, ending_ids(table), strict=True):
            if system in (RIGHT, WRONG, STORIES):
                raise UserError(f"{path}: a system named {system!r}, which is the name of a group: name it otherwise")
            first = source.setdefault((system, case_id), number)
            if first != number:
                raise UserError(
                    f"{path}: case {case_id} of system {system!r} is in {endings[first][0]} too: "
                    "give one of the tables, or give their systems different names"
                )
            group = found.setdefault(system, _GroupTexts(system, [], []))
            group.ids.append(text_id)
            group.texts.append(ending)
    yield from found.values()


def _digests(groups: Iterable[_GroupTexts]) -> MadeFrom:
    return {each.group: rows_digest(zip(each.ids, each.texts, strict=True)) for each in groups}


def _in_order(sentiment: pa.Table, groups: Sequence[str], ids: Sequence[str]) -> pa.Table:
    """The rows of the table `sentiment` of these groups and texts, in the order given.

    The order counts: the divisions of scores that `sentiment_drift` draws at random depend on it.
    """
    kept = zip(sentiment["group"].to_pylist(), sentiment["text_id"].to_pylist(), strict=True)
    place = {key: row for row, key in enumerate(kept)}
    return sentiment.take(pa.array([place[key] for key in zip(groups, ids, strict=True)], pa.int64()))


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
    """The case among `cases` that a text belongs to; None for the stories, whose ids may be those of cases, and for any
    other text without a case."""
    if group == STORIES:
        return None
    case_id = text_id.split("/", 2)[-1] if group in (RIGHT, WRONG) else text_id
    if case_id not in cases and group != RIGHT:
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


def _paper(group: str) -> SentimentCounts | None:
    row: Any = published("mori_2019", "Table 4").get(group)
    return SentimentCounts.counted(**row) if row else None


def _against_zero(values: "np.ndarray") -> tuple[float | None, float | None]:
    """t and p of the two-sided one-sample t-test against 0; None where nothing varies."""
    import numpy as np
    from scipy import stats

    if len(values) < 2 or not np.ptp(values):
        return None, None
    test = stats.ttest_1samp(values, 0.0)
    return float(test.statistic), float(test.pvalue)
