"""Argilla's `dataset.records.to_json(...)` (docs.argilla.io, `rg.Record`): a list of records with their responses."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from denouement.errors import UserError
from denouement.study.importing.answers import digest
from denouement.study.importing.jsonl import texts_of
from denouement.study.importing.records import Loaded, Record

STUDY = "argilla"

_UNFINISHED = {"draft": "a draft that was not submitted", "discarded": "the annotator discarded the record"}


def is_export(found: Sequence[tuple[int, Mapping[str, Any]]]) -> bool:
    """Whether these are records with fields and responses, nested or flattened."""
    return bool(found) and all(
        ("fields" in record and "responses" in record) or _is_flat(record) for _, record in found
    )


def _is_flat(record: Mapping[str, Any]) -> bool:
    return any(name.endswith(".responses.users") for name in record)


def load_records(path: Path, label: str, found: Sequence[tuple[int, Mapping[str, Any]]]) -> Loaded:
    """A record each user's responses to one record: fields and metadata are what was shown.

    Responses are grouped by question, each with its user. Drafts and discarded ones are not used, where the export has
    a status. The export has no times.

    Args:
        path: the file.
        label: what messages call it.
        found: its records, each with its place.

    Raises:
        UserError: records that were flattened.
    """
    if any(_is_flat(record) for _, record in found):
        raise UserError(
            f"{path}: Argilla's records, flattened; write them with dataset.records.to_json(PATH), which keeps the "
            "responses of each user together"
        )
    file = Loaded(path, label, shown_as="field or metadata", given_as="question")
    for place, record in found:
        shown = {**texts_of(record.get("metadata") or {}), **texts_of(record["fields"] or {})}
        if record.get("id") is not None:
            shown.setdefault("id", str(record["id"]))
        by_user: dict[str, dict[str, str]] = {}
        unfinished: dict[str, str] = {}
        responses = record["responses"] if isinstance(record["responses"], dict) else {}
        for question, its in responses.items():
            for response in its if isinstance(its, list) else []:
                if not isinstance(response, dict) or "value" not in response:
                    file.refuse(place, f"a response to {question} without a value")
                    continue
                user = str(response.get("user_id") or "")
                by_user.setdefault(user, {}).update(_given(str(question), response["value"]))
                if (status := str(response.get("status") or "").lower()) in _UNFINISHED:
                    unfinished[user] = _UNFINISHED[status]
        for user, given in by_user.items():
            file.counts["rows"] += 1
            if user in unfinished:
                file.refuse(place, unfinished[user])
            else:
                identity = digest(shown.get("id", shown), user)
                file.records.append(Record(place, identity, shown, given, user))
    return file


def _given(question: str, value: Any) -> dict[str, str]:
    """A response: a label or a text, several labels with `|` between them, or all of another kind."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return {question: "|".join(value)}
    return texts_of({question: value})
