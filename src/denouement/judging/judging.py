"""A judge's answers as rows of the table `votes`, marked as a model's, and what says whose they are."""

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa

from denouement.answers import JUDGE_KEY, as_metadata
from denouement.errors import UserError
from denouement.judging.judges import Judge, LocalJudge, ServedJudge
from denouement.judging.prompts import prompt_digest
from denouement.judging.questions import ORDERS, PairAsked, Questionnaire, items_digest, pairs_asked
from denouement.judging.settings import JudgeSettings
from denouement.legible import printed
from denouement.schemas import MODEL, TABLES, read_schema, table_name, write_table


@dataclass(frozen=True)
class JudgeRecord:
    """Whose answers a table holds; it is in the metadata of the table.

    Attributes:
        study: the study.
        judge: what the annotators' ids begin with: a digest of the model, how it is asked and the prompt.
        model: its name.
        address: of the endpoint; empty for a model on this computer.
        identity: hex SHA-256 of the model and how it is asked.
        prompt: hex SHA-256 of what the prompts of all pairs have in common.
        temperature: 0 where the likeliest answer was taken.
        options: the answers to choose from.
        items: hex SHA-256 of the texts that were judged.
        unreadable: answers that could not be read, which are not in the table.
    """

    study: str
    judge: str
    model: str
    address: str
    identity: str
    prompt: str
    temperature: float
    options: tuple[str, ...]
    items: str
    unreadable: int


@dataclass(frozen=True)
class Judged:
    """What a judge answered.

    Attributes:
        record: whose answers they are.
        pairs: how many there are, checks included.
        answers: how many of the two of each pair and question could be read; the table has a row for each.
        asked_again: how many could not be read at first.
        half: pairs of which one order alone could be read, for a question.
        answered: how many were asked for in this run.
        kept: how many were there from before.
        told: the same in words; of a served model with the tokens, and with the cost where prices are set.
    """

    record: JudgeRecord
    pairs: int
    answers: int
    asked_again: int
    half: int
    answered: int
    kept: int
    told: str


def judge_of(settings: JudgeSettings) -> Judge:
    """The judge of these settings; a model on this computer is loaded when it is asked.

    Raises:
        UserError: no such model, or a served one without a name.
    """
    return ServedJudge(settings) if settings.base_url else LocalJudge(settings)


def judge_id(judge: Judge, questionnaire: Questionnaire) -> str:
    """What the annotators' ids of a judge begin with: other models, settings or prompts have other ones."""
    digest = sha256(f"{judge.identity} {prompt_digest(questionnaire)}".encode()).hexdigest()
    return f"model-{digest[:12]}"


def check_out(out: Path, judge: Judge, questionnaire: Questionnaire) -> None:
    """Refuse to write over a file that holds anything but answers of this judge in this study."""
    if not out.exists():
        return
    record = judge_record(out) if table_name(out) == "votes" else None
    if record is None:
        raise UserError(f"{out}: is there already, and holds no answers of a judge; name another file")
    if (record.study, record.judge) != (questionnaire.study, judge_id(judge, questionnaire)):
        raise UserError(
            f"{out}: holds answers of another judge: study {record.study}, model {record.model}, {record.judge}; "
            "another model, setting, prompt or study needs a file of its own"
        )


def judge_items(
    judge: Judge, items: pa.Table, questionnaire: Questionnaire, out: Path, limit: int | None = None
) -> Judged:
    """Ask a judge about the items of a study in both orders, and write its answers as a table `votes`.

    The answers are kept one by one in the judge's cache; the table is written at the end, and again the same where all
    answers are kept.

    Args:
        judge: the judge.
        items: the table `items`.
        questionnaire: what the study asks.
        out: the table to write.
        limit: as of `questions.pairs_asked`.

    Raises:
        UserError: no pair, a file that is not of this judge, no answer that can be read, or as `Judge.replies`.
    """
    check_out(out, judge, questionnaire)
    pairs = list(pairs_asked(items, questionnaire, limit))
    if not pairs:
        raise UserError(f"study {questionnaire.study}: its items hold no pair of endings")
    found = judge.replies(pairs, questionnaire)
    judge_name = judge_id(judge, questionnaire)
    rows = [
        _row(pair, reply.answer, reply.reason, f"{judge_name}-{pair.order}")
        for pair, reply in zip(pairs, found.replies, strict=True)
        if reply is not None
    ]
    if not rows:
        raise UserError(f"{judge.name}: none of its {len(pairs):,} answers can be read; try another model or prompt")
    record = JudgeRecord(
        study=questionnaire.study,
        judge=judge_name,
        model=judge.name,
        address=judge.settings.base_url,
        identity=judge.identity,
        prompt=prompt_digest(questionnaire),
        temperature=judge.settings.temperature,
        options=questionnaire.options,
        items=items_digest(items, {(row["study"], row["item_id"]) for row in rows}),
        unreadable=found.replies.count(None),
    )
    asked = {questionnaire.study: dict(questionnaire.questions)}
    write_table(
        pa.Table.from_pylist(rows, TABLES["votes"].schema), out, "votes", {**as_metadata(asked), **as_entry(record)}
    )
    both = {(row["item_id"], row["question"], row["annotator_id"]) for row in rows}
    keys = {(item, question) for item, question, _ in both}
    half = sum(sum((*key, f"{judge_name}-{order}") in both for order in ORDERS) == 1 for key in keys)
    return Judged(
        record=record,
        pairs=len({pair.item_id for pair in pairs}),
        answers=len(rows),
        asked_again=found.asked_again,
        half=half,
        answered=judge.tally.asked,
        kept=judge.tally.kept,
        told=judge.told,
    )


def as_entry(record: JudgeRecord) -> dict[str, str]:
    """The record as an entry of a table's metadata."""
    return {JUDGE_KEY: json.dumps(asdict(record), ensure_ascii=False, sort_keys=True)}


def judge_record(path: Path) -> JudgeRecord | None:
    """Whose answers the table `votes` at this path holds; None where no judge wrote it.

    Raises:
        UserError: as `schemas.read_schema`, or a damaged record.
    """
    from pydantic import TypeAdapter, ValidationError

    entry = (read_schema(path, "votes").metadata or {}).get(JUDGE_KEY.encode())
    if entry is None:
        return None
    try:
        return TypeAdapter(JudgeRecord).validate_json(entry)
    except ValidationError as error:
        raise UserError(f"{path}: what it says of its judge is damaged; run the judge again") from error


def _row(pair: PairAsked, answer: str, reason: str | None, annotator: str) -> dict[str, Any]:
    """The row of an answer; it has no times, so that the same answers give the same bytes."""
    return {
        "study": pair.study,
        "item_id": pair.item_id,
        "case_id": pair.case_id,
        "annotator_id": annotator,
        "position_a": pair.systems[0],
        "position_b": pair.systems[1],
        "question": pair.question,
        "answer": answer,
        "strength": None,
        "choice": {"A": pair.systems[0], "B": pair.systems[1]}.get(answer, answer),
        "reason": reason and printed(reason),
        "elements": None,
        "is_check": pair.is_check,
        "status": "accepted",
        "started_at": None,
        "submitted_at": None,
        "kind": MODEL,
    }
