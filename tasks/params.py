"""Sections of `params.yaml`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml

from denouement.errors import UserError
from denouement.settings import build

Settings = TypeVar("Settings")

FILE = Path("params.yaml")


def everything() -> dict[str, dict[str, Any]]:
    """All sections.

    Raises:
        UserError: no such file, or not YAML of sections.
    """
    try:
        content = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise UserError(f"{FILE}: {' '.join(str(error).split())}") from error
    if not isinstance(content, Mapping):
        raise UserError(f"{FILE}: has no sections")
    return dict(content)


def section(stage: str) -> dict[str, Any]:
    """The section that has the name of `stage`, as YAML gives it.

    Raises:
        UserError: as `everything`; or no such section.
    """
    content = everything()
    if stage not in content:
        raise UserError(f"{FILE}: has no section {stage}")
    return content[stage] or {}


def settings(stage: str, kind: type[Settings]) -> Settings:
    """That section as a validated dataclass.

    Raises:
        UserError: as `section`, and as `denouement.settings.build`.
    """
    return build(kind, section(stage), f"{FILE}: {stage}")
