"""Options for rules about how people answered, `denouement study review`, and the exclusion of people by rules."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from denouement.cli.options import json_option, print_result
from denouement.cli.study_store import is_study, opened_store, store_option
from denouement.errors import UserError

if TYPE_CHECKING:  # heavy
    import pyarrow as pa

    from denouement.present.sections import Block

_FAST = 3.0  # that of `conduct.FAST`, which a test compares

fast_option = click.option(
    "--fast",
    type=click.FloatRange(0, min_open=True),
    default=_FAST,
    show_default=True,
    metavar="SECONDS",
    help="Answers that took less count as fast_answers.",
)
exclude_option = click.option(
    "--exclude",
    multiple=True,
    metavar="RULE",
    help="Leave out people for whom this holds, such as failed_checks>1; may be repeated.",
)


@click.command()
@click.argument("what", metavar="STUDY|ANSWERS")
@click.option("--items", type=click.Path(path_type=Path), help="Items table of a file of answers.")
@click.option(
    "--flag",
    "flags",
    multiple=True,
    metavar="RULE",
    help="Flag people for whom this holds, in place of our rule of the same measure; may be repeated.",
)
@fast_option
@click.option("--answers", "with_answers", is_flag=True, help="Also print each item with its answers and reasons.")
@store_option
@json_option
def review(
    what: str, items: Path | None, flags: tuple[str, ...], fast: float, with_answers: bool, url: str, as_json: bool
) -> None:
    """Print what came in: people with unusual answers, and all answers.

    STUDY is a study of the store, as it is now; ANSWERS a Parquet file of votes, ratings or orders, exported or
    imported. A flag changes nothing: `exclude --rule` and `results --exclude` do.
    """
    from denouement.study.results.review import review as review_of
    from denouement.study.results.review import review_sections
    from denouement.study.results.rules import flags_with, rules

    given = flags_with(rules(flags))
    answers, shown = _tables_of(what, items, url)
    found = review_of(answers, shown, given, fast)
    print_result(found, lambda _: review_sections(found, with_answers), as_json)


def _tables_of(what: str, items: Path | None, url: str) -> "tuple[pa.Table, pa.Table | None]":
    """The answers and the items of a file, or of a study."""
    from denouement.answers import SCALES, read_votes
    from denouement.files import existing_file
    from denouement.schemas import read_table, table_name

    if is_study(what):
        if items:
            raise UserError("--items: is for a file of answers; the store has the items of its studies")
        from denouement.study.store.export import answers_and_items

        return answers_and_items(opened_store(url, make=False), what)
    kind = table_name(existing_file(Path(what)))
    answers = read_table(Path(what), kind) if kind in SCALES else read_votes(Path(what))
    return answers, read_table(items, "items") if items else None


@dataclass(frozen=True)
class ExcludedByRules:
    """The people of a study for whom a rule holds.

    Attributes:
        rules: as written.
        people: by annotator the rules that hold, without those who are excluded already.
        answers: how many answers to items they gave.
        is_done: whether they are excluded now; else they are only listed.
    """

    study: str
    rules: list[str]
    people: dict[str, list[str]]
    answers: int
    is_done: bool


def exclude_by_rules(study: str, texts: tuple[str, ...], is_done: bool, fast: float, url: str, as_json: bool) -> None:
    """List the people for whom one of the rules holds, and exclude them where `is_done` says so."""
    from denouement.study.results.conduct import conducts
    from denouement.study.results.rules import rules
    from denouement.study.store.export import answers_and_items

    given = rules(texts)
    store = opened_store(url, make=False)
    answers, items = answers_and_items(store, study)
    may_go = {each.annotator_id for each in store.progress(study).people if each.state != "excluded"}
    of = [each for each in conducts(answers, items, fast) if each.annotator_id in may_go]
    holding = {each.annotator_id: [one.text for one in given if one.holds(each)] for each in of}
    people = {annotator: texts for annotator, texts in holding.items() if texts}
    for annotator, reasons in people.items() if is_done else ():
        store.exclude(study, annotator, ", ".join(reasons))
    n = sum(each.answers for each in of if each.annotator_id in people)
    found = ExcludedByRules(study, [each.text for each in given], people, n, is_done)
    print_result(found, _excluded_blocks, as_json)


def _excluded_blocks(found: ExcludedByRules) -> "list[Block]":
    from denouement.present.sections import Paragraph, Table

    n = len(found.people)
    who = f"{n:,} {'person' if n == 1 else 'people'} with {found.answers:,} answers"
    if found.is_done:
        what = f"Study {found.study}: {who} excluded; their items are open again. `readmit` undoes it, one by one."
    else:
        what = f"Study {found.study}: {who} would be excluded." + (" --yes excludes them." if n else "")
    rows = [[annotator, ", ".join(rules)] for annotator, rules in found.people.items()]
    return [Paragraph(what), *([Table(["annotator", "rules"], rows)] if rows else [])]
