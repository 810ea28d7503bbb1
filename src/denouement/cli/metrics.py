"""`denouement metrics ...`. Heavy imports stay inside the commands."""

from pathlib import Path

import click

from denouement.cli.metrics_agreement import agreement
from denouement.cli.metrics_estimate import estimate
from denouement.cli.metrics_preference import preference
from denouement.cli.options import json_option, options_of, print_result
from denouement.errors import UserError


@click.group()
def metrics() -> None:
    """Score endings automatically, and say how far scores agree with people."""


@metrics.command(name="list")
@json_option
def list_scores(as_json: bool) -> None:
    """List all scores: what they measure, which values are better, and what they need."""
    from denouement.metrics.sections import known_blocks, known_scores

    print_result(known_scores(), known_blocks, as_json)


@metrics.command()
@click.argument("endings", nargs=-1, type=click.Path(path_type=Path), metavar="ENDINGS...")
@click.option(
    "--cases",
    required=True,
    type=click.Path(path_type=Path),
    help="Cloze table that the endings are of, or a table of a study's items.",
)
@click.option("--score", "names", multiple=True, help="A score's name; may be repeated.  [default: all]")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="SCORE.NAME=VALUE",
    help="Option of a score, such as coherence.stories=1000; may be repeated.",
)
@click.option("--references", type=click.Path(path_type=Path), help="Human endings.  [default: the right endings]")
@click.option("--human", is_flag=True, help="Score the right and wrong endings of the cases, too.")
@click.option("--release", multiple=True, help="Only cases of this release, such as v1.0; may be repeated.")
@click.option("--split", multiple=True, help="Only cases of this split, such as test; may be repeated.")
@click.option("--language", multiple=True, help="Only cases in this language, such as en; may be repeated.")
@click.option("--stories", type=click.Path(path_type=Path), help="Stories table to learn from.")
@click.option("--model", "models", multiple=True, type=click.Path(path_type=Path), help="Checkpoint of a generator.")
@click.option("--chooser", "choosers", multiple=True, type=click.Path(path_type=Path), help="File of `cloze train`.")
@click.option(
    "--preference",
    "preferences",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Model of `metrics preference`.",
)
@click.option("--language-model", help="Folder, GGUF file or name (smollm2) of a language model that scores ask.")
@click.option("--embeddings", type=click.Path(path_type=Path), help="Table of sentence vectors, to look up.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Of everything random.")
@click.option("--cache", type=click.Path(path_type=Path), help="Folder that keeps parses, trained models and scores.")
@click.option("--out", type=click.Path(path_type=Path), help="Also write all values to this Parquet file.")
@json_option
def score(
    endings: tuple[Path, ...],
    cases: Path,
    names: tuple[str, ...],
    options: tuple[str, ...],
    references: Path | None,
    human: bool,
    release: tuple[str, ...],
    split: tuple[str, ...],
    language: tuple[str, ...],
    stories: Path | None,
    models: tuple[Path, ...],
    choosers: tuple[Path, ...],
    preferences: tuple[Path, ...],
    language_model: str | None,
    embeddings: Path | None,
    seed: int,
    cache: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Score endings, and print the mean of each score and system.

    ENDINGS are tables of endings, or CSV, Parquet or JSON Lines files with columns case_id, system and ending. The
    first ending of a system for a case counts. --references is a file with columns case_id and ending, with as many
    rows a case as there are references. With the items of a study (`--cases items.parquet`) the endings in them are
    scored.

    A score that lacks something it needs does not stop the others. `denouement metrics list` says what each needs.
    """
    from denouement.metrics import METRICS
    from denouement.metrics.sections import score_blocks
    from denouement.stages.metrics import MetricsPaths, MetricsSettings, run

    if unknown := [name for name in names if name not in METRICS]:
        raise UserError(f"no score {unknown[0]!r}; there are {', '.join(METRICS)}")
    settings = MetricsSettings(
        scores=tuple(dict.fromkeys(names)),
        options=options_of(
            names or METRICS, "is not scored; name it with --score", options, "--option", "coherence.stories=1000"
        ),
        human=human,
        language_model=language_model,
        releases=release,
        splits=split,
        languages=language,
        seed=seed,
    )
    paths = MetricsPaths(
        cases, endings, references, stories, embeddings, models, choosers, preferences, cache=cache, out=out
    )
    print_result(run(settings, paths), score_blocks, as_json)


metrics.add_command(agreement)
metrics.add_command(preference)
metrics.add_command(estimate)
