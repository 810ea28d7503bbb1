"""The `denouement` command: a thin shell over the library.

Heavy imports stay inside the commands, so that `denouement --help` answers at once.
"""

import io
import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from denouement.cli.reasons import reasons
from denouement.cli.report import report
from denouement.cli.sentiment import sentiment
from denouement.cli.statistics import statistics
from denouement.cli.study import study
from denouement.console import print_json
from denouement.errors import UserError, is_defect, one_line, printable
from denouement.files import check_output, existing_file
from denouement.legible import printed

if TYPE_CHECKING:
    from denouement.generators.base import Generator
    from denouement.generators.decoding import Decoding


class _Legible(io.TextIOWrapper):
    """Standard output as people may read it: text of tables and files sends no commands to their terminal.

    Whatever prints, in any command, it passes here.
    """

    def write(self, text: str) -> int:
        return super().write(printed(text))


@contextmanager
def _legible_output() -> Iterator[None]:
    """Let all that is written to standard output be legible."""
    before = sys.stdout
    if not isinstance(before, io.TextIOWrapper):
        yield
        return
    before.flush()
    sys.stdout = _Legible(
        before.buffer,
        encoding=before.encoding,
        errors="backslashreplace",  # what a terminal's encoding lacks ends nothing
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
    """Prints what is no defect as one line on standard error and exits with status 2, as click does for its own.

    Ctrl-C, or being told to end, is one line too, with status 130.
    """

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run, and end what was begun when told to end (SIGTERM) as on Ctrl-C: no half-written file stays behind."""
        if isinstance(sys.stderr, io.TextIOWrapper):
            sys.stderr.reconfigure(errors="backslashreplace")
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            with _legible_output():
                return super().main(*args, **extra)
        finally:
            signal.signal(signal.SIGTERM, before)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse words that are not UTF-8 at once: no table and no library could hold them."""
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


def _json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")(command)


class _NoPandas(MetaPathFinder):
    """Says that pandas is not installed."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ImportError("not needed here")


def _keep_arrow_from_pandas() -> None:
    """Let Arrow take it for granted that no value is one of pandas'.

    It imports pandas to find out at the first value that it converts, which is a quarter of the time that ingest takes.
    It asks once a process, so a command that calls this can turn nothing into a DataFrame.
    """
    import pyarrow as pa

    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    pa.scalar(0)
    sys.meta_path.remove(finder)


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder of the tables to write.")
@click.option("--release", type=click.Choice(["v1.0", "v1.5"]), help="Of Story Cloze files whose names tell none.")
@click.option("--exclude-overlap", is_flag=True, help="Leave out stories and validation cases that stand in a test.")
@click.option(
    "--validation-share",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.05,
    show_default=True,
    help="Share of the stories held out to measure each epoch on.",
)
@_json_option
def ingest(
    files: tuple[Path, ...],
    out: Path,
    release: str | None,
    exclude_overlap: bool,
    validation_share: float,
    as_json: bool,
) -> None:
    """Read official ROCStories and Story Cloze files into checked tables, and report what stands in two of them.

    FILE is known by its header, whatever its name; comma- or tab-separated, UTF-8. Written are stories.parquet,
    cloze.parquet, rejects.parquet (every row that could not be used, with its file, line and reason) and ingest.json.

    --exclude-overlap leaves out stories that stand in a Story Cloze file, and validation cases that stand in a test.
    """
    _keep_arrow_from_pandas()
    from denouement.corpus.ingest import IngestSettings, summary_text
    from denouement.corpus.ingest import ingest as ingest_files
    from denouement.schemas import read_table

    try:
        settings = IngestSettings(release, validation_share, exclude_overlap)
    except ValueError as error:  # NaN lies in no range, but click takes it for a number in it
        raise UserError(str(error)) from error
    summary = ingest_files(files, out, settings)
    if as_json:
        print_json(summary)
    else:
        click.echo(summary_text(summary, read_table(out / "rejects.parquet", "rejects")))


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


main.add_command(sentiment)
main.add_command(statistics)
main.add_command(study)
main.add_command(reasons)
main.add_command(report)


@main.group()
def cloze() -> None:
    """Choose between the two endings of Story Cloze cases, and measure how often that is right."""


@cloze.command()
@click.option("--system", "names", multiple=True, help="A system's name, or all; may be repeated.")
@click.option("--train", type=click.Path(path_type=Path), help="Cloze table whose labels systems learn from.")
@click.option("--test", type=click.Path(path_type=Path), help="Cloze table to score.  [default: --train]")
@click.option("--release", multiple=True, help="Score only this release, such as v1.0; may be repeated.")
@click.option("--split", multiple=True, help="Score only this split, such as test; may be repeated.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="SYSTEM.NAME=VALUE",
    help="Of a system, such as ending_reg.order=4; again for each.",
)
@click.option(
    "--scores",
    multiple=True,
    type=click.Path(path_type=Path),
    help="CSV or Parquet file of scores made elsewhere, as a further system; may be repeated.",
)
@click.option("--stories", type=click.Path(path_type=Path), help="Stories table to learn from.")
@click.option("--model", "models", multiple=True, type=click.Path(path_type=Path), help="Checkpoint of a generator.")
@click.option("--embeddings", type=click.Path(path_type=Path), help="Table of sentence vectors, to look up.")
@click.option(
    "--encoder",
    "encoders",
    multiple=True,
    default=("minilm", "glove"),
    show_default=True,
    help="Sentence encoder whose vectors are compared; may be repeated.",
)
@click.option(
    "--encoder-option",
    "encoder_options",
    multiple=True,
    metavar="ENCODER.NAME=VALUE",
    callback=_named_values,
    help="Of one of them, such as infersent.vectors=FILE; again for each.",
)
@click.option("--word-vectors", type=click.Path(path_type=Path), help="Further word vectors, as text.")
@click.option("--corpus", "corpora", multiple=True, type=click.Path(path_type=Path), help="Further texts to count in.")
@click.option("--folds", type=click.IntRange(min=2), default=10, show_default=True, help="Of the cross-validation.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Of everything random.")
@click.option("--cache", type=click.Path(path_type=Path), help="Folder that keeps parses, trained systems and scores.")
@click.option("--out", type=click.Path(path_type=Path), help="Also write all scores to this Parquet file.")
@click.option("--predictions", type=click.Path(path_type=Path), help="Folder for the shared task's CSV files.")
@_json_option
def evaluate(
    names: tuple[str, ...],
    train: Path | None,
    test: Path | None,
    release: tuple[str, ...],
    split: tuple[str, ...],
    options: tuple[str, ...],
    scores: tuple[Path, ...],
    stories: Path | None,
    models: tuple[Path, ...],
    embeddings: Path | None,
    encoders: tuple[str, ...],
    encoder_options: dict[str, Any],
    word_vectors: Path | None,
    corpora: tuple[Path, ...],
    folds: int,
    seed: int,
    cache: Path | None,
    out: Path | None,
    predictions: Path | None,
    as_json: bool,
) -> None:
    """How often systems choose the right ending, with 95% intervals and the papers' figures beside.

    Systems that learn from cases are fitted to the labelled cases of --train whose split is train or validation. Where
    the scored cases are these, they are cross-validated. Training cases, and stories, that stand among the scored cases
    are left out. Blind cases get predictions and no accuracy.

    A file of --scores has the columns case_id, score_1 and score_2 (the higher, the likelier is the ending), and may
    have system, variant, release and split.

    A system that misses something, or fails, does not stop the others; where one fails, the exit status is not 0.
    """
    from denouement.cloze.evaluation.brought_scores import read_scores
    from denouement.cloze.evaluation.evaluate import evaluate as evaluate_systems
    from denouement.cloze.evaluation.evaluate import predictions as prediction_files
    from denouement.cloze.resources import Resources
    from denouement.files import write_text
    from denouement.report.tables import cloze_text
    from denouement.schemas import read_table, write_table

    systems = _systems(names)
    if not systems and not scores:
        raise UserError("nothing to evaluate: name systems with --system, or files of scores with --scores")
    of_systems = _options_by_system(systems, options)
    read = [path for path in (train, test, stories, embeddings, word_vectors, *models, *corpora, *scores) if path]
    for path in read:
        existing_file(path)
    if out:
        check_output(out, read)
    for folder in (cache, predictions):
        if folder:
            check_output(folder / "file")
    resources = Resources(
        stories=read_table(stories, "stories") if stories else None,
        corpora=corpora,
        word_vectors=word_vectors,
        embeddings=embeddings,
        generators=models,
        encoders=_options_by_encoder(encoders, encoder_options),
        cache=cache,
        seed=seed,
    )
    to_score = _cloze_cases(test or train, release=release, split=split)
    evaluation = evaluate_systems(
        systems,
        read_table(train, "cloze") if train else None,
        to_score if test else None,
        resources,
        of_systems,
        folds,
        releases=release,
        splits=split,
        brought=[each for path in scores for each in read_scores(path)],
    )
    if out:
        write_table(evaluation.scores, out, "scores")
    if predictions:
        for name, text in prediction_files(evaluation.scores).items():
            write_text(predictions / f"{name}.csv", text)
    if as_json:
        print_json(evaluation.document())
    else:
        click.echo(cloze_text(evaluation.rows, evaluation.notes))
    evaluation.raise_failures()


def _systems(names: tuple[str, ...]) -> list[str]:
    """The Story Cloze systems that are named, each once; `all` is all of them, and hides no name that is wrong."""
    from denouement.cloze import SYSTEMS

    if unknown := [name for name in names if name not in SYSTEMS and name != "all"]:
        raise UserError(f"no Story Cloze system {unknown[0]!r}; there are {', '.join(SYSTEMS)}, and all")
    return list(SYSTEMS) if "all" in names else list(dict.fromkeys(names))


def _options_by_system(systems: list[str], words: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """The options of each system, from words such as `ending_reg.order=4`; a value is JSON or else text."""
    found: dict[str, dict[str, Any]] = {}
    for word in words:
        name, sign, value = word.partition("=")
        system, dot, key = name.partition(".")
        if not (sign and dot and key):
            raise UserError(f"--option {word}: must be like ending_reg.order=4")
        if system not in systems:
            raise UserError(f"--option {word}: {system!r} is not evaluated; name it with --system")
        if key in found.setdefault(system, {}):
            raise UserError(f"--option {word}: {name} is given twice")
        try:
            found[system][key] = json.loads(value)
        except (ValueError, RecursionError):
            found[system][key] = value
    return found


@cloze.command()
@click.option("--cases", required=True, type=click.Path(path_type=Path), help="Cloze table with labels.")
@click.option("--release", multiple=True, help="Only this release, such as v1.0; may be repeated.")
@click.option("--vectors", type=click.Path(path_type=Path), help="Parquet file with columns text and vector.")
@click.option("--encoder", help="Sentence encoder to take vectors from, instead of a file.")
@_json_option
def vectors(cases: Path, release: tuple[str, ...], vectors: Path | None, encoder: str | None, as_json: bool) -> None:
    """The Story Cloze Evaluator: how well sentence vectors tell the right ending, without learning anything.

    The joint module compares the context's vector with each ending's; the sentence-level module goes on along the
    vectors of the context's sentences (Mostafazadeh et al. 2016). A file holds the vectors of all endings, and of all
    context sentences or whole contexts (the sentences with a blank between), or both.
    """
    if (vectors is None) == (encoder is None):
        raise UserError("give vectors with --vectors, or an encoder with --encoder, and not both")
    import pyarrow as pa
    import pyarrow.compute as pc

    from denouement.cloze.evaluation.evaluator import evaluate_vectors, read_vectors, texts
    from denouement.report.tables import vectors_text

    table = _cloze_cases(cases, release=release)
    if release:
        table = table.filter(pc.is_in(table["release"], pa.array(release)))
    wanted = texts(table)
    if vectors is not None:
        of_text: dict[str, Any] = dict(read_vectors(vectors, wanted))
    else:
        from denouement.encoders.base import load_encoder

        of_text = dict(zip(wanted, load_encoder(str(encoder)).encode(wanted), strict=True))
    found = evaluate_vectors(table, of_text)
    if as_json:
        print_json(found)
    else:
        click.echo(vectors_text(found))


def _options_by_encoder(encoders: tuple[str, ...], options: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The options of each encoder, from names such as `infersent.vectors`."""
    found: dict[str, dict[str, Any]] = {name: {} for name in encoders}
    for name, value in options.items():
        encoder, dot, key = name.partition(".")
        if not dot or encoder not in found:
            raise UserError(f"--encoder-option {name}={value}: must begin with {' or '.join(found)} and a dot")
        found[encoder][key] = value
    return found


def _cloze_cases(path: Path | None, **wanted: tuple[str, ...]) -> Any:
    """The cases of a cloze table, once it is known to have those that are `wanted`, by column (release or split)."""
    import pyarrow.compute as pc

    from denouement.schemas import read_table

    if path is None:
        return None
    cases = read_table(path, "cloze")
    for column, values in wanted.items():
        present = pc.unique(cases[column]).to_pylist()
        if absent := [value for value in values if value not in present]:
            raise UserError(
                f"--{column} {absent[0]}: {path} has no such case; it has {', '.join(sorted(present)) or 'none'}"
            )
    return cases
