"""Battles between two models, as LMArena publishes them: two conversations about one prompt, and which model won."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from denouement.study.importing.answers import digest
from denouement.study.importing.records import JsonObjects, Loaded, Record, Source

_COLUMNS = {"model_a", "model_b", "winner", "conversation_a", "conversation_b"}
_WINNERS = {"model_a": "A", "model_b": "B", "tie": "both", "tie (bothbad)": "neither", "both_bad": "neither"}


def is_battles(found: JsonObjects) -> bool:
    """Whether these are battles."""
    return bool(found) and all(set(battle) >= _COLUMNS for _, battle in found)


def is_table(names: Sequence[str]) -> bool:
    """Whether these are the columns of a table of battles, in which conversations are JSON."""
    return set(names) >= _COLUMNS


def load_battles(source: Source) -> Loaded:
    """Each battle as a record: the prompt is the context, the two replies are the endings, the judge is the annotator.

    `tie` is both and `tie (bothbad)` neither. Not used are battles of several turns, since in these the two models saw
    different conversations.
    """
    file = Loaded(source, shown_as="column", given_as="column")
    battles: JsonObjects = source.found.objects or list(file.rows())
    if source.found.objects:
        file.counts["rows"] += len(battles)
    for place, battle in battles:
        try:
            file.records.append(_record(place, battle))
        except ValueError as error:
            file.refuse(place, str(error))
    return file


def _record(place: int, battle: Mapping[str, Any]) -> Record:
    """The record of a battle.

    Raises:
        ValueError: it is none, with the reason.
    """
    (prompt, a), (other, b) = (_exchange(battle[f"conversation_{side}"]) for side in "ab")
    if prompt != other:
        raise ValueError("the two models got different prompts")
    winner = str(battle["winner"]).strip()
    if winner not in _WINNERS:
        raise ValueError(f"winner is '{winner[:40]}', not {', '.join(_WINNERS)}")
    judge = str(battle.get("judge") or "").strip()
    shown = {
        "prompt": prompt,
        "ending_a": a,
        "ending_b": b,
        "model_a": str(battle["model_a"]).strip(),
        "model_b": str(battle["model_b"]).strip(),
    }
    return Record(
        line=place,
        id=digest(str(battle.get("question_id") or ""), shown, judge),
        shown=shown,
        given={"winner": _WINNERS[winner]},
        annotator=judge,
        submitted_at=_time(battle.get("tstamp")),
    )


def _exchange(conversation: Any) -> tuple[str, str]:
    """The prompt and the reply of a conversation.

    Raises:
        ValueError: it is no conversation of one turn.
    """
    if isinstance(conversation, str):
        try:
            conversation = json.loads(conversation)
        except (ValueError, RecursionError) as error:
            raise ValueError("a conversation is not JSON") from error
    turns = conversation if isinstance(conversation, list) else []
    if not all(isinstance(turn, dict) and isinstance(turn.get("content"), str) for turn in turns):
        raise ValueError("a conversation is no list of messages with a role and a content")
    if [turn.get("role") for turn in turns] != ["user", "assistant"]:
        raise ValueError("not one prompt and one reply: in several turns the models saw different conversations")
    return turns[0]["content"].strip(), turns[1]["content"].strip()


def _time(seconds: Any) -> datetime | None:
    """The time of seconds since 1970."""
    try:
        return datetime.fromtimestamp(float(seconds), UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None
