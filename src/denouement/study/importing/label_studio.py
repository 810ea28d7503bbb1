"""Label Studio's export `JSON` (labelstud.io/guide/task_format): a list of tasks, each with its annotations."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from denouement.errors import UserError
from denouement.json_lines import texts_of
from denouement.study.importing.answers import digest, moment
from denouement.study.importing.records import JsonObjects, Loaded, Record, Source

_SIDES = {"left": "A", "right": "B"}


def is_export(found: JsonObjects) -> bool:
    """Whether these are tasks with annotations, or the flat records of `JSON-MIN`."""
    return bool(found) and all(
        (isinstance(task.get("data"), dict) and isinstance(task.get("annotations"), list)) or _is_min(task)
        for _, task in found
    )


def _is_min(task: Mapping[str, Any]) -> bool:
    return {"annotation_id", "annotator", "lead_time"} <= set(task)


def load_tasks(source: Source) -> Loaded:
    """Each annotation as a record: `data` is what was shown, the value of each result what was answered.

    A result is known by its `from_name`. In a result of type `pairwise`, `left` is A and `right` B; where `to_name` has
    two names of fields of `data`, the first is the left one. The annotation was submitted at `updated_at`, and begun
    `lead_time` seconds before. A cancelled annotation is not used; one marked as ground truth has the right answer.

    Raises:
        UserError: the format `JSON-MIN`, which does not separate what was shown from what was answered.
    """
    if any(_is_min(task) for _, task in source.found.objects):
        raise UserError(
            f"{source.path}: Label Studio's JSON-MIN does not separate what was shown from what was answered; export "
            "it as JSON"
        )
    file = Loaded(source, shown_as="field of data", given_as="result")
    for place, task in source.found.objects:
        shown = texts_of(task["data"])
        if "id" in task and not any(name.lower() in ("id", "case_id", "story_id", "storyid") for name in shown):
            shown["id"] = str(task["id"])
        for annotation in task["annotations"]:
            file.counts["rows"] += 1
            if not isinstance(annotation, dict) or not isinstance(annotation.get("result"), list):
                file.refuse(place, "an annotation without a list of results")
            elif annotation.get("was_cancelled"):
                file.refuse(place, "the annotator skipped the task (was_cancelled)")
            else:
                file.records.append(_record(place, shown, annotation))
    return file


def _record(place: int, shown: Mapping[str, str], annotation: Mapping[str, Any]) -> Record:
    given: dict[str, str] = {}
    sides: dict[str, str] = {}
    for result in annotation["result"]:
        if not isinstance(result, dict) or not isinstance(result.get("value"), dict):
            continue
        name = str(result.get("from_name", ""))
        given |= _given(name, result["value"])
        texts = str(result.get("to_name", "")).split(",")
        if result.get("type") == "pairwise" and len(texts) == 2 and set(texts) <= set(shown):
            sides = {"ending_a": shown[texts[0]], "ending_b": shown[texts[1]]}
    by = annotation.get("completed_by")
    who = str(by.get("email") or by.get("id") or "") if isinstance(by, dict) else "" if by is None else str(by)
    submitted = moment(str(annotation.get("updated_at") or annotation.get("created_at") or ""))
    lead = annotation.get("lead_time")
    is_timed = submitted is not None and isinstance(lead, int | float) and 0 <= lead < timedelta.max.total_seconds()
    return Record(
        line=place,
        id=digest(annotation.get("id"), shown, who),
        shown={**shown, **sides},
        given=given,
        annotator=who,
        is_truth=bool(annotation.get("ground_truth")),
        started_at=submitted - timedelta(seconds=lead) if submitted and lead is not None and is_timed else None,
        submitted_at=submitted,
        decided_at=submitted,
    )


def _given(name: str, value: Mapping[str, Any]) -> dict[str, str]:
    """The answer in a result: the side of `pairwise`, the labels of `choices`, the text of `textarea`, else all."""
    if "selected" in value:
        return {name: _SIDES.get(str(value["selected"]), str(value["selected"]))}
    if isinstance(value.get("choices"), list):
        return {name: "|".join(map(str, value["choices"]))}
    if "text" in value:
        texts = value["text"] if isinstance(value["text"], list) else [value["text"]]
        return {name: "\n".join(map(str, texts)).strip()}
    return texts_of(value, name)
