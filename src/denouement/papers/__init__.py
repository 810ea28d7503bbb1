"""Values that papers published: one YAML file for each paper, by table, row and column as printed there."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

from denouement.yaml_files import read_yaml

Published: TypeAlias = float | int | str


def published(paper: str, table: str) -> Mapping[str, Mapping[str, Published]]:
    """The rows of a table by name, each with its values by column.

    Args:
        paper: the name of its file, such as `mori_2019`.
        table: its name in the file, such as `Table 4`; values in the running text are under their section.
    """
    rows: Mapping[str, Mapping[str, Published]] = _read(paper)["tables"][table]
    return rows


def cited(paper: str) -> str:
    """The citation that is shown with a paper's values, such as `Mori et al. 2019`."""
    return str(_read(paper)["cited"])


@cache
def _read(paper: str) -> dict[str, dict[str, Mapping[str, Mapping[str, Published]]]]:
    content: dict[str, dict[str, Mapping[str, Mapping[str, Published]]]] = read_yaml(
        Path(str(files("denouement.papers") / f"{paper}.yaml"))
    )
    return content
