"""Which n-grams give endings away, as a section: Sharma et al. 2018, section 5."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from denouement.analysis import figures
from denouement.analysis.ngram_odds import (
    KINDS,
    LEAST,
    NOTABLE,
    PUBLISHED_DEVIATION,
    SHOWN,
    deviation,
    ngram_odds,
    odds_table,
)
from denouement.analysis.sections import Chart, Section, Table
from denouement.console import progress
from denouement.corpus.cases import CaseSets, right_and_wrong
from denouement.report.tables import number
from denouement.text.syntax import NoParserError, Parses, parse

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
_HOW_TO_READ = (
    "Blue marks right endings, orange wrong ones. Of thousands of n-grams some come beyond 2 or -2 by chance, few "
    "beyond 4."
)
_IN_FIGURE = 15


def ngram_section(sets: CaseSets, cache: Path | None) -> Section:
    """What marks right endings and what marks wrong ones; parts of speech are left out without a parser."""
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
        tables.append(Table("Not worked out", (), (), f"Complexity and parts of speech are left out: {problem}."))
    return Section(
        "Words and characters that give endings away",
        "Which short sequences stand more often in right endings, and which in wrong ones: traces of how wrong "
        "endings are written.",
        tables,
        figures=drawn if sets else {},
        data={"ngram_odds": odds_table(found)},
        values={"deviations": _deviation_values(found)},
    )


def visible(gram: str) -> str:
    """An n-gram with its blanks made visible, those of characters, which mean something."""
    return gram.replace(" ", "␣")


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
        f"Over n-grams that stand {LEAST} times or more in right and wrong endings together. It grows with the number "
        "of cases. Sharma et al. 2018, Table 5, of validation and test together, with n-grams of lengths that it does "
        "not tell.",
    )


def _marking(
    title: str, columns: Mapping[str, Mapping[str, Sequence[Any]]], side: int, shown: Callable[[str], str]
) -> Table:
    """The n-grams that most mark right (`side` 1) or wrong (-1) endings, each release and split beside the other."""
    header = ["", *(cell for name in columns for cell in (name, "right / wrong", "z"))]
    of_set: list[list[int]] = []
    for found in columns.values():
        n = len(found["z"])
        places = list(range(n))[::side][:SHOWN]
        of_set.append([place for place in places if side * found["z"][place] >= NOTABLE])
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
    note = (
        "By z, the log-odds with a Dirichlet prior in units of its standard error (Monroe et al. 2008), of which "
        f"{NOTABLE:g} or more is shown."
    )
    return Table(title, header, rows, note)
