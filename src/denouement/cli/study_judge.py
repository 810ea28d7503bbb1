"""`denouement study judge` and `denouement study judged`. Heavy imports stay inside the commands."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from denouement.cli.options import json_option, named_values, print_result
from denouement.cli.study_store import is_study, opened_store, store_option
from denouement.errors import UserError
from denouement.files import check_output, existing_file

if TYPE_CHECKING:  # heavy
    import pyarrow as pa

    from denouement.judging.questions import Questionnaire
    from denouement.study.design.questions import Choices


@click.command()
@click.argument("what", metavar="STUDY|VOTES")
@click.option("--items", type=click.Path(path_type=Path), help="Items table of a file of votes: stories and endings.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Votes table of the judge to write.")
@click.option("--model", default="smollm2", show_default=True, help="Folder, GGUF file, smollm2, or a server's name.")
@click.option("--base-url", default="", metavar="URL", help="OpenAI-compatible endpoint; without it, local.")
@click.option(
    "--api",
    type=click.Choice(["chat", "completions"]),
    default="chat",
    show_default=True,
    help="Of a served model: messages, or a text that it continues.",
)
@click.option("--key-variable", default="OPENAI_API_KEY", show_default=True, help="Environment variable with the key.")
@click.option("--temperature", type=float, default=0.0, show_default=True, help="Of a served model.")
@click.option("--most-tokens", type=int, default=200, show_default=True, help="Of an answer with its reason.")
@click.option(
    "--token-limit",
    type=click.Choice(["max_tokens", "max_completion_tokens"]),
    default="max_tokens",
    show_default=True,
    help="What the server calls that limit.",
)
@click.option("--again", type=int, default=1, show_default=True, help="How often to ask again for what cannot be read.")
@click.option("--requests", type=int, default=4, show_default=True, help="Sent to a server at the same time.")
@click.option("--timeout", type=float, default=60.0, show_default=True, help="Seconds to wait for a server.")
@click.option("--retries", type=int, default=5, show_default=True, help="Where a server is busy or cannot be reached.")
@click.option(
    "--weights",
    type=click.Choice(["float32", "bfloat16"]),
    default="float32",
    show_default=True,
    help="Of a local model, in memory.",
)
@click.option("--cache", type=click.Path(path_type=Path), help="File of answers.  [default: in the user's caches]")
@click.option("--price-prompt", type=float, help="Of a million tokens of prompts, to say what it cost.")
@click.option("--price-completion", type=float, help="Of a million tokens of answers.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N pairs, to try.")
@click.option("--study", "name", help="Which study, where a file of votes holds several.")
@click.option(
    "--choices",
    type=click.Choice(["ties", "forced"]),
    help="What people chose from, in a file.  [default: ties]",
)
@click.option("--words", multiple=True, metavar="NAME=TEXT", help="What was asked, where a file of votes does not say.")
@store_option
@json_option
def judge(
    what: str,
    items: Path | None,
    out: Path,
    limit: int | None,
    name: str | None,
    choices: "Choices | None",
    words: tuple[str, ...],
    url: str,
    as_json: bool,
    cache: Path | None,
    **settings: object,
) -> None:
    """Have a language model answer a study.

    STUDY is a study of the store; VOTES a table of votes, exported or imported, whose items are given with --items.

    The model is asked the study's question about each pair in both orders, and why. Its answers are rows of a table of
    votes whose kind is model, which no other command counts as people's. A run that was stopped goes on where it was.
    docs/judging.md says what the model reads.
    """
    from denouement.judging.judging import judge_items, judge_of
    from denouement.judging.sections import judged_blocks
    from denouement.judging.settings import JudgeSettings

    check_output(out, [path for path in (items, None if is_study(what) else Path(what)) if path])
    if is_study(what):
        of_files = {"--items": items, "--study": name, "--choices": choices, "--words": words}
        if given := [option for option, value in of_files.items() if value]:
            raise UserError(f"{given[0]}: is for a file of votes; the store has it of its studies")
        shown, questionnaire = _of_store(what, url)
    else:
        asked = named_values("--words", words, "better=TEXT")
        shown, questionnaire = _of_files(Path(what), items, name, choices or "ties", asked)
    try:
        chosen = JudgeSettings(cache=str(cache) if cache else None, **settings)  # type: ignore[arg-type]
    except ValueError as error:
        setting, _, problem = str(error).partition(": ")
        raise UserError(f"--{setting.replace('_', '-')}: {problem}") from error
    found = judge_items(judge_of(chosen), shown, questionnaire, out, limit)
    people = f"{what} --items {items}" if items else what
    print_result(found, lambda result: judged_blocks(result, str(out), people), as_json)


def _of_store(study: str, url: str) -> "tuple[pa.Table, Questionnaire]":
    from denouement.judging.questions import of_design
    from denouement.study.store.export import items_table

    store = opened_store(url, make=False)
    return items_table(study, store.items(study)), of_design(store.design(study))


def _of_files(
    path: Path, items: Path | None, study: str | None, choices: "Choices", words: dict[str, str]
) -> "tuple[pa.Table, Questionnaire]":
    from denouement.judging.questions import of_votes

    votes, shown = _votes_and_items(path, items)
    return shown, of_votes(votes, study, choices, words)


def _votes_and_items(path: Path, items: Path | None) -> "tuple[pa.Table, pa.Table]":
    """People's votes in a file, and the items that they are about."""
    from denouement.answers import read_votes
    from denouement.schemas import read_table

    votes = read_votes(existing_file(path))
    if items is None:
        raise UserError(f"{path}: has no stories and endings; give the items table with --items")
    return votes, read_table(items, "items")


