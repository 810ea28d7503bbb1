"""The `denouement` command: a group of commands, each in a module of its own that is imported when it is called.

Modules of commands import what is heavy inside their functions, so that `denouement --help` answers at once.
"""

import io
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from keyword import iskeyword
from typing import Any

import click

from denouement.errors import is_defect, one_line, printable
from denouement.legible import printed

COMMANDS = {
    "cloze": "denouement.cli.cloze",
    "collect": "denouement.cli.collect",
    "complete": "denouement.cli.completion",
    "encode": "denouement.cli.training",
    "generate": "denouement.cli.generators",
    "ingest": "denouement.cli.corpus",
    "metrics": "denouement.cli.metrics",
    "reasons": "denouement.cli.reasons",
    "report": "denouement.cli.report",
    "sentiment": "denouement.cli.sentiment",
    "statistics": "denouement.cli.statistics",
    "study": "denouement.cli.study",
    "train": "denouement.cli.training",
    "try": "denouement.cli.completion",
}
"""The module of each command; the command has the same name there, or `try_` where Python keeps the name."""


class _Legible(io.TextIOWrapper):
    """Standard output that shows control characters in texts of tables and files, and never sends them to a terminal.

    All that any command prints goes through here, apart from the styles of tables and headings: what lays these out
    has made its texts legible before, and calls `write_styled`.
    """

    def write(self, text: str) -> int:
        return super().write(printed(text))

    def write_styled(self, text: str) -> int:
        """Write a text that may hold codes for bold or dim characters."""
        return super().write(text)


@contextmanager
def _legible_output() -> Iterator[None]:
    """Replace standard output by a `_Legible` one for a while."""
    before = sys.stdout
    if not isinstance(before, io.TextIOWrapper):
        yield
        return
    before.flush()
    sys.stdout = _Legible(
        before.buffer,
        encoding=before.encoding,
        errors="backslashreplace",  # a character that the terminal's encoding lacks is no reason to stop
        line_buffering=before.line_buffering,
        write_through=before.write_through,
    )
    try:
        yield
    finally:
        legible, sys.stdout = sys.stdout, before
        with suppress(BrokenPipeError):  # the reader of a pipe has ended
            legible.detach()


class _Commands(click.Group):
    """Imports a command when it is called, and prints errors as click prints its own.

    An error that is no defect is one line on standard error, with exit status 2. Ctrl-C and SIGTERM are one line too,
    with status 130.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, sorted, without importing any command."""
        return sorted({*super().list_commands(ctx), *COMMANDS})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, imported now; None where there is none."""
        if cmd_name in COMMANDS:
            name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
            command: click.Command = getattr(import_module(COMMANDS[cmd_name]), name)
            return command
        return super().get_command(ctx, cmd_name)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run; SIGTERM ends a command as Ctrl-C does, so that no half-written file is left."""
        if isinstance(sys.stderr, io.TextIOWrapper):
            sys.stderr.reconfigure(errors="backslashreplace")
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            with _legible_output():
                return super().main(*args, **extra)
        finally:
            signal.signal(signal.SIGTERM, before)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse words that are not UTF-8 first of all: no table and no library can hold them."""
        for word in args:
            try:
                word.encode()
            except UnicodeEncodeError:
                click.echo(f"error: {printable(word)}: not UTF-8; set the terminal to it", err=True)
                ctx.exit(2)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of a pipe has ended; click then ends without a message
        except Exception as error:
            if is_defect(error):
                raise
            click.echo(f"error: {one_line(error)}", err=True)
            sys.exit(2)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            sys.exit(130)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="denouement")
def main() -> None:
    """Train story ending generators, compare endings, and measure scores against people."""
