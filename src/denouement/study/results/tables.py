"""A study's results as tables, with what they show above and what their figures are below: a terminal's, Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from denouement.console import text_table
from denouement.report.tables import count_and_share, interval, number, p_value
from denouement.study.results.crossed import CASES, CASES_AND_ANNOTATORS
from denouement.study.results.results import OUTCOMES

_ANNOTATORS_SHOWN = 20

_MEANS = (
    "Means are of the items' means. Intervals allow for answers about one case, and those of one annotator, going "
    "together, and never leave the range of the values."
)

_SAME_ANNOTATORS = "what other cases would give, asked of the same annotators"
_OVER = {
    CASES_AND_ANNOTATORS: "what other cases and other annotators would give",
    CASES: f"{_SAME_ANNOTATORS}, since the answers name no annotators, or one alone",
}


@dataclass(frozen=True)
class Section:
    """A heading, and a table where `header` is not empty.

    Attributes:
        what: one plain sentence on what the table shows; may be empty.
        notes: paragraphs on what its figures are, and where those of others come from.
    """

    title: str
    what: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str]


def sections(results: Mapping[str, Any]) -> list[Section]:
    """What `results.study_results` found, in the order in which it is read."""
    if not results["answers"]:
        return [Section("Answers", "", (), (), [_statuses(results)])]
    return [
        _answers(results),
        *map(_pair, results["pairs"]),
        _tests(results["pairs"]),
        _reliability(results["pairs"]),
        _strengths(results["strengths"]),
        _annotators(results),
    ]


def results_text(results: Mapping[str, Any]) -> str:
    """The sections as Markdown, readable on a terminal."""
    return "\n\n".join(section_text(section) for section in sections(results))


def rating_section(results: Mapping[str, Any]) -> Section:
    """What `scales.rating_results` found."""
    rows = [
        [
            row["question"],
            row["system"],
            f"{row['items']:,}",
            f"{row['answers']:,}",
            number(row["mean"], 2),
            interval(row, ".2f"),
            ", ".join(f"{value}: {n:,}" for value, n in row["values"].items()),
        ]
        for row in results["means"]
    ]
    alphas = [f"{row['question']} {number(row['alpha'], 3)}" for row in results["alphas"]]
    notes = [
        _statuses(results),
        *_checks(results),
        f"{_MEANS} {scope((' '.join((row['question'], row['system'])), row) for row in results['means'])}",
        "How far people agree with each other (Krippendorff's alpha for ordinal data; 1 is always, 0 no more than by "
        f"chance): {', '.join(alphas)}.",
    ]
    return _or_nothing(
        results,
        Section(
            f"Ratings: {', '.join(results['studies'])}",
            "How people rated the endings of each system: the mean by scale, and how often each value was given.",
            ("scale", "system", "items", "answers", "mean", "95% interval", "how often each value"),
            rows,
            notes,
        ),
    )


def order_section(results: Mapping[str, Any]) -> Section:
    """What `scales.order_results` found."""
    rows = [
        [
            row["system"],
            f"{row['items']:,}",
            f"{row['answers']:,}",
            count_and_share(row["right"], row["share"]),
            number(row["mean"], 3),
            interval(row, ".2f"),
            f"{_cell(row['last'])}, {interval(row['last'], '.1%')}",
        ]
        for row in results["systems"]
    ]
    return _or_nothing(
        results,
        Section(
            f"Orders: {', '.join(results['studies'])}",
            "How well people put the shuffled sentences of stories into order, by the system that wrote the ending.",
            ("ending of", "items", "answers", "all in order", "Kendall's tau", "95% interval", "ending last, on items"),
            rows,
            [
                _statuses(results),
                *_checks(results),
                f"Tau is 1 for the story's own order and -1 for its reverse. {_MEANS} "
                f"{scope((row['system'], row) for row in results['systems'])}",
                "Ending last: on how many items more than half of the answers put the ending in the last place, with "
                f"the exact 95% interval of their share, which tells {_SAME_ANNOTATORS}.",
            ],
        ),
    )


def scale_section(results: Mapping[str, Any]) -> Section:
    """What `scales.scale_results` found."""
    return order_section(results) if "systems" in results else rating_section(results)


def scale_reasons(results: Mapping[str, Any]) -> list[Section]:
    """The reasons that `scales.rating_results` found: a section, or none where nobody gave one."""
    if not results.get("reasons"):
        return []
    with_endings = any(row["ending"] for row in results["reasons"])
    rows = [
        [
            row["case_id"],
            row["system"],
            *([row["ending"] or ""] if with_endings else []),
            ", ".join(f"{scale} {value}" for scale, value in row["values"].items()),
            " ".join(row["reason"].split()),
        ]
        for row in results["reasons"]
    ]
    header = ("case", "system", *(["ending"] if with_endings else []), "ratings", "reason")
    return [
        Section("Ratings and reasons", "The answers that have a reason, in the order of the items.", header, rows, ())
    ]


def _or_nothing(results: Mapping[str, Any], section: Section) -> Section:
    if results["answers"]:
        return section
    return Section(section.title, "", (), (), [_statuses(results), *_checks(results)])


def _answers(results: Mapping[str, Any]) -> Section:
    notes = [
        _statuses(results),
        "An answer is for one of the two endings, or it is both (both are good) or neither (neither is). What people "
        "agree on about an item, a story with its two endings, is the answer that most of them gave. Two answers given "
        "equally often come to what Mori et al. 2019 (appendix A.2) make of them: the two endings are both, both and "
        "neither are both, and an ending wins over either of these. Any other tie is no agreement.",
    ]
    sides = results["sides"]
    if sides["of"]:
        answers = sides["answers"]
        notes.append(
            f"Answers for one ending: {answers['A']:,} for A, {answers['B']:,} for B. Of "
            f"{_n(sides['of'], 'item')} with more answers for one side, "
            f"{count_and_share(sides['n'], sides['share'])} {'has' if sides['n'] == 1 else 'have'} more for A (95% "
            f"interval {interval(sides, '.1%')}; test that neither side is favoured: p = {p_value(sides['p'])}; both "
            f"are exact, and tell {_SAME_ANNOTATORS})."
        )
    if results["seconds"] is not None:
        notes.append(f"Median time of an answer: {results['seconds']:.0f} s.")
    notes += _checks(results)
    return Section(f"Answers: {', '.join(results['studies'])}", "", (), (), notes)


def _statuses(results: Mapping[str, Any]) -> str:
    told = [f"{n:,} {status}" for status, n in results["statuses"].items()]
    n_checks = results["checks"]["answers"]
    checks = f" Apart from these, {n_checks:,} {_is(n_checks)} to attention checks." if n_checks else ""
    answers = f"{_n(results['answers'], 'answer')} {'counts' if results['answers'] == 1 else 'count'}"
    return f"{answers}. By status: {', '.join(told) or 'there are none'}.{checks}"


def _checks(results: Mapping[str, Any]) -> list[str]:
    """How attention checks were answered, where people met any."""
    checks = results["checks"]
    if checks["known"]:
        by = _n(checks["annotators_failing"], "annotator")
        return [f"Attention checks: {checks['failed']:,} of {checks['known']:,} failed, by {by}."]
    if checks["answers"]:
        return ["Which answers to attention checks are right stands in the table of items (--items)."]
    return []


def _n(n: int, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def _is(n: int) -> str:
    return "is" if n == 1 else "are"


def _pair(row: Mapping[str, Any]) -> Section:
    """A row of Mori et al. 2019, Table 2, with the paper's own where it has these two systems."""
    first, second = row["first"], row["second"]
    agreed, single = row["agreement"], row["single_answers"]
    lines = [
        ["items", f"{row['items']:,}", *(_cell(agreed[outcome]) for outcome in OUTCOMES)],
        ["95% interval", "", *(interval(agreed[outcome], ".1%") for outcome in OUTCOMES)],
        ["single answers", f"{row['answers']:,}", *(_cell(single[outcome]) for outcome in OUTCOMES[:4]), ""],
        ["95% interval", "", *(interval(single[outcome], ".1%") for outcome in OUTCOMES[:4]), ""],
    ]
    names = (f"{row['first']} better", f"{row['second']} better", "both", "neither")
    notes = [
        f"The interval of items is exact and tells {_SAME_ANNOTATORS}. That of single answers allows for answers "
        "about one case, and those of one annotator, going together. "
        + scope(zip(names, (single[outcome] for outcome in OUTCOMES[:4]), strict=True))
    ]
    if row["cases"] < row["items"]:
        notes.append(
            f"The {row['items']:,} items are about {_n(row['cases'], 'case')}; the exact interval takes items as "
            "independent, so it is too narrow."
        )
    if row["paper"]:
        n = sum(row["paper"].values())
        cells = [count_and_share(row["paper"][outcome], row["paper"][outcome] / n) for outcome in OUTCOMES[:4]]
        lines.append(["Mori et al. 2019", f"{n:,}", *cells, ""])
        notes.append(
            f"Mori et al. 2019 compared systems of these names on {n} items, with five answers each: their Table 2, "
            "with the authors' correction."
        )
    return Section(
        f"Which ending is better: {first} or {second}?",
        "How many items people agree on in each way, and how many single answers there were, with intervals of the "
        "shares.",
        ("of", "n", *names, "no agreement"),
        lines,
        notes,
    )


