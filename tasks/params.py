"""Sections of `params.yaml`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml

from denouement.errors import UserError
from denouement.files import existing_file
from denouement.settings import build

Settings = TypeVar("Settings")

FILE = Path("params.yaml")


class _OnceLoader(yaml.SafeLoader):
    """Refuses a key that stands twice in a section, of which YAML would silently take the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """See `yaml.SafeLoader`."""
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key.value} stands twice", key.start_mark)
            seen.add(key.value if isinstance(key, yaml.ScalarNode) else id(key))
        return super().construct_mapping(node, deep)


def everything() -> dict[str, dict[str, Any]]:
    """All sections.

    Raises:
        UserError: no such file, not YAML of sections, or a key that stands twice.
    """
    try:
        content = yaml.load(existing_file(FILE).read_text(encoding="utf-8"), _OnceLoader)  # noqa: S506 -- a safe loader
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split()).replace('in "<unicode string>", ', "")
        raise UserError(f"{FILE}: {problem}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{FILE}: not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except RecursionError as error:
        raise UserError(f"{FILE}: nested too deeply") from error
    if not isinstance(content, Mapping):
        raise UserError(f"{FILE}: has no sections")
    return dict(content)


def section(stage: str) -> dict[str, Any]:
    """The section that has the name of `stage`, as YAML gives it.

    Raises:
        UserError: as `everything`; or no such section, or something else in its place.
    """
    content = everything()
    if stage not in content:
        raise UserError(f"{FILE}: has no section {stage}")
    found = {} if content[stage] is None else content[stage]
    if not isinstance(found, Mapping):
        raise UserError(f"{FILE}: {stage}: must be a section of `key: value` lines, not {found!r}")
    return dict(found)


def settings(stage: str, kind: type[Settings]) -> Settings:
    """That section as a validated dataclass.

    Raises:
        UserError: as `section`, and as `denouement.settings.build`.
    """
    return build(kind, section(stage), f"{FILE}: {stage}")
