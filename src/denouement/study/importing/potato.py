"""Potato (github.com/davidjurgens/potato): annotations without the texts, which are in the project's data file.

Three layouts are read: `annotations.jsonl` of `potato.export --format jsonl`, `user_state.json` of a user, and
`annotated_instances.jsonl` of versions before 2, which is in a folder with the user's name.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from denouement.errors import UserError
from denouement.json_lines import texts_of
from denouement.study.importing.answers import digest
from denouement.study.importing.records import JsonObjects, Loaded, Record, Source

_STATE = "instance_id_to_label_to_value"
_IDS = ("id", "instance_id", "item_id")
_TEXTS = ("text", "context", "story", "ending_a", "optionA", "left")
# The keys under which a schema (pairwise, scale or text) keeps its one value; other keys are labels.
_ONE_VALUE = ("", "selection", "scale_value", "text_box", "labels")


def is_annotations(found: JsonObjects) -> bool:
    """Whether these are annotations in one of the three layouts."""
    return bool(found) and all(
        {"instance_id", "user_id", "labels"} <= set(each)
        or {"id", "label_annotations"} <= set(each)
        or ("user_id" in each and _STATE in each)
        for _, each in found
    )


def is_data(found: JsonObjects) -> bool:
    """Whether this may be a project's data file: objects with an id and with texts of usual names."""
    return bool(found) and all(any(name in each for name in _IDS) and set(_TEXTS) & set(each) for _, each in found)


def data_of(source: Source) -> dict[str, dict[str, str]]:
    """The texts of a data file by the id of the instance.

    Raises:
        UserError: an id that occurs twice with different texts.
    """
    instances: dict[str, dict[str, str]] = {}
    for place, each in source.found.objects:
        key = str(next(each[name] for name in _IDS if name in each))
        texts = texts_of(each)
        if instances.setdefault(key, texts) != texts:
            raise UserError(f"{source.path}: number {place} has the id {key} of another one; give each its own")
    return instances


def load_annotations(source: Source, data: Mapping[str, Mapping[str, str]]) -> Loaded:
    """The annotation of each instance by each user, as a record.

    In `pairwise` the value of `selection` is the answer, and the rationale of the justification is the reason. Potato
    keeps no times with the answers.

    Args:
        source: the annotations.
        data: what was shown: by the id of the instance, the texts of the project's data files.

    Raises:
        UserError: no data file was given.
    """
    if not data:
        raise UserError(
            f"{source.path}: Potato's annotations have no stories and endings; name the project's data file "
            "(data_files in its configuration, as JSON or JSON Lines) too"
        )
    file = Loaded(source, shown_as="field of the data file", given_as="schema")
    for place, instance, user, labels in _annotations(file):
        file.counts["rows"] += 1
        if instance not in data:
            file.refuse(place, f"instance {instance} is in no data file")
            continue
        given = _given(labels)
        if not any(given.values()):
            file.refuse(place, f"instance {instance} was opened and not answered")
            continue
        identity = digest(instance, user)
        file.records.append(Record(place, identity, {"id": instance, **data[instance]}, given, user))
    return file


def _annotations(file: Loaded) -> Iterator[tuple[int, str, str, Any]]:
    """Place, instance, user and labels of each annotation."""
    found = file.source.found.objects
    for place, each in found:
        if _STATE in each:
            states = each[_STATE] if isinstance(each[_STATE], dict) else {}
            for instance, labels in states.items():
                yield place, str(instance), str(each["user_id"]), labels
        elif "label_annotations" in each:
            user = str(each.get("user_id") or file.source.path.resolve().parent.name)
            if "user_id" not in each and place == found[0][0]:
                file.notes.append(
                    f"{file.source.label}: names no annotator; all answers count as those of {user}, its folder's name"
                )
            yield place, str(each["id"]), user, each["label_annotations"]
        else:
            yield place, str(each["instance_id"]), str(each["user_id"]), each["labels"]


def _given(labels: Any) -> dict[str, str]:
    """The one value of a schema by `schema`; what was ticked or written under a label by `schema.label`."""
    pairs: list[tuple[str, str, Any]] = []
    if isinstance(labels, list):  # [[{"schema": ..., "name": ...}, value], ...]
        for entry in labels:
            if isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], dict):
                pairs.append((str(entry[0].get("schema", "")), str(entry[0].get("name", "")), entry[1]))
    elif isinstance(labels, dict):
        for schema, its in labels.items():
            its = its.get("labels", its) if isinstance(its, dict) else its
            pairs += (
                [(schema, str(name), value) for name, value in its.items()]
                if isinstance(its, dict)
                else [(schema, "", its)]
            )
    given: dict[str, str] = {}
    for schema, name, value in pairs:
        key = schema if name in _ONE_VALUE else f"{schema}.{name}"
        if name == "justification":
            given[key] = _rationale(value)
        elif value == name and name:  # a radio button keeps its label as its value
            given[f"{schema}.{name}"] = "true"
        else:
            given |= texts_of({key: value})
    return given


def _rationale(value: Any) -> str:
    """The text of a justification: JSON of the reasons that were ticked and the rationale that was written."""
    try:
        parsed = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return str(value).strip()
    if isinstance(parsed, dict):
        return str(parsed.get("rationale") or "").strip()
    return "" if parsed is None else str(value).strip()
