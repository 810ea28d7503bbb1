"""`denouement cloze ...`. Heavy imports stay inside the commands."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from denouement.cli.options import json_option, json_or_text, named_values, options_of, print_result
from denouement.errors import UserError

if TYPE_CHECKING:  # heavy
    from denouement.cloze.evaluation.chooser_run import Part


@click.group()
def cloze() -> None:
    """Choose among the endings of Story Cloze cases, and measure how often that is right."""


@cloze.command()
@click.option("--system", "names", multiple=True, help="A system's name, or all; may be repeated.")
@click.option("--train", type=click.Path(path_type=Path), help="Cloze table whose labels systems learn from.")
@click.option("--test", type=click.Path(path_type=Path), help="Cloze table to score.  [default: --train]")
@click.option("--release", multiple=True, help="Score only this release, such as v1.0; may be repeated.")
@click.option("--split", multiple=True, help="Score only this split, such as test; may be repeated.")
@click.option("--language", help="Score only these languages, such as en,es.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="SYSTEM.NAME=VALUE",
    help="Option of a system, such as ending_reg.order=4; may be repeated.",
)
@click.option(
    "--scores",
    multiple=True,
    type=click.Path(path_type=Path),
    help="CSV or Parquet file of scores made elsewhere, as a further system; may be repeated.",
)
@click.option("--stories", type=click.Path(path_type=Path), help="Stories table to learn from.")
@click.option("--model", "models", multiple=True, type=click.Path(path_type=Path), help="Checkpoint of a generator.")
@click.option("--language-model", help="Folder, GGUF file or name (smollm2) of a language model that systems ask.")
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
    help="Option of one of these encoders, such as infersent.vectors=FILE; may be repeated.",
)
@click.option("--word-vectors", type=click.Path(path_type=Path), help="Further word vectors, as text.")
@click.option("--corpus", "corpora", multiple=True, type=click.Path(path_type=Path), help="Further texts to count in.")
@click.option(
    "--folds", type=click.IntRange(min=2), default=10, show_default=True, help="Folds of the cross-validation."
)
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Seed of everything random."
)
@click.option("--cache", type=click.Path(path_type=Path), help="Folder that keeps parses, trained systems and scores.")
@click.option("--out", type=click.Path(path_type=Path), help="Also write all scores to this Parquet file.")
@click.option("--predictions", type=click.Path(path_type=Path), help="Folder for the shared task's CSV files.")
@json_option
def evaluate(
    names: tuple[str, ...],
    train: Path | None,
    test: Path | None,
    release: tuple[str, ...],
    split: tuple[str, ...],
    language: str | None,
    options: tuple[str, ...],
    scores: tuple[Path, ...],
    stories: Path | None,
    models: tuple[Path, ...],
    language_model: str | None,
    embeddings: Path | None,
    encoders: tuple[str, ...],
    encoder_options: tuple[str, ...],
    word_vectors: Path | None,
    corpora: tuple[Path, ...],
    folds: int,
    seed: int,
    cache: Path | None,
    out: Path | None,
    predictions: Path | None,
    as_json: bool,
) -> None:
    """Measure how often systems choose the right ending, with 95% intervals, beside the values of papers.

    Systems that learn from cases are fitted to the labelled cases of --train whose split is train or validation. Where
    the scored cases are these, they are cross-validated. Training cases, and stories, that are among the scored cases
    are left out. Blind cases get predictions and no accuracy.

    A file of --scores has the columns case_id, score_1 and score_2 (the higher, the likelier is the ending), score_3
    and so on where cases have more endings, and may have system, variant, release, split and language.

    A system that lacks something it needs, or fails, does not stop the others; where one fails, the exit status is not
    0.
    """
    from denouement.cloze.evaluation.sections import evaluation_blocks
    from denouement.stages.cloze import KINDS, ClozePaths, ClozeSettings, run

    systems = _systems(names)
    if not systems and not scores:
        raise UserError("nothing to evaluate: name systems with --system, or files of scores with --scores")
    named = "is not evaluated; name it with"
    of_encoders = options_of(
        encoders,
        f"{named} --encoder",
        encoder_options,
        "--encoder-option",
        "infersent.vectors=FILE",
        _number_or_text,
    )
    settings = ClozeSettings(
        systems=dict.fromkeys(KINDS, systems),
        options=options_of(systems, f"{named} --system", options, "--option", "ending_reg.order=4"),
        encoders={name: of_encoders.get(name, {}) for name in encoders},
        language_model=language_model,
        folds=folds,
        seed=seed,
        releases=release,
        splits=split,
        languages=_languages(language),
    )
    paths = ClozePaths(
        train=train,
        test=test,
        stories=stories,
        embeddings=embeddings,
        word_vectors=word_vectors,
        models=models,
        corpora=corpora,
        brought=scores,
        cache=cache,
        scores=out,
        predictions=predictions,
    )
    evaluation = run(settings, paths)
    print_result(evaluation.result, evaluation_blocks, as_json)
    evaluation.raise_failures()
    if not evaluation.scores.num_rows:
        raise UserError("no system has scored a case: the result says what each one lacks")


@cloze.command()
@click.option("--cases", required=True, type=click.Path(path_type=Path), help="Cloze table with labels.")
@click.option("--release", multiple=True, help="Only this release, such as v1.0; may be repeated.")
@click.option("--language", help="Only cases in these languages, such as en,es.")
@click.option("--vectors", type=click.Path(path_type=Path), help="Parquet file with columns text and vector.")
@click.option("--encoder", help="Sentence encoder to take vectors from, instead of a file.")
@json_option
def vectors(
    cases: Path,
    release: tuple[str, ...],
    language: str | None,
    vectors: Path | None,
    encoder: str | None,
    as_json: bool,
) -> None:
    """Measure how well sentence vectors predict the right ending without learning (Story Cloze Evaluator).

    The joint module compares the context's vector with each ending's; the sentence-level module goes on along the
    vectors of the context's sentences (Mostafazadeh et al. 2016). A file holds the vectors of all endings, and of all
    context sentences or whole contexts (the sentences with a blank between), or both.
    """
    if (vectors is None) == (encoder is None):
        raise UserError("give vectors with --vectors, or an encoder with --encoder, and not both")
    from denouement.cloze.evaluation.case_sets import chosen_cases, read_cases
    from denouement.cloze.evaluation.evaluator import evaluate_vectors, read_vectors, texts
    from denouement.cloze.evaluation.sections import vector_blocks

    table = chosen_cases(read_cases(cases), cases, release=release, language=_languages(language))
    wanted = texts(table)
    if vectors is not None:
        of_text: dict[str, Any] = dict(read_vectors(vectors, wanted))
    else:
        from denouement.encoders.base import load_encoder

        of_text = dict(zip(wanted, load_encoder(str(encoder)).encode(wanted), strict=True))
    print_result(evaluate_vectors(table, of_text), vector_blocks, as_json)


@cloze.command()
@click.option("--train", required=True, type=click.Path(path_type=Path), help="Cloze table with labels to learn from.")
@click.option("--language-model", required=True, help="Folder, GGUF file or name (smollm2) of a language model.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Checkpoint to write (Parquet).")
@click.option("--release", multiple=True, help="Learn only from this release, such as v1.0; may be repeated.")
@click.option("--language", help="Learn only from cases in these languages, such as en,es.")
@click.option(
    "--part",
    metavar="NUMBER/PARTS",
    help="Learn only from a part of the cases: 1/2 and 2/2 have no story in common.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Option of the system lm_pairwise, such as epochs=2; may be repeated.",
)
@click.option("--stories", type=click.Path(path_type=Path), help="Stories table, for the option pretrain.")
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Seed of everything random."
)
@click.option("--cache", type=click.Path(path_type=Path), help="Folder that keeps what pretraining learned.")
@json_option
def train(
    train: Path,
    language_model: str,
    out: Path,
    release: tuple[str, ...],
    language: str | None,
    part: str | None,
    options: tuple[str, ...],
    stories: Path | None,
    seed: int,
    cache: Path | None,
    as_json: bool,
) -> None:
    """Fine-tune a language model to choose the right ending, and write it.

    It is the system lm_pairwise, which `denouement cloze evaluate` trains anew for each fold. The checkpoint holds what
    was learned and which contexts it was learned from; it needs the same language model again.
    """
    from denouement.cloze.evaluation.case_sets import chosen_cases, read_cases
    from denouement.cloze.evaluation.chooser_run import train_chooser
    from denouement.cloze.evaluation.sections import chooser_blocks
    from denouement.cloze.resources import Resources
    from denouement.files import check_output
    from denouement.schemas import read_table

    check_output(out, [path for path in (train, stories) if path])
    resources = Resources(
        stories=read_table(stories, "stories") if stories else None,
        language_model=language_model,
        cache=cache,
        seed=seed,
    )
    named = {name: json_or_text(value) for name, value in named_values("--option", options, "epochs=2").items()}
    cases = chosen_cases(read_cases(train), train, release=release, language=_languages(language))
    result = train_chooser(cases, named, resources, out, _part(part) if part else None)
    print_result(result, chooser_blocks, as_json)


@cloze.command()
@click.argument("endings", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="ENDINGS...")
@click.option(
    "--chooser",
    required=True,
    help="Checkpoint of `cloze train`, or the folder, GGUF file or name of a language model.",
)
@click.option(
    "--cases", required=True, type=click.Path(path_type=Path), help="Cloze table with the human endings, or stories."
)
@click.option("--release", multiple=True, help="Only cases of this release, such as v1.0; may be repeated.")
@click.option("--split", multiple=True, help="Only cases of this split, such as test; may be repeated.")
@click.option("--language", help="Only cases in these languages, such as en,es.")
@click.option("--language-model", help="Where the language model of the chooser lies now.")
@json_option
def prefer(
    endings: tuple[Path, ...],
    chooser: str,
    cases: Path,
    release: tuple[str, ...],
    split: tuple[str, ...],
    language: str | None,
    language_model: str | None,
    as_json: bool,
) -> None:
    """Measure how often a chooser prefers each system's ending to the human one.

    The human ending is the right one, or the last sentence of a story; of a blind case it is the one that the chooser
    likes best. ENDINGS are tables of endings, or CSV, Parquet or JSON Lines files with columns case_id, system and
    ending. The first ending of a case counts. Cases that the chooser was trained on are refused. Where endings were
    reranked, the chooser should be another one, of other cases; the result says where it is not.
    """
    from denouement.reranking.preferred import prefer as work_out
    from denouement.reranking.sections import preference_blocks

    found = work_out(chooser, cases, endings, release, split, _languages(language), language_model)
    print_result(found, preference_blocks, as_json)


def _languages(text: str | None) -> tuple[str, ...]:
    """The languages that `--language` names, each once."""
    return tuple(dict.fromkeys(name.strip() for name in (text or "").split(",") if name.strip()))


def _part(text: str) -> "Part":
    """The part that `--part` names, such as 1/2."""
    from denouement.cloze.evaluation.chooser_run import Part

    found = re.fullmatch(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})", text, re.ASCII)
    if not found or int(found[1]) > int(found[2]) or found[2] == "1":
        raise UserError(f"--part {text}: must be like 1/2, the first of two parts")
    return Part(int(found[1]), int(found[2]))


def _systems(names: tuple[str, ...]) -> list[str]:
    """The Story Cloze systems that are named, each once; an unknown name is an error even with `all`."""
    from denouement.cloze import SYSTEMS

    if unknown := [name for name in names if name not in SYSTEMS and name != "all"]:
        raise UserError(f"no Story Cloze system {unknown[0]!r}; there are {', '.join(SYSTEMS)}, and all")
    return list(SYSTEMS) if "all" in names else list(dict.fromkeys(names))


def _number_or_text(value: str) -> int | str:
    """A whole number as such; anything else, such as the name of a file, is text."""
    return int(value) if value.isascii() and value.isdigit() else value
