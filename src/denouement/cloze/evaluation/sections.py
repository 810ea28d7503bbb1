"""Results of Story Cloze systems as tables and lists to show."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from denouement.cloze.evaluation.chooser_run import TrainedChooser
from denouement.cloze.evaluation.results import (
    Accuracy,
    ClozeResult,
    ModuleAccuracy,
    SystemComparison,
    SystemRow,
    VectorResult,
    by_language,
)
from denouement.papers import published
from denouement.present.cells import Cell, Interval, Number, PValue
from denouement.present.sections import Block, Bullets, Paragraph, Table

_CHANCE = 0.5  # with two endings; another accuracy of a guess is said beside the number of cases

_NOTE = (
    "Accuracy: share of the cases whose right ending has the higher score, a tie being the first ending's; with its "
    "exact 95% interval. Half ties: the same with every tie as half a case that is right. p: of McNemar's exact test "
    "against the most accurate system on the same cases, corrected by Holm's method for all pairs of systems. Trained "
    "on: without what is among the scored cases."
)

_MANY = " A tie of m endings, the right one among them, counts as one in m of a case."

_LANGUAGES = (
    "With the exact 95% interval. Where the cases of one language are translations of another's, their columns are of "
    "the same stories."
)

_SAME_BELOW = "Below, the same with all that belongs to it."

_WHY_BELOW = (
    "What such a system measures speaks for wrong endings more often than for right ones: where wrong endings share "
    "more words with the context, or are the shorter or more usual sentences; where ties, which go to the first "
    "ending, meet cases whose second ending is right; or where what was learned from some cases misleads in others."
)


def system_name(row: SystemRow) -> str:
    """A system with its variant, for people: `word_vectors, glove`."""
    return f"{row.system}, {row.variant}" if row.variant else row.system


def evaluation_blocks(result: ClozeResult) -> list[Block]:
    """All of a result except its comparisons: accuracies, notes, and accuracies of groups of cases."""
    return [*accuracy_blocks(result.systems), *further_blocks(result)]


def accuracy_blocks(rows: Sequence[SystemRow]) -> list[Block]:
    """How often each system and each of its variants is right, and which have no scores, and why."""
    n_sets = len({row.cases for row in rows if row.accuracy is not None})
    return [
        *language_tables(rows),
        *([_side_by_side(rows, _SAME_BELOW)] if n_sets > 1 else []),
        *detail_tables(rows),
        *unscored_blocks(rows),
    ]


def overview_blocks(rows: Sequence[SystemRow]) -> list[Block]:
    """A row a system, by its best variant, and a column a set of cases; and what has no accuracy, and why."""
    best = best_variants(rows)
    note = "Of a system with variants the one that is most accurate on the first cases is shown."
    tables = [_side_by_side(best, note if len(best) < len(_shown(rows)) else "")] if best else []
    return [*tables, *language_tables(rows), *unscored_blocks(rows)]


def language_tables(rows: Sequence[SystemRow]) -> list[Table]:
    """By release and split with cases in several languages the accuracy of each system and variant in each."""
    names = {row.name: system_name(row) for row in rows}
    tables = []
    for group, systems in by_language(rows).items():
        sizes = {language: accuracy.n for of_system in systems.values() for language, accuracy in of_system.items()}
        lines: list[list[Cell]] = [
            [names[name], *(_with_interval(of_system.get(language)) for language in sizes)]
            for name, of_system in systems.items()
        ]
        columns = ["system", *(f"{language} (n = {n:,})" for language, n in sizes.items())]
        tables.append(Table(columns, lines, f"Accuracy by language, {group}", _LANGUAGES))
    return tables


def _with_interval(accuracy: Accuracy | None) -> Cell:
    return f"{accuracy.accuracy:.3f} ({Interval(accuracy.low, accuracy.high, 3)})" if accuracy else ""


def best_variants(rows: Sequence[SystemRow]) -> list[SystemRow]:
    """The rows of each system's best variant: of those with scores on its first set of cases, the most accurate."""
    chosen: dict[str, str] = {}
    for row in _by_accuracy(_shown(rows)):
        chosen.setdefault(row.system, row.variant)
    return [row for row in _by_accuracy(_shown(rows)) if chosen[row.system] == row.variant]


def detail_tables(rows: Sequence[SystemRow]) -> list[Table]:
    """By set of cases all that belongs to the accuracy of each system and variant, the most accurate first."""
    columns = ["system", "accuracy", "95% interval", "p", "ties", "half ties"]
    tables = []
    for cases, size in _sizes(rows).items():
        of_set = _by_accuracy([row for row in _shown(rows) if row.cases == cases])
        has_paper = any(row.paper is not None for row in of_set)
        lines = [[*_cells(row), *([_number(row.paper)] if has_paper else []), row.trained_on or ""] for row in of_set]
        title = f"Accuracy on {cases} ({size})"
        note = _NOTE if all(row.chance == _CHANCE for row in of_set) else f"{_NOTE}{_MANY}"
        tables.append(Table([*columns, *(["paper"] if has_paper else []), "trained on"], lines, title, note))
    return tables


