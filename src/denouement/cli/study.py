"""`denouement study`: human evaluation. Heavy imports stay inside the commands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from denouement.cli import study_life
from denouement.cli.known_people import print_known, who_option
from denouement.cli.options import AMOUNT, json_option, print_result
from denouement.cli.study_convert import convert
from denouement.cli.study_import import import_
from denouement.cli.study_judge import judge, judged
from denouement.cli.study_plan import plan
from denouement.cli.study_results import results
from denouement.cli.study_rules import review
from denouement.cli.study_serve import serve
from denouement.cli.study_store import LOCAL_URL, base_url_option, mistakes_as_lines, opened_store, store_option
from denouement.console import warn
from denouement.errors import UserError
from denouement.files import check_output

if TYPE_CHECKING:  # heavy
    from denouement.present.sections import Block
    from denouement.study.design.description import Design
    from denouement.study.design.share import FairShare
    from denouement.study.planning.expected import ExpectedInterval
    from denouement.study.store.export import StudyExport
    from denouement.study.store.records import Progress


@dataclass(frozen=True)
class StudyLinks:
    """A study's private links, as addresses."""

    study: str
    addresses: list[str]


@dataclass(frozen=True)
class CreatedStudy:
    """What `create` made.

    Attributes:
        counts: the items and what was left out, as `make_items` counts them.
        answers_wanted: to all items together.
        share: what each person is asked for.
        general_texts: keys that the file does not give, whose texts fit questions of the organiser's own.
        expected: in a study of pairs of which the number of people is known, the intervals that its results may have.
        addresses: where annotators come in, as in `StudyLinks`; empty where nothing was written.
    """

    study: str
    kind: str
    counts: dict[str, int]
    answers_wanted: int
    share: "FairShare"
    general_texts: list[str]
    expected: list["ExpectedInterval"]
    addresses: list[str]


@dataclass(frozen=True)
class StudyNames:
    """The studies of a store."""

    studies: list[str]


@click.group()
def study() -> None:
    """Ask people which ending is better, and why."""


study.add_command(results)
study.add_command(import_)
study.add_command(review)
study.add_command(convert)
study.add_command(judge)
study.add_command(judged)
study.add_command(plan)
study.add_command(serve)
for command in study_life.COMMANDS:
    study.add_command(command)


@study.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="STUDY.yaml")
@click.argument("more", nargs=-1, metavar="")
@click.option("--cases", required=True, type=click.Path(path_type=Path), help="Cloze table, or a table of stories.")
@click.option(
    "--endings",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Endings of systems: a table, or CSV with case_id, system, ending; may be repeated.",
)
@click.option("--dry-run", is_flag=True, help="Check the file and count the items, and write nothing.")
@base_url_option
@store_option
@json_option
def create(
    file: Path,
    more: tuple[str, ...],
    cases: Path,
    endings: tuple[Path, ...],
    dry_run: bool,
    base_url: str,
    url: str,
    as_json: bool,
) -> None:
    """Make a study of STUDY.yaml, with its items and links.

    They are added to the store, and the private links of its annotators are printed. All mistakes in the file are
    named at once, one a line. What was left out, such as pairs of identical endings, is counted.
    """
    from denouement.corpus.cases import with_human_endings
    from denouement.corpus.endings import read_endings
    from denouement.provenance import check_contexts
    from denouement.study.design.making import make_items
    from denouement.study.design.reading import read_design
    from denouement.study.design.share import fair_share, shortfall

    if more:
        raise UserError(
            f"{more[0]}: is too much: name one STUDY.yaml, and each table of endings with an --endings of its own"
        )
    base_url = base_url or LOCAL_URL
    known = with_human_endings(cases)
    written = [read_endings(path) for path in endings]
    for path in endings:
        check_contexts(path, known)
    systems = {system for table in written for system in table["system"].unique().to_pylist()}
    with mistakes_as_lines():
        design = read_design(file, systems)
    items, counts = make_items(design, known, written)
    share = fair_share(design, items)
    design = replace(design, max_items_per_person=share.each)
    if lacking := shortfall(design, share, items):
        warn(lacking)
    if not design.contact:
        warn("the file has no contact: people read of nobody whom they may ask; add contact: NAME, ADDRESS")
    addresses: list[str] = []
    if not dry_run:
        store = opened_store(url)
        store.create(design, items)
        addresses = _link_addresses(design.name, store.links(design.name), base_url) or [f"{base_url}/s/{design.name}/"]
    expected = _expected(design, counts["items"], share.people)
    made = CreatedStudy(
        design.name, design.kind, counts, share.answers, share, design.general_texts, expected, addresses
    )
    print_result(made, _created_blocks, as_json)


