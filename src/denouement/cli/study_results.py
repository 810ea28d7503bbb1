"""`denouement study results`. Heavy imports stay inside the command."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from denouement.cli.options import json_option, print_result
from denouement.cli.study_rules import exclude_option, fast_option
from denouement.cli.study_store import is_study, opened_store, store_option
from denouement.errors import UserError
from denouement.files import existing_file

if TYPE_CHECKING:  # heavy
    from denouement.study.results.exclusion import AnyResults, Exclusion


@dataclass(frozen=True)
class ResultsWithout:
    """Results, and what rules left out of them."""

    exclusion: "Exclusion"
    results: "AnyResults"


@click.command()
@click.argument("what", metavar="STUDY|VOTES")
@click.option("--items", type=click.Path(path_type=Path), help="Items table: stories and endings, checks' answers.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for all tables, as Parquet and as a page.")
@click.option("--replies", type=click.Path(path_type=Path), help="Replies to the study's own questions: who took part.")
@click.option("--reasons", "with_reasons", is_flag=True, help="Also print all reasons; for votes as Table 3.")
@click.option("--models-as-people", is_flag=True, help="Count models' answers as people's.")
@exclude_option
@fast_option
@store_option
@json_option
def results(
    what: str,
    items: Path | None,
    out: Path | None,
    replies: Path | None,
    with_reasons: bool,
    models_as_people: bool,
    exclude: tuple[str, ...],
    fast: float,
    url: str,
    as_json: bool,
) -> None:
    """Print agreement, tests and tables of answers.

    STUDY is a study of the store, as it is now; VOTES a Parquet file of answers, exported or imported.

    The tables are those of Mori et al. 2019, Tables 2 and 3. --out writes results.html, results.json, and as Parquet
    pairs, agreements, strengths, annotators and table_3.

    VOTES may also be a table of ratings, orders or rankings, whose means are printed; --out writes rating_means and
    rating_alphas, order_means, or ranking_means. The page has the reasons for ratings and rankings.

    --exclude leaves out people for whom a rule holds, such as failed_checks>1 or median_seconds<5s, and prints what
    the results would be with them. docs/study_results.md lists what a rule may name.
    """
    from denouement.schemas import table_name

    if is_study(what):
        if items or replies:
            raise UserError("--items and --replies: are for a file of answers; the store has those of its studies")
        if models_as_people:
            raise UserError("--models-as-people: is for a file of votes; the store has answers of people alone")
        votes, items, replies = _tables_of(what, url)
    else:
        votes = existing_file(Path(what))
    kind = table_name(votes)
    if with_reasons and kind == "orders":
        raise UserError(f"{what}: a table 'orders' has no reasons; leave --reasons out")
    if with_reasons and kind not in ("ratings", "rankings") and not items:
        raise UserError("--reasons: stories and endings are in the items table; give it with --items")
    from denouement.present.sections import Block, Paragraph, Section
    from denouement.stages.study import ResultsPaths, work_out
    from denouement.study.results.exclusion import exclusion_section
    from denouement.study.results.preferences import StudyResults
    from denouement.study.results.rules import rules
    from denouement.study.results.scales import ScaleResults
    from denouement.study.results.sections import reason_sections, scale_sections, study_sections
    from denouement.study.results.table_3 import table_3_text

    left_out = rules(exclude)
    if not items and any(each.measure == "failed_checks" for each in left_out):
        raise UserError("--exclude failed_checks: the right answers are in the items table; give it with --items")
    paths = ResultsPaths(votes, items, out, replies)
    of_answers = work_out(paths, with_reasons and not as_json, left_out, fast, models_as_people)
    exclusion = of_answers.exclusion

    def blocks(found: StudyResults | ScaleResults) -> list[Block]:
        if isinstance(found, StudyResults):
            shown: list[Block] = [*study_sections(found)]
            if of_answers.stories is not None:
                text = Paragraph(table_3_text(of_answers.stories) or "No answer counts, so there is no story to show.")
                shown.append(Section("Table 3: stories, endings and reasons", "", [text]))
        else:
            shown = [*scale_sections(found), *(reason_sections(found) if with_reasons else [])]
        return [*shown, *([Paragraph(f"Tables and the page results.html: {out}")] if out else [])]

    if exclusion is None:
        print_result(of_answers.results, blocks, as_json)
    else:
        first = exclusion_section(exclusion)
        whole = ResultsWithout(exclusion, of_answers.results)
        print_result(whole, lambda _: [first, *blocks(whole.results)], as_json)


def _tables_of(study: str, url: str) -> tuple[Path, Path, Path | None]:
    """A study's answers, items and replies, as they are exported, until the command ends; None without any reply."""
    from denouement.study.store.export import ANSWER_TABLES, study_tables, write_study_table

    store = opened_store(url, make=False)
    answers = ANSWER_TABLES[store.design(study).kind]
    folder = Path(click.get_current_context().with_resource(TemporaryDirectory()))
    paths = {}
    for name, table in study_tables(store, study).items():
        if name in (answers, "items") or (name == "replies" and table.num_rows):
            paths[name] = folder / f"{name}.parquet"
            write_study_table(table, paths[name], name)
    return paths[answers], paths["items"], paths.get("replies")
