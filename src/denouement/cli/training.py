"""`denouement encode` and `denouement train`: one stage without the pipeline. Heavy imports stay inside."""

import inspect
import re
import types
import typing
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from denouement.cli.generators import encoder_option
from denouement.cli.options import json_option, print_result
from denouement.encoders import ENCODERS
from denouement.encoders.settings import EncodeSettings
from denouement.errors import UserError, printable
from denouement.files import alone_in, check_output, existing_file
from denouement.generators import GENERATORS

if TYPE_CHECKING:  # heavy
    from denouement.encoders.embeddings import EncodedCorpus
    from denouement.generators.base import Generator
    from denouement.generators.history import History
    from denouement.present.sections import Block


class _Vectors(click.Path):
    """The path of a table of sentence vectors; where it is missing, the message says how to make one."""

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """What stands after `Missing option '--embeddings'.`"""
        return "`denouement encode` writes this table of sentence vectors."


class _OrNull(click.ParamType[Any, Any]):
    """A value of another type, or None where the word `null` is given, as in params.yaml."""

    def __init__(self, of: click.ParamType[Any, Any]) -> None:
        self.name, self._of = of.name, of

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return None if value == "null" else self._of.convert(value, param, ctx)


def _setting_options(settings: type[Any], without: tuple[str, ...] = ()) -> list[click.Option]:
    """An option for each setting of a dataclass, but for those `without`: its type, default and description."""
    hints, helps = typing.get_type_hints(settings), _described(settings)
    return [
        click.Option(
            [_flag(each.name), each.name],
            type=_type(hints[each.name]),
            default=each.default,
            show_default="null" if each.default is None else True,
            help=helps.get(each.name),
        )
        for each in fields(settings)
        if each.name not in without
    ]


def _flag(setting: str) -> str:
    return f"--{setting.replace('_', '-')}"


def _type(hint: Any) -> click.ParamType[Any, Any]:
    if isinstance(hint, types.UnionType):
        [value] = (each for each in typing.get_args(hint) if each is not types.NoneType)
        return _OrNull(_type(value))
    if typing.get_origin(hint) is typing.Literal:
        return click.Choice(typing.get_args(hint))
    plain: click.ParamType[Any, Any] = click.types.convert_type(hint)
    return plain


def _described(settings: type[Any]) -> dict[str, str]:
    """What the docstrings of a dataclass and of its bases say of each attribute, as sentences."""
    found: dict[str, str] = {}
    for each in reversed(settings.__mro__):
        _, _, listed = inspect.cleandoc(each.__doc__ or "").partition("Attributes:\n")
        for name, text in re.findall(r"^    (\w+): (.+(?:\n {8}.+)*)", listed, re.MULTILINE):
            words = " ".join(text.split())
            found[name] = words[0].upper() + words[1:]
    return found


def _made(settings: type[Any], values: Mapping[str, Any]) -> Any:
    """The settings of these values; an error names the option."""
    try:
        return settings(**values)
    except ValueError as error:
        name, _, problem = str(error).partition(": ")
        raise UserError(f"{_flag(name)}: {problem}") from error


