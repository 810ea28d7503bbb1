"""Runs flows as programs: `python -m flows.<stage> [generator]`.

Exit statuses: 0; 2 for a mistake of the user's, or where the machine refuses something, with one line that says so; 3
when MLflow could not be reached, see `TrackingError`; 130 after Ctrl-C, SIGTERM or the end of the terminal.
"""

import inspect
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import click
import prefect
from prefect import Flow

from denouement.console import warn
from denouement.errors import UserError, is_defect, one_line
from tasks import experiment, libraries, processes

INTERRUPTED = "interrupted; run the same command again to go on"
ERROR = "error: "  # the beginning of the line that says why a program ended
LOST = "MLflow is lost"  # how the warning begins that no more is recorded

_lost = False


class TrackingError(UserError):
    """MLflow cannot be reached, and no work was begun; the program ends with the exit status 3.

    Work that has begun goes on without a record: see `lose`.
    """


def lose(message: str) -> None:
    """Warn that MLflow was lost while the program worked, and why; it goes on, and ends with the exit status 3.

    As a stage of DVC it ends with 0, since DVC takes any other status for failed work and forgets its outputs.
    """
    global _lost
    _lost = True
    warn(f"{LOST}: {message}")


def run(flow: Flow[..., Any], arguments: Sequence[str]) -> None:
    """Run `flow` with the words of a command line."""
    with errors_as_lines(INTERRUPTED):
        libraries.check()
        wanted = inspect.signature(flow.fn).parameters
        if len(arguments) != len(wanted):
            usage = " ".join([f"python -m flows.{flow.fn.__name__}", *map(str.upper, wanted)])
            raise UserError(f"{len(arguments)} words after the flow's name; call it so: {usage}")
        experiment.check_files()
        with prefect.tags(processes.this_process()):
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
def errors_as_lines(interrupted: str = "") -> Iterator[None]:
    """After an error that is no defect, end the program with one line on standard error and a status of the list above.

    Any other error is a defect and keeps its traceback. After Ctrl-C, SIGTERM and SIGHUP (the terminal was closed),
    what was started is ended too, also when the shell started this program in the background and made it ignore Ctrl-C.
    Under `nohup` the program goes on when the terminal is closed.

    Args:
        interrupted: what to print after Ctrl-C; empty for a program that is always ended by Ctrl-C.
    """
    for how in (signal.SIGINT, signal.SIGTERM):
        signal.signal(how, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signal.signal(signal.SIGHUP, _as_ctrl_c)
    try:
        yield
    except Exception as error:
        if is_defect(error):
            raise
        _say(f"{ERROR}{one_line(error)}")
        if isinstance(error, TrackingError):
            _put_back()
            sys.exit(3)
        sys.exit(2)
    except KeyboardInterrupt:
        if interrupted:
            _say(interrupted)
        sys.exit(130)
    if _lost and "DVC_STAGE" not in os.environ:
        sys.exit(3)


def _as_ctrl_c(*_: object) -> None:
    signal.raise_signal(signal.SIGINT)  # the handler of Ctrl-C, such as that of an event loop, handles this too


def _say(line: str) -> None:
    with suppress(OSError):  # the terminal may have been closed
        print(line, file=sys.stderr, flush=True)


def _put_back() -> None:
    """Put back the last outputs of the stage that this program is, which DVC removed before it started the program."""
    if stage := os.environ.get("DVC_STAGE"):
        command = [sys.executable, "-m", "dvc", "--wait-for-lock", "checkout", "--quiet", "--force", stage]
        subprocess.run(command, capture_output=True)  # fails where there were none, which needs no handling
