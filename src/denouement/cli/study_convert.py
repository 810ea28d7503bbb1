"""`denouement study convert`. Heavy imports stay inside the command."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from denouement.cli.options import json_option, print_result
from denouement.errors import UserError
from denouement.files import check_output, existing_file, write_text

if TYPE_CHECKING:  # heavy
    from denouement.study.converting.preference_pairs import Take


@dataclass(frozen=True)
class Converted:
    """What `convert` wrote.

    Attributes:
        lines: pairs, or tasks.
        answers: that count.
        left_out: what is not in the file, by why.
        out: the file.
    """

    form: str
    lines: int
    answers: int
    left_out: dict[str, int]
    out: str


@click.command()
@click.argument("votes", type=click.Path(path_type=Path))
@click.option("--items", required=True, type=click.Path(path_type=Path), help="Items table of the same studies.")
@click.option(
    "--to",
    "form",
    required=True,
    type=click.Choice(["dpo", "label-studio"]),
    help="dpo: JSON Lines of prompt, chosen, rejected. label-studio: JSON of tasks with annotations.",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="File to write.")
@click.option(
    "--take",
    type=click.Choice(["majority", "unanimous", "each"]),
    help="For dpo: a pair a story by more than half of its answers, by all of them; or one an answer.  "
    "[default: majority]",
)
@click.option("--question", metavar="NAME", help="Whose answers are written, where the study asked several questions.")
@json_option
def convert(
    votes: Path, items: Path, form: str, out: Path, take: "Take | None", question: str | None, as_json: bool
) -> None:
    """Write votes for preference training or Label Studio.

    Only answers that count are written. Of ties and disagreements dpo makes no pair; how many there are is printed.
    """
    check_output(out, (votes, items))
    from denouement.answers import SCALES, read_votes
    from denouement.present.sections import Paragraph
    from denouement.schemas import read_table, table_name
    from denouement.study.converting.label_studio_tasks import label_studio_tasks, tasks_json
    from denouement.study.converting.preference_pairs import json_lines, preference_pairs

    if take and form != "dpo":
        raise UserError("--take: is for --to dpo; Label Studio gets all answers")
    if (kind := table_name(existing_file(votes))) in SCALES:
        raise UserError(f"{votes}: a table '{kind}'; only votes compare two endings")
    answers, shown = read_votes(votes), read_table(items, "items")
    if form == "dpo":
        pairs = preference_pairs(answers, shown, take or "majority", question)
        names = ("ties", "disagreements", "without_item")
        made = Converted(
            form, len(pairs.pairs), pairs.answers, {name: getattr(pairs, name) for name in names}, str(out)
        )
        text = json_lines(pairs)
    else:
        tasks = label_studio_tasks(answers, shown, question)
        made = Converted(form, len(tasks.tasks), tasks.answers, {"without_item": tasks.without_item}, str(out))
        text = tasks_json(tasks)
    if not made.lines:
        left = ", ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in made.left_out.items())
        raise UserError(f"{votes}: nothing to write of {made.answers:,} answers ({left})")
    write_text(out, text)
    left = ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in made.left_out.items())
    what = (
        f"{made.lines:,} {'pairs' if form == 'dpo' else 'tasks'} of {made.answers:,} answers: {out}. Left out: {left}."
    )
    print_result(made, lambda _: [Paragraph(what)], as_json)