class _Trainings(click.Group):
    """A command for each registered generator, whose settings are its options."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The registered generators."""
        return list(GENERATORS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The training of this generator; None where it is not registered."""
        return _training(cmd_name) if cmd_name in GENERATORS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the names alone: the description of a generator would import its libraries."""
        with formatter.section("Generators"):
            formatter.write_dl([(name, f"`denouement train {name} --help` lists its settings") for name in GENERATORS])


@click.group(cls=_Trainings)
def train() -> None:
    """Train a generator on a table of stories, or on a file of ROCStories.

    Its checkpoints are written to the folder --out: best.parquet is what --model of `generate`, `complete` and `try`
    names. The same command after Ctrl-C or a crash continues with the epoch in which it stopped.
    """


def _training(kind: str) -> click.Command:
    from denouement.generators.base import generator_class
    from denouement.generators.names import check_name

    of_kind = generator_class(kind)

    def run(
        stories: Path,
        out: Path,
        own_name: str | None,
        as_json: bool,
        embeddings: Path | None = None,
        **values: Any,
    ) -> None:
        if own_name is not None:
            check_name(own_name, kind, "--name")
        _train(generator_class(kind, own_name), stories, out, embeddings, values, as_json)

    path = click.Path(path_type=Path)
    embeddings = click.Option(
        ["--embeddings"],
        type=_Vectors(path_type=Path),
        required=True,
        help="Table of sentence vectors, which `denouement encode` writes.",
    )
    command = click.Command(
        kind,
        params=[
            click.Option(["--stories"], type=path, required=True, help="Stories table, or a file of ROCStories."),
            *([embeddings] if of_kind.reads_vectors else []),
            click.Option(["--out"], type=path, required=True, help="Folder of the checkpoints to write."),
            click.Option(
                ["--name", "own_name"], help=f"Name of the generator, and of its endings' system.  [default: {kind}]"
            ),
            *_setting_options(of_kind.settings_class),
        ],
        callback=run,
        help=f"Train {kind}: {(inspect.getdoc(of_kind) or '').partition(chr(10))[0]}",
    )
    return json_option(command)


def _train(
    generator: "type[Generator]",
    stories: Path,
    out: Path,
    embeddings: Path | None,
    values: Mapping[str, Any],
    as_json: bool,
) -> None:
    """Train a generator and print the course of its training."""
    settings = _made(generator.settings_class, values)
    from denouement.generators.base import BEST, LAST
    from denouement.generators.history import epoch_line
    from denouement.generators.sections import training_section
    from denouement.present.sections import Paragraph
    from denouement.stages.train import TrainPaths, run

    for name in (BEST, LAST):
        check_output(out / name, filter(None, (stories, embeddings)))
    work = out / "unfinished"

    def on_epoch(epoch: int, losses: Mapping[str, float]) -> None:
        click.echo(epoch_line(epoch, values["epochs"], losses), err=True)

    with alone_in(out), _table_of(stories) as table:
        if (out / BEST).exists():
            click.echo(f"{out / BEST}: is there; the new generator replaces it when the training ends", err=True)
        if any(work.glob(f"{generator.name}-*/{LAST}")):
            click.echo(
                f"{work}: an unfinished training; it is continued if its stories and settings are the same", err=True
            )
        try:
            history = run(generator.name, settings, TrainPaths(table, embeddings, work, out), on_epoch, generator.kind)
        finally:
            for folder in (*work.glob("*"), work):
                with suppress(OSError):  # it has a state to continue from
                    folder.rmdir()

    def blocks(trained: "History") -> "list[Block]":
        return [*training_section({generator.name: trained}), Paragraph(f"The generator, for --model: {out / BEST}")]

    print_result(history, blocks, as_json)


@contextmanager
def _table_of(stories: Path) -> Iterator[Path]:
    """The stories table at a path, or for a while the one that a file of ROCStories makes."""
    from denouement.schemas import table_name

    if table_name(existing_file(stories)) is not None:
        yield stories
        return
    from denouement.corpus.ingest import IngestSettings
    from denouement.stages.ingest import IngestPaths, run

    with TemporaryDirectory() as folder:
        [read] = run(IngestSettings(), IngestPaths((stories,), Path(folder))).files
        if read.kind != "stories":
            raise UserError(f"{stories}: holds Story Cloze cases, not stories to learn from; name a file of ROCStories")
        rejected = f", {read.rejected:,} rows rejected (`denouement ingest` lists them)" if read.rejected else ""
        click.echo(printable(f"{stories}: {read.kept:,} stories{rejected}"), err=True)
        yield Path(folder, "stories.parquet")


@click.command()
@click.option(
    "--stories", required=True, type=click.Path(path_type=Path), help="Stories table, or a file of ROCStories."
)
@click.option("--cloze", type=click.Path(path_type=Path), help="Cloze table whose contexts are encoded too.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Table of sentence vectors to write.")
@click.option(
    "--encoder", type=click.Choice(list(ENCODERS)), default="minilm", show_default=True, help="Sentence encoder."
)
@encoder_option
@json_option
def encode(
    stories: Path,
    cloze: Path | None,
    out: Path,
    encoder: str,
    encoder_options: dict[str, Any],
    as_json: bool,
    **values: Any,
) -> None:
    """Write the vectors of all context sentences, which `denouement train` reads for generators that read vectors.

    The vectors of training sentences with dropped words are stored too, --views times.
    """
    from denouement.stages.encode import EncodePaths, run

    check_output(out, filter(None, (stories, cloze)))
    settings = _made(EncodeSettings, {"encoder": encoder, "options": encoder_options, **values})
    with _table_of(stories) as table:
        encoded = run(settings, EncodePaths(table, cloze, out))

    def blocks(written: "EncodedCorpus") -> "list[Block]":
        from denouement.present.sections import Paragraph

        notes = "".join(f"; {what}: {count:,}" for what, count in written.notes.items())
        what = f"{written.rows:,} vectors of {written.dimension:,} numbers by {written.encoder}{notes}"
        return [Paragraph(f"{what}: {out}")]

    print_result(encoded, blocks, as_json)


encode.params += _setting_options(EncodeSettings, without=("encoder", "options"))
