"""`denouement study results`. Heavy imports stay inside the command."""

import os
from pathlib import Path

import click

from denouement.console import print_json
from denouement.errors import UserError
from denouement.files import existing_file


@click.command()
@click.argument("votes", type=click.Path(path_type=Path))
@click.option("--items", type=click.Path(path_type=Path), help="Items table: stories and endings, checks' answers.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for all tables, as Parquet and as a page.")
@click.option("--reasons", "with_reasons", is_flag=True, help="Also print all reasons: of votes, Table 3.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def results(votes: Path, items: Path | None, out: Path | None, with_reasons: bool, as_json: bool) -> None:
    """Print agreement, tests and tables of answers.

    The tables are those of Mori et al. 2019, Tables 2 and 3. --out writes results.html, results.json, and as Parquet
    pairs, agreements, strengths, annotators and table_3.

    VOTES may also be a table of ratings or of orders, whose means are printed; --out writes rating_means and
    rating_alphas, or order_means. The page has the reasons for ratings.
    """
    from denouement.schemas import shortened, table_name

    if not votes.exists() and (names := _names_of_studies()):
        raise UserError(
            f"{votes}: no such file; `denouement study export STUDY --out FOLDER` writes one, of {shortened(names)}"
        )
    kind = table_name(existing_file(votes))
    if with_reasons and kind == "orders":
        raise UserError(f"{votes}: a table 'orders' has no reasons; leave --reasons out")
    if with_reasons and kind != "ratings" and not items:
        raise UserError("--reasons: stories and endings are in the items table; give it with --items")
    from denouement.documents import document
    from denouement.present.markdown import render
    from denouement.stages.study import ResultsPaths, work_out
    from denouement.study.results.preferences import StudyResults
    from denouement.study.results.scales import RatingResults
    from denouement.study.results.sections import rating_reasons, scale_section, study_sections
    from denouement.study.results.table_3 import table_3_text

    of_answers = work_out(ResultsPaths(votes, items, out), with_reasons and not as_json)
    found = of_answers.results
    if as_json:
        print_json(document(found))
        return
    if isinstance(found, StudyResults):
        click.echo(render(study_sections(found)))
        if of_answers.stories is not None:
            click.echo(f"\n## Table 3: stories, endings and reasons\n\n{table_3_text(of_answers.stories)}")
    else:
        reasons = rating_reasons(found) if with_reasons and isinstance(found, RatingResults) else []
        click.echo(render([scale_section(found), *reasons]))
    if out:
        click.echo(f"\nTables and the page results.html: {out}")


def _names_of_studies() -> list[str]:
    """The studies in the store that commands use when no store is named; none where there is no such store."""
    from denouement.study.store import open_store

    try:
        store = open_store(os.environ.get("DENOUEMENT_STUDY_STORE", "sqlite:///studies.db"), make=False)
    except UserError:
        return []
    try:
        return store.studies()
    finally:
        store.close()
