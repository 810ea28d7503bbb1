"""What several commands have in common: options, and what keeps them quick."""

import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """The option --json, which arrives as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")(command)


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