def _tests(pairs: Sequence[Mapping[str, Any]]) -> Section:
    several = len(pairs) > 1
    lines = []
    for row in pairs:
        for of, test in (("items", row["sign_test"]), ("answers", row["preference"])):
            if second_wins := test["of"] > 2 * test["n"]:
                test = _turned(test)
            preferred = row["second"] if second_wins else row["first"] if test["of"] < 2 * test["n"] else "-"
            ps = (test["p"], *([test.get("p_holm")] if several else []))
            n = f"{test['n']:,} of {test['of']:,}"
            lines.append([_name(row), of, preferred, n, interval(test, ".1%"), *map(p_value, ps)])
    return Section(
        "How sure it is",
        "Which of two systems people prefer, and whether that could be chance.",
        ("systems", "of", "preferred", "n", "95% interval", "p", *(["p, Holm"] if several else [])),
        lines,
        [
            "Of items: of those on which people agree that one ending is better, how many prefer the system named, "
            "with the exact interval of their share; p is that of the exact two-sided sign test: how often chance "
            f"alone would come as far. Both tell {_SAME_ANNOTATORS}.",
            "Of answers: of the single answers for one of the two, how many are for the system named. The interval and "
            "the test (Student's t) allow for answers about one case, and those of one annotator, going together. "
            + scope((_name(row), row["preference"]) for row in pairs),
            *(
                [
                    f"{len(pairs)} pairs are {len(pairs)} chances of a false alarm: compare the corrected p (Holm "
                    "1979) with the level, such as 0.05. Intervals are not corrected."
                ]
                if several
                else []
            ),
        ],
    )


