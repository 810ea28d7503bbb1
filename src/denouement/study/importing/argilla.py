"""Argilla's `dataset.records.to_json(...)` (docs.argilla.io, `rg.Record`): a list of records with their responses."""

from collections.abc import Mapping
from typing import Any

from denouement.errors import UserError
from denouement.json_lines import texts_of
from denouement.study.importing.answers import digest
from denouement.study.importing.records import JsonObjects, Loaded, Record, Source

_UNFINISHED = {"draft": "a draft that was not submitted", "discarded": "the annotator discarded the record"}


def is_export(found: JsonObjects) -> bool:
    """Whether these are records with fields and responses, nested or flattened."""
    return bool(found) and all(
        ("fields" in record and "responses" in record) or _is_flat(record) for _, record in found
    )


def _is_flat(record: Mapping[str, Any]) -> bool:
    return any(name.endswith(".responses.users") for name in record)


def load_records(source: Source) -> Loaded:
    """The responses of each user to one record of Argilla, as a record; its fields and metadata are what was shown.

    Argilla groups responses by question, each with its user. Drafts and discarded responses are not used, where the
    export has a status. It has no times.

    Raises:
        UserError: records that were flattened.
    """
    if any(_is_flat(record) for _, record in source.found.objects):
        raise UserError(
            f"{source.path}: Argilla's records, flattened; write them with dataset.records.to_json(PATH), which keeps "
            "the responses of each user together"
        )
    file = Loaded(source, shown_as="field or metadata", given_as="question")
    for place, record in source.found.objects:
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
    """A response as text: a label or a text as it is, several labels with `|` between them, else each part by name."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return {question: "|".join(value)}
    return texts_of({question: value})
