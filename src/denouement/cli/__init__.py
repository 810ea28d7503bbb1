"""The `denouement` command: a group of commands, each in a module of its own that is imported when it is called for.

Modules of commands import what is heavy inside their functions, so that `denouement --help` answers at once.
"""

import io
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from denouement.cli.options import json_option as _json_option
from denouement.console import print_json
from denouement.errors import UserError, is_defect, one_line, printable
from denouement.files import check_output
from denouement.legible import printed

if TYPE_CHECKING:
    from denouement.generators.base import Generator
    from denouement.generators.decoding import Decoding

COMMANDS = {
    "cloze": "denouement.cli.cloze",
    "ingest": "denouement.cli.corpus",
    "sentiment": "denouement.cli.sentiment",
    "reasons": "denouement.cli.reasons",
    "report": "denouement.cli.report",
    "statistics": "denouement.cli.statistics",
    "study": "denouement.cli.study",
}
"""The module of each command; the command has the same name there."""


class _Legible(io.TextIOWrapper):
    """Standard output that never sends a command to a terminal, whatever the texts of tables and files hold.

    All that any command prints goes through here.
    """

    def write(self, text: str) -> int:
        return super().write(printed(text))


@contextmanager
def _legible_output() -> Iterator[None]:
    """Make all that is written to standard output legible."""
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
        with suppress(BrokenPipeError):  # no one reads on
            legible.detach()


class _Commands(click.Group):
    """Imports a command when it is called for, and prints errors as click prints its own.

    An error that is no defect is one line on standard error, with exit status 2. Ctrl-C and SIGTERM are one line too,
    with status 130.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, sorted, without importing any command."""
        return sorted({*super().list_commands(ctx), *COMMANDS})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, imported now; None where there is none."""
        if cmd_name in COMMANDS:
            command: click.Command = getattr(import_module(COMMANDS[cmd_name]), cmd_name)
            return command
        return super().get_command(ctx, cmd_name)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run; SIGTERM ends what was begun as Ctrl-C does, so that no half-written file stays behind."""
        if isinstance(sys.stderr, io.TextIOWrapper):
            sys.stderr.reconfigure(errors="backslashreplace")
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            with _legible_output():
                return super().main(*args, **extra)
        finally:
            signal.signal(signal.SIGTERM, before)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse words that are not UTF-8 before anything else: no table and no library can hold them."""
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
            raise  # click ends quietly when no one reads on
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


def _named_values(_: click.Context, option: click.Parameter, words: tuple[str, ...]) -> dict[str, str | int]:
    """Values by name from words such as `version=1`, a whole number as such."""
    values: dict[str, str | int] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not (name and sign and value):
            raise UserError(f"{option.opts[0]} {word}: must be like vectors=FILE")
        if name in values:
            raise UserError(f"{option.opts[0]} {word}: {name} is given twice")
        values[name] = int(value) if value.isascii() and value.isdigit() else value
    return values


_MODEL_OPTIONS = (
    click.option("--model", required=True, type=click.Path(path_type=Path), help="Checkpoint of a generator."),
    click.option("--embeddings", type=click.Path(path_type=Path), help="Table of sentence vectors, to look up."),
    click.option(
        "--encoder-option",
        "encoder_options",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_named_values,
        help="Of its sentence encoder, such as vectors=FILE; again for each.",
    ),
    click.option("--device", default="cpu", show_default=True, help="Where the model runs: cpu, cuda, cuda:1."),
    click.option("--decode", type=click.Choice(["greedy", "beam", "sample"]), help="Method.  [default: greedy]"),
    click.option("--beam-width", type=int, help="Partial endings kept a context.  [beam; default: 5]"),
    click.option("--length-penalty", type=float, help="Above 0 favours longer endings.  [beam; default: 0]"),
    click.option("--temperature", type=float, help="Below 1 favours likely words.  [sample; default: 1]"),
    click.option("--top-p", type=float, help="Draw from the likeliest words of this share.  [sample; default: 1]"),
    click.option("--top-k", type=int, help="Draw from this many likeliest words.  [sample; default: all]"),
    click.option("--no-repeat-ngram", type=int, help="No sequence of so many words twice.  [default: allowed]"),
    click.option("--min-length", type=int, help="Words an ending has at least.  [default: 1]"),
    click.option("--max-length", type=int, help="Words after which it is ended.  [default: 30]"),
    click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Of the draws.  [sample; default: 1]"),
)


def _model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--model and what goes with it, and the settings of decoding, which arrive as keywords."""
    for option in reversed(_MODEL_OPTIONS):
        command = option(command)
    return command


