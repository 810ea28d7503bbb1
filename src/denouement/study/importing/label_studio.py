"""Label Studio's export `JSON` (labelstud.io/guide/task_format): a list of tasks, each with its annotations."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from denouement.errors import UserError
from denouement.study.importing.answers import digest, moment
from denouement.study.importing.jsonl import texts_of
from denouement.study.importing.records import Loaded, Record

STUDY = "label_studio"

_SIDES = {"left": "A", "right": "B"}


def is_export(found: Sequence[tuple[int, Mapping[str, Any]]]) -> bool:
    """Whether these are tasks with annotations, or the flat records of `JSON-MIN`."""
    return bool(found) and all(
        (isinstance(task.get("data"), dict) and isinstance(task.get("annotations"), list)) or _is_min(task)
        for _, task in found
    )


def _is_min(task: Mapping[str, Any]) -> bool:
    return {"annotation_id", "annotator", "lead_time"} <= set(task)


def load_tasks(path: Path, label: str, found: Sequence[tuple[int, Mapping[str, Any]]]) -> Loaded:
    """A record an annotation: `data` is what was shown, each result's value what was answered, by its `from_name`.

    Of a result of type `pairwise`, `left` is A and `right` B; where `to_name` names the two texts as `data` does, the
    first of them is the left one. `updated_at` is when the annotation was submitted; `lead_time` seconds before, it was
    begun. An annotation that was cancelled is not used; one that is marked as ground truth has the right answer.

    Args:
        path: the file.
        label: what messages call it.
        found: its tasks, each with its place.

    Raises:
        UserError: the format `JSON-MIN`, which does not separate what was shown from what was answered.
    """
    if any(_is_min(task) for _, task in found):
        raise UserError(
            f"{path}: Label Studio's JSON-MIN does not separate what was shown from what was answered; export it as "
            "JSON"
        )
    file = Loaded(path, label, shown_as="field of data", given_as="result")
    for place, task in found:
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
    """What a result says: the side of `pairwise`, labels of `choices`, the text of `textarea`, all of another."""
    if "selected" in value:
        return {name: _SIDES.get(str(value["selected"]), str(value["selected"]))}
    if isinstance(value.get("choices"), list):
        return {name: "|".join(map(str, value["choices"]))}
    if "text" in value:
        texts = value["text"] if isinstance(value["text"], list) else [value["text"]]
        return {name: "\n".join(map(str, texts)).strip()}
    return texts_of(value, name)
