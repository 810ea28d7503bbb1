"""`denouement generate` and `denouement complete`. Heavy imports stay inside the commands."""

import sys
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import Field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from denouement.cli.options import keep_arrow_from_pandas
from denouement.console import print_json
from denouement.errors import UserError
from denouement.files import check_output
from denouement.generators.decoding import Decoding, described

if TYPE_CHECKING:
    from denouement.generators.base import Generator

_NO_PROBABILITIES = "the generator gives no probabilities"


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


def _flag(setting: str) -> str:
    """The option of a setting of decoding."""
    return "--decode" if setting == "method" else f"--{setting.replace('_', '-')}"


def _type(setting: "Field[Any]", hint: Any) -> Any:
    """What click makes of the words given for a setting."""
    if typing.get_origin(hint) is typing.Literal:
        return click.Choice(typing.get_args(hint))
    if setting.metadata["bounds"]:
        return click.IntRange(*setting.metadata["bounds"])
    if isinstance(hint, types.UnionType):
        [hint] = (each for each in typing.get_args(hint) if each is not types.NoneType)
    return hint


def _decoding_options() -> list[Callable[[Any], Any]]:
    """An option for each setting of decoding; those that are not given are None."""
    hints = typing.get_type_hints(Decoding)
    return [
        click.option(_flag(each.name), each.name, type=_type(each, hints[each.name]), help=described(each))
        for each in fields(Decoding)
    ]


def _model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--model and what goes with it, --json, and the settings of decoding, which arrive as keywords."""
    options = (
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
        *_decoding_options(),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")(command)


def _decoding(options: Mapping[str, Any]) -> Decoding:
    """The settings of decoding from the options that were given; an error names the option."""
    try:
        return Decoding(**{name: value for name, value in options.items() if value is not None})
    except ValueError as error:
        name, _, problem = str(error).partition(": ")
        raise UserError(f"{_flag(name)}: {problem}") from error


def _check_model(model: Path, encoder_options: Mapping[str, Any], device: str, decoding: Decoding, n: int) -> None:
    """Refuse a device that cannot be used here, and what the generator in a checkpoint does not take.

    Raises:
        UserError: what is wrong, by the name of the option where it is one.
    """
    from denouement.generators.checkpoints import class_of

    kind = class_of(model)
    kind.check(decoding, n)
    if encoder_options and not kind.reads_vectors:
        raise UserError(f"--encoder-option: {kind.name} reads words, not sentence vectors; leave the option out")
    if device == "cpu":
        return
    import torch

    try:
        torch.ones(1, device=device).item()
    except (RuntimeError, AssertionError, ImportError) as error:
        problem = str(error).partition("\n")[0]
        raise UserError(f"--device {device}: cannot be used here ({problem}); name another, such as cpu") from error


@click.command()
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
    files are read as they are (the last sentence of a story is dropped). A table that holds a case twice, in two
    releases, needs --release and --split.
    """
    check_output(out, filter(None, (model, contexts, embeddings)))
    decoding = _decoding(options)
    _check_model(model, encoder_options, device, decoding, count)
    keep_arrow_from_pandas()
    from denouement.stages.generate import GeneratePaths, GenerateSettings, run

    generated = run(
        GenerateSettings(release, split, decoding),
        GeneratePaths(contexts, None, model, embeddings, out),
        n=count,
        system=system,
        encoder_options=encoder_options,
        device=device,
    )
    endings, log_prob = generated.endings.num_rows, generated.log_prob_per_token
    if as_json:
        print_json(
            {
                "out": str(out),
                "system": generated.system,
                "cases": generated.cases.num_rows,
                "endings": endings,
                "at_max_length": generated.at_max_length,
                "log_prob_per_token": log_prob,
            }
        )
        return
    notes = [_NO_PROBABILITIES if log_prob is None else f"{log_prob:.2f} nats per token"]
    if generated.at_max_length is not None:
        notes.append(f"{generated.at_max_length:,} of them {decoding.max_length} words long, the most allowed")
    click.echo(
        f"{endings:,} endings of {generated.system} for {generated.cases.num_rows:,} cases ({'; '.join(notes)}): {out}"
    )


@click.command()
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

    A sentence of TEXT ends at . ! ? before a capital letter or a digit, and at a line break. Several endings of a
    generator that decodes words need --decode sample or --decode beam.
    """
    from denouement.text.sentences import split_sentences

    context = split_sentences(_standard_input() if text == "-" else text)
    if not context:
        raise UserError("the story is empty: type at least one sentence")
    decoding = _decoding(options)
    _check_model(model, encoder_options, device, decoding, count)
    [endings] = _loaded(model, embeddings, encoder_options, device).write([context], decoding, count)
    if as_json:
        rows = [{"ending": each.text, "log_prob": each.log_prob, "n_tokens": each.n_tokens} for each in endings]
        print_json({"context": context, "endings": rows})
    else:
        click.echo("\n".join(ending.text for ending in endings))


def _standard_input() -> str:
    if sys.stdin is None:
        raise UserError("standard input: closed; give the story as TEXT")
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise UserError(f"standard input: not text in UTF-8 ({error.reason} at byte {error.start})") from error


def _loaded(model: Path, embeddings: Path | None, encoder_options: Mapping[str, Any], device: str) -> "Generator":
    from denouement.generators.checkpoints import load_generator

    return load_generator(model, device, embeddings, encoder_options)