def _decoding(options: dict[str, Any]) -> "Decoding":
    """The settings of decoding from the options that were given; an error names the option."""
    from denouement.generators.decoding import Decoding

    given = {"method" if key == "decode" else key: value for key, value in options.items() if value is not None}
    try:
        return Decoding(**given)
    except ValueError as error:
        key, _, problem = str(error).partition(": ")
        raise UserError(f"--{key.replace('_', '-')}: {problem}") from error


def _generator(model: Path, embeddings: Path | None, encoder_options: dict[str, Any], device: str) -> "Generator":
    import torch

    from denouement.generators.checkpoints import load_generator

    try:
        torch.ones(1, device=device).item()
    except (RuntimeError, AssertionError, ImportError) as error:
        problem = str(error).partition("\n")[0]
        raise UserError(f"--device {device}: cannot be used here ({problem}); name another, such as cpu") from error
    generator = load_generator(model, device, embeddings, encoder_options)
    if encoder_options and not generator.reads_vectors:
        raise UserError(f"--encoder-option: {generator.name} reads words, not sentence vectors; leave the option out")
    return generator


@main.command()
@_model_options
@click.option("--contexts", required=True, type=click.Path(path_type=Path), help="Cloze table, or another file.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Parquet table of endings to write.")
@click.option("--release", help="Only cases of this release of a cloze table, such as v1.0.")
@click.option("--split", help="Only this split of a cloze or stories table, such as validation.")
@click.option("-n", "count", type=click.IntRange(min=1), default=1, show_default=True, help="Endings a case.")
@click.option("--system", help="Name of the system in the table.  [default: the generator's]")
@_json_option
def generate(
    model: Path,
    embeddings: Path | None,
    encoder_options: dict[str, Any],
    device: str,
    contexts: Path,
    out: Path,
    release: str | None,
    split: str | None,
    count: int,
    system: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Write endings for the contexts of a cloze table, a stories table or any CSV or Parquet file of contexts.

    Other files need columns case_id and sentence1, sentence2, ... or context. The official Story Cloze and ROCStories
    files are read as they are (the last sentence of a story is dropped). A table in which a case stands twice, in two
    releases, needs --release and --split.
    """
    check_output(out, filter(None, (model, contexts, embeddings)))
    from denouement.corpus.contexts import read_contexts

    cases = read_contexts(contexts, release, split)
    from denouement.generators.endings import generate_endings, written_from
    from denouement.schemas import write_table

    decoding = _decoding(options)
    decoding.check_count(count)
    table = generate_endings(_generator(model, embeddings, encoder_options, device), cases, decoding, system, count)
    write_table(table, out, "endings", written_from(decoding, cases, model))
    tokens = table["n_tokens"].to_numpy()
    summary = {
        "out": str(out),
        "system": table["system"][0].as_py(),
        "cases": cases.num_rows,
        "endings": table.num_rows,
        "at_max_length": int((tokens > decoding.max_length).sum()),
        "log_prob_per_token": float(table["log_prob"].to_numpy().sum() / tokens.sum()),
    }
    if as_json:
        print_json(summary)
    else:
        click.echo(
            f"{summary['endings']:,} endings of {summary['system']} for {summary['cases']:,} cases "
            f"({summary['log_prob_per_token']:.2f} nats per token; {summary['at_max_length']:,} of them "
            f"{decoding.max_length} words long, the most allowed): {out}"
        )


@main.command()
@click.argument("text")
@_model_options
@click.option("-n", "count", type=click.IntRange(min=1), default=1, show_default=True, help="Endings to print.")
@_json_option
def complete(
    text: str,
    model: Path,
    embeddings: Path | None,
    encoder_options: dict[str, Any],
    device: str,
    count: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Print an ending for the story TEXT, or several: one a line. TEXT `-` reads the story from standard input.

    A sentence of TEXT ends at . ! ? before a capital letter or a digit, and at a line break. Several endings need
    --decode sample or --decode beam.
    """
    from denouement.text.sentences import split_sentences

    if text == "-":
        if sys.stdin is None:
            raise UserError("standard input: closed; give the story as TEXT")
        try:
            text = sys.stdin.buffer.read().decode()
        except UnicodeDecodeError as error:
            raise UserError(f"standard input: not text in UTF-8 ({error.reason} at byte {error.start})") from error
    context = split_sentences(text)
    if not context:
        raise UserError("the story is empty: type at least one sentence")
    from denouement.generators.decoding import decode

    decoding = _decoding(options)
    decoding.check_count(count)
    [endings] = decode(_generator(model, embeddings, encoder_options, device), [context], decoding, count)
    if as_json:
        rows = [{"ending": each.text, "log_prob": each.log_prob, "n_tokens": each.n_tokens} for each in endings]
        print_json({"context": context, "endings": rows})
    else:
        click.echo("\n".join(ending.text for ending in endings))