def _turned(test: Mapping[str, Any]) -> dict[str, Any]:
    """The same of the other system."""
    other = {"n": test["of"] - test["n"], "share": 1 - test["share"]}
    if test["low"] is None:
        return {**test, **other}
    return {**test, **other, "low": 1 - test["high"], "high": 1 - test["low"]}


def _reliability(pairs: Sequence[Mapping[str, Any]]) -> Section:
    lines = []
    for row in pairs:
        least, most = row["answers_per_item"]
        per_item = f"{least}" if least == most else f"{least} to {most}"
        figures = number(row["kappa"]["kappa"], 3), number(row["alpha"]["alpha"], 3)
        lines.append([_name(row), f"{row['items']:,}", per_item, *figures])
    left_out = [
        f"{_name(row)}: kappa is of the {_n(row['kappa']['items'], 'item')} with "
        f"{_n(row['kappa']['answers_per_item'], 'answer')}, without {row['kappa']['items_left_out']:,} more."
        for row in pairs
        if row["kappa"]["items_left_out"]
    ]
    return Section(
        "How far people agree",
        "How far people agree with each other about the same two endings.",
        ("systems", "items", "answers an item", "kappa", "alpha"),
        lines,
        [
            "Fleiss' kappa and Krippendorff's alpha (nominal) tell how far people agree beyond chance: 1 is always, 0 "
            "no more than by chance; a dash, that all answers are the same or no item has two.",
            *left_out,
        ],
    )


