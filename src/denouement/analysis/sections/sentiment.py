"""The sentiment of endings as blocks: Mori et al. 2019, Table 4 and 4.5."""

from collections.abc import Sequence

from denouement.analysis.findings import Tables
from denouement.analysis.sentiment import (
    RIGHT,
    WRONG,
    GroupSentiment,
    RightAgainstWrong,
    SentimentCounts,
    SentimentResult,
)
from denouement.analysis.sentiment_contrast import SentimentContrast
from denouement.analysis.sentiment_drift import GroupSpread, SentimentSpread
from denouement.corpus.kind import SAMPLE
from denouement.papers import cited
from denouement.present.cells import Cell, CountAndShare, Interval, Number, PValue, Share
from denouement.present.sections import Block, Paragraph, Table


def sentiment_blocks(result: SentimentResult) -> list[Block]:
    """Table 4, the published values below ours, and right against wrong endings below the table."""
    rows: list[list[Cell]] = []
    for row in result.groups:
        rows.append([row.group, row.of, *_counts(row), Number(row.t, 2), PValue(row.p)])
        if row.paper:
            of = ": ".join(filter(None, [cited("mori_2019"), row.paper.of]))
            rows.append([row.group, of, *_counts(row.paper), "", ""])
    columns = ["group", "of", "n", "mean", "positive", "negative", "t", "p"]
    return [
        Table(columns, rows),
        *(
            Paragraph(text)
            for text in [
                "Mean of VADER's compound score (-1 to 1); an ending is positive from 0.05 upwards, negative from "
                "-0.05 downwards; t and p of a one-sample t-test of the mean against 0, each group by itself (p is not "
                "corrected for the number of groups).",
                *_of_fewer_cases(result.groups),
                *([_comparison(result.right_against_wrong)] if result.right_against_wrong else []),
                *_of_the_sample(result.groups),
            ]
        ),
    ]


def contrast_table(found: Sequence[SentimentContrast]) -> Table:
    """The sentiment of each system next to that of the right endings of the same cases."""
    return Table(
        ["endings of", "cases", "mean", "mean of right endings", "difference", "95% interval", "p, Holm"],
        [
            [
                row.system,
                row.n,
                Number(row.mean, 3),
                Number(row.right_mean, 3),
                Number(row.difference, 3),
                Interval(row.low, row.high, 3),
                PValue(row.p_holm),
            ]
            for row in found
        ],
        "Systems against the right endings of the same cases",
        "The interval of the difference and the test (Student's t) take both endings of a case together. p is "
        "corrected for the number of systems (Holm 1979), the interval is not: where p is not below 0.05, no "
        "difference is shown.",
    )


def spread_tables(found: SentimentSpread, _: Tables) -> list[Table]:
    """How scores are spread, by group, and by group and context."""
    columns = ["n", "mean", "deviation", "10%", "median", "90%", "negative", "positive", "distance", "by chance"]
    tables = [
        Table(
            ["endings", *columns],
            [[row.group, *_spread(row)] for row in found.groups],
            "Sentiment of endings",
            "VADER's compound score, from -1 to 1. Distance: the earth mover's distance from the cases' right endings: "
            "by how much scores have to be moved on average; by chance: 95% of random divisions of these endings "
            f"stay under it, each row by itself. {cited('mori_2019')}, 4.5, give means only.",
        )
    ]
    if found.by_context:
        tables.append(
            Table(
                ["endings, context", *columns],
                [[f"{row.group}, {row.context}", *_spread(row)] for row in found.by_context],
                "Sentiment of endings by that of their context",
                "A context is all its sentences as one text. Each distance is from right endings after such contexts.",
            )
        )
    return tables


def _counts(row: SentimentCounts) -> list[Cell]:
    return [
        row.n,
        Number(row.mean, 3),
        CountAndShare(row.positive, row.positive_share),
        CountAndShare(row.negative, row.negative_share),
    ]


def _of_fewer_cases(rows: Sequence[GroupSentiment]) -> list[str]:
    """Once for right and wrong endings, what the paper's are of, where ours are of other cases."""
    sentences = [
        f"The paper's right and wrong endings are of {row.paper.of} together, {row.paper.n:,} cases; those here are of "
        f"{row.of}, {row.n:,} cases."
        for row in rows
        if row.of and row.paper and row.group in (RIGHT, WRONG) and row.n != row.paper.n
    ]
    return list(dict.fromkeys(sentences))


def _of_the_sample(rows: Sequence[GroupSentiment]) -> list[str]:
    if not any(row.of.startswith(f"{SAMPLE} ") for row in rows):
        return []
    return [
        "The stories and cases of the sample corpus are written by a grammar, not by people: the published values are "
        "left out."
    ]


def _comparison(found: RightAgainstWrong) -> str:
    paper = ""
    if found.paper_p is not None:
        of_paper = f"{cited('sharma_2018')}, v1.0 validation and test, 3,742 cases"
        paper = f" ({of_paper}: p = {PValue(found.paper_p)})"
    return (
        f"Right against wrong, {found.n:,} cases: mean difference {Number(found.mean_difference, 3)}; two-sample "
        f"t-test {_test(found.t, found.df, found.p)}{paper}; paired by case "
        f"{_test(found.paired_t, found.paired_df, found.paired_p)}."
    )


def _test(t: float | None, df: int, p: float | None) -> str:
    is_tiny = p is not None and p < 1e-300
    return f"t({df:,}) = {Number(t, 2)}, p {PValue(p) if is_tiny else f'= {PValue(p)}'}"


def _spread(row: GroupSpread) -> list[Cell]:
    return [
        row.n,
        Number(row.mean, 3),
        Number(row.sd, 3),
        *(Number(row.quantiles[place], 2) for place in (0, 2, 4)),
        Share(row.negative_share),
        Share(row.positive_share),
        Number(row.distance, 3),
        Number(row.chance, 3),
    ]
