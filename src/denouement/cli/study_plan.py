"""`denouement study plan`. Heavy imports stay inside the command."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from denouement.cli.options import AMOUNT, json_option, print_result
from denouement.errors import UserError
from denouement.files import check_output

if TYPE_CHECKING:  # heavy
    from denouement.study.planning.assumed import Pilot


@click.command()
@click.option("--width", type=float, help="Wanted width of the 95% interval of a share, such as 0.1.")
@click.option("--power", type=float, help="Or: share of studies that tell --share from 50%, such as 0.8.")
@click.option("--share", type=float, help="Share of answers for the system.  [default: the pilot's, else 0.5]")
@click.option("--agreement", type=float, help="Kappa of two people.  [default: the pilot's, else 0.37]")
@click.option(
    "--between-people", type=float, help="Share of the variance between people.  [default: pilot's, else 0.05]"
)
@click.option("--ties", type=float, help="Share of answers for neither or both.  [default: the pilot's, else 0]")
@click.option("--pilot", "votes", type=click.Path(path_type=Path), help="Table votes of a pilot, to take these from.")
@click.option("--pair", metavar="FIRST,SECOND", help="Which pair of systems of the pilot, where it has several.")
@click.option("--question", help="Which of several questions of the pilot.  [default: the first]")
@click.option(
    "--answers-per-item",
    "per_item",
    multiple=True,
    type=click.IntRange(1, 100),
    help="May be repeated.  [default: 1, 3, 5, 10]",
)
@click.option(
    "--items-per-person", type=click.IntRange(1), default=20, show_default=True, help="Items that a person answers."
)
@click.option("--people", type=click.IntRange(1), help="Instead: how many people answer, each as often as needed.")
@click.option("--pay", type=AMOUNT, metavar="AMOUNT", help="What an answer is paid; the cost is printed.")
@click.option(
    "--draws", type=click.IntRange(50, 100_000), default=1000, show_default=True, help="Studies of each size."
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Of the draws.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the page, the picture and the JSON document.")
@json_option
def plan(
    width: float | None,
    power: float | None,
    share: float | None,
    agreement: float | None,
    between_people: float | None,
    ties: float | None,
    votes: Path | None,
    pair: str | None,
    question: str | None,
    per_item: tuple[int, ...],
    items_per_person: int,
    people: int | None,
    pay: Decimal | None,
    draws: int,
    seed: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Plan how many items and answers a study of pairs needs.

    Studies of rising size are drawn, and worked out as `study results` does, until they reach --width, or --power.
    How people answer is taken from a --pilot or assumed; an option replaces what the pilot says.
    """
    from denouement.present.sections import Block, Paragraph
    from denouement.study.planning.assumed import AssumedAnswers
    from denouement.study.planning.output import FILES, write_plan
    from denouement.study.planning.plan import PER_ITEM, PlanGoal, PlanSettings, study_plan
    from denouement.study.planning.sections import plan_blocks

    if votes is None and (pair or question):
        raise UserError("--pair and --question: are of a pilot; name its table with --pilot")
    for path in [out / name for name in FILES] if out else []:
        check_output(path, [votes] if votes else [])
    pilot = _pilot(votes, pair, question) if votes else None
    given = {"share": share, "agreement": agreement, "between_people": between_people, "ties": ties}
    assumed = replace(
        pilot.assumed if pilot else AssumedAnswers(0.5),
        **{name: value for name, value in given.items() if value is not None},
    )
    settings = PlanSettings(
        per_item=tuple(sorted(set(per_item))) or tuple(n for n in PER_ITEM if n <= (people or max(PER_ITEM))),
        per_person=items_per_person,
        people=people,
        pay=None if pay is None else float(pay),
        draws=draws,
        seed=seed,
    )
    found = study_plan(assumed, PlanGoal(width, power), settings, pilot)
    if out:
        write_plan(out, found)
    written: list[Block] = [Paragraph(f"The page, the picture and the JSON document: {out}")] if out else []
    print_result(found, lambda result: [*plan_blocks(result), *written], as_json)


def _pilot(votes: Path, pair: str | None, question: str | None) -> "Pilot":
    from denouement.answers import read_votes
    from denouement.study.planning.assumed import read_pilot
    from denouement.study.results.ballot import ballot_of_file

    names = pair.split(",") if pair else None
    if names is not None and len(names) != 2:
        raise UserError(f"--pair {pair}: must be two systems with a comma between them")
    ballot = ballot_of_file(votes, read_votes(votes), question)
    return read_pilot(ballot, (names[0], names[1]) if names else None)
