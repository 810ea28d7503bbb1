"""`denouement study results`. Heavy imports stay inside the command."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from denouement.cli.options import json_option, print_result
from denouement.cli.study_rules import exclude_option, fast_option
from denouement.cli.study_store import names_of_studies
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
@click.argument("votes", type=click.Path(path_type=Path))
@click.option("--items", type=click.Path(path_type=Path), help="Items table: stories and endings, checks' answers.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for all tables, as Parquet and as a page.")
@click.option("--replies", type=click.Path(path_type=Path), help="Replies to the study's own questions: who took part.")
@click.option("--reasons", "with_reasons", is_flag=True, help="Also print all reasons; for votes as Table 3.")
@exclude_option
@fast_option
@json_option
def results(
    votes: Path,
    items: Path | None,
    out: Path | None,
    replies: Path | None,
    with_reasons: bool,
    exclude: tuple[str, ...],
    fast: float,
    as_json: bool,
) -> None:
    """Print agreement, tests and tables of answers.

    The tables are those of Mori et al. 2019, Tables 2 and 3. --out writes results.html, results.json, and as Parquet
    pairs, agreements, strengths, annotators and table_3.

    VOTES may also be a table of ratings, orders or rankings, whose means are printed; --out writes rating_means and
    rating_alphas, order_means, or ranking_means. The page has the reasons for ratings and rankings.

    --exclude leaves out people for whom a rule holds, such as failed_checks>1 or median_seconds<5s, and prints what
    the results would be with them. docs/study_results.md lists what a rule may name.
    """
    from denouement.schemas import shortened, table_name

    if not votes.exists() and (names := names_of_studies()):
        raise UserError(
            f"{votes}: no such file; `denouement study export STUDY --out FOLDER` writes one, of {shortened(names)}"
        )
    kind = table_name(existing_file(votes))
    if with_reasons and kind == "orders":
        raise UserError(f"{votes}: a table 'orders' has no reasons; leave --reasons out")
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
    of_answers = work_out(paths, with_reasons and not as_json, left_out, fast)
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
