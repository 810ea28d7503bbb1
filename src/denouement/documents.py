"""Results as JSON documents, and back. A result is a frozen dataclass, from whose fields the document is made."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from denouement.errors import UserError
from denouement.files import existing_file, write_text

Result = TypeVar("Result")


class Dataclass(Protocol):
    """An instance of any dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


def document(result: Dataclass) -> dict[str, Any]:
    """The fields of a result by name, as values that JSON can hold; dataclasses inside it become mappings.

    A key that is a Python keyword, such as `from`, belongs to a field whose name ends with an underscore.

    >>> from denouement.corpus.sample import SampleCounts
    >>> document(SampleCounts(stories=20, cases=4, scenarios=3, branches=9, possible_stories=1000))["cases"]
    4
    """
    return asdict(result, dict_factory=lambda pairs: {name.removesuffix("_"): value for name, value in pairs})


def write_document(result: Dataclass, path: Path) -> None:
    """Write a result as JSON, times in ISO 8601; the same result gives the same bytes.

    Raises:
        UserError: the file cannot be written.
    """
    text = json.dumps(document(result), indent=2, ensure_ascii=False, allow_nan=False, default=datetime.isoformat)
    write_text(path, text + "\n")


def read_document(path: Path, kind: type[Result], stage: str = "") -> Result:
    """A result that `write_document` wrote.

    Args:
        path: the file.
        kind: the dataclass; other keys are ignored.
        stage: the stage that makes the document, for the message.

    Raises:
        UserError: unreadable, no JSON, or not a `kind`: a key is missing, or a value has another type or is not finite.
    """
    from pydantic import TypeAdapter, ValidationError

    renew = f"; make it again{f': dvc repro {stage}' if stage else ''}"
    try:
        text = existing_file(path).read_text(encoding="utf-8")
        json.loads(text, parse_constant=_refuse, parse_float=_refuse_infinite)
        return TypeAdapter(kind).validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = " > ".join(map(str, first["loc"][:6])) or "the whole of it"
        raise UserError(f"{path}: {where} is missing or not what is written there{renew}") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: no JSON ({error}){renew}") from error


def flattened(nested: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The values of mappings within mappings in one, their keys joined with dots; an empty mapping is a value."""
    flat: dict[str, Any] = {}
    for key, value in nested.items():
        if isinstance(value, Mapping) and value:
            flat |= flattened(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number of JSON's")


def _refuse_infinite(number: str) -> None:
    """Refuse a number such as 1e999, which is written as JSON allows but is read as infinity."""
    if math.isinf(float(number)):
        raise ValueError(f"{number} is too large")
