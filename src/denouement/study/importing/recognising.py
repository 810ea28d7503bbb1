"""Which format a file of answers has, by its content, and what to call it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from denouement import schemas
from denouement.answers import SCALES, is_of_judge
from denouement.console import warn
from denouement.delimited import header_of
from denouement.errors import UserError
from denouement.files import existing_file, file_digest, visible_files
from denouement.json_lines import begins_as_json, objects_of
from denouement.study.importing import argilla, battles, label_studio, mturk, own, potato, prolific, published
from denouement.study.importing.records import Format, JsonObjects, Recognised, Source
from denouement.study.importing.roles import is_role, split_role

_BY_HEADER: dict[Format, Callable[[Sequence[str]], bool]] = {
    "mturk": mturk.is_batch,
    "published": published.is_published,
    "own_csv": own.is_votes,
    "prolific": prolific.is_export,
    "battles": battles.is_table,
}
_BY_OBJECTS: dict[Format, Callable[[JsonObjects], bool]] = {
    "label_studio": label_studio.is_export,
    "argilla": argilla.is_export,
    "battles": battles.is_battles,
    "potato": potato.is_annotations,
    "potato_data": potato.is_data,
}


def recognise(path: Path) -> Recognised | None:
    """The format of the file `path`; None where it is no file of answers.

    Raises:
        UserError: no such file, no text, damaged JSON, or a table of our own that holds no votes.
    """
    table = schemas.table_name(existing_file(path))
    if table == "votes" and is_of_judge(path):
        raise UserError(f"{path}: answers of a model, not of people; `denouement study judged` compares them")
    if table in own.NAMES:
        return Recognised("own", table=table)
    if table is None and (header := header_of(path, lambda names: own.other_table(names) is not None)):
        table = own.other_table(header.names)
    if table in schemas.TABLES:
        raise UserError(f"{path}: a table '{table}', not votes; {_instead(table)}")
    for kind, known in _BY_HEADER.items():
        header = header_of(path, known)
        if header:
            return Recognised(kind, header)
    if begins_as_json(path):
        objects = objects_of(path)
        for kind, holds in _BY_OBJECTS.items():
            if holds(objects):
                return Recognised(kind, objects=objects)
    return None


def find_answers(folder: Path) -> list[Path]:
    """The files of answers in `folder` and the folders below it, sorted; hidden files are passed over.

    Prolific's export is among them only with answers, and Potato's data file only with Potato's annotations.
    """
    found: dict[Path, Format] = {}
    for path in visible_files(folder):
        with suppress(OSError, UserError):  # `recognise` raises them again when such a file is named
            if schemas.table_name(path) == "votes" and is_of_judge(path):
                warn(f"{path}: answers of a model, which are not read as those of people")
            elif known := recognise(path):
                found[path] = known.kind
    alone = set() if "potato" in found.values() else {"potato_data"}
    if not set(found.values()) - {"prolific", "potato_data"}:
        alone.add("prolific")
    return [path for path, kind in found.items() if kind not in alone]


def sources_of(files: Sequence[Path], columns: Mapping[str, str] | None = None) -> list[Source]:
    """The files, each once, ordered by their content and not as the caller gives them.

    Args:
        files: in any order.
        columns: by role the column that has it. A table in an unknown format counts as answers if it has the column of
            an answer.
    """
    paths = list({path.resolve(): path for path in files}.values())
    labels = _labels(paths)
    found = [Source(path, labels[path], _recognised(path, columns or {})) for path in paths]
    return sorted(found, key=lambda source: (file_digest(source.path), source.label))


def _labels(paths: Sequence[Path]) -> dict[Path, str]:
    """What to call each file: its name, with as many folders before it as distinguish it from the others."""
    parts = {path: path.resolve().parts for path in paths}
    labels = {}
    for path, its in parts.items():
        others = [other for each, other in parts.items() if each != path]
        n = next((n for n in range(1, len(its)) if all(other[-n:] != its[-n:] for other in others)), len(its))
        labels[path] = "/".join(its[-n:])
    return labels


def _recognised(path: Path, columns: Mapping[str, str]) -> Recognised:
    if found := recognise(path):
        return found
    named = {name.casefold() for role, name in columns.items() if is_role(role) and split_role(role)[0] == "answer"}
    if header := header_of(path, lambda names: bool(named & {name.casefold() for name in names})):
        return Recognised("csv", header)
    raise UserError(
        f"{path}: no file of answers; known are Mechanical Turk batch results (HITId, ..., Answer.*), JSON of Label "
        "Studio, Argilla and Potato, battles as of LMArena, Prolific's demographic export beside answers, "
        "qualitative_evaluation_results.csv of Mori et al. 2019, and tables of `denouement study export`; name the "
        "columns of another CSV file, first of all with --column answer=COLUMN"
    )


def _instead(table: str) -> str:
    if table in SCALES:
        return "`denouement study results` reads it, as the Parquet file that was exported"
    if table == "replies":
        return "give it to `denouement study results` with --replies"
    return "name the votes.parquet of an export"
