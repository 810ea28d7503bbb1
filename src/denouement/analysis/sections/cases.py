"""What gives the endings of Story Cloze cases away, as tables: Sharma et al. 2018."""

from collections.abc import Callable, Iterable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis.bias_monitor import CERTAIN, SYSTEM, VARIANTS, BiasMonitor, MonitoredSet
from denouement.analysis.case_findings import Deviation, EndingFeatures, NgramStatistics
from denouement.analysis.ending_statistics import DIFFERS, FeatureContrast
from denouement.analysis.findings import Tables
from denouement.analysis.ngram_odds import LEAST, NOTABLE, SHOWN
from denouement.analysis.pooling import of_the_paper, pool_name, published_cases
from denouement.cloze.evaluation.published import accuracy
from denouement.papers import cited
from denouement.present.cells import Cell, CountAndShare, Interval, Number, PValue, Share
from denouement.present.sections import Table

FEATURES = {
    "tokens": "words",
    "five_point": "sentiment, 1 to 5",
    "vader": "sentiment, VADER",
    "frazier": "complexity, Frazier",
    "yngve": "complexity, Yngve",
}
"""By feature how it is named for people."""

_PAPER = "sharma_2018"
_KINDS = {
    "words": "words",
    "characters": "four characters",
    "pos": "parts of speech",
    "token_pos": "words with their part of speech",
}
_SURE_SHOWN = 10
_HALF = 0.5  # the accuracy of a guess between two endings
_WEIGHTS_SHOWN = 20


def features_tables(found: EndingFeatures, _: Tables) -> list[Table]:
    """Table 2; the paper's values are shown with v1.0 validation and test together, else with the one that is there."""
    tables = [_features(name, rows, found.repeated, beside_paper=True) for name, rows in found.pooled.items()]
    tables += [_features(name, rows, beside_paper=not found.pooled) for name, rows in found.sets.items()]
    measured = [[FEATURES[name], how] for name, how in DIFFERS.items()]
    return [*tables, Table(["feature", "measured by"], measured, "How they are measured")]


def _features(name: str, rows: Sequence[FeatureContrast], repeated: str = "", *, beside_paper: bool) -> Table:
    """The features of one set of cases; `repeated`: a sentence on cases that were left out, or empty."""
    columns = ["feature", "right", "wrong", "difference", "95% interval", "d", "p", "paired p", "paired p, corrected"]
    compares = beside_paper and any(row.paper for row in rows)
    cells: list[list[Cell]] = []
    for row in rows:
        line: list[Cell] = [
            FEATURES[row.feature],
            *(Number(value, 3) for value in (row.right, row.wrong, row.difference)),
            Interval(row.low, row.high, 3),
            Number(row.effect, 3),
            *(PValue(p) for p in (row.p, row.paired_p, row.paired_p_holm)),
        ]
        if compares and row.paper:
            line += [as_printed(row.paper.right), as_printed(row.paper.wrong), PValue(row.paper.p)]
        cells.append(line)
    n = rows[0].n
    note = [f"{repeated}."] if repeated else []
    if compares:
        columns += ["paper: right", "paper: wrong", "paper: p"]
        note += [of_the_paper("v1.0", name, n), *_against_the_paper(rows)]
    tests = sum(row.paired_p is not None for row in rows)
    note.append(
        f"d: the difference in units of the standard deviation (Cohen). p: two-sample t-test, as in {cited(_PAPER)}, "
        "Table 2; the interval and the paired p take both endings of a case together. Corrected: for "
        f"the {tests} tests of the column (Holm 1979)."
    )
    return Table(columns, cells, f"{name}, {n:,} cases", " ".join(note))


def _against_the_paper(rows: Iterable[FeatureContrast]) -> list[str]:
    others = [
        f"{FEATURES[row.feature]} (p here {PValue(row.p)}, in the paper {PValue(row.paper.p)})"
        for row in rows
        if row.paper and row.has_other_sign
    ]
    return [f"Unlike in the paper, the difference has the other sign in: {', '.join(others)}."] if others else []