def _created_blocks(made: CreatedStudy) -> "list[Block]":
    from denouement.present.sections import Paragraph, Table

    n_items = made.counts["items"]
    what = (
        f"Study {made.study}{'' if made.addresses else ' (nothing is written)'}: {n_items:,} items, "
        f"{made.answers_wanted // n_items} answers each, {made.answers_wanted:,} in all."
    )
    if same := made.counts["identical_endings"]:
        what += (
            f" {same:,} more {'is' if same == 1 else 'are'} left out, since there is nothing to choose: two of the "
            "texts read the same, as where a system wrote just what a person did."
        )
        if n := made.counts.get("cases_for_all_items"):
            what += f" For {n_items + same:,} items write cases: {{n: {n}}}."
    counts = Table(["counted", "n"], [[_counted(name), n] for name, n in made.counts.items()])
    lines = [what, _shared(made.share)]
    if made.expected:
        lines.append(_how_sure(made.expected))
    if made.general_texts:
        lines.append(
            f"The file asks questions of its own, and has no {' and no '.join(made.general_texts)}: people read our "
            "texts that fit any question (the organiser's page Preview shows them)."
        )
    return [*map(Paragraph, lines), counts, *(_address_blocks(made) if made.addresses else [])]


def _expected(design: "Design", n_items: int, people: int | None) -> "list[ExpectedInterval]":
    """The intervals to expect of a study of pairs where its people are known, and enough to answer each item."""
    from denouement.study.planning.expected import expected_interval

    cases = n_items // max(1, len(design.pairs))
    if design.kind != "pair" or people is None or people < design.answers_per_item or cases < 2:
        return []
    return [expected_interval(share, cases, design.answers_per_item, people) for share in (0.5, 0.8)]


def _how_sure(expected: "Sequence[ExpectedInterval]") -> str:
    """What the intervals of a study's results will be like, and whether they can decide anything."""
    from denouement.present.cells import Interval, Share

    shown = [f"{Interval(each.low, each.high, 0, of_share=True)} at {Share(each.share, 0)}" for each in expected]
    what = f"How sure it can be: of answers for one of two systems, the 95% interval is about {' and '.join(shown)}."
    low = expected[-1].low
    if low is None or low <= 0.5:
        what += " So even a system that is chosen in 80% may stay undecided: ask more people, or about more stories."
    return what


def _shared(share: "FairShare") -> str:
    people = f"{share.people:,} people" if share.people else "people as they come"
    each = f"at most {share.each:,} questions each" if share.each else "as many questions each as there are"
    return f"{share.answers:,} answers: {people}, {each}, about {share.minutes:,} minutes."


def _counted(name: str) -> str:
    """The words for a count of `make_items`; a system's name stays as it is."""
    what, _, system = name.partition("_")
    return f"mended {system}" if what == "mended" else name.replace("_", " ")


@study.command()
@click.argument("name", metavar="STUDY")
@click.option(
    "--add", type=click.IntRange(1, 10_000), metavar="N", help="Make N more, also while the study runs; print those."
)
@base_url_option
@store_option
@json_option
def links(name: str, add: int | None, base_url: str, url: str, as_json: bool) -> None:
    """Print a study's private links, or make more."""
    store = opened_store(url, make=False)
    base_url = base_url or LOCAL_URL
    tokens = store.add_links(name, add) if add else store.links(name)
    if not tokens:
        raise UserError(f"study {name}: has no private links; everybody comes in by /s/{name}/")
    print_result(StudyLinks(name, _link_addresses(name, tokens, base_url)), _address_blocks, as_json)


def _link_addresses(name: str, tokens: Sequence[str], base_url: str) -> list[str]:
    from denouement.study.web.addresses import private_link

    return [private_link(base_url, name, token) for token in tokens]


def _address_blocks(links: StudyLinks | CreatedStudy) -> "list[Block]":
    from denouement.present.sections import Paragraph

    what = "Addresses:"
    if links.addresses[0].startswith(f"{LOCAL_URL}/"):
        what = "Addresses, on this computer (of a server elsewhere with --base-url):"
    return [Paragraph("\n".join([what, *links.addresses]))]


@study.command()
@click.argument("name", required=False, metavar="[STUDY]")
@who_option
@store_option
@json_option
def progress(name: str | None, ids: tuple[str, ...], url: str, as_json: bool) -> None:
    """Print how far a study is, and its annotators.

    Without STUDY, the names of the studies. Answers are those to items; answers to checks are counted separately.
    """
    store = opened_store(url, make=False)
    if name is None:
        if ids:
            raise UserError("--who: name the study before it")
        print_result(StudyNames(store.studies()), _name_blocks, as_json)
        return
    found = store.progress(name)
    if not ids:
        numbers = {who: number for number, who in enumerate(store.opened_by(name).values(), 1) if who}
        print_result(found, lambda _: _progress_blocks(found, numbers), as_json)
        return
    print_known(store, name, ids, (person.annotator_id for person in found.people), as_json)


