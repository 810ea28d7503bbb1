"""What several commands share: options, how a result is printed, and a way to start faster."""

import json
import re
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from decimal import Decimal
from importlib.abc import MetaPathFinder
from typing import TYPE_CHECKING, Any, TypeVar

import click

from denouement.console import print_json
from denouement.documents import Dataclass, document
from denouement.errors import UserError

if TYPE_CHECKING:  # heavy
    from denouement.present.sections import Block

Command = TypeVar("Command", bound=Callable[..., Any])
Result = TypeVar("Result", bound=Dataclass)


class _Amount(click.ParamType[Decimal]):
    """An amount of money, exact."""

    name = "amount"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        """The amount of a text such as 12.50."""
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,4})?", str(value), re.ASCII):
            self.fail(f"{value!r} is no amount such as 12.50", param, ctx)
        return Decimal(value)


AMOUNT = _Amount()


def json_option(command: Command) -> Command:
    """The option --json, which arrives as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")(command)


def print_result(result: Result, blocks: "Callable[[Result], Iterable[Block]]", as_json: bool) -> None:
    """Print a result as one JSON document, or the blocks that a function of it returns."""
    if as_json:
        print_json(document(result))
    else:
        from denouement.present.terminal import show

        show(blocks(result))


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
        if values.setdefault(name, value) != value:
            raise UserError(f"{option} {word}: {name} is given twice")
    return values


def named_options(option: str, words: Sequence[str], example: str) -> dict[str, str | int]:
    """Options of an encoder by name, as `named_values`; whole numbers as such."""
    return {
        name: int(value) if value.isascii() and value.isdigit() else value
        for name, value in named_values(option, words, example).items()
    }


def json_or_text(value: str) -> Any:
    """A value as JSON; anything that is none, such as the name of a file, is text."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def options_of(
    owners: Collection[str],
    unless: str,
    words: Sequence[str],
    option: str,
    example: str,
    value_of: Callable[[str], Any] = json_or_text,
) -> dict[str, dict[str, Any]]:
    """Options by owner, such as a system or a score, and name, from words such as `ending_reg.order=4`.

    Args:
        owners: those that options may be of.
        unless: what is said of another owner, such as `is not evaluated; name it with --system`.
        words: what was given.
        option: its name, such as `--option`.
        example: what a message shows as right.
        value_of: what a value means.

    Raises:
        UserError: as `named_values`, a name without its owner, or another owner.
    """
    found: dict[str, dict[str, Any]] = {}
    for name, value in named_values(option, words, example).items():
        owner, _, key = name.partition(".")
        if not key:
            raise UserError(f"{option} {name}={value}: must be like {example}")
        if owner not in owners:
            raise UserError(f"{option} {name}={value}: {owner!r} {unless}")
        found.setdefault(owner, {})[key] = value_of(value)
    return found


class _NoPandas(MetaPathFinder):
    """Makes `import pandas` fail."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ImportError("not needed here")


def keep_arrow_from_pandas() -> None:
    """Keep Arrow from importing pandas, which takes a quarter of the time of `ingest`.

    When it converts its first value, Arrow tries once to import pandas. A process that called this function cannot
    turn a table into a DataFrame.
    """
    import pyarrow as pa

    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    pa.scalar(0)
    sys.meta_path.remove(finder)
