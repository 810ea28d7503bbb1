"""`denouement reasons`: the reasons that annotators gave. Heavy imports stay inside the commands."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from denouement.cli.options import json_option, print_result
from denouement.console import print_json, warn
from denouement.errors import UserError
from denouement.files import check_output
from denouement.study.reasons import ELEMENTS

if TYPE_CHECKING:  # heavy
    import pyarrow as pa


def _common(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        json_option,
        click.option("--out", type=click.Path(path_type=Path), help="Also write the rows to this Parquet file."),
        click.option("--cache", type=click.Path(path_type=Path), help="Parquet file that keeps parses."),
        click.argument("votes", type=click.Path(path_type=Path)),
    ):
        command = option(command)
    return command


def _rules(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--rules", "rules_file", type=click.Path(path_type=Path), help="Rules (YAML) in place of this package's."
    )(command)


@click.group()
def reasons() -> None:
    """Read the reasons that annotators gave: frequent words, topics, and what mattered to them.

    VOTES is a votes table. Accepted answers with a reason in English are read; attention checks are not.
    """


@reasons.command()
@_common
@click.option("--top", type=click.IntRange(min=1), default=20, show_default=True, help="Words to print and to draw.")
@click.option("--figure", type=click.Path(path_type=Path), help="Draw them to this SVG or PNG file.")
def words(votes: Path, cache: Path | None, out: Path | None, as_json: bool, top: int, figure: Path | None) -> None:
    """Count the words of reasons.

    Prepared as in Mori et al. 2019 (A.4); --figure draws their Figure 2.
    """
    if figure and figure.suffix not in (".svg", ".png"):
        raise UserError(f"{figure}: name a figure .svg or .png")
    _check_outputs((out, figure), (votes,))
    from denouement.charts.output import save
    from denouement.schemas import write_table
    from denouement.study.reasons.sections import word_blocks
    from denouement.study.reasons.words import most_frequent, word_chart, word_frequencies, word_table

    texts, strange = _content_words(votes, cache)
    words = word_frequencies(texts)
    if not words:
        raise UserError(f"{votes}: no reason has a noun, adjective, verb or adverb")
    if out:
        write_table(word_table(words), out, "reason_words")
    if figure and (chart := word_chart(words[:top], len(texts))):
        save(chart, figure)
    print_result(most_frequent(len(texts), words, top, strange), word_blocks, as_json)


@reasons.command()
@_common
@click.option(
    "--topics", "n_topics", type=click.IntRange(min=1), default=5, show_default=True, help="Number of topics."
)
@click.option(
    "--words", "n_words", type=click.IntRange(min=1), default=10, show_default=True, help="Words shown for each topic."
)
@click.option(
    "--min-reasons",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    help="Leave out words that are in fewer reasons.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Seed of the model.")
def topics(
    votes: Path,
    cache: Path | None,
    out: Path | None,
    as_json: bool,
    n_topics: int,
    n_words: int,
    min_reasons: int,
    seed: int,
) -> None:
    """Find topics by latent Dirichlet allocation.

    As Mori et al. 2019 (4.4) tried; with the topics' coherence.
    """
    _check_outputs((out,), (votes,))
    from denouement.schemas import write_table
    from denouement.study.reasons.sections import topic_blocks
    from denouement.study.reasons.topics import TopicSettings, find_topics, topic_table

    settings = TopicSettings(topics=n_topics, words=n_words, min_reasons=min_reasons, seed=seed)
    texts, strange = _content_words(votes, cache)
    found = replace(find_topics(texts, settings), not_english=strange)
    if out:
        write_table(topic_table(found), out, "reason_topics")
    print_result(found, topic_blocks, as_json)


@reasons.command()
@_common
@_rules
@click.option(
    "--labels",
    "labels_file",
    type=click.Path(path_type=Path),
    help="Measure the rules on the labels of this CSV file.  [default: 98 labelled reasons of the paper]",
)
def elements(
    votes: Path,
    cache: Path | None,
    out: Path | None,
    as_json: bool,
    rules_file: Path | None,
    labels_file: Path | None,
) -> None:
    """Count what mattered: logic, emotion, ...

    Rules tag each reason with any of logic, relevance, emotion, morality, common sense and grammar. Printed are how
    often each is named, what is named together, and what those who named it chose.

    Where some of the reasons were labelled, it also prints how well the rules agree with the labels.
    """
    _check_outputs((out,), (votes, rules_file, labels_file))
    from denouement.schemas import write_table
    from denouement.study.reasons.elements import elements_summary, read_labels
    from denouement.study.reasons.sections import element_blocks

    labels = read_labels(labels_file)
    table, tags = _tagged(votes, cache, rules_file)
    if out:
        write_table(tags, out, "reason_elements")
    print_result(elements_summary(table, tags, labels), element_blocks, as_json)


@reasons.command()
@_common
@_rules
@click.option("--element", "names", multiple=True, type=click.Choice(ELEMENTS), help="Only this; may be repeated.")
@click.option("-n", "count", type=click.IntRange(min=1), default=5, show_default=True, help="Reasons for each element.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Seed of the draw.")
def examples(
    votes: Path,
    cache: Path | None,
    out: Path | None,
    as_json: bool,
    rules_file: Path | None,
    names: tuple[str, ...],
    count: int,
    seed: int,
) -> None:
    """Show reasons that name each element.

    They are drawn by the seed, and printed with what was chosen and the words that the rule matched.
    """
    _check_outputs((out,), (votes, rules_file))
    from denouement.present.terminal import show
    from denouement.schemas import write_table
    from denouement.study.reasons.examples import draw_examples
    from denouement.study.reasons.sections import example_blocks
    from denouement.study.reasons.written import not_english

    table, tags = _tagged(votes, cache, rules_file)
    if strange := not_english(table):
        warn(f"{strange:,} reasons do not look English and are left out")
    drawn = draw_examples(tags, list(dict.fromkeys(names)) or ELEMENTS, count, seed)
    if out:
        write_table(drawn, out, "reason_elements")
    print_json(drawn.to_pylist()) if as_json else show(example_blocks(drawn))


@reasons.command()
@click.argument("highlights", type=click.Path(path_type=Path))
@click.option("--top", type=click.IntRange(min=1), default=10, show_default=True, help="Words of each text.")
@json_option
def highlights(highlights: Path, top: int, as_json: bool) -> None:
    """Count the words that people marked in stories and endings.

    HIGHLIGHTS is a table `highlights` of a study whose reasons ask for marked words. Marks of accepted answers are
    read, by the system that wrote the ending.
    """
    from denouement.schemas import read_table
    from denouement.study.reasons.highlights import most_marked
    from denouement.study.reasons.sections import highlight_blocks

    print_result(most_marked(read_table(highlights, "highlights"), top), highlight_blocks, as_json)


def _check_outputs(outputs: Iterable[Path | None], read: Iterable[Path | None]) -> None:
    for path in filter(None, outputs):
        check_output(path, filter(None, read))


def _content_words(votes: Path, cache: Path | None) -> tuple[list[list[str]], int]:
    """The words of each reason in English, and how many reasons are not in English."""
    from denouement.answers import read_votes
    from denouement.study.reasons.words import content_words
    from denouement.study.reasons.written import not_english, written_reasons

    table = read_votes(votes)
    return content_words(written_reasons(table)["reason"].to_pylist(), cache), not_english(table)


def _tagged(votes: Path, cache: Path | None, rules_file: Path | None) -> tuple["pa.Table", "pa.Table"]:
    """The votes, and the elements in their reasons."""
    from denouement.answers import read_votes
    from denouement.study.reasons.elements import tag_reasons
    from denouement.study.reasons.rules import read_rules

    rules = read_rules(rules_file)
    table = read_votes(votes)
    return table, tag_reasons(table, rules, cache)
