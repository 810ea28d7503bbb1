"""`denouement study results`. Heavy imports stay inside the command."""

from pathlib import Path

import click

from denouement.cli.options import json_option, print_result
from denouement.cli.study_store import names_of_studies
from denouement.errors import UserError
from denouement.files import existing_file


@click.command()
@click.argument("votes", type=click.Path(path_type=Path))
@click.option("--items", type=click.Path(path_type=Path), help="Items table: stories and endings, checks' answers.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for all tables, as Parquet and as a page.")
@click.option("--replies", type=click.Path(path_type=Path), help="Replies to the study's own questions: who took part.")
@click.option("--reasons", "with_reasons", is_flag=True, help="Also print all reasons; for votes as Table 3.")
@json_option
def results(
    votes: Path, items: Path | None, out: Path | None, replies: Path | None, with_reasons: bool, as_json: bool
) -> None:
    """Print agreement, tests and tables of answers.

    The tables are those of Mori et al. 2019, Tables 2 and 3. --out writes results.html, results.json, and as Parquet
    pairs, agreements, strengths, annotators and table_3.

    VOTES may also be a table of ratings, orders or rankings, whose means are printed; --out writes rating_means and
    rating_alphas, order_means, or ranking_means. The page has the reasons for ratings and rankings.
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
    from denouement.study.results.preferences import StudyResults
    from denouement.study.results.scales import ScaleResults
    from denouement.study.results.sections import reason_sections, scale_sections, study_sections
    from denouement.study.results.table_3 import table_3_text

    of_answers = work_out(ResultsPaths(votes, items, out, replies), with_reasons and not as_json)

    def blocks(found: StudyResults | ScaleResults) -> list[Block]:
        if isinstance(found, StudyResults):
            shown: list[Block] = [*study_sections(found)]
            if of_answers.stories is not None:
                text = Paragraph(table_3_text(of_answers.stories))
                shown.append(Section("Table 3: stories, endings and reasons", "", [text]))
        else:
            shown = [*scale_sections(found), *(reason_sections(found) if with_reasons else [])]
        return [*shown, *([Paragraph(f"Tables and the page results.html: {out}")] if out else [])]

    print_result(of_answers.results, blocks, as_json)
