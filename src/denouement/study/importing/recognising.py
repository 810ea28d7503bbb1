"""What a file of answers is, by its content, and what to call it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from denouement import schemas
from denouement.answers import SCALES
from denouement.delimited import Header, header_of
from denouement.errors import UserError
from denouement.files import existing_file, file_digest, visible_files
from denouement.study.importing import argilla, label_studio, mturk, own, potato, prolific, published
from denouement.study.importing.jsonl import begins_as_json, objects_of

Format = Literal["mturk", "published", "own", "own_csv", "label_studio", "argilla", "potato", "potato_data", "prolific"]

_BY_HEADER: dict[Format, Callable[[Sequence[str]], bool]] = {
    "mturk": mturk.is_batch,
    "published": published.is_published,
    "own_csv": own.is_votes,
    "prolific": prolific.is_export,
}
_BY_OBJECTS: dict[Format, Callable[[Sequence[tuple[int, Mapping[str, Any]]]], bool]] = {
    "label_studio": label_studio.is_export,
    "argilla": argilla.is_export,
    "potato": potato.is_annotations,
    "potato_data": potato.is_data,
}


class Recognised(NamedTuple):
    """What a file of answers is, with its header, its JSON objects, or its table's name when it is our own Parquet."""

    kind: Format
    header: Header | None = None
    table: str | None = None
    objects: list[tuple[int, dict[str, Any]]] | None = None


@dataclass(frozen=True)
class Source:
    """A file, what messages and tables call it, and what it is."""

    path: Path
    label: str
    found: Recognised


def recognise(path: Path) -> Recognised | None:
    """What the file `path` is, or None when it is no file of answers.

    Raises:
        UserError: no such file, no text or damaged JSON, or a table of our own that holds no votes.
    """
    table = schemas.table_name(existing_file(path))
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

    What only goes with answers (Prolific's export, Potato's data file) is among them where there are such answers.
    """
    found: dict[Path, Format] = {}
    for path in visible_files(folder):
        with suppress(OSError, UserError):  # whoever looks for the other files reports these
            if known := recognise(path):
                found[path] = known.kind
    alone = set() if "potato" in found.values() else {"potato_data"}
    if not set(found.values()) - {"prolific", "potato_data"}:
        alone.add("prolific")
    return [path for path, kind in found.items() if kind not in alone]


def sources_of(files: Sequence[Path]) -> list[Source]:
    """The files, each once, in an order that is theirs and not the caller's: that of their content."""
    paths = list({path.resolve(): path for path in files}.values())
    labels = _labels(paths)
    found = [Source(path, labels[path], _recognised(path)) for path in paths]
    return sorted(found, key=lambda source: (file_digest(source.path), source.label))


def _labels(paths: Sequence[Path]) -> dict[Path, str]:
    """What to call each file: its name, with as many folders before it as tell it from the others."""
    parts = {path: path.resolve().parts for path in paths}
    labels = {}
    for path, its in parts.items():
        others = [other for each, other in parts.items() if each != path]
        n = next((n for n in range(1, len(its)) if all(other[-n:] != its[-n:] for other in others)), len(its))
        labels[path] = "/".join(its[-n:])
    return labels


def _recognised(path: Path) -> Recognised:
    found = recognise(path)
    if found is None:
        raise UserError(
            f"{path}: no file of answers; known are Mechanical Turk batch results (HITId, ..., Answer.*), JSON of "
            "Label Studio, Argilla and Potato, Prolific's demographic export beside answers, "
            "qualitative_evaluation_results.csv of Mori et al. 2019, and tables of `denouement study export`"
        )
    return found


def _instead(table: str) -> str:
    if table in SCALES:
        return "`denouement study results` reads it, as the Parquet file that was exported"
    return "name the votes.parquet of an export"
