"""Flows as programs: `python -m flows.<stage> [generator]`."""

import inspect
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click
from prefect import Flow

from denouement.errors import UserError, is_defect, one_line
from tasks import libraries

INTERRUPTED = "interrupted; run the same command again to go on"


def run(flow: Flow[..., Any], arguments: Sequence[str]) -> None:
    """Run `flow` with the words of a command line."""
    with told_in_one_line(INTERRUPTED):
        libraries.check()
        wanted = inspect.signature(flow.fn).parameters
        if len(arguments) != len(wanted):
            usage = " ".join([f"python -m flows.{flow.fn.__name__}", *map(str.upper, wanted)])
            raise UserError(f"{len(arguments)} words after the flow's name; it is called so: {usage}")
        flow(*arguments)


def port_option(name: str, default: int, pages: str) -> Callable[..., Any]:
    """The option `name` for the port of the Prefect or the MLflow pages."""
    return click.option(
        name,
        type=click.IntRange(0, 65535),
        default=default,
        show_default=True,
        help=f"Of the {pages} pages that are started; another is taken if it is in use.",
    )


@contextmanager
def told_in_one_line(interrupted: str = "") -> Iterator[None]:
    """End the program with status 2 and one line on standard error for what is no defect.

    Whatever else escapes is a defect and keeps its traceback. Ctrl-C, or being told to end, ends with status 130 and
    what was started ends too, also where the shell that started this in the background had it ignore Ctrl-C.

    Args:
        interrupted: what to say then; nothing of a program that Ctrl-C is the way to end.
    """
    for how in (signal.SIGINT, signal.SIGTERM):
        signal.signal(how, signal.default_int_handler)
    try:
        yield
    except Exception as error:
        if is_defect(error):
            raise
        print(f"error: {one_line(error)}", file=sys.stderr, flush=True)
        sys.exit(2)
    except KeyboardInterrupt:
        if interrupted:
            print(interrupted, file=sys.stderr, flush=True)
        sys.exit(130)