def unscored_blocks(rows: Sequence[SystemRow]) -> list[Block]:
    """Which sets of cases are blind, which accuracies are below chance, and which systems have no scores, and why."""
    blind = {row.cases: row.n for row in rows if row.blind}
    named = ", ".join(f"{cases} ({n:,} cases)" for cases, n in blind.items())
    return [
        *([Paragraph(f"Blind, so no accuracy is known: {named}.")] if blind else []),
        *_below_chance((row.chance, row.high, f"{system_name(row)} ({row.cases})") for row in rows),
        *_without_scores("Not run:", rows, [(row, row.missing) for row in rows]),
        *_without_scores("Failed:", rows, [(row, row.failed) for row in rows]),
    ]


def further_blocks(result: ClozeResult) -> list[Block]:
    """What was decided by a rule of thumb, and accuracies of groups of cases."""
    rows = _by_accuracy(_shown(result.systems))
    return [
        *_bullets("Met on the way:", [f"{text}: {n:,}" for of in result.notes.values() for text, n in of.items()]),
        *_group_tables(
            "the right ending's sentiment and the context's",
            ((row, row.by_sentiment) for row in rows if row.by_sentiment),
        ),
        *_group_tables(
            "the right ending's length, against the wrong one's",
            ((row, row.by_length) for row in rows if row.by_length),
        ),
    ]


def comparison_tables(result: ClozeResult) -> list[Table]:
    """The most accurate system of each set of cases against every other."""
    tables = []
    for cases, pairs in result.comparisons.items():
        best = next((row for row in result.systems if row.best and row.cases == cases), None)
        if best is None:
            continue
        lines = [_against(best.name, pair) for pair in pairs if best.name in (pair.one, pair.other)]
        note = (
            f"Cases that only {system_name(best)} gets right, and that only the other one does, with the exact McNemar "
            f"test that both are equally often right, and its p corrected by Holm's method for all {len(pairs):,} "
            "pairs of systems. The other pairs are in evaluation.json."
        )
        columns = ["other system", "only the best is right", "only the other is", "p", "corrected p"]
        title = f"{system_name(best)}, the most accurate on {cases}, against every other system"
        tables.append(Table(columns, lines, title, note))
    return tables


def vector_blocks(result: VectorResult) -> list[Block]:
    """How often the modules of the Story Cloze Evaluator are right with given vectors."""
    modules = [(f"joint ({result.contexts} context)", result.joint), ("sentence level", result.sentence_level)]
    made = [(name, module) for name, module in modules if module]
    of_paper = ""
    if "sample" not in result.releases:
        values = published("mostafazadeh_2016_evaluator", "Table 2")
        word2vec, skip_thoughts, dssm = (
            f"{values[row]['Test Set']:.3f}".lstrip("0") for row in ("Word2Vec", "Skip-thoughts", "DSSM")
        )
        of_paper = (
            f" The paper has {word2vec} for averaged word2vec, {skip_thoughts} for skip-thoughts and {dssm} for DSSM, "
            "by the joint module on the v1.0 test."
        )
    return [
        Table(
            ["module", "n", "accuracy", "95% interval", "ties", "half ties"],
            [_module_cells(name, module) for name, module in made],
            note=f"Vectors of {result.dimension:,} numbers{_unlike_half(result.chance)}.{of_paper}",
        ),
        *_below_chance((result.chance, module.high, name) for name, module in made),
    ]


def _cells(row: SystemRow) -> list[Cell]:
    return [
        system_name(row),
        _number(row.accuracy),
        "" if row.accuracy is None else Interval(row.low, row.high, 3),
        "best" if row.best else PValue(row.p_best) if row.p_best is not None else "",
        "" if row.ties is None else row.ties,
        _number(row.accuracy_half_ties) if row.ties else "",
    ]


def _module_cells(name: str, module: ModuleAccuracy) -> list[Cell]:
    half_ties = _number(module.accuracy_half_ties) if module.ties else ""
    accuracy = Number(module.accuracy, 3)
    return [name, module.n, accuracy, Interval(module.low, module.high, 3), module.ties, half_ties]


def _number(value: float | None) -> Cell:
    return "" if value is None else Number(value, 3)


def _side_by_side(rows: Sequence[SystemRow], note: str) -> Table:
    """The accuracies of systems, a column a set of cases, sorted by those on the first set."""
    scored, sizes = _by_accuracy(_shown(rows)), _sizes(rows)
    has_paper = any(row.paper is not None for row in scored)
    cells: dict[str, dict[str, Cell]] = {}
    for row in scored:
        of_paper = "" if row.paper is None else f"({row.paper:.3f})"
        here = "" if row.accuracy is None else f"{row.accuracy:.3f}"
        accuracy: Cell = f"{here} {of_paper}".strip() if has_paper else Number(row.accuracy, 3)
        cells.setdefault(system_name(row), {})[row.cases] = accuracy
    in_brackets = ", in brackets the published one" if has_paper else ""
    return Table(
        ["system", *(f"{name} ({size})" for name, size in sizes.items())],
        [[system, *(of_system.get(name, "") for name in sizes)] for system, of_system in cells.items()],
        note=f"Accuracy on each set of cases{in_brackets}. {note}".rstrip(),
    )


