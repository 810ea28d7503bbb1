"""The generators that the graph names, for stages that read what all of them made.

A folder may also hold what an earlier graph made, such as the endings of a generator that has been taken out of
`params.yaml`. Stages read the files of the generators named here, never all files of a folder.
"""

import re
from collections.abc import Sequence

from denouement.console import warn
from denouement.errors import UserError
from denouement.schemas import shortened
from tasks import LAYOUT

_NAME = re.compile(r"--(\w+)\.(kind|reads)")


def named(words: Sequence[str]) -> list[str]:
    """The names in a stage's command, in which DVC writes `--NAME.kind KIND --NAME.reads TABLE` for each of
    `generators` in `params.yaml`.

    Raises:
        UserError: no such words, or others.
    """
    found = [match.groups() for word in words[::2] if (match := _NAME.fullmatch(word))]
    names = list(dict.fromkeys(name for name, _ in found))
    if not names or 2 * len(found) != len(words) or {(name, "reads") for name in names} - {*found}:
        raise UserError(
            "the command has to name the generators as `--NAME.kind KIND --NAME.reads TABLE`, as DVC writes it from "
            "params.yaml: run the stage with `dvc repro`"
        )
    return names


def warn_of_leftovers(names: Sequence[str]) -> None:
    """Warn of endings and models in the folders whose generator is not in the graph."""
    left = [path for path in LAYOUT.written.glob("*.parquet") if path.stem not in names]
    left += [path.parent for path in LAYOUT.models.glob("*/best.parquet") if path.parent.name not in names]
    if left:
        listed = shortened(sorted(path.as_posix() for path in left))
        warn(f"left out, since params.yaml has no generator of the name: {listed}; delete what you no longer need")