@click.command()
@click.argument("judge", type=click.Path(path_type=Path))
@click.argument("people", metavar="STUDY|VOTES")
@click.option("--items", type=click.Path(path_type=Path), help="Items table of a file of votes: stories and endings.")
@click.option("--question", help="Which of several questions.  [default: the first]")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the page, the chart and the JSON document.")
@store_option
@json_option
def judged(
    judge: Path, people: str, items: Path | None, question: str | None, out: Path | None, url: str, as_json: bool
) -> None:
    """Hold a judge against the people who answered.

    JUDGE is a table that `denouement study judge` wrote; STUDY a study of the store, VOTES a table of people's votes.

    It says how often the order of the endings changes the judge's answer, how far it agrees with people beside how far
    one of them agrees with the others, and whether it leans towards what stands first, is longer or happier.
    """
    from denouement.judging.comparing import judge_report
    from denouement.judging.judging import judge_record
    from denouement.judging.output import FILES, write_judge_report
    from denouement.judging.sections import judge_sections
    from denouement.present.sections import Block, Paragraph
    from denouement.schemas import read_table

    read = [path for path in (judge, items, None if is_study(people) else Path(people)) if path]
    for path in [out / name for name in FILES] if out else []:
        check_output(path, read)
    record = judge_record(judge)
    if record is None:
        raise UserError(f"{judge}: was not written by `denouement study judge`, so it is not known who answered")
    if is_study(people):
        if items:
            raise UserError("--items: is for a file of votes; the store has the items of its studies")
        from denouement.study.store.export import answers_and_items

        if people != record.study:
            raise UserError(f"{judge}: is of study {record.study}, not {people}")
        votes, shown = answers_and_items(opened_store(url, make=False), people)
    else:
        votes, shown = _votes_and_items(Path(people), items)
    found = judge_report(record, read_table(judge, "votes"), votes, shown, question)
    if out:
        write_judge_report(out, found)
    written: list[Block] = [Paragraph(f"The page, the chart and the JSON document: {out}")] if out else []
    print_result(found, lambda result: [*judge_sections(result), *written], as_json)
