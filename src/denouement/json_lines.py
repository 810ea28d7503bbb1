"""JSON and JSON Lines as other tools write them: objects with their places in the file, and their texts by name."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from denouement.delimited import text_of
from denouement.errors import UserError
from denouement.files import existing_file

_HEAD_BYTES = 1 << 10
_DEPTH = 100


def begins_as_json(path: Path) -> bool:
    """Whether the file may be JSON: after blanks it begins with a list or an object."""
    with existing_file(path).open("rb") as opened:
        head = opened.read(_HEAD_BYTES)
    return head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")[:1] in (b"[", b"{")


def objects_of(path: Path) -> list[tuple[int, dict[str, Any]]]:
    """The objects of a file: those of one list, one alone, or one a line; each with its place in the list or its line.

    Raises:
        UserError: no such file, no text, no JSON, or values that are no objects; the message names the line.
    """
    text = text_of(path)
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError) and not _begins_with_object(text):
            raise UserError(f"{path}: line {error.lineno} is not JSON ({error.msg}); export the file again") from error
        return list(_lines(path, text))
    whole = _clean(path, whole)
    found = list(enumerate(whole, 1)) if isinstance(whole, list) else [(1, whole)]
    if wrong := next((place for place, each in found if not isinstance(each, dict)), None):
        raise UserError(f"{path}: number {wrong} of its list is no JSON object; export it again as JSON")
    return found


def _begins_with_object(text: str) -> bool:
    """Whether the first line is an object by itself, as in JSON Lines."""
    try:
        return isinstance(json.loads(text.lstrip().partition("\n")[0]), dict)
    except (ValueError, RecursionError):
        return False


def _lines(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except RecursionError as error:
            raise UserError(f"{path}: line {number} is nested too deeply") from error
        except ValueError as error:
            raise UserError(f"{path}: line {number} is not JSON ({error}); export the file again") from error
        if not isinstance(value, dict):
            raise UserError(f"{path}: line {number} is no JSON object; export the file again as JSON Lines")
        yield number, _clean(path, value)


def _clean(path: Path, value: Any, depth: int = 0) -> Any:
    """The same value with U+FFFD for halves of characters, which JSON can escape and no table can hold."""
    if depth > _DEPTH:
        raise UserError(f"{path}: JSON nested deeper than {_DEPTH} levels; no export is")
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, list):
        return [_clean(path, each, depth + 1) for each in value]
    if isinstance(value, dict):
        return {_whole(name): _clean(path, each, depth + 1) for name, each in value.items()}
    return value


def _whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def texts_of(value: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """The texts of an object by name: parts joined with dots, the places of a list as `name[1]`, `name[2]`, ...

    Numbers and truth values are written as JSON writes them; what is null is left out. Halves of characters become
    U+FFFD.
    """
    return dict(_leaves(value, prefix))


def _leaves(value: Any, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _leaves(part, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for place, part in enumerate(value, 1):
            yield from _leaves(part, f"{name}[{place}]")
    elif isinstance(value, str):
        yield name, _whole(value).strip()
    elif value is not None:
        yield name, json.dumps(value)
