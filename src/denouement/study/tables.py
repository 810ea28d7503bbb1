"""A study's results as tables with a line of explanation each, for a terminal, for Markdown and as a page of HTML."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import pyarrow as pa

from denouement.console import text_table
from denouement.legible import printed
from denouement.report.tables import count_and_share, number, p_value
from denouement.study.results import OUTCOMES

_ANNOTATORS_SHOWN = 20

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .8rem; text-align: right; white-space: nowrap; border-bottom: 1px solid #d0d0d0; }
th:first-child, td:first-child { text-align: left; }
article { border-top: 1px solid #d0d0d0; padding: .4rem 0 1rem; }
article h3 { font-size: 1rem; margin: .6rem 0 .2rem; overflow-wrap: anywhere; }
.agreed { background: #e2effa; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .5rem 0; }
dt { font-weight: 600; } dd { margin: 0; padding: 0 .3rem; overflow-wrap: anywhere; }
ul { margin: .3rem 0; } li { overflow-wrap: anywhere; white-space: pre-line; }
.who { color: #595959; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } }
"""


@dataclass(frozen=True)
class Section:
    """A heading, a table (or none where `header` is empty), and what its figures are."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str]


def sections(results: Mapping[str, Any]) -> list[Section]:
    """What `results.study_results` found, in the order in which it is read."""
    if not results["answers"]:
        return [Section("Answers", (), (), [_statuses(results)])]
    return [_answers(results), *_pairs(results), _strengths(results["strengths"]), _annotators(results)]


def results_text(results: Mapping[str, Any], level: int = 2) -> str:
    """The sections as Markdown, readable on a terminal, headings of the given level."""
    return "\n\n".join(section_text(section, level) for section in sections(results))


def rating_section(results: Mapping[str, Any]) -> Section:
    """What `scales.rating_results` found."""
    rows = [
        [
            f"{row['question']}: {row['system']}",
            f"{row['items']:,}",
            f"{row['answers']:,}",
            number(row["mean"], 2),
            _range(row),
            ", ".join(f"{value}: {n:,}" for value, n in row["values"].items()),
        ]
        for row in results["means"]
    ]
    alphas = [f"{row['question']} {number(row['alpha'], 3)}" for row in results["alphas"]]
    header = ("question and system", "items", "answers", "mean", "95% interval", "how often each value")
    notes = [f"Krippendorff's alpha (ordinal): {', '.join(alphas)}. Intervals are of the means of items."]
    return _or_nothing(results, Section(f"Ratings: {', '.join(results['studies'])}", header, rows, notes))


def order_section(results: Mapping[str, Any]) -> Section:
    """What `scales.order_results` found."""
    rows = [
        [
            row["system"],
            f"{row['items']:,}",
            f"{row['answers']:,}",
            count_and_share(row["right"], row["share"]),
            number(row["mean"], 3),
            _range(row),
        ]
        for row in results["systems"]
    ]
    header = ("ending of", "items", "answers", "all in order", "Kendall's tau", "95% interval")
    notes = ["Tau is 1 for the story's own order and -1 for its reverse. Intervals are of the means of items."]
    return _or_nothing(results, Section(f"Orders: {', '.join(results['studies'])}", header, rows, notes))


def _or_nothing(results: Mapping[str, Any], section: Section) -> Section:
    return section if results["answers"] else Section(section.title, (), (), ["0 answers count."])


def _range(row: Mapping[str, Any]) -> str:
    return "-" if row["low"] is None else f"{row['low']:.2f} to {row['high']:.2f}"


def table_3_text(table: pa.Table) -> str:
    """Each item of the table `table_3`: context, endings with their votes, and the reasons by what was chosen."""
    paragraphs = []
    for place, row in enumerate(table.to_pylist(), 1):
        lines = [f"{place}. {' '.join(row['context'])}  [case {row['case_id']}]", ""]
        for name, ending, n in _endings(row):
            mark = "*" if row["agreement"] == name else " "
            lines.append(f"  {mark} {name} ({n}): {' '.join(ending.split())}")
        lines += [
            f"    both {row['n_both']}, neither {row['n_neither']}; agreement: {row['agreement'] or 'none'}",
            *(f"    - {choice}: {' '.join(reason.split())}" for choice, reason in _reasons(row)),
        ]
        paragraphs.append(printed("\n".join(lines)))
    return "\n\n".join(paragraphs)


def results_html(results: Mapping[str, Any], table: pa.Table | None) -> str:
    """A page with all sections and Table 3; whatever annotators wrote is shown as text."""
    parts = []
    if table is not None:
        parts.append("<h2>Table 3: stories, endings and reasons</h2>")
        parts.append("<p>In the order of the answers. What the annotators agree on is marked.</p>")
        parts += [_item_html(row) for row in table.to_pylist()]
    return sections_html(results["studies"], sections(results), parts)


def sections_html(studies: Sequence[str], shown: Sequence[Section], parts: Sequence[str] = ()) -> str:
    """A page of the results of `studies`: the sections, then `parts`, which are HTML."""
    title = f"Results of {', '.join(studies) or 'no study'}"
    parts = [f"<h1>{escape(title)}</h1>", *map(_section_html, shown), *parts]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def _answers(results: Mapping[str, Any]) -> Section:
    notes = [_statuses(results)]
    sides = results["sides"]
    if sides["of"]:
        answers = sides["answers"]
        notes.append(
            f"Answers for one ending: {answers['A']:,} for A, {answers['B']:,} for B. Of {sides['of']:,} items with "
            f"more answers for one side, {count_and_share(sides['n'], sides['share'])} have more for A (95% "
            f"interval {_interval(sides)}; test that neither side is favoured: p = {p_value(sides['p'])})."
        )
    if results["seconds"] is not None:
        notes.append(f"Median time of an answer: {results['seconds']:.0f} s.")
    checks = results["checks"]
    if checks["known"]:
        notes.append(
            f"Attention checks: {checks['failed']:,} of {checks['known']:,} failed, by "
            f"{checks['annotators_failing']:,} annotators. They count in nothing else here."
        )
    elif checks["answers"]:
        notes.append(
            f"Attention checks: {checks['answers']:,} answers, left out of everything here; the table of items tells "
            "which are right (--items)."
        )
    return Section(f"Answers: {', '.join(results['studies'])}", (), (), notes)


def _statuses(results: Mapping[str, Any]) -> str:
    told = [f"{n:,} {status}" for status, n in results["statuses"].items()]
    n_checks = results["checks"]["answers"]
    checks = f"; {n_checks:,} of the accepted are to attention checks" if n_checks else ""
    return f"{results['answers']:,} answers count. By status: {', '.join(told) or 'there are none'}{checks}."


def _pairs(results: Mapping[str, Any]) -> list[Section]:
    shares, tests = [], []
    for row in results["pairs"]:
        name = f"{row['first']} / {row['second']}"
        for what, found, n in (
            ("items", row["agreement"], row["items"]),
            ("answers", row["single_answers"], row["answers"]),
        ):
            cells = [count_and_share(found[o]["n"], found[o]["share"]) if o in found else "" for o in OUTCOMES]
            shares.append([name, what, f"{n:,}", *cells])
        if row["paper"]:
            n = sum(row["paper"].values())
            cells = [count_and_share(row["paper"][o], row["paper"][o] / n) for o in OUTCOMES[:4]]
            shares.append([name, "Mori et al. 2019, Table 2", f"{n:,}", *cells, ""])
        sign = row["sign_test"]
        least, most = row["answers_per_item"]
        tests.append(
            [
                name,
                f"{least}" if least == most else f"{least} to {most}",
                f"{sign['n']:,} of {sign['of']:,}",
                _interval(sign),
                p_value(sign["p"]),
                *(_interval(row["agreement"][outcome]) for outcome in ("first", "second")),
                number(row["kappa"]["kappa"], 3),
                number(row["alpha"]["alpha"], 3),
            ]
        )
    left_out = [
        f"{row['first']} / {row['second']}: kappa is of the {row['kappa']['items']:,} items with "
        f"{row['kappa']['answers_per_item']} answers, without the {row['kappa']['items_left_out']:,} others."
        for row in results["pairs"]
        if row["kappa"]["items_left_out"]
    ]
    return [
        Section(
            "Table 2: which ending is better",
            ("first / second", "of", "n", "first", "second", "both", "neither", "no agreement"),
            shares,
            [
                "Of items: the most frequent answer to each, and for ties of two what Mori et al. 2019, A.2, make of "
                "them; any other tie is no agreement."
            ],
        ),
        Section(
            "How sure it is",
            (
                "first / second",
                "answers an item",
                "first preferred",
                "95% interval",
                "p",
                "first, of all",
                "second, of all",
                "kappa",
                "alpha",
            ),
            tests,
            [
                "First preferred: of the items on which one ending is preferred, with the exact interval of the share, "
                "and the exact two-sided sign test. Of all: exact 95% intervals of the shares of all items. "
                "Fleiss' kappa and Krippendorff's alpha (nominal) tell how far annotators agree beyond chance: 1 is "
                "always; a dash, that all answers are the same or no item has two.",
                *left_out,
            ],
        ),
    ]


def _strengths(found: Mapping[str, Any]) -> Section:
    title = "Strengths of the systems"
    if found["why_not"]:
        return Section(title, (), (), [f"Not estimated (Bradley and Terry): {found['why_not']}."])
    rows = [
        [row["system"], number(row["strength"], 2), f"{row['low']:.2f} to {row['high']:.2f}", f"{row['share']:.1%}"]
        for row in found["systems"]
    ]
    note = (
        "The model of Bradley and Terry on single answers"
        + (
            f", with Davidson's ties ({found['tie']:.2f}): both and neither alike. "
            if found["tie"] is not None
            else ". "
        )
        + "Strengths are logarithms with mean 0; of two systems, shares in the ratio 3 to 1 mean that the first is "
        "preferred three times as often. Intervals allow for answers about one case going together "
        f"({found['cases']:,} cases)."
    )
    return Section(title, ("system", "strength", "95% interval", "share"), rows, [note])


def _annotators(results: Mapping[str, Any]) -> Section:
    rows = results["annotators"]
    notes = []
    if results["unnamed_answers"]:
        notes.append(f"{results['unnamed_answers']:,} answers come from a file that names no annotators.")
    if not rows:
        return Section("Annotators", (), (), notes)
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
        ("annotator", "answers", "with the rest", "share", "pairwise", "seconds", "checks failed"),
        lines,
        notes,
    )


def _interval(found: Mapping[str, Any]) -> str:
    return "-" if found["low"] is None else f"{found['low']:.1%} to {found['high']:.1%}"


def section_text(section: Section, level: int = 2) -> str:
    """A section as Markdown, its heading of the given level."""
    table = [text_table(section.header, section.rows)] if section.header else []
    return "\n\n".join([f"{'#' * level} {section.title}", *table, *section.notes])


def _section_html(section: Section) -> str:
    parts = [f"<h2>{escape(section.title)}</h2>"]
    if section.header:
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in section.header)
        body = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in section.rows)
        parts.append(
            f'<div class="wide" tabindex="0"><table>\n<thead><tr>{head}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody></table></div>"
        )
    return "\n".join([*parts, *(f"<p>{escape(note)}</p>" for note in section.notes)])


def _endings(row: Mapping[str, Any]) -> list[tuple[str, str, int]]:
    return [(row[side], row[f"ending_{side}"], row[f"n_{side}"]) for side in ("first", "second")]


def _reasons(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Choice and reason of the answers that have one, in the order of first, second, both, neither."""
    order = [row["first"], row["second"], "both", "neither"]
    told = [(choice, reason) for choice, reason in zip(row["choices"], row["reasons"], strict=True) if reason]
    return sorted(told, key=lambda each: order.index(each[0]))


def _item_html(row: Mapping[str, Any]) -> str:
    endings = [(name, f"{ending} ", n) for name, ending, n in _endings(row)]
    votes = [("both", "", row["n_both"]), ("neither", "", row["n_neither"])]
    lines = []
    for name, ending, n in [*endings, *votes]:
        mark = ' class="agreed"' if name == row["agreement"] else ""
        votes_text = f'<span class="who">{n} {"answer" if n == 1 else "answers"}</span>'
        lines.append(f"<dt>{escape(name)}</dt><dd{mark}>{escape(ending)}{votes_text}</dd>")
    reasons = "".join(
        f'<li><span class="who">{escape(choice)}:</span> {escape(reason)}</li>' for choice, reason in _reasons(row)
    )
    return (
        f"<article>\n<h3>{escape(row['case_id'])}</h3>\n<p>{escape(' '.join(row['context']))}</p>\n"
        f"<dl>{''.join(lines)}</dl>\n" + (f"<ul>{reasons}</ul>\n" if reasons else "") + "</article>"
    )
