"""Sections of `params.yaml`."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from ruamel.yaml import YAML

from denouement.errors import UserError
from denouement.files import atomic_write
from denouement.generators import names
from denouement.settings import build
from denouement.yaml_files import read_yaml

Settings = TypeVar("Settings")

FILE = Path("params.yaml")

_BOM = "\ufeff"
_NULL = "tag:yaml.org,2002:null"


def everything() -> dict[str, dict[str, Any]]:
    """All sections.

    Raises:
        UserError: no such file, not YAML of sections, or a key that is there twice.
    """
    content = read_yaml(FILE)
    if not isinstance(content, Mapping):
        raise UserError(f"{FILE}: has no sections")
    return dict(content)


def change(values: Mapping[tuple[str, ...], Any]) -> list[str]:
    """Write values into `params.yaml`, as `dvc exp run -S` does; its comments, line ends and byte order mark stay.

    Args:
        values: by keys, such as `("generate", "decoding", "method")`.

    Returns:
        The keys whose value is another one now, joined with dots.

    Raises:
        UserError: as `everything`; or no such section.
    """
    everything()
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 120
    yaml.representer.add_representer(type(None), lambda writer, _: writer.represent_scalar(_NULL, "null"))
    before = FILE.read_bytes().decode()
    content = yaml.load(before.removeprefix(_BOM).replace("\r\n", "\n"))
    changed = []
    for keys, value in values.items():
        place = content
        for key in keys[:-1]:
            if not isinstance(place.get(key), Mapping):
                raise UserError(f"{FILE}: has no section {'.'.join(keys[:-1])}")
            place = place[key]
        if place.get(keys[-1]) != value:
            place[keys[-1]] = value
            changed.append(".".join(keys))
    if changed:
        text = io.StringIO()
        yaml.dump(content, text)
        after = text.getvalue().replace("\n", "\r\n") if "\r\n" in before else text.getvalue()
        with atomic_write(FILE) as part:
            part.write_bytes(f"{_BOM if before.startswith(_BOM) else ''}{after}".encode())
    return changed


def section(stage: str) -> dict[str, Any]:
    """The section that has the name of `stage`, as YAML gives it.

    Raises:
        UserError: as `everything`; or no such section, or one that is no section.
    """
    content = everything()
    if stage not in content:
        raise UserError(f"{FILE}: has no section {stage}")
    values = {} if content[stage] is None else content[stage]
    if not isinstance(values, Mapping):
        raise UserError(f"{FILE}: {stage}: must be a section of `key: value` lines, not {values!r}")
    return dict(values)


def kinds() -> dict[str, str]:
    """By the name of each generator of the graph its kind, a row of the registry.

    Raises:
        UserError: as `section`, and as `denouement.generators.names.kinds`.
    """
    return names.kinds(section("generators"), f"{FILE}: generators")


def settings(stage: str, kind: type[Settings]) -> Settings:
    """That section as a validated dataclass.

    Raises:
        UserError: as `section`, and as `denouement.settings.build`.
    """
    return build(kind, section(stage), f"{FILE}: {stage}")
