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
from typing import Any

import click

from denouement.cli.generators import complete, generate
from denouement.cli.reasons import reasons
from denouement.cli.report import report
from denouement.cli.statistics import statistics
from denouement.cli.study import study
from denouement.console import print_json
from denouement.errors import UserError, is_defect, one_line, printable
from denouement.files import check_output, existing_file
from denouement.legible import printed


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


@main.command()
@click.argument("tables", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="TABLE...")
@click.option("--out", type=click.Path(path_type=Path), help="Also write every text's scores to this Parquet file.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes at most.  [default: one a core]")
@_json_option
def sentiment(tables: tuple[Path, ...], out: Path | None, workers: int | None, as_json: bool) -> None:
    """Measure the sentiment of endings with VADER: Mori et al. 2019, Table 4, a row a group.

    TABLE is a cloze table (right and wrong endings), a stories table (last sentences) or an endings table (a group a
    system), in any number and order.
    """
    from denouement import provenance
    from denouement.analysis.sentiment import groups_made_from, right_against_wrong, score_groups, sentiment_table
    from denouement.report.tables import sentiment_text
    from denouement.schemas import table_name, write_table

    paths: dict[str, list[Path]] = {"stories": [], "cloze": [], "endings": []}
    if out:
        check_output(out, tables)
    for path in tables:
        kind = table_name(existing_file(path))
        if kind not in paths:
            raise UserError(f"{path}: not a table of cloze cases, stories or endings; `denouement ingest` makes them")
        paths[kind].append(path)
    for kind in ("stories", "cloze"):
        if len(paths[kind]) > 1:
            raise UserError(f"{paths[kind][1]}: a second {kind} table; ingest the files of both into one")
    read = (next(iter(paths["stories"]), None), next(iter(paths["cloze"]), None), paths["endings"])
    scores = score_groups(*read, workers)
    if not scores.num_rows:
        raise UserError(f"{', '.join(map(str, tables))}: no ending to measure")
    rows, comparison = sentiment_table(scores), right_against_wrong(scores)
    if out:
        write_table(scores, out, "sentiment", provenance.as_metadata(groups_made_from(*read)))
    if as_json:
        print_json({"groups": rows, "right_against_wrong": comparison})
    else:
        click.echo(sentiment_text(rows, comparison))


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


main.add_command(generate)
main.add_command(complete)
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
