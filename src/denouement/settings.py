"""Makes a dataclass of settings from a section of a YAML file, such as `params.yaml`; errors name the wrong key."""

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from denouement.errors import UserError

Settings = TypeVar("Settings")

_LIMIT = 2**63  # no library takes larger numbers as seeds or sizes
_NAMES = {
    int: "a whole number",
    float: "a number",
    str: "text",
    bool: "true or false",
    tuple: "a list",
    dict: "a section of `key: value` lines",
}


def build(cls: type[Settings], section: Mapping[str, Any] | None, where: str) -> Settings:
    """Make `cls` (a dataclass) from the keys of `section`; keys left out take their defaults.

    It checks names and types, and that numbers are finite and fit into 64 bits. A dataclass checks the ranges of its
    values in its `__post_init__`, with a `ValueError` that begins with the key's name. A whole number may be given for
    a float, and a list for a tuple.

    Args:
        cls: the dataclass.
        section: the keys and values from YAML; None is an empty section.
        where: the name of the section in error messages, such as `params.yaml: train`.

    Raises:
        UserError: an unknown key, a missing one, a value of another type, or out of its range: the first mistake.
    """
    settings, mistakes = _read(cls, section, where, all_rules=False)
    if settings is None:
        raise UserError(mistakes[0])
    return settings


def collect(cls: type[Settings], section: Mapping[str, Any] | None, where: str) -> tuple[Settings | None, list[str]]:
    """As `build`, but with every mistake instead of the first one.

    The dataclass must have a default for every field, and a method `mistakes` that checks its ranges. For each mistake
    the method yields the keys that the mistake depends on, and a text that begins with the key's name. A mistake that
    depends on a key with a wrong type is left out.

    Returns:
        The dataclass, or None where there is a mistake; the mistakes, one line each.
    """
    return _read(cls, section, where, all_rules=True)


def missing_keys(cls: type[Any], section: Mapping[str, Any], where: str) -> list[str]:
    """The keys that have no default and are missing in `section`.

    Raises:
        UserError: an unknown key; no section.
    """
    if mistakes := _strange_keys(cls, section, where):
        raise UserError(mistakes[0])
    return [
        field.name
        for field in dataclasses.fields(cls)
        if field.init and field.name not in section and field.default is field.default_factory is dataclasses.MISSING
    ]


def at_least(settings: object, least: int, *names: str) -> None:
    """Refuse settings that are set and below `least`, with the ValueError that `build` expects."""
    for name in names:
        value = getattr(settings, name)
        if value is not None and not value >= least:  # NaN is not
            raise ValueError(f"{name}: must be at least {least}, not {value}")


def at_most(settings: object, most: int, *names: str) -> None:
    """Refuse settings above `most`, as `at_least` does those below."""
    for name in names:
        if getattr(settings, name) > most:
            raise ValueError(f"{name}: must be at most {most}, not {getattr(settings, name)}")


def above_zero(settings: object, *names: str) -> None:
    """Refuse settings that are 0 or below it, infinite or no number, as `at_least` does those below its bound."""
    for name in names:
        if not 0 < getattr(settings, name) < math.inf:
            raise ValueError(f"{name}: must be a number above 0, not {getattr(settings, name)}")


def _read(
    cls: type[Settings], section: Mapping[str, Any] | None, where: str, all_rules: bool
) -> tuple[Settings | None, list[str]]:
    """The dataclass, or None where there is a mistake, and the mistakes; `all_rules`: those of `mistakes`, too."""
    section = {} if section is None else section
    mistakes = _strange_keys(cls, section, where)
    if not isinstance(section, Mapping):
        return None, mistakes
    hints = typing.get_type_hints(cls)
    values: dict[str, Any] = {}
    unusable: set[str] = set()
    for key in (field.name for field in dataclasses.fields(cls) if field.name in section):  # type: ignore[arg-type]
        values[key], wrong = _value(section[key], hints[key], f"{where}.{key}", all_rules)
        if wrong:
            del values[key]
            unusable.add(key)
            mistakes += wrong
    if not mistakes and (missing := missing_keys(cls, section, where)):
        mistakes = [f"{where}: missing key {', '.join(missing)}"]
    if all_rules:
        settings = cls(**values)
        found = typing.cast(Any, settings).mistakes()
        mistakes += [f"{where}.{text}" for keys, text in found if not unusable & set(keys)]
    elif not mistakes:
        try:
            settings = cls(**values)
        except ValueError as error:
            mistakes = [f"{where}.{error}"]
    return (None if mistakes else settings), mistakes


def _strange_keys(cls: type[Any], section: object, where: str) -> list[str]:
    if not isinstance(section, Mapping):
        return [f"{where}: must be a section of `key: value` lines, not {section!r}"]
    known = [field.name for field in dataclasses.fields(cls) if field.init]
    which = f"known keys are {', '.join(known)}" if known else "it has no keys"
    return [f"{where}: unknown key {key} ({which})" for key in section if key not in known]


def _value(value: Any, hint: Any, where: str, all_rules: bool) -> tuple[Any, list[str]]:
    """`value`, converted to the type `hint` where YAML has another one, and its mistakes."""
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        options = typing.get_args(hint)
        if value is None and type(None) in options:
            return None, []
        hint = next(option for option in options if option is not type(None))
    kind = typing.get_origin(hint) or hint
    if kind is tuple and isinstance(value, list | tuple):
        element = typing.get_args(hint)[0]
        numbered = dataclasses.is_dataclass(element)
        parts = [
            _value(item, element, f"{where}.{number}" if numbered else where, all_rules)
            for number, item in enumerate(value, 1)
        ]
        return tuple(part for part, _ in parts), [mistake for _, mistakes in parts for mistake in mistakes]
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return (value, []) if isinstance(value, kind) else _read(kind, value, where, all_rules)
    if kind is float and type(value) is int and abs(value) < _LIMIT:
        value = float(value)
    wrong = _wrong(value, kind, typing.get_args(hint))
    return value, [f"{where}: must be {wrong}"] if wrong else []


def _wrong(value: Any, kind: Any, choices: tuple[Any, ...]) -> str | None:
    """What a value must be instead; None if it is right."""
    if kind is typing.Literal:
        return None if value in choices else f"one of {', '.join(map(str, choices))}, not {value!r}"
    if isinstance(value, int) and abs(value) >= _LIMIT:
        return f"below 2^63 in size, not {value}"
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        return f"{_NAMES.get(kind, str(kind))}, not {value!r}"
    if isinstance(value, float) and not math.isfinite(value):
        return f"a finite number, not {value}"
    return None
