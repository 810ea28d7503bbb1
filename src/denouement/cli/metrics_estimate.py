"""`denouement metrics estimate`. Heavy imports stay inside the command."""

from pathlib import Path

import click

from denouement.cli.options import json_option, print_result
from denouement.console import warn
from denouement.errors import UserError
from denouement.files import check_output, existing_file, file_digest


@click.command()
@click.argument("scores", type=click.Path(path_type=Path))
@click.argument("votes", type=click.Path(path_type=Path))
@click.option("--score", "name", help="Which score of SCORES, where it has several.")
@click.option("--question", help="Which of several questions in VOTES.  [default: the first]")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the page and the JSON document.")
@json_option
def estimate(
    scores: Path, votes: Path, name: str | None, question: str | None, out: Path | None, as_json: bool
) -> None:
    """Estimate what people would say of all items, from their answers about some.

    VOTES is the table of people's answers about a random draw of the items. SCORES has a score of the endings of all
    items: a table ending_scores, or a CSV, JSON Lines or Parquet file with the columns case_id and system. It may also
    be a table votes of a judge, such as a language model, that answered the same question about all items.

    Printed are, by people alone and with the score, how often each system is preferred and how strong systems are, with
    95% intervals. docs/study_planning.md says when they hold.
    """
    from denouement.metrics.estimates.estimates import estimates
    from denouement.metrics.estimates.output import FILES, write_estimates
    from denouement.metrics.estimates.scored_pairs import read_answers, read_pair_scores
    from denouement.metrics.estimates.sections import estimate_blocks, warnings
    from denouement.present.sections import Block, Paragraph

    if not scores.is_dir() and file_digest(existing_file(scores)) == file_digest(existing_file(votes)):
        raise UserError(
            f"{scores} and {votes}: have the same content; name the scores of all items first, then people's answers"
        )
    for path in [out / each for each in FILES] if out else []:
        check_output(path, (scores, votes))
    people = read_answers(votes, question)
    found = estimates(people, read_pair_scores(scores, people, name))
    for warning in warnings(found):
        warn(warning)
    if out:
        write_estimates(out, found)
    written: list[Block] = [Paragraph(f"The page and the JSON document: {out}")] if out else []
    print_result(found, lambda result: [*estimate_blocks(result), *written], as_json)