def ngrams_tables(found: NgramStatistics, tables: Tables) -> list[Table]:
    """Table 5, and for each kind the n-grams that most mark right and wrong endings."""
    kinds = list(dict.fromkeys(row.kind for row in found.deviations))
    shown = [_deviations(found.deviations, kinds)]
    odds = tables["ngram_odds"]
    for kind in kinds:
        of_kind = odds.filter(pc.equal(odds["kind"], kind))
        as_shown = visible if kind == "characters" else str
        for what, side in (("right", 1), ("wrong", -1)):
            title = f"{_KINDS[kind].capitalize()} that mark {what} endings"
            shown.append(_marking(title, by_set(of_kind, found.deviations), side, as_shown))
    if found.problem:
        shown.append(Table((), (), "Not worked out", found.problem))
    return shown


def by_set(table: pa.Table, deviations: Iterable[Deviation]) -> dict[str, pa.Table]:
    """The rows of a table by release and split: those of `deviations` that are no two splits together."""
    names = dict.fromkeys((row.release, row.split) for row in deviations if " " not in row.split)
    return {
        f"{release} {split}": table.filter(
            pc.and_(pc.equal(table["release"], release), pc.equal(table["split"], split))
        )
        for release, split in names
    }


def visible(gram: str) -> str:
    """An n-gram with its blanks made visible, those of characters, which mean something."""
    return gram.replace(" ", "␣")


def _deviations(values: Sequence[Deviation], kinds: Sequence[str]) -> Table:
    rows: list[list[Cell]] = []
    note = [f"Over n-grams that occur {LEAST} times or more in right and wrong endings together."]
    for release, split in dict.fromkeys((row.release, row.split) for row in values):
        of_set = {row.kind: row for row in values if (row.release, row.split) == (release, split)}
        name, n = f"{release} {split}", of_set[kinds[0]].cases
        rows.append([name, n, *(Number(of_set[kind].deviation, 1) for kind in kinds)])
        if any(row.paper is not None for row in of_set.values()):
            paper: list[Cell] = [f"paper: {pool_name(release)}", published_cases(release)]
            rows.append([*paper, *(Number(of_set[kind].paper, 1) for kind in kinds)])
            note.append(of_the_paper(release, name, n))
    note.append("The deviation grows with the number of cases, so only rows of equal n compare.")
    if any(row.paper is not None for row in values):
        note.append(f"The paper is {cited(_PAPER)}, Table 5, which does not say how long its n-grams are.")
    return Table(
        ["cases of", "n", *(_KINDS[kind] for kind in kinds)],
        rows,
        "Standard deviation of the difference of counts",
        " ".join(note),
    )


def _marking(title: str, odds: dict[str, pa.Table], side: int, as_shown: Callable[[str], str]) -> Table:
    """The n-grams that most mark right (`side` 1) or wrong (-1) endings, with columns for each release and split."""
    of_set: list[list[list[Cell]]] = []
    for table in odds.values():
        strongest = table.slice(0, SHOWN) if side > 0 else table.slice(max(0, table.num_rows - SHOWN))
        of_set.append(
            [
                [as_shown(row["ngram"]), f"{row['right']:,} / {row['wrong']:,}", Number(row["z"], 1)]
                for row in strongest.to_pylist()[::side]
                if side * row["z"] >= NOTABLE
            ]
        )
    rows: list[list[Cell]] = []
    for rank in range(max(map(len, of_set), default=0)):
        cells = [rows_of[rank] if rank < len(rows_of) else ["", "", ""] for rows_of in of_set]
        rows.append([str(rank + 1), *(cell for each in cells for cell in each)])
    note = (
        "By z, the log-odds with a Dirichlet prior in units of its standard error (Monroe et al. 2008), of which "
        f"{NOTABLE:g} or more is shown."
    )
    return Table(["", *(cell for name in odds for cell in (name, "right / wrong", "z"))], rows, title, note)


