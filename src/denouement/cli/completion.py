"""`denouement complete` and `denouement try`: endings for a story that is typed. Heavy imports stay inside."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from denouement.cli.generators import (
    check_device,
    check_encoder_options,
    chosen_decoding,
    device_option,
    encoder_option,
    model_options,
    rerank_options,
    reranking,
)
from denouement.cli.options import json_option, print_result
from denouement.errors import UserError, printable
from denouement.generators.decoding import USUAL, Decoding

if TYPE_CHECKING:  # heavy
    from denouement.generators.base import Generator
    from denouement.present.sections import Block


@dataclass(frozen=True)
class CompletedEnding:
    """An ending with its log-probability in nats and its number of tokens, where the generator knows them."""

    ending: str
    log_prob: float | None
    n_tokens: int | None


@dataclass(frozen=True)
class CompletedStory:
    """A story, and the endings that were written for it.

    Attributes:
        context: its sentences.
        english: whether it looks like English.
        unknown_words: those that the generator has no number for.
        decoding: the settings of decoding in words; None where the generator decodes no words.
        endings: what was written.
    """

    context: list[str]
    english: bool
    unknown_words: list[str]
    decoding: str | None
    endings: list[CompletedEnding]


@click.command()
@click.argument("text")
@model_options(USUAL)
@click.option("-n", "count", type=click.IntRange(min=1), default=1, show_default=True, help="Endings to print.")
@rerank_options
@json_option
def complete(
    text: str,
    model: Path,
    embeddings: Path | None,
    encoder_options: dict[str, Any],
    device: str,
    count: int,
    rerank: str | None,
    draws: int | None,
    language_model: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Print an ending for the story TEXT, or several: one a line. TEXT `-` reads the story from standard input.

    A sentence of TEXT ends at . ! ? before a capital letter or a digit, and at a line break. Standard error says what
    was read of it, and which words the model does not know.

    The beam used without --decode is what docs/decoding.md found best. --decode sample with --seed gives others.
    """
    from denouement.completion.reading import read_story, remarks, unknown_words
    from denouement.completion.writing import usual

    story = read_story(_standard_input() if text == "-" else text)
    change = reranking(rerank, draws, language_model, options, count)
    decoding = Decoding() if change else chosen_decoding(model, options, usual(count), count)
    check_encoder_options(model, encoder_options)
    check_device(device)
    from denouement.generators.checkpoints import load_generator

    generator = load_generator(model, device, embeddings, encoder_options)
    if change:
        generator = change(generator)
    said = str(decoding) if generator.decodes else generator.record().get("decoding")
    [endings] = generator.write([story.sentences], decoding, count)
    if not endings:
        raise UserError(f"{generator.name}: wrote no ending; try --decode sample with another --seed")
    if not as_json:
        for line in [
            *remarks(story, {generator.name: generator}),
            *([f"Decoding: {said}"] if said else []),
            *generator.notes(),
        ]:
            click.echo(printable(line), err=True)
    completed = CompletedStory(
        story.sentences,
        story.english,
        unknown_words(story, generator),
        said,
        [CompletedEnding(each.text, each.log_prob, each.n_tokens) for each in endings],
    )
    print_result(completed, _completed_blocks, as_json)


def _completed_blocks(story: CompletedStory) -> "list[Block]":
    from denouement.present.sections import Paragraph

    return [Paragraph("\n".join(each.ending for each in story.endings))]


def _standard_input() -> str:
    if sys.stdin is None:
        raise UserError("standard input: closed; give the story as TEXT")
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise UserError(f"standard input: not text in UTF-8 ({error.reason} at byte {error.start})") from error


@click.command(name="try")
@click.option(
    "--model",
    "models",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Checkpoint of a generator; may be repeated.  [default: all under --data]",
)
@click.option(
    "--data", default=Path("data"), show_default=True, type=click.Path(path_type=Path), help="Folder of the run."
)
@encoder_option
@device_option
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="0: any free one.")
@click.option("--open", "in_browser", is_flag=True, help="Open the page in the browser.")
def try_(
    models: tuple[Path, ...], data: Path, encoder_options: dict[str, Any], device: str, port: int, in_browser: bool
) -> None:
    """Serve a page on which you type a story and see the endings of several systems side by side.

    Only this computer can reach it; its address is printed. Ctrl-C ends it.
    """
    from denouement.completion.page import create_app
    from denouement.study.web.app import serve

    check_device(device)
    systems = _systems(models, data, encoder_options, device)

    def started(address: str) -> None:
        click.echo(f"{', '.join(systems)}: {address}/ (Ctrl-C ends it)")
        if in_browser:
            Thread(target=_open, args=(address,), daemon=True).start()

    serve(create_app(systems), "127.0.0.1", port, started)


def _open(address: str) -> None:
    """Open an address in the browser, without what its programs print; a line says so where there is none."""
    launch = "import sys, click; sys.exit(click.launch(sys.argv[1], wait=True))"
    quiet = subprocess.DEVNULL
    done = subprocess.run(  # noqa: S603 -- our own address
        [sys.executable, "-c", launch, address], stdin=quiet, stdout=quiet, stderr=quiet, check=False
    )
    if done.returncode:
        click.echo(f"no browser can be opened here: open {address}/ in one yourself", err=True)


def _systems(
    models: tuple[Path, ...], data: Path, encoder_options: dict[str, Any], device: str
) -> "dict[str, Generator]":
    """The generators in these checkpoints, or in those of a run, by name."""
    from denouement.generators.checkpoints import class_of, load_generator
    from denouement.layout import Layout

    layout = Layout(data)
    of_run = [layout.model(folder.name) for folder in sorted(layout.models.glob("*"))]
    paths = [*models] or [path for path in of_run if path.is_file()]
    if not paths:
        raise UserError(
            f"{layout.models}: no trained generator; `make run` and `denouement train` make them, "
            "and --model names one elsewhere"
        )
    reads_vectors = {path: class_of(path).reads_vectors for path in paths}
    if encoder_options and not any(reads_vectors.values()):
        raise UserError("--encoder-option: none of the models reads sentence vectors; leave the option out")
    systems: dict[str, Generator] = {}
    for path in paths:
        name = path.parent.name if path.stem in ("best", "last") and path.parent.name else path.stem
        if name in systems:
            raise UserError(f"--model {path}: there is another one called {name}; put it into a folder of another name")
        systems[name] = load_generator(path, device, None, encoder_options if reads_vectors[path] else None)
    return systems