def _shown(rows: Sequence[SystemRow]) -> list[SystemRow]:
    """Those that have an accuracy, or a published one, such as that of people."""
    return [
        row
        for row in rows
        if row.accuracy is not None or (row.paper is not None and not (row.blind or row.missing or row.failed))
    ]


def _sizes(rows: Sequence[SystemRow]) -> dict[str, str]:
    """By the sets that have accuracies how many cases there are, such as `n = 1,871`, and any chance but a half."""
    return {row.cases: f"n = {row.n:,}{_unlike_half(row.chance)}" for row in _shown(rows)}


def _unlike_half(chance: float) -> str:
    return "" if chance == _CHANCE else f", chance {_short(chance)}"


def _short(chance: float) -> str:
    """A share without the 0 before its point: `.500`."""
    return f"{chance:.3f}".lstrip("0")


def _by_accuracy(rows: Sequence[SystemRow]) -> list[SystemRow]:
    """The rows set by set, the most accurate first; of equals the best, then in their order."""
    sets = list(_sizes(rows))

    def place(row: SystemRow) -> tuple[int, float, bool]:
        accuracy = row.paper if row.accuracy is None else row.accuracy
        return sets.index(row.cases), -(accuracy or 0.0), not row.best

    return sorted(rows, key=place)


def _below_chance(rows: Iterable[tuple[float, float | None, str]]) -> list[Block]:
    """A paragraph that explains accuracies whose whole interval is below chance, one for each chance that has any.

    Args:
        rows: chance, the upper end of the interval, and the name of each accuracy.
    """
    below: dict[float, list[str]] = {}
    for chance, high, name in rows:
        if high is not None and high < chance:
            below.setdefault(chance, []).append(name)
    return [
        Paragraph(f"Below chance, with the whole interval under {_short(chance)}: {', '.join(names)}. {_WHY_BELOW}")
        for chance, names in below.items()
    ]


def _without_scores(
    title: str, rows: Sequence[SystemRow], reasons: Iterable[tuple[SystemRow, str | None]]
) -> list[Block]:
    """The systems without scores, each with the reason, and with its sets of cases where these are not all."""
    sets = {row.cases for row in rows}
    of_reason: dict[tuple[str, str], list[str]] = {}
    for row, reason in reasons:
        if reason is not None:
            of_reason.setdefault((system_name(row), " ".join(reason.split())), []).append(row.cases)
    items = []
    for (system, reason), of_sets in of_reason.items():
        where = "" if set(of_sets) == sets else f" ({', '.join(of_sets)})"
        items.append(f"{system}{where}: {reason}")
    return _bullets(title, items)


def _bullets(title: str, items: Sequence[str]) -> list[Block]:
    return [Bullets(title, items)] if items else []


def _group_tables(what: str, rows: Iterable[tuple[SystemRow, Mapping[str, Accuracy]]]) -> Iterator[Table]:
    """Accuracy by groups of cases, a table for each set of cases: the sizes of groups are those of the set."""
    tables: dict[tuple[str, tuple[tuple[str, int], ...]], list[list[Cell]]] = {}
    for row, groups in rows:
        sizes = tuple((group, groups[group].n) for group in sorted(groups))
        accuracies = [Number(groups[group].accuracy, 3) for group, _ in sizes]
        tables.setdefault((row.cases, sizes), []).append([system_name(row), *accuracies])
    for (cases, sizes), lines in tables.items():
        columns = ["system", *(f"{group} ({n:,})" for group, n in sizes)]
        yield Table(columns, lines, f"Accuracy by {what}, {cases}")


def _against(best: str, pair: SystemComparison) -> list[Cell]:
    other, numbers = (
        (pair.other, (pair.only_one, pair.only_other))
        if pair.one == best
        else (pair.one, (pair.only_other, pair.only_one))
    )
    return [other, *numbers, PValue(pair.p), PValue(pair.p_holm)]


def chooser_blocks(result: TrainedChooser) -> list[Block]:
    """What a chooser learned from, and how."""
    part = f", part {result.part.number} of {result.part.of}" if result.part else ""
    learned_from = ", ".join(f"{n:,} cases of {name}" for name, n in result.cases.items())
    rows: list[list[Cell]] = [
        [each.seed, each.examples, len(each.losses), Number(each.losses[0], 3), Number(each.losses[-1], 3)]
        for each in result.networks
    ]
    return [
        Paragraph(f"Made of the language model {result.language_model}; learned from {learned_from}{part}."),
        Table(
            ["seed", "examples", "epochs", "first loss", "last loss"],
            rows,
            note="Loss: minus the log-probability of the right ending, in nats; the mean of an epoch while it learns.",
        ),
        *([] if result.other_parts is None else [_of_other_parts(result.other_parts)]),
        *_bullets("Passed over", [f"{what}: {n:,}" for what, n in result.passed_over.items()]),
    ]


def _of_other_parts(found: Accuracy) -> Paragraph:
    return Paragraph(f"Right in {_with_interval(found)} of the {found.n:,} cases of the other parts.")
