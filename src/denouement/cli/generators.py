"""`denouement generate`, and the options of all commands in which a model writes. Heavy imports stay inside."""

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from denouement.cli.options import json_option, keep_arrow_from_pandas, named_options, print_result
from denouement.errors import UserError
from denouement.files import check_output
from denouement.generators.decoding import SAMPLED, Decoding, described

if TYPE_CHECKING:  # heavy
    from denouement.generators.base import Generator
    from denouement.present.sections import Block


@dataclass(frozen=True)
class WrittenEndings:
    """What `generate` wrote.

    Attributes:
        out: the table of endings.
        at_max_length: endings of the most words that are allowed; None where that is not limited.
        log_prob_per_token: in nats; None where the generator gives no probabilities.
    """

    out: str
    system: str
    cases: int
    endings: int
    at_max_length: int | None
    log_prob_per_token: float | None


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


def _decoding_options(usual: Decoding) -> list[Callable[[Any], Any]]:
    """An option for each setting of decoding, which is `usual` without them; those that are not given are None."""
    hints = typing.get_type_hints(Decoding)
    return [
        click.option(_flag(each.name), each.name, type=_type(each, hints[each.name]), help=described(each, usual))
        for each in fields(Decoding)
    ]


encoder_option = click.option(
    "--encoder-option",
    "encoder_options",
    multiple=True,
    metavar="NAME=VALUE",
    callback=lambda _, option, words: named_options(option.opts[0], words, "vectors=FILE"),
    help="Option of the sentence encoder, such as vectors=FILE; may be repeated.",
)
device_option = click.option(
    "--device", default="cpu", show_default=True, help="Where the model runs: cpu, cuda, cuda:1."
)