def scope(named: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """What intervals tell, or why there is none; where that differs, by the names of those that have them."""
    names: dict[tuple[bool, str], list[str]] = {}
    for name, found in named:
        is_there = found["over"] is not None
        names.setdefault((is_there, _OVER[found["over"]] if is_there else found["why_not"]), []).append(name)
    sentences = []
    for (is_there, what), its in names.items():
        of = f" of {', '.join(its)}" if len(names) > 1 else ""
        sentences.append(
            f"The 95% interval{of} tells {what}." if is_there else f"There is no 95% interval{of}, since {what}."
        )
    return " ".join(sentences)


def _name(row: Mapping[str, Any]) -> str:
    return f"{row['first']} / {row['second']}"


def _cell(found: Mapping[str, Any]) -> str:
    return count_and_share(found["n"], found["share"])


def _strengths(found: Mapping[str, Any]) -> Section:
    title = "Strengths of the systems"
    if not found["systems"]:
        return Section(title, "", (), (), [f"Not estimated (Bradley and Terry): {found['why_not']}."])
    rows = [
        [row["system"], number(row["strength"], 2), interval(row, ".2f"), f"{row['share']:.1%}"]
        for row in found["systems"]
    ]
    clusters = [_n(found["cases"], "case"), *([_n(n, "annotator")] if (n := found["annotators"]) else [])]
    note = (
        "The model of Bradley and Terry on single answers"
        + (
            f", with Davidson's ties ({found['tie']:.2f}): both and neither alike. "
            if found["tie"] is not None
            else ". "
        )
        + "Strengths are logarithms with mean 0; of two systems, shares in the ratio 3 to 1 mean that the first is "
        "preferred three times as often. Intervals allow for answers about one case, and those of one annotator, going "
        f"together ({', '.join(clusters)}). {scope([('', found)])}"
    )
    what = "All systems on one scale: the stronger one is, the more often people prefer its endings."
    return Section(title, what, ("system", "strength", "95% interval", "share"), rows, [note])


def _annotators(results: Mapping[str, Any]) -> Section:
    rows = results["annotators"]
    notes = []
    if results["unnamed_answers"]:
        unnamed = results["unnamed_answers"]
        come = "comes" if unnamed == 1 else "come"
        notes.append(f"{_n(unnamed, 'answer')} {come} from a file that names no annotators.")
    if not rows:
        return Section("Annotators", "", (), (), notes)
    several = len({row["study"] for row in rows}) > 1
    lines = [
        [
            f"{row['study']}: {row['annotator_id']}" if several else row["annotator_id"],
            f"{row['answers']:,}",
            f"{row['agreeing']:,} of {row['compared']:,}",
            "-" if row["share"] is None else f"{row['share']:.1%}",
            "-" if row["pairwise"] is None else f"{row['pairwise']:.1%}",
            number(row["seconds"], 0),
            f"{row['checks_failed']:,} of {row['checks']:,}" if row["checks"] else "-",
        ]
        for row in rows[:_ANNOTATORS_SHOWN]
    ]
    notes.append(
        "With the rest: of the items whose other annotators agree, those with the same answer. Pairwise: the mean "
        "share of the others' answers that are the same. Seconds: median time of an answer."
    )
    if len(rows) > len(lines):
        notes.append(f"The {len(lines)} that agree least of {len(rows):,}; all of them are in annotators.parquet.")
    return Section(
        "Annotators",
        "How far each person agrees with the others; who agrees least comes first.",
        ("annotator", "answers", "with the rest", "share", "pairwise", "seconds", "checks failed"),
        lines,
        notes,
    )


def section_text(section: Section, level: int = 2) -> str:
    """A section as Markdown, its heading of the given level."""
    what = [section.what] if section.what else []
    table = [text_table(section.header, section.rows)] if section.header else []
    return "\n\n".join([f"{'#' * level} {section.title}", *what, *table, *section.notes])
