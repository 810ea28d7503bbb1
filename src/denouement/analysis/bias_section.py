"""What a model that sees only endings makes of them, as a section: Sharma et al. 2018, section 4."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from denouement.analysis.bias_monitor import (
    CERTAIN,
    SYSTEM,
    VARIANTS,
    Thresholds,
    bias_monitor,
    exceeded,
)
from denouement.analysis.ngram_section import visible
from denouement.analysis.sections import Chart, Section, Table
from denouement.charts.corpus import reliability_curve
from denouement.cloze.evaluation.published import accuracy
from denouement.corpus.cases import CaseSets
from denouement.report.tables import count_and_share, interval

_SURE_SHOWN = 10
_FEATURES_SHOWN = 20


def bias_section(
    sets: CaseSets,
    statistics: Mapping[str, Sequence[Mapping[str, Any]]],
    cache: Path | None,
    folds: int,
    most: Thresholds,
) -> tuple[Section, list[str]]:
    """What the bias monitor finds in each release and split, and what is above the thresholds, a sentence each.

    Args:
        sets: labelled cases.
        statistics: by release and split, what `ending_statistics` returns.
        cache: folder of kept parses.
        folds: of the cross-validation.
        most: the thresholds.
    """
    found, tables, above = {}, {}, []
    for (release, split), (of_set, cases) in bias_monitor(sets, cache, folds).items():
        name = f"{release} {split}"
        found[name], tables[name] = of_set, cases
        above += exceeded(name, of_set, statistics[name], most)
    shown: list[Table] = []
    drawn = []
    for name, of_set in found.items():
        if of_set["missing"]:
            shown.append(Table(name, (), (), f"Not worked out: {of_set['missing']}."))
            continue
        shown += _monitor_tables(name, of_set, tables[name])
        release, split = name.split()
        drawn += [
            {
                **row,
                "system": VARIANTS[row["variant"]],
                "variant": "",
                "release": release,
                "split": split,
                "paper": accuracy(SYSTEM, row["variant"], release, "test"),
            }
            for row in of_set["variants"]
        ]
    if above:
        shown.insert(0, Table("Above the thresholds", (), (), "; ".join(above) + "."))
    from denouement.charts.run import cloze_accuracies

    section = Section(
        "Bias monitor",
        "Whether a model that never sees the story can tell right endings from wrong ones: near 50% the endings give "
        "nothing away, and the further above, the less a test of stories tests stories. Below 50%, an ending that is "
        "right in some cases is wrong in others, so that what is learned from some misleads in the rest.",
        shown,
        figures={
            "bias_monitor.svg": Chart(
                cloze_accuracies(drawn),
                "How often a model is right that sees the endings alone, by what it sees of them, with the 95% "
                "interval; the grey line is chance.",
            ),
            "bias_reliability.svg": Chart(
                reliability_curve(
                    {name: of_set["reliability"] for name, of_set in found.items() if not of_set["missing"]}
                ),
                "How often the ending that the model finds likelier is right, by the probability it gives it, with the "
                "95% interval. On the grey line probabilities come true; below it the model is too sure.",
            ),
        }
        if drawn
        else {},
        data={"bias_cases": pa.concat_tables(tables.values())} if tables else {},
        values={"sets": found, "above": above},
    )
    return section, above


def _monitor_tables(name: str, found: Mapping[str, Any], cases: pa.Table) -> list[Table]:
    release, _ = name.split()
    accuracies = [
        [
            VARIANTS[row["variant"]],
            f"{row['n']:,}",
            f"{row['accuracy']:.1%}",
            interval(row, ".1%"),
            "-" if (paper := accuracy(SYSTEM, row["variant"], release, "test")) is None else f"{paper:.1%}",
        ]
        for row in found["variants"]
    ]
    features = [[_feature(row["feature"]), f"{row['weight']:+.3g}"] for row in found["features"][:_FEATURES_SHOWN]]
    sure = [
        [row["case_id"], f"{row['probability']:.0%}", row["right"], row["wrong"]]
        for row in cases.slice(0, _SURE_SHOWN).to_pylist()
    ]
    certain, misled = (count_and_share(found[key], found[key] / cases.num_rows) for key in ("certain", "misled"))
    return [
        Table(
            f"{name}: how often the model is right",
            ["it sees", "n", "accuracy", "95% interval", "paper"],
            accuracies,
            "EndingReg (Sharma et al. 2018), cross-validated; in the paper's Tables 3 and 6 it is fitted to v1.0 "
            "validation and tested on the release's test.",
        ),
        Table(
            f"{name}: what it goes by",
            ["feature", "weight"],
            features,
            "Of the model fitted to all cases: log-odds for each standard deviation; above 0: for a right ending.",
        ),
        Table(
            f"{name}: cases given away most clearly",
            ["case", "probability", "right ending", "wrong ending"],
            sure,
            "The calibrated probability that the model, fitted without the case, gives the right ending. "
            f"{CERTAIN:.0%} or more: {certain}. So much for the wrong ending: {misled}.",
        ),
        _reliability_table(name, found["reliability"]),
    ]


def _reliability_table(name: str, found: Mapping[str, Any]) -> Table:
    rows = [
        [
            f"{row['from']:.0%} to {row['to']:.0%}",
            f"{row['n']:,}",
            f"{row['predicted']:.1%}",
            f"{row['observed']:.1%}",
            interval(row, ".1%"),
        ]
        for row in found["bins"]
    ]
    return Table(
        f"{name}: whether its probabilities come true",
        ["probability of the likelier ending", "n", "mean", "right", "95% interval"],
        rows,
        f"Expected calibration error {found['error']:.3f} (the mean distance between the two columns); Brier score "
        f"{found['brier']:.3f} (0.25 for one who knows nothing, 0 for one who knows all).",
    )


def _feature(name: str) -> str:
    """A feature of EndingReg for people."""
    group, _, rest = name.partition(" ")
    if group == "style":
        return {"tokens": "number of words", "compound": "sentiment", "yngve": "complexity"}[rest]
    if group == "characters":
        return f"four characters: {visible(rest)}"
    words = " ".join({"<s>": "(start)", "</s>": "(end)"}.get(word, word) for word in rest.split(" "))
    return f"{'words' if group == 'ngrams' else 'parts of speech'}: {words}"
