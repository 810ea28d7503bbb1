"""What several commands have in common: options, and what keeps them quick."""

import sys
from collections.abc import Callable, Collection, Sequence
from importlib.abc import MetaPathFinder
from typing import Any, TypeVar

import click

from denouement.errors import UserError

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """The option --json, which arrives as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")(command)


def named_values(
    option: str, words: Sequence[str], example: str, names: Collection[str] = (), last_sign: bool = False
) -> dict[str, str]:
    """The values of a repeatable option that is given as NAME=VALUE, by name.

    Args:
        option: its name, such as `--column`.
        words: what was given.
        example: what a message shows as right.
        names: those that are allowed; all where there are none.
        last_sign: whether the last `=` divides, so that names may contain one; else the first does.

    Raises:
        UserError: a word without a name, an `=` or a value, an unknown name, or two values for one name.
    """
    values: dict[str, str] = {}
    for word in words:
        name, sign, value = word.rpartition("=") if last_sign else word.partition("=")
        if not (name and sign and value.strip()) or (names and name not in names):
            known = f"; names are {', '.join(names)}" if names else ""
            raise UserError(f"{option} {word}: must be like {example}{known}")
        if name in values:
            raise UserError(f"{option} {word}: {name} is given twice")
        values[name] = value
    return values


class _NoPandas(MetaPathFinder):
    """Makes `import pandas` fail."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ImportError("not needed here")


def keep_arrow_from_pandas() -> None:
    """Keep Arrow from importing pandas, which is a quarter of the time that `ingest` takes.

    At the first value that it converts, Arrow tries to import pandas, to recognise values of pandas later. It tries
    once a process, so a command that calls this cannot turn a table into a DataFrame.
    """
    import pyarrow as pa

    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    pa.scalar(0)
    sys.meta_path.remove(finder)