def _name_blocks(names: StudyNames) -> "list[Block]":
    from denouement.present.sections import Paragraph

    return [Paragraph("\n".join(names.studies) or "no study yet")]


def _progress_blocks(found: "Progress", numbers: Mapping[str, int]) -> "list[Block]":
    """A study's progress, with the number of each person's private link where they have one."""
    from denouement.present.cells import Cell, Number
    from denouement.present.sections import Paragraph, Table

    what = (
        f"Study {found.study}: {found.accepted:,} of {found.wanted:,} answers, {found.complete:,} of "
        f"{len(found.items):,} items complete, {found.open:,} being answered; not counted: {found.surplus:,} "
        f"surplus, {found.excluded:,} excluded."
    )
    noted = [name for name in ("skipped", "flagged", "corrected") if any(getattr(each, name) for each in found.people)]
    if noted:
        what += f" Items {', '.join(f'{name} {getattr(found, name):,} times' for name in noted)}."
    header = [
        "annotator",
        *(["link"] if numbers else []),
        "state",
        "answers",
        "checks",
        "failed",
        "surplus",
        *noted,
        "median s",
        "last seen (UTC)",
    ]
    rows: list[list[Cell]] = [
        [
            person.annotator_id,
            *([numbers.get(person.annotator_id, "-")] if numbers else []),
            person.state.replace("_", " "),
            person.answered,
            person.checks,
            person.checks_failed,
            person.surplus,
            *(getattr(person, name) for name in noted),
            Number(person.median_seconds, 1),
            f"{person.last_seen_at:%Y-%m-%d %H:%M}",
        ]
        for person in found.people
    ]
    note = f"Link: its place among those that `denouement study links {found.study}` prints." if numbers else ""
    return [Paragraph(what), *([Table(header, rows, note=note)] if rows else [])]


@study.command()
@click.argument("name", metavar="STUDY")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder of the tables to write.")
@click.option("--csv", "as_csv", is_flag=True, help="Also write answers, people and payments as CSV, for spreadsheets.")
@click.option("--bom", is_flag=True, help="Begin CSV files with the mark by which some programs know UTF-8.")
@click.option("--pay-per-hour", type=AMOUNT, metavar="AMOUNT", help="Write into payments.csv what each hour is paid.")
@click.option("--pay-per-answer", type=AMOUNT, metavar="AMOUNT", help="The same for each answer, also to checks.")
@store_option
@json_option
def export(
    name: str,
    out: Path,
    as_csv: bool,
    bom: bool,
    pay_per_hour: Decimal | None,
    pay_per_answer: Decimal | None,
    url: str,
    as_json: bool,
) -> None:
    """Write a study's tables, its items and answers.

    They are items.parquet and, by the kind of the study, votes, ratings, orders or rankings.parquet; where its file
    asks for them also replies, highlights, flags and corrections.parquet. log.json has its log.
    """
    from denouement.study.store.csv_export import Pay, csv_tables, write_csv_tables
    from denouement.study.store.export import export as export_study

    if pay_per_hour is not None and pay_per_answer is not None:
        raise UserError("--pay-per-hour and --pay-per-answer: name one of them")
    if not as_csv and (bom or pay_per_hour is not None or pay_per_answer is not None):
        raise UserError("--bom, --pay-per-hour and --pay-per-answer are for CSV files; add --csv")
    check_output(out / "items.parquet")
    store = opened_store(url, make=False)
    if store.is_read_only:
        warn("the store can only be read, so that this export is not noted in it")
    written = export_study(store, name, out)
    if as_csv:
        write_csv_tables(csv_tables(store, name, Pay(pay_per_hour, pay_per_answer)), out, bom)
    print_result(written, _export_blocks, as_json)


_BESIDES = ("replies", "highlights", "flags", "corrections")  # tables that only some studies have


def _export_blocks(written: "StudyExport") -> "list[Block]":
    from denouement.present.sections import Paragraph

    by_status = ", ".join(f"{count:,} {status}" for status, count in written.answers.items()) or "none"
    checks = sum(written.checks.values())
    rows = ", ".join(f"{name} {n:,}" for name, n in written.rows.items() if name in _BESIDES)
    beside = f" Rows of {rows}." if rows else ""
    what = f"Study {written.study}: answers {by_status}; answers to checks {checks:,}.{beside} Tables: {written.out}"
    return [Paragraph(what)]
