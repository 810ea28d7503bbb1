"""`denouement metrics preference`. Heavy imports stay inside the command."""

from pathlib import Path

import click

from denouement.cli.options import json_option, print_result

_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("pairs", nargs=-1, required=True, type=_PATH, metavar="PAIRS...")
@click.option("--items", type=_PATH, help="Table items of the same study: the texts of the endings.")
@click.option("--scores", type=_PATH, help="Scores of the endings, as `metrics agreement` reads them.")
@click.option("--score", "names", multiple=True, help="Only this score of --scores; without it, one to work out.")
@click.option("--encoder", help="Also read sentence vectors, such as those of minilm.")
@click.option("--question", help="Which of several questions or criteria.  [default: the first]")
@click.option("--rater", "raters", multiple=True, help="A rater whose ratings count; may be repeated.")
@click.option("--without", multiple=True, help="Leave out pairs with an ending of this system; may be repeated.")
@click.option("--elements", type=_PATH, help="Table reason_elements of the same votes.")
@click.option("--test", multiple=True, type=_PATH, help="Pairs that are not learned from; may be repeated.")
@click.option("--stories", type=_PATH, help="Stories table, for scores to work out that learn from stories.")
@click.option("--language-model", help="Language model, for scores to work out that ask one.")
@click.option("--folds", type=click.IntRange(3), default=5, show_default=True, help="Of the cross-validation.")
@click.option("--draws", type=click.IntRange(100), default=1000, show_default=True, help="Of stories, for intervals.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Seed of both.")
@click.option("--out", type=_PATH, help="Also write the model, which `metrics score --preference` reads.")
@json_option
def preference(
    pairs: tuple[Path, ...],
    items: Path | None,
    scores: Path | None,
    names: tuple[str, ...],
    encoder: str | None,
    question: str | None,
    raters: tuple[str, ...],
    without: tuple[str, ...],
    elements: Path | None,
    test: tuple[Path, ...],
    stories: Path | None,
    language_model: str | None,
    folds: int,
    draws: int,
    seed: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Learn which of two endings people prefer, and say how often the model is right.

    PAIRS is a table votes or rankings of a study, ratings that `metrics agreement` reads, or files with columns
    context, chosen and rejected. The model reads --scores of the endings, or those that --score names, and the
    vectors of --encoder; where none is named, the length and MiniLM's vectors of the texts.

    Every story is judged by a model that learned from other stories. docs/preference.md says what is worked out.
    """
    from denouement.metrics.preference.learning import PreferenceSettings
    from denouement.metrics.preference.run import PreferencePaths, run
    from denouement.metrics.preference.sections import preference_blocks

    found = run(
        PreferencePaths(pairs, items, scores, elements, test, stories, out),
        PreferenceSettings(folds, draws, seed),
        names,
        encoder,
        question,
        raters,
        without,
        language_model,
    )
    print_result(found, preference_blocks, as_json)
