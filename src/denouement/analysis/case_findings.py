"""What gives the endings of Story Cloze cases away: Sharma et al. 2018, sections 3 to 5."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from denouement.analysis.bias_monitor import ANYTHING, BiasMonitor, Thresholds, bias_monitor, exceeded
from denouement.analysis.ending_statistics import FeatureContrast, ending_statistics
from denouement.analysis.findings import ChartFile, Finding
from denouement.analysis.ngram_odds import KINDS, NOTABLE, NgramOdds, deviation, ngram_odds, odds_table
from denouement.analysis.pooling import TOGETHER, pool_name, pools
from denouement.console import progress
from denouement.corpus.cases import POOLED, CaseSets, Distinct, n_endings, right_and_wrong
from denouement.papers import published
from denouement.text.syntax import NoParserError, Parses, parse

FEATURES_CHART, ACCURACY_CHART, RELIABILITY_CHART = "ending_features.svg", "bias_monitor.svg", "bias_reliability.svg"

_KINDS_EXPLAINED = {
    "words": "Words, and up to three in a row.",
    "characters": "Four characters in a row; ␣ is a space.",
    "pos": "Parts of speech, up to three in a row: JJ is an adjective, NN a noun, NNP a name, VB a verb, VBD one in "
    "the past, RB an adverb such as not, PRP a pronoun.",
    "token_pos": "Words with their part of speech, up to three in a row.",
}
_HOW_TO_READ = (
    "Blue marks right endings, orange wrong ones. Of thousands of n-grams some come beyond 2 or -2 by chance, few "
    "beyond 4."
)


@dataclass(frozen=True)
class EndingFeatures:
    """Table 2.

    Attributes:
        sets: by release and split, such as `v1.0 validation`, the features of their cases.
        pooled: the same of v1.0 validation and test together; empty where one of the two is missing. Otherwise the
            published values compare with these, and not with `sets`.
        repeated: a sentence that counts the cases left out of `pooled`; empty where no case was left out.
    """

    sets: Mapping[str, tuple[FeatureContrast, ...]]
    pooled: Mapping[str, tuple[FeatureContrast, ...]]
    repeated: str


@dataclass(frozen=True)
class Deviation:
    """A cell of Table 5: the standard deviation of the difference of counts of n-grams (`ngram_odds.deviation`).

    Attributes:
        release, split: of the cases; `split` may be both together.
        cases: how many.
        kind: of the n-grams, one of `ngram_odds.KINDS`.
        ngrams: how many.
        deviation: None for fewer than two.
        paper: the published value, for the set that is most like the paper's: both splits together, or else the one.
    """

    release: str
    split: str
    cases: int
    kind: str
    ngrams: int
    deviation: float | None
    paper: float | None


@dataclass(frozen=True)
class NgramStatistics:
    """Table 5, and why n-grams of parts of speech are left out; `problem` is empty where they are not."""

    deviations: tuple[Deviation, ...]
    problem: str


@dataclass(frozen=True)
class CaseFindings:
    """What gives endings away, with the tables `ngram_odds` and `bias_cases`."""

    ending_features: Finding[EndingFeatures]
    ngrams: Finding[NgramStatistics]
    bias_monitor: Finding[BiasMonitor]
    tables: Mapping[str, pa.Table]


def case_findings(sets: CaseSets, cache: Path | None, folds: int = 10, most: Thresholds = ANYTHING) -> CaseFindings:
    """Features, n-grams and the bias monitor of labelled cases, one set or more.

    Args:
        sets: labelled cases.
        cache: a folder that keeps parses, scores and weights.
        folds: of the bias monitor's cross-validation.
        most: limits that a collection may not exceed.

    Raises:
        MissingResourceError: a threshold for a model that could not be fitted.
    """
    parses: Parses | None = None
    problem = ""
    try:
        endings = [text for cases in sets.values() for column in right_and_wrong(cases) for text in column.to_pylist()]
        parses = parse(endings, cache / "parses.parquet" if cache else None)
    except NoParserError as error:
        problem = f"Complexity and parts of speech are left out: {error}."
    together = pools(sets)
    features = features_finding(sets, together.get("v1.0"), parses)
    monitor, cases = bias_finding(sets, features.values, cache, folds, most)
    ngrams, odds = ngrams_finding(sets, together, parses, problem)
    return CaseFindings(features, ngrams, monitor, {"ngram_odds": odds, "bias_cases": cases})


def features_finding(sets: CaseSets, together: Distinct | None, parses: Parses | None) -> Finding[EndingFeatures]:
    """Table 2 for each set, and for v1.0 validation and test `together`, where both are there.

    Args:
        sets: labelled cases.
        together: the cases of v1.0 validation and test, or None.
        parses: of all endings; without, complexity is left out.
    """
    found = {f"{release} {split}": tuple(ending_statistics(cases, parses)) for (release, split), cases in sets.items()}
    pooled = {pool_name("v1.0"): tuple(ending_statistics(together.cases, parses))} if together else {}
    chart = ChartFile.where(
        any(row.effect_low is not None for rows in found.values() for row in rows),
        FEATURES_CHART,
        "By how much right endings exceed wrong ones (Cohen's d: 0.2 is small, 0.5 medium), with the 95% interval. An "
        "interval that holds 0 does not show a difference.",
        "no feature varies",
    )
    return Finding(
        "Right against wrong endings",
        "Whether right endings can be distinguished from wrong ones by length, sentiment or complexity alone: in a "
        "good test of stories they cannot.",
        EndingFeatures(found, pooled, together.note if together else ""),
        (chart,),
    )


def ngrams_finding(
    sets: CaseSets, together: Mapping[str, Distinct], parses: Parses | None, problem: str
) -> tuple[Finding[NgramStatistics], pa.Table]:
    """What marks right endings and what marks wrong ones, and the table `ngram_odds`.

    Args:
        sets: labelled cases.
        together: by release its validation and test as one set, where both are there; only Table 5 is of these.
        parses: of all endings; without, parts of speech are left out.
        problem: a sentence that says why there are no parses.
    """
    kinds = [kind for kind in KINDS if parses is not None or kind in ("words", "characters")]
    cases = sets | {(release, TOGETHER): pool.cases for release, pool in together.items()}
    counted = {}
    for key, kind in progress([(key, kind) for key in cases for kind in kinds], "counting n-grams", unit="tables"):
        right, wrong = (column.to_pylist() for column in right_and_wrong(cases[key]))
        counted[*key, kind] = ngram_odds(kind, right, wrong, parses)
    found = {key: odds for key, odds in counted.items() if key[:2] in sets}
    charts = tuple(
        ChartFile.where(
            any(abs(z) >= NOTABLE for key, odds in found.items() if key[2] == kind for z in odds.z),
            ngrams_chart(kind),
            f"{_KINDS_EXPLAINED[kind]} {_HOW_TO_READ}",
            "no n-gram of this kind marks endings",
        )
        for kind in kinds
    )
    finding = Finding(
        "Words and characters that give endings away",
        "Which short sequences are more frequent in right endings, and which in wrong ones: a system can learn them "
        "without reading a story.",
        NgramStatistics(_deviations(counted, cases), problem),
        charts,
        ("ngram_odds.parquet",),
    )
    return finding, odds_table(found)


def bias_finding(
    sets: CaseSets, features: EndingFeatures, cache: Path | None, folds: int, most: Thresholds
) -> tuple[Finding[BiasMonitor], pa.Table]:
    """How often a model that sees only endings is right in each release and split, and the table `bias_cases`."""
    found, tables, above = {}, [], []
    for (release, split), (of_set, cases) in bias_monitor(sets, cache, folds).items():
        name = f"{release} {split}"
        found[name] = of_set
        tables.append(cases)
        above += exceeded(name, of_set, features.sets[name], most)
    charts = (
        ChartFile(
            ACCURACY_CHART,
            "How often a model that sees only the endings is right, by what it sees of each, with the 95% interval; "
            "the grey line is chance.",
        ),
        ChartFile(
            RELIABILITY_CHART,
            "How often the ending that the model takes for likelier is right, by the probability it gives it, with the "
            "95% interval. On the grey line probabilities come true; below it the model is too sure.",
        ),
    )
    guess = "50%" if all(of_set.chance == 0.5 for of_set in found.values()) else "the share of a guess"
    finding = Finding(
        "Bias monitor",
        f"Whether a model that never sees the story can distinguish right endings from wrong ones: near {guess} the "
        "endings give nothing away, and the further above, the less a test of stories tests stories. Below "
        f"{guess}, an ending that is right in some cases is wrong in others, so that what is learned from some "
        "misleads in the rest.",
        BiasMonitor(found, tuple(above)),
        charts if any(of_set.variants for of_set in found.values()) else (),
        ("bias_cases.parquet",),
    )
    return finding, pa.concat_tables(tables)


def ngrams_chart(kind: str) -> str:
    """The file of the chart of a kind of n-grams."""
    return f"ngrams_{kind}.svg"


def _deviations(found: Mapping[tuple[str, str, str], NgramOdds], cases: CaseSets) -> tuple[Deviation, ...]:
    both = {release for release, split, _ in found if split == TOGETHER}
    paper = published("sharma_2018", "Table 5")

    def of_paper(release: str, split: str, kind: str) -> float | None:
        compares = split == TOGETHER or (split in POOLED and release not in both)
        value = paper.get(release, {}).get(kind) if compares else None
        return None if value is None else float(value)

    return tuple(
        Deviation(
            release=release,
            split=split,
            cases=cases[release, split].num_rows,
            kind=kind,
            ngrams=len(odds.ngram),
            deviation=deviation(odds.right, odds.wrong, float(n_endings(cases[release, split]).mean()) - 1),
            paper=of_paper(release, split, kind),
        )
        for (release, split, kind), odds in found.items()
    )
