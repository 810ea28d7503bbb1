"""The `denouement` command: a thin shell over the library.

Heavy imports stay inside the commands, so that `denouement --help` answers at once.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import click

from denouement.errors import UserError


class _Commands(click.Group):
    """Prints a UserError as one line on standard error and exits with status 2, as click does for its own."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UserError as error:
            click.echo(f"error: {error}", err=True)
            sys.exit(2)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="denouement")
def main() -> None:
    """Train story ending generators, compare endings, and measure scores against people."""


def _json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")(command)


def _print_json(document: object) -> None:
    click.echo(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))
