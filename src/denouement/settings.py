"""From a section of `params.yaml` to a validated dataclass: settings stay at the edge of the program."""

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from denouement.errors import UserError

Settings = TypeVar("Settings")

_LIMIT = 2**63  # larger numbers are no seeds and no sizes to any library


def build(cls: type[Settings], section: Mapping[str, Any] | None, where: str) -> Settings:
    """Make `cls` (a dataclass) from the keys of `section`, those left out taking their defaults.

    Checks names and types only, and that numbers are finite and fit into 64 bits: a dataclass checks its values' ranges
    in its own `__post_init__` with a `ValueError` that starts with the key's name. Whole numbers stand for floats;
    lists for tuples.

    Args:
        cls: the dataclass.
        section: the keys as YAML gives them; None is an empty section.
        where: what an error message calls the section, such as `params.yaml: train`.

    Raises:
        UserError: an unknown key, a missing one, a value of another type, or out of its range.
    """
    section = {} if section is None else section
    missing = missing_keys(cls, section, where)
    hints = typing.get_type_hints(cls)
    values = {key: _checked(value, hints[key], f"{where}.{key}") for key, value in section.items()}
    if missing:
        raise UserError(f"{where}: missing key {', '.join(missing)}")
    try:
        return cls(**values)
    except ValueError as error:
        raise UserError(f"{where}.{error}") from error


def collect(cls: type[Settings], section: Mapping[str, Any] | None, where: str) -> tuple[Settings | None, list[str]]:
    """As `build`, but every mistake is named, not the first alone.

    For dataclasses all of whose fields have defaults, and whose ranges a method `mistakes` checks: it yields for each
    mistake the keys it depends on and what is wrong, beginning with the key's name. What depends on a key that is
    unusable anyway is left out.

    Returns:
        The dataclass, or None where there is a mistake; the mistakes, one line each.
    """
    section = {} if section is None else section
    if not isinstance(section, Mapping):
        return None, [f"{where}: must be a section of `key: value` lines, not {section!r}"]
    hints = typing.get_type_hints(cls)
    fields = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    unusable: set[str] = set()
    found = [f"{where}: unknown key {key} (known are {', '.join(fields)})" for key in section if key not in fields]
    for key in filter(section.__contains__, fields):
        value, mistakes = _collected(section[key], hints[key], f"{where}.{key}")
        found += mistakes
        if mistakes:
            unusable.add(key)
        else:
            values[key] = value
    settings = cls(**values)
    ranges = typing.cast(Any, settings).mistakes()
    found += [f"{where}.{text}" for keys, text in ranges if not unusable & set(keys)]
    return (None if found else settings), found


def _collected(value: Any, hint: Any, where: str) -> tuple[Any, list[str]]:
    """`value`, checked against the type `hint`, and its mistakes."""
    options = [option for option in typing.get_args(hint) if option is not type(None)]
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        if value is None:
            return None, []
        hint = options[0]
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return (value, []) if isinstance(value, hint) else collect(hint, value, where)
    if typing.get_origin(hint) is tuple and dataclasses.is_dataclass(options[0]) and isinstance(value, list | tuple):
        parts = [_collected(item, options[0], f"{where}.{number}") for number, item in enumerate(value, 1)]
        return tuple(part for part, _ in parts), [mistake for _, mistakes in parts for mistake in mistakes]
    try:
        return _checked(value, hint, where), []
    except UserError as error:
        return None, [str(error)]


def missing_keys(cls: type[Any], section: Mapping[str, Any], where: str) -> list[str]:
    """The keys without a default that `section` lacks.

    Raises:
        UserError: an unknown key; no section.
    """
    if not isinstance(section, Mapping):
        raise UserError(f"{where}: must be a section of `key: value` lines, not {section!r}")
    fields = {field.name: field for field in dataclasses.fields(cls) if field.init}
    unknown = [str(key) for key in section if key not in fields]
    if unknown:
        raise UserError(f"{where}: unknown key {', '.join(unknown)}; known keys are {', '.join(fields)}")
    return [
        name
        for name, field in fields.items()
        if name not in section and field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]


def at_least(settings: object, least: int, *names: str) -> None:
    """Refuse settings that are set and below `least`, with the ValueError that `build` expects."""
    for name in names:
        value = getattr(settings, name)
        if value is not None and value < least:
            raise ValueError(f"{name}: must be at least {least}, not {value}")


def at_most(settings: object, most: int, *names: str) -> None:
    """Refuse settings above `most`, as `at_least` does those below."""
    for name in names:
        if getattr(settings, name) > most:
            raise ValueError(f"{name}: must be at most {most}, not {getattr(settings, name)}")


def above_zero(settings: object, *names: str) -> None:
    """Refuse settings that are 0 or below it, as `at_least` does those below its bound."""
    for name in names:
        if getattr(settings, name) <= 0:
            raise ValueError(f"{name}: must be above 0, not {getattr(settings, name)}")


def _checked(value: Any, hint: Any, where: str) -> Any:
    """`value`, converted where YAML's types are narrower than Python's, or a UserError."""
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        options = typing.get_args(hint)
        if value is None and type(None) in options:
            return None
        hint = next(option for option in options if option is not type(None))
        origin = typing.get_origin(hint)
    if origin is typing.Literal:
        choices = typing.get_args(hint)
        if value not in choices:
            raise UserError(f"{where}: must be one of {', '.join(map(str, choices))}, not {value!r}")
        return value
    if origin is tuple and isinstance(value, list | tuple):
        element = typing.get_args(hint)[0]
        return tuple(_checked(item, element, where) for item in value)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return value if isinstance(value, hint) else build(hint, value, where)
    if isinstance(value, int) and abs(value) >= _LIMIT:
        raise UserError(f"{where}: must be below 2^63 in size, not {value}")
    wanted = origin or hint
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        raise UserError(f"{where}: must be {_name(hint)}, not {value!r}")
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError(f"{where}: must be a finite number, not {value}")
    return value


def _name(hint: Any) -> str:
    names = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
    return names.get(hint, str(hint))
