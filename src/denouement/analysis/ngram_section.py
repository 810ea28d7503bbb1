"""Which n-grams give endings away, as a section: Sharma et al. 2018, section 5."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

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
from denouement.analysis.pooling import PUBLISHED_CASES, TOGETHER, of_the_paper, pool_name
from denouement.analysis.sections import Chart, Section, Table
from denouement.charts import corpus as figures
from denouement.console import progress
from denouement.corpus.cases import POOLED, CaseSets, Distinct, right_and_wrong
from denouement.report.tables import number
from denouement.text.syntax import Parses

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


def ngram_section(sets: CaseSets, together: Mapping[str, Distinct], parses: Parses | None, problem: str) -> Section:
    """What marks right endings and what marks wrong ones.

    Args:
        sets: labelled cases.
        together: by release its validation and test as one set, where both are there; of them Table 5 alone is made.
        parses: of all endings; without, parts of speech are left out.
        problem: a sentence that says why there are no parses.
    """
    kinds = [kind for kind in KINDS if parses is not None or kind in ("words", "characters")]
    pooled = {(release, TOGETHER): pool.cases for release, pool in together.items()}
    wanted = [(key, kind) for key in [*sets, *pooled] for kind in kinds]
    counted = {}
    for key, kind in progress(wanted, "counting n-grams", unit="tables"):
        right, wrong = (column.to_pylist() for column in right_and_wrong((sets | pooled)[key]))
        counted[*key, kind] = ngram_odds(kind, right, wrong, parses)
    deviations = _deviation_values(counted, sets | pooled)
    found = {key: columns for key, columns in counted.items() if key[:2] in sets}
    tables = [_deviations(deviations, kinds)]
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
        tables.append(Table("Not worked out", (), (), problem))
    return Section(
        "Words and characters that give endings away",
        "Which short sequences stand more often in right endings, and which in wrong ones: a system can learn them "
        "without reading a story.",
        tables,
        figures=drawn if sets else {},
        data={"ngram_odds": odds_table(found)},
        values={"deviations": deviations},
    )


def visible(gram: str) -> str:
    """An n-gram with its blanks made visible, those of characters, which mean something."""
    return gram.replace(" ", "␣")


def _deviation_values(
    found: Mapping[tuple[str, str, str], Mapping[str, Sequence[Any]]], cases: CaseSets
) -> list[dict[str, Any]]:
    """Rows of Table 5, the paper's figure beside the set that is most like the paper's: both splits, else the one."""
    both = {release for release, split, _ in found if split == TOGETHER}
    return [
        {
            "release": release,
            "split": split,
            "cases": cases[release, split].num_rows,
            "kind": kind,
            "ngrams": len(columns["ngram"]),
            "deviation": deviation(columns["right"], columns["wrong"]),
            "paper": PUBLISHED_DEVIATION.get(release, {}).get(kind)
            if split == TOGETHER or (split in POOLED and release not in both)
            else None,
        }
        for (release, split, kind), columns in found.items()
    ]


def _deviations(values: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> Table:
    rows = []
    note = [f"Over n-grams that stand {LEAST} times or more in right and wrong endings together."]
    for release, split in dict.fromkeys((row["release"], row["split"]) for row in values):
        of_set = {row["kind"]: row for row in values if (row["release"], row["split"]) == (release, split)}
        name, n = f"{release} {split}", of_set[kinds[0]]["cases"]
        rows.append([name, f"{n:,}", *(number(of_set[kind]["deviation"], 1) for kind in kinds)])
        if any(row["paper"] is not None for row in of_set.values()):
            published = [f"paper: {pool_name(release)}", f"{PUBLISHED_CASES[release]:,}"]
            rows.append([*published, *(number(of_set[kind]["paper"], 1) for kind in kinds)])
            note.append(of_the_paper(release, name, n))
    note.append("The figure grows with the number of cases, so only rows of equal n compare.")
    if any(row["paper"] is not None for row in values):
        note.append("The paper is Sharma et al. 2018, Table 5, which does not say how long its n-grams are.")
    return Table(
        "Standard deviation of the difference of counts",
        ["cases of", "n", *(_KIND_NAMES[kind] for kind in kinds)],
        rows,
        " ".join(note),
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
