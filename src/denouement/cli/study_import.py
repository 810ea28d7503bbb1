"""`denouement study import`. Heavy imports stay inside the command."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from denouement.cli.options import json_option, named_values, print_result
from denouement.cli.study_store import STORE_URL, opened_store, store_option
from denouement.errors import UserError
from denouement.files import check_output

if TYPE_CHECKING:  # heavy
    from denouement.study.importing.copies import Conflict
    from denouement.study.store import Store


@dataclass(frozen=True)
class ImportedFiles:
    """What files of answers hold; all but `rejects` as `importing.answers.Imported` says.

    Attributes:
        files: what each file is.
        rejects: the rows of the table `rejects`.
    """

    files: dict[str, str]
    taken: dict[str, list[str]]
    passed_over: dict[str, dict[str, str]]
    counts: dict[str, int]
    conflicts: "list[Conflict]"
    notes: list[str]
    rejects: list[dict[str, Any]]


@click.command(name="import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Votes table to write.")
@click.option("--items", type=click.Path(path_type=Path), help="Also write the items: stories and endings.")
@click.option("--rejects", type=click.Path(path_type=Path), help="Also write the rows that could not be used.")
@click.option(
    "--study",
    "name",
    help="Name of the study in the tables.  [default: that of the tool, such as mturk or label_studio]",
)
@click.option(
    "--systems",
    nargs=2,
    default=("h_seq2seq", "human_right"),
    show_default=True,
    metavar="GENERATOR HUMAN",
    help="Names for the two systems where a file says only which ending was generated.",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="ROLE=COLUMN",
    help="Which column has a role that its name does not show, such as system_a=Input.left; may be repeated.",
)
@click.option(
    "--value",
    "values",
    multiple=True,
    metavar="TEXT=ANSWER",
    help="Which answer a text means, such as 1=A or tie=both; may be repeated.",
)
@click.option("--participants", type=click.Path(path_type=Path), help="Also write what Prolific says about annotators.")
@click.option("--keep-ids", is_flag=True, help="Keep annotators' ids as they are; without this option they are hashed.")
@store_option
@json_option
def import_(
    files: tuple[Path, ...],
    out: Path,
    items: Path | None,
    rejects: Path | None,
    name: str | None,
    systems: tuple[str, str],
    columns: tuple[str, ...],
    values: tuple[str, ...],
    participants: Path | None,
    keep_ids: bool,
    url: str,
    as_json: bool,
) -> None:
    """Read answers that were collected elsewhere.

    FILE is recognised by its content and not by its name: Mechanical Turk batch results, JSON of Label Studio, Argilla
    and Potato, the published answers of Mori et al. 2019 (qualitative_evaluation_results.csv), or our own export; with
    them Prolific's demographic export. Rejected answers are kept but not counted. The order of the files does not
    matter.

    The store is read for Prolific's export alone, to find the participants of our own studies.
    """
    outputs = [output for output in (out, items, rejects, participants) if output]
    for output in outputs:
        check_output(output, files)
    if len({output.resolve() for output in outputs}) < len(outputs):
        raise UserError("--out, --items, --rejects and --participants: must be different files")
    from denouement.answers import SCALES
    from denouement.present.sections import Paragraph
    from denouement.schemas import write_table
    from denouement.study.importing import import_answers, imported_text

    found = import_answers(
        files,
        study=name,
        systems=systems,
        columns=named_values("--column", columns, "system_a=Input.left"),
        values=named_values("--value", values, "1=A", last_sign=True),
        keep_ids=keep_ids,
        ids_of=_ids_of(url),
    )
    listed = ", ".join(map(str, files))
    if items and "items" not in found.tables:
        raise UserError(f"{listed}: no stories and endings in it; leave --items out")
    if participants and "participants" not in found.tables:
        raise UserError(f"{listed}: no demographic export of Prolific; leave --participants out")
    if set(SCALES) & set(found.tables):
        raise UserError(
            f"{listed}: tables of ratings, orders and rankings need no import; give them to denouement study results"
        )
    write_table(found.tables["votes"], out, "votes", found.metadata)
    for path, table in ((items, "items"), (participants, "participants")):
        if path:
            write_table(found.tables[table], path, table)
    if rejects:
        write_table(found.rejects, rejects, "rejects")
    summary = ImportedFiles(
        found.kinds,
        found.taken,
        found.passed_over,
        found.counts,
        found.conflicts,
        found.notes,
        found.rejects.to_pylist(),
    )
    print_result(summary, lambda _: [Paragraph(imported_text(found))], as_json)


def _ids_of(url: str) -> Callable[[str, str], list[str]]:
    """A function that returns the ids of a person in a study of the store; none where the default store is missing."""
    store: list[Store] = []

    def ids(name: str, external_id: str) -> list[str]:
        if not store:
            try:
                store.append(opened_store(url, make=False))
            except UserError:
                if url != STORE_URL:
                    raise
                return []
        try:
            return [store[0].annotator_id(name, external_id)]
        except UserError:  # no such study, or an id that nobody can have
            return []

    return ids