def model_options(usual: Decoding) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """--model and what goes with it, and the settings of decoding, which arrive as keywords.

    Args:
        usual: how a command decodes without options, which the help shows.
    """
    options = (
        click.option("--model", required=True, type=click.Path(path_type=Path), help="Checkpoint of a generator."),
        click.option("--embeddings", type=click.Path(path_type=Path), help="Table of sentence vectors, to look up."),
        encoder_option,
        device_option,
        *_decoding_options(usual),
    )

    def with_options(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


_RERANK = (
    click.option(
        "--rerank",
        metavar="CHOOSER",
        help="Draw several endings and take the best by this chooser: a checkpoint of `denouement cloze train`, or the "
        "folder, GGUF file or name of a language model.",
    ),
    click.option("--draws", type=click.IntRange(min=1), help="Endings drawn for each.  [--rerank; default: 20]"),
    click.option("--language-model", help="Where the language model of that chooser lies now.  [--rerank]"),
)


def rerank_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--rerank and what goes with it, which arrive as `rerank`, `draws` and `language_model`."""
    for option in reversed(_RERANK):
        command = option(command)
    return command


def reranking(
    rerank: str | None, draws: int | None, language_model: str | None, options: Mapping[str, Any], count: int
) -> "Callable[[Generator], Generator] | None":
    """What makes a generator a reranked one; None where --rerank is not given.

    Args:
        rerank, draws, language_model: see `rerank_options`.
        options: the settings of decoding that were given, by name, which are those of the draws; None for the others.
        count: endings to keep for each context.

    Raises:
        UserError: options that do not go together, by name.
    """
    if rerank is None:
        for flag, value in (("--draws", draws), ("--language-model", language_model)):
            if value is not None:
                raise UserError(f"{flag}: goes with --rerank; name a chooser, or leave it out")
        return None
    from denouement.reranking import reranked

    given = {name: value for name, value in options.items() if value is not None}
    if given.pop("method", "sample") != "sample":
        raise UserError("--decode: endings to be reranked are drawn: leave it out, or --decode sample")
    own = {each.name for each in fields(reranked.RerankedSettings)}
    if strange := [_flag(name) for name in given if name not in own]:
        raise UserError(f"{', '.join(strange)}: not with --rerank; leave it out")
    if draws is not None:
        given["n"] = draws
    try:
        settings = reranked.RerankedSettings(chooser=rerank, language_model=language_model, **given)
    except ValueError as error:
        name, _, problem = str(error).partition(": ")
        raise UserError(f"{_flag(name)}: {problem}") from error
    if count > settings.n:
        raise UserError(f"-n {count}: of {settings.n} that are drawn; draw more with --draws")
    return lambda generator: reranked.rerank(generator, settings)


def chosen_decoding(model: Path, options: Mapping[str, Any], usual: Decoding, n: int) -> Decoding:
    """The settings of decoding for the generator in a checkpoint, which is asked for `n` endings of a context.

    Args:
        model: the checkpoint.
        options: the settings that were given, by name; None for those that were not.
        usual: where no method is given, the others are changes of this one, or of `SAMPLED` where the generator does
            not take it.
        n: endings for each context.

    Raises:
        UserError: settings that do not go together, or that the generator does not take: by the name of the option.
    """
    from denouement.generators.checkpoints import class_of

    kind = class_of(model)
    given = {name: value for name, value in options.items() if value is not None}
    known = next((each for each in (usual, SAMPLED) if kind.takes(each)), Decoding())
    start = Decoding() if "method" in given else known
    try:
        decoding = replace(start, **given)
    except ValueError as error:
        name, _, problem = str(error).partition(": ")
        raise UserError(f"{_flag(name)}: {problem}") from error
    if not kind.decodes and (changed := decoding.changed):
        flags = ", ".join(map(_flag, changed))
        raise UserError(f"{kind.name} chooses whole endings and decodes no words: leave out {flags}")
    kind.check(decoding, n)
    return decoding


def check_encoder_options(model: Path, encoder_options: Mapping[str, Any]) -> None:
    """Refuse options of a sentence encoder where the generator in a checkpoint reads words."""
    from denouement.generators.checkpoints import class_of

    if encoder_options and not (kind := class_of(model)).reads_vectors:
        raise UserError(f"--encoder-option: {kind.name} reads words, not sentence vectors; leave the option out")


def check_device(device: str) -> None:
    """Refuse a device that cannot be used here."""
    if device == "cpu":
        return
    import torch

    try:
        torch.ones(1, device=device).item()
    except (RuntimeError, AssertionError, ImportError) as error:
        problem = str(error).partition("\n")[0]
        raise UserError(f"--device {device}: cannot be used here ({problem}); name another, such as cpu") from error


@click.command()
@model_options(Decoding())
@click.option("--contexts", required=True, type=click.Path(path_type=Path), help="Cloze table, or another file.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Parquet table of endings to write.")
@click.option("--release", help="Only cases of this release of a cloze table, such as v1.0.")
@click.option("--split", help="Only this split of a cloze or stories table, such as validation.")
@click.option("--language", help="Only cases in this language of a cloze table, such as en.")
@click.option("-n", "count", type=click.IntRange(min=1), default=1, show_default=True, help="Endings for each case.")
@click.option("--system", help="Name of the system in the table.  [default: the generator's]")
@rerank_options
@json_option
def generate(
    model: Path,
    embeddings: Path | None,
    encoder_options: dict[str, Any],
    device: str,
    contexts: Path,
    out: Path,
    release: str | None,
    split: str | None,
    language: str | None,
    count: int,
    system: str | None,
    rerank: str | None,
    draws: int | None,
    language_model: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Write endings for the contexts of a cloze table, a stories table or any CSV or Parquet file of contexts.

    Other files need columns case_id and sentence1, sentence2, ... or context. The official Story Cloze and ROCStories
    files are read as they are (the last sentence of a story is dropped). A table that holds a case twice, in two
    releases, needs --release and --split.

    With --rerank CHOOSER several endings are drawn for each context (--draws, by the settings of --decode sample) and
    the best are kept. Contexts that the chooser was trained on are refused. The system is named as the generator, with
    _reranked after it.
    """
    check_output(out, filter(None, (model, contexts, embeddings, Path(rerank) if rerank else None)))
    change = reranking(rerank, draws, language_model, options, count)
    decoding = Decoding() if change else chosen_decoding(model, options, Decoding(), count)
    check_encoder_options(model, encoder_options)
    check_device(device)
    keep_arrow_from_pandas()
    from denouement.stages.generate import GeneratePaths, GenerateSettings, run

    generated = run(
        GenerateSettings(release, split, language, decoding),
        GeneratePaths(contexts, None, model, embeddings, out),
        n=count,
        system=system,
        encoder_options=encoder_options,
        device=device,
        rerank=change,
    )
    written = WrittenEndings(
        str(out),
        generated.system,
        generated.cases.num_rows,
        generated.endings.num_rows,
        generated.at_max_length,
        generated.log_prob_per_token,
    )
    print_result(written, lambda _: _written_blocks(written, decoding.max_length), as_json)


def _written_blocks(written: WrittenEndings, max_length: int) -> "list[Block]":
    from denouement.present.sections import Paragraph

    log_prob = written.log_prob_per_token
    likelihood = "the generator gives no probabilities"
    if log_prob is not None:
        likelihood = f"log-probability {log_prob:.2f} nats per token"
    notes = [likelihood]
    if written.at_max_length is not None:
        notes.append(f"{written.at_max_length:,} of them {max_length} words long, the most allowed")
    what = f"{written.endings:,} endings of {written.system} for {written.cases:,} cases"
    return [Paragraph(f"{what} ({'; '.join(notes)}): {written.out}")]
