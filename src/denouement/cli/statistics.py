"""`denouement statistics`. Heavy imports stay inside the command."""

import sys
from pathlib import Path

import click

from denouement.cli.options import json_option, named_values, print_result
from denouement.errors import UserError
from denouement.files import check_output, existing_file

ROLES = ("worker", "seconds", "payment", "status", "story", "order", "first", "second", "relation")


@click.command()
@click.argument("tables", nargs=-1, type=click.Path(path_type=Path), metavar="TABLE...")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for statistics.json, the charts and the tables.")
@click.option("--cache", type=click.Path(path_type=Path), help="Folder that keeps parses and fitted models.")
@click.option(
    "--wordnet",
    type=click.Path(path_type=Path),
    help="Folder of WordNet's database.  [default: where it is usually found]",
)
@click.option("--no-events", is_flag=True, help="Leave out the events of stories, the only part that needs parsing.")
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=10,
    show_default=True,
    help="Folds of the bias monitor's cross-validation.",
)
@click.option("--max-accuracy", type=float, help="Exit with 1 when a model that sees only endings is right more often.")
@click.option("--max-effect", type=float, help="Exit with 1 when one feature differs by more (Cohen's d).")
@click.option("--crowd", type=click.Path(path_type=Path), help="CSV file of what workers handed in.")
@click.option("--orders", type=click.Path(path_type=Path), help="CSV file of orderings of shuffled sentences.")
@click.option("--tlinks", type=click.Path(path_type=Path), help="CSV file of temporal links.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="ROLE=NAME",
    help="Name of a column of these CSV files, such as worker=WorkerId; may be repeated.",
)
@json_option
def statistics(
    tables: tuple[Path, ...],
    out: Path | None,
    cache: Path | None,
    wordnet: Path | None,
    no_events: bool,
    folds: int,
    max_accuracy: float | None,
    max_effect: float | None,
    crowd: Path | None,
    orders: Path | None,
    tlinks: Path | None,
    columns: tuple[str, ...],
    as_json: bool,
) -> None:
    """Measure what a corpus of stories is like, and what gives the endings of Story Cloze cases away.

    TABLE is a table of stories (length, vocabulary, duplicates, events, titles), of cloze cases (right against wrong
    endings, n-grams, bias monitor, sentiment), of endings (sentiment, beside a table of cases), of sentiment (scores of
    these endings; without it they are worked out) or of orders of a study.

    Exit status 1: --max-accuracy or --max-effect is exceeded.
    """
    from denouement.analysis.bias_monitor import Thresholds
    from denouement.analysis.sections.statistics import statistics_sections
    from denouement.analysis.statistics_files import FILE
    from denouement.stages.statistics import StatisticsPaths, StatisticsSettings, run

    csv_files = {"crowd": crowd, "orders": orders, "tlinks": tlinks}
    read = [existing_file(path) for path in (*tables, *filter(None, csv_files.values()))]
    if not read:
        raise UserError("name a table of stories or cases, or a file with --crowd, --orders or --tlinks")
    if out:
        check_output(out / FILE, read)
    if cache:
        check_output(cache / "file")
    try:
        most = Thresholds(max_accuracy, max_effect)
    except ValueError as error:
        raise UserError(f"--max-{error}") from error
    roles = named_values("--column", columns, "worker=WorkerId", ROLES)
    paths = StatisticsPaths.of(tables, **csv_files, columns=roles, cache=cache, out=out)
    if (max_accuracy is not None or max_effect is not None) and paths.cloze is None:
        raise UserError("--max-accuracy and --max-effect are of cloze cases: name a table of them")
    found = run(StatisticsSettings(not no_events, str(wordnet) if wordnet else None, folds), paths, most)
    print_result(found.statistics, lambda _: statistics_sections(found).values(), as_json)
    for sentence in found.statistics.above:
        click.echo(f"exceeded: {sentence}", err=True)
    if found.statistics.above:
        sys.exit(1)