def bias_tables(found: BiasMonitor, tables: Tables) -> list[Table]:
    """How often a model that sees only endings is right in each release and split."""
    shown = [Table((), (), "Above the thresholds", "; ".join(found.above) + ".")] if found.above else []
    cases = tables["bias_cases"]
    for name, of_set in found.sets.items():
        if of_set.missing:
            shown.append(Table((), (), name, f"Not worked out: {of_set.missing}."))
            continue
        release, split = name.split()
        of_cases = pc.and_(pc.equal(cases["release"], release), pc.equal(cases["split"], split))
        shown += _monitor_tables(name, of_set, cases.filter(of_cases))
    return shown


def _monitor_tables(name: str, found: MonitoredSet, cases: pa.Table) -> list[Table]:
    release, _ = name.split()
    accuracies: list[list[Cell]] = [
        [
            VARIANTS[row.variant],
            row.n,
            Share(row.accuracy),
            Interval(row.low, row.high, 1, of_share=True),
            Share(accuracy(SYSTEM, row.variant, release, "test")),
        ]
        for row in found.variants
    ]
    weights = [[feature_name(row.feature), f"{row.weight:+.3g}"] for row in found.features[:_WEIGHTS_SHOWN]]
    sure = [
        [row["case_id"], Share(row["probability"], 0), row["right"], row["wrong"]]
        for row in cases.slice(0, _SURE_SHOWN).to_pylist()
    ]
    certain, misled = (CountAndShare(n, n / cases.num_rows) for n in (found.certain, found.misled))
    return [
        Table(
            ["it sees", "n", "accuracy", "95% interval", "paper"],
            accuracies,
            f"{name}: how often the model is right",
            ("" if found.chance == _HALF else f"A guess is right in {Share(found.chance)}. ")
            + f"EndingReg ({cited(_PAPER)}), cross-validated; in the paper's Tables 3 and 6 it is fitted to v1.0 "
            "validation and tested on the release's test.",
        ),
        Table(
            ["feature", "weight"],
            weights,
            f"{name}: what it learned",
            "Of the model fitted to all cases: log-odds for each standard deviation; above 0: for a right ending.",
        ),
        Table(
            ["case", "probability", "right ending", "wrong ending"],
            sure,
            f"{name}: cases given away most clearly",
            "The calibrated probability that the model, fitted without the case, gives the right ending. "
            f"{CERTAIN:.0%} or more: {certain}. As much for the wrong ending: {misled}.",
        ),
        *_reliability_tables(name, found),
    ]


def _reliability_tables(name: str, found: MonitoredSet) -> list[Table]:
    if found.reliability is None:
        return []
    rows: list[list[Cell]] = [
        [
            f"{row.from_:.0%} to {row.to:.0%}",
            row.n,
            Share(row.predicted),
            Share(row.observed),
            Interval(row.low, row.high, 1, of_share=True),
        ]
        for row in found.reliability.bins
    ]
    return [
        Table(
            ["probability of the likelier ending", "n", "mean", "right", "95% interval"],
            rows,
            f"{name}: whether its probabilities come true",
            f"Expected calibration error {Number(found.reliability.error, 3)} (the mean distance between the two "
            f"columns); Brier score {Number(found.reliability.brier, 3)} ({(1 - found.chance) ** 2:.4g} for a guess, 0 "
            "for one who knows every answer).",
        )
    ]


def feature_name(name: str) -> str:
    """A feature of EndingReg for people."""
    group, _, rest = name.partition(" ")
    if group == "style":
        return {"tokens": "number of words", "compound": "sentiment", "yngve": "complexity"}[rest]
    if group == "characters":
        return f"four characters: {visible(rest)}"
    words = " ".join({"<s>": "(start)", "</s>": "(end)"}.get(word, word) for word in rest.split(" "))
    return f"{'words' if group == 'ngrams' else 'parts of speech'}: {words}"


def as_printed(value: float) -> Number:
    """A published number with the decimals that it is published with."""
    return Number(value, len(f"{value:g}".partition(".")[2]))
