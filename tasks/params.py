"""Sections of `params.yaml`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from denouement.errors import UserError
from denouement.settings import build
from denouement.yaml_files import read_yaml

Settings = TypeVar("Settings")

FILE = Path("params.yaml")


def everything() -> dict[str, dict[str, Any]]:
    """All sections.

    Raises:
        UserError: no such file, not YAML of sections, or a key that is there twice.
    """
    content = read_yaml(FILE)
    if not isinstance(content, Mapping):
        raise UserError(f"{FILE}: has no sections")
    return dict(content)


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


def settings(stage: str, kind: type[Settings]) -> Settings:
    """That section as a validated dataclass.

    Raises:
        UserError: as `section`, and as `denouement.settings.build`.
    """
    return build(kind, section(stage), f"{FILE}: {stage}")
