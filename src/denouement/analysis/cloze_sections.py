"""What gives an ending away, as sections: Sharma et al. 2018, sections 3 to 5, and Mori et al. 2019, 4.5."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis import figures
from denouement.analysis.bias_monitor import ANYTHING, CERTAIN, VARIANTS, Thresholds, bias_monitor, exceeded
from denouement.analysis.bias_monitor import PUBLISHED as MONITOR_PUBLISHED
from denouement.analysis.ending_statistics import DIFFERS, agrees_with_paper, ending_statistics
from denouement.analysis.ngram_odds import (
    KINDS,
    PUBLISHED_DEVIATION,
    SHOWN,
    deviation,
    ngram_odds,
    odds_table,
)
from denouement.analysis.sections import Chart, Section, Table
from denouement.analysis.sentiment import score_groups
from denouement.analysis.sentiment_drift import by_context, distributions
from denouement.console import progress
from denouement.corpus.cases import right_and_wrong
from denouement.report.tables import count_and_share, number, p_value
from denouement.schemas import RELEASES, SPLITS
from denouement.text.syntax import NoParserError, Parses, parse

CaseSets = dict[tuple[str, str], pa.Table]
"""The labelled cases by release and split."""

FEATURES = {
    "tokens": "words",
    "five_point": "sentiment, 1 to 5",
    "vader": "sentiment, VADER",
    "frazier": "complexity, Frazier",
    "yngve": "complexity, Yngve",
}
_KIND_NAMES = {
    "words": "words",
    "characters": "four characters",
    "pos": "parts of speech",
    "token_pos": "words with their part of speech",
}
_KINDS_TOLD = {
    "words": "Words, and up to three in a row.",
    "characters": "Four characters in a row; ␣ is a space.",
    "pos": "Parts of speech, up to three in a row: JJ is an adjective, NN a noun, NNP a name, VB a verb, VBD one in "
    "the past, RB an adverb such as not, PRP a pronoun.",
    "token_pos": "Words with their part of speech, up to three in a row.",
}
_HOW_TO_READ = "Blue marks right endings, orange wrong ones; beyond 2 or -2 it is hardly chance."
_SURE_SHOWN = 10
_FEATURES_SHOWN = 20
_IN_FIGURE = 15
_NO_PARSER = "Complexity and parts of speech are left out: {}."


def labelled_sets(cloze: pa.Table) -> CaseSets:
    """The labelled cases of each release and split that has any."""
    labelled = cloze.filter(pc.is_valid(cloze["right_ending"]))
    found = {}
    for release in RELEASES:
        for split in SPLITS:
            of_set = pc.and_(pc.equal(labelled["release"], release), pc.equal(labelled["split"], split))
            if (cases := labelled.filter(of_set)).num_rows:
                found[release, split] = cases
    return found


def ending_sections(
    sets: CaseSets, cache: Path | None, folds: int = 10, most: Thresholds = ANYTHING
) -> tuple[dict[str, Section], list[str]]:
    """Features, n-grams and the bias monitor, and what is above the thresholds, a sentence each.

    Raises:
        UserError: too few cases to cross-validate.
    """
    statistics = {f"{release} {split}": ending_statistics(cases, cache) for (release, split), cases in sets.items()}
    monitor, above = _monitor(sets, statistics, cache, folds, most)
    return {"ending_features": _features(statistics), "ngrams": _ngrams(sets, cache), "bias_monitor": monitor}, above


def sentiment_section(stories: Path | None, cloze: Path, endings: Sequence[Path]) -> Section | None:
    """How the sentiment of every group of endings is spread; None without an ending."""
    sentiment = score_groups(stories, cloze, endings)
    if not sentiment.num_rows:
        return None
    rows = distributions(sentiment)
    context_rows = by_context(sentiment, cloze)
    header = [
        "endings",
        "n",
        "mean",
        "deviation",
        "10%",
        "median",
        "90%",
        "negative",
        "positive",
        "distance",
        "by chance",
    ]
    tables = [
        Table(
            "Sentiment of endings",
            header,
            [[row["group"], *_spread(row)] for row in rows],
            "VADER's compound score, from -1 to 1. Distance: the earth mover's distance from people's right endings: "
            "by how much scores have to be moved on average; by chance: 95% of random divisions of these endings "
            "stay under it. Mori et al. 2019, 4.5, give means only.",
        )
    ]
    if context_rows:
        tables.append(
            Table(
                "Sentiment of endings by that of their context",
                ["endings, context", *header[1:]],
                [[f"{row['group']}, {row['context']}", *_spread(row)] for row in context_rows],
                "A context is all its sentences as one text. Each distance is from right endings after such contexts.",
            )
        )
    drawn = {
        "sentiment_distributions.svg": Chart(
            figures.sentiment_distributions(rows),
            "How the sentiment of each group's endings is spread; the black line in each panel is that of people's "
            "right endings.",
        )
    }
    if context_rows:
        drawn["sentiment_by_context.svg"] = Chart(
            figures.sentiment_by_context(context_rows),
            "Mean sentiment of endings after gloomy, neutral and cheerful contexts: where the marks lie together, "
            "endings do not follow the mood of the story.",
        )
    return Section(
        "Sentiment of endings",
        "How positive or negative endings are, people's and generated ones, and whether generated endings have the "
        "mix of feelings that people's have.",
        tables,
        figures=drawn,
        values={"groups": rows, "by_context": context_rows},
    )


def visible(gram: str) -> str:
    """An n-gram with its blanks made visible, those of characters, which mean something."""
    return gram.replace(" ", "␣") if gram != gram.strip() or len(gram) == 4 else gram


def _features(statistics: Mapping[str, Sequence[Mapping[str, Any]]]) -> Section:
    header = [
        "feature",
        "right",
        "wrong",
        "difference",
        "95% interval",
        "d",
        "p",
        "paired p",
        "paper: right",
        "wrong",
        "p",
    ]
    tables = []
    for name, rows in statistics.items():
        cells = []
        for row in rows:
            paper = row["paper"]
            cells.append(
                [
                    FEATURES[row["feature"]],
                    *(number(row[key], 3) for key in ("right", "wrong", "difference")),
                    _interval(row["low"], row["high"], 3),
                    number(row["effect"], 3),
                    p_value(row["p"]),
                    p_value(row["paired_p"]),
                    f"{paper['right']:g}",
                    f"{paper['wrong']:g}",
                    p_value(paper["p"]),
                ]
            )
        n = rows[0]["n"]
        others = [FEATURES[row["feature"]] for row in rows if not agrees_with_paper(row)]
        told = f"Unlike in the paper, the difference has the other sign in: {', '.join(others)}. " if others else ""
        if not name.startswith("v1.0"):
            told = "The paper's figures are of v1.0. "
        tables.append(
            Table(
                f"{name}, {n:,} cases",
                header,
                cells,
                f"{told}d: the difference in units of the standard deviation (Cohen). p: two-sample t-test, as in "
                "Sharma et al. 2018, Table 2 (v1.0 validation and test); the interval and the paired p take both "
                "endings of a case together.",
            )
        )
    if tables:
        measured = [f"{FEATURES[name]}: {told}" for name, told in DIFFERS.items()]
        tables.append(Table("How they are measured", (), (), "; ".join(measured) + "."))
    return Section(
        "Right against wrong endings",
        "Whether right endings can be told from wrong ones by length, sentiment or complexity alone: in a good "
        "test of stories they cannot.",
        tables,
        figures={
            "ending_features.svg": Chart(
                figures.feature_effects(statistics, FEATURES),
                "By how much right endings exceed wrong ones (Cohen's d: 0.2 is small, 0.5 medium), with the 95% "
                "interval. An interval that holds 0 shows no difference.",
            )
        }
        if statistics
        else {},
        values={"sets": {name: list(rows) for name, rows in statistics.items()}},
    )


def _ngrams(sets: CaseSets, cache: Path | None) -> Section:
    endings = {name: [column.to_pylist() for column in right_and_wrong(cases)] for name, cases in sets.items()}
    everything = [ending for pair in endings.values() for of_kind in pair for ending in of_kind]
    parses: Parses | None = None
    problem = ""
    try:
        parses = parse(everything, cache / "parses.parquet" if cache else None)
    except NoParserError as error:
        problem = str(error)
    kinds = [kind for kind in KINDS if parses is not None or kind in ("words", "characters")]
    wanted = [(release, split, kind) for release, split in sets for kind in kinds]
    found = {
        (release, split, kind): ngram_odds(kind, endings[release, split][0], endings[release, split][1], parses)
        for release, split, kind in progress(wanted, "counting n-grams", unit="tables")
    }
    tables = [_deviations(sets, kinds, found)]
    drawn = {}
    for kind in kinds:
        columns = {f"{release} {split}": found[release, split, kind] for release, split in sets}
        shown = visible if kind == "characters" else str
        tables += [
            _marking(f"{_KIND_NAMES[kind].capitalize()} that mark {what} endings", columns, side, shown)
            for what, side in (("right", 1), ("wrong", -1))
        ]
        drawn[f"ngrams_{kind}.svg"] = Chart(
            figures.marking_ngrams(columns, _IN_FIGURE, shown), f"{_KINDS_TOLD[kind]} {_HOW_TO_READ}"
        )
    if problem:
        tables.append(Table("Not worked out", (), (), _NO_PARSER.format(problem)))
    return Section(
        "Words and characters that give endings away",
        "Which short sequences stand more often in right endings, and which in wrong ones: traces of how people write "
        "when they are asked for a wrong ending.",
        tables,
        figures=drawn if sets else {},
        data={"ngram_odds": odds_table(found)},
        values={"deviations": _deviation_values(found)},
    )


def _deviation_values(found: Mapping[tuple[str, str, str], Mapping[str, Sequence[Any]]]) -> list[dict[str, Any]]:
    return [
        {
            "release": release,
            "split": split,
            "kind": kind,
            "ngrams": len(columns["ngram"]),
            "deviation": deviation(columns["right"], columns["wrong"]),
            "paper": PUBLISHED_DEVIATION.get(release, {}).get(kind),
        }
        for (release, split, kind), columns in found.items()
    ]


def _deviations(
    sets: CaseSets, kinds: Sequence[str], found: Mapping[tuple[str, str, str], Mapping[str, Sequence[Any]]]
) -> Table:
    values = {(row["release"], row["split"], row["kind"]): row for row in _deviation_values(found)}
    rows = []
    for release, split in sets:
        of_set = [values[release, split, kind] for kind in kinds]
        rows.append(
            [
                f"{release} {split}",
                f"{sets[release, split].num_rows:,}",
                *(number(row["deviation"], 1) for row in of_set),
            ]
        )
        if release in PUBLISHED_DEVIATION:
            rows.append([f"paper: {release}", "", *(number(row["paper"], 1) for row in of_set)])
    return Table(
        "Standard deviation of the difference of counts",
        ["cases of", "n", *(_KIND_NAMES[kind] for kind in kinds)],
        rows,
        "Over n-grams that stand in right and wrong endings 5 times or more. It grows with the number of cases. "
        "Sharma et al. 2018, Table 5, of validation and test together, with n-grams of lengths that it does not tell.",
    )


def _marking(title: str, columns: Mapping[str, Mapping[str, Sequence[Any]]], side: int, shown: Any) -> Table:
    """The n-grams that most mark right (`side` 1) or wrong (-1) endings, each release and split beside the other."""
    header = ["", *(cell for name in columns for cell in (name, "right / wrong", "z"))]
    of_set: list[list[int]] = []
    for found in columns.values():
        n = len(found["z"])
        places = list(range(n))[::side][:SHOWN]
        of_set.append([place for place in places if side * found["z"][place] > 0])
    rows = []
    for rank in range(max((len(places) for places in of_set), default=0)):
        row = [str(rank + 1)]
        for found, places in zip(columns.values(), of_set, strict=True):
            if rank < len(places):
                place = places[rank]
                counts = f"{found['right'][place]:,} / {found['wrong'][place]:,}"
                row += [shown(found["ngram"][place]), counts, f"{found['z'][place]:.1f}"]
            else:
                row += ["", "", ""]
        rows.append(row)
    note = "By z, the log-odds with a Dirichlet prior in units of its standard error (Monroe et al. 2008)."
    return Table(title, header, rows, note)


def _monitor(
    sets: CaseSets,
    statistics: Mapping[str, Sequence[Mapping[str, Any]]],
    cache: Path | None,
    folds: int,
    most: Thresholds,
) -> tuple[Section, list[str]]:
    found, tables, above = {}, {}, []
    for (release, split), cases in sets.items():
        name = f"{release} {split}"
        found[name], tables[name] = bias_monitor(cases, cache, folds)
        above += exceeded(name, found[name], statistics[name], most)
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
                "paper": MONITOR_PUBLISHED.get(release, {}).get(row["variant"]),
            }
            for row in of_set["variants"]
        ]
    if above:
        shown.insert(0, Table("Above the thresholds", (), (), "; ".join(above) + "."))
    from denouement.report.figures import cloze_accuracies

    section = Section(
        "Bias monitor",
        "Whether a model that never sees the story can tell right endings from wrong ones: near 50% the endings give "
        "nothing away, and the further above, the less a test of stories tests stories.",
        shown,
        figures={
            "bias_monitor.svg": Chart(
                cloze_accuracies(drawn),
                "How often a model is right that sees the endings alone, by what it sees of them, with the 95% "
                "interval; the grey line is chance.",
            )
        }
        if drawn
        else {},
        data={"bias_cases": pa.concat_tables(tables.values())} if tables else {},
        values={"sets": found, "above": above},
    )
    return section, above


def _monitor_tables(name: str, found: Mapping[str, Any], cases: pa.Table) -> list[Table]:
    published = MONITOR_PUBLISHED.get(name.split()[0], {})
    accuracies = [
        [
            VARIANTS[row["variant"]],
            f"{row['n']:,}",
            f"{row['accuracy']:.1%}",
            f"{row['low']:.1%} to {row['high']:.1%}",
            "-" if (paper := published.get(row["variant"])) is None else f"{paper:.1%}",
        ]
        for row in found["variants"]
    ]
    features = [[_feature(row["feature"]), f"{row['weight']:+.3f}"] for row in found["features"][:_FEATURES_SHOWN]]
    sure = [
        [row["case_id"], f"{row['probability']:.0%}", row["right"], row["wrong"]]
        for row in cases.slice(0, _SURE_SHOWN).to_pylist()
    ]
    certain = count_and_share(found["certain"], found["certain"] / max(1, cases.num_rows))
    return [
        Table(
            f"{name}: how often the model is right",
            ["it sees", "n", "accuracy", "95% interval", "paper"],
            accuracies,
            "EndingReg, cross-validated; in Sharma et al. 2018, Tables 3 and 6, it is tested on the release's test.",
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
            f"What the model, fitted without the case, gives the right ending; {CERTAIN:.0%} or more: {certain}.",
        ),
    ]


def _feature(name: str) -> str:
    """A feature of EndingReg for people."""
    group, _, rest = name.partition(" ")
    if group == "style":
        return {"tokens": "number of words", "compound": "sentiment", "yngve": "complexity"}[rest]
    if group == "characters":
        return f"four characters: {visible(rest)}"
    words = " ".join({"<s>": "(start)", "</s>": "(end)"}.get(word, word) for word in rest.split(" "))
    return f"{'words' if group == 'ngrams' else 'parts of speech'}: {words}"


def _interval(low: float | None, high: float | None, digits: int) -> str:
    return "-" if low is None else f"{number(low, digits)} to {number(high, digits)}"


def _spread(row: Mapping[str, Any]) -> list[str]:
    return [
        f"{row['n']:,}",
        number(row["mean"], 3),
        number(row["sd"], 3),
        *(number(row["quantiles"][place], 2) for place in (0, 2, 4)),
        f"{row['negative_share']:.1%}",
        f"{row['positive_share']:.1%}",
        number(row["distance"], 3),
        number(row["chance"], 3),
    ]
