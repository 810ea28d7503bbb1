"""`denouement metrics agreement`. Heavy imports stay inside the command."""

from pathlib import Path

import click

from denouement.cli.options import json_option, print_result
from denouement.files import check_output


@click.command()
@click.argument("scores", type=click.Path(path_type=Path))
@click.argument("human", type=click.Path(path_type=Path))
@click.option("--question", help="Which of several questions or criteria in HUMAN.  [default: the first]")
@click.option("--rater", "raters", multiple=True, help="A rater, or a column with a rater's values; may be repeated.")
@click.option("--score", "names", multiple=True, help="Only this score; may be repeated.")
@click.option("--lower", multiple=True, help="A score of which lower values are better, where this is not known.")
@click.option("--compare", multiple=True, help="Test only the differences between these scores; may be repeated.")
@click.option("--without", multiple=True, help="Leave out the endings of this system; may be repeated.")
@click.option("--elements", type=click.Path(path_type=Path), help="Table reason_elements of the same votes.")
@click.option(
    "--coefficient",
    type=click.Choice(["kendall", "pearson", "spearman"]),
    default="kendall",
    show_default=True,
    help="By which scores are sorted and compared.",
)
@click.option("--draws", type=click.IntRange(100), default=10_000, show_default=True, help="Of the bootstrap.")
@click.option("--permutations", type=click.IntRange(0), default=1000, show_default=True, help="Of each test; 0: none.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Seed of both.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the page, the chart and the JSON document.")
@json_option
def agreement(
    scores: Path,
    human: Path,
    question: str | None,
    raters: tuple[str, ...],
    names: tuple[str, ...],
    lower: tuple[str, ...],
    compare: tuple[str, ...],
    without: tuple[str, ...],
    elements: Path | None,
    coefficient: str,
    draws: int,
    permutations: int,
    seed: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Say how far scores agree with people.

    SCORES is a table ending_scores, or a CSV, JSON Lines or Parquet file with a column case_id or item_id, a column
    system where several wrote endings, and a column for each score or the columns score and value.

    HUMAN is a table votes, ratings or rankings of a study, or such a file with a column for each rater or the columns
    rater and rating. Files of HANNA, OpenMEVA, StoryER and UNION are read as published. docs/agreement.md says what
    is worked out.
    """
    from denouement.metrics.agreement.output import FILES, write_agreement
    from denouement.metrics.agreement.people import read_people
    from denouement.metrics.agreement.reading import read_scores
    from denouement.metrics.agreement.sections import agreement_sections
    from denouement.metrics.agreement.with_people import AgreementSettings, agreement_with_people
    from denouement.present.sections import Block, Paragraph
    from denouement.schemas import read_table

    for path in [out / name for name in FILES] if out else []:
        check_output(path, [read for read in (scores, human, elements) if read])
    of_scores = read_scores(scores)
    if names:
        of_scores = of_scores.only(names)
    found = agreement_with_people(
        of_scores.turned(lower),
        read_people(human, question, raters),
        AgreementSettings(coefficient, draws, permutations, seed, compare, without),
        read_table(elements, "reason_elements") if elements else None,
    )
    if out:
        write_agreement(out, found)
    written: list[Block] = [Paragraph(f"The page, the chart and the JSON document: {out}")] if out else []
    print_result(found, lambda result: [*agreement_sections(result), *written], as_json)
