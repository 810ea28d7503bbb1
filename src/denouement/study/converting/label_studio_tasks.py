"""Tasks of Label Studio with their annotations (labelstud.io/guide/task_format), to look at or to go on with there."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from denouement.answers import counted
from denouement.errors import UserError
from denouement.study.converting.questions import one_question

CONFIG = """\
<View>
  <Text name="context" value="$context"/>
  <Text name="ending_a" value="$ending_a"/>
  <Text name="ending_b" value="$ending_b"/>
  <Choices name="answer" toName="context" required="true">
    <Choice value="A"/><Choice value="B"/><Choice value="both"/><Choice value="neither"/>
  </Choices>
  <TextArea name="reason" toName="context"/>
</View>
"""
"""The labelling interface for which the tasks are written."""


@dataclass(frozen=True)
class LabelStudioTasks:
    """Tasks, and what is not among them.

    Attributes:
        tasks: a task an item, in the order of the items.
        answers: the annotations in them.
        without_item: answers that count, whose item is not in the table of items.
    """

    tasks: list[dict[str, Any]]
    answers: int
    without_item: int


def label_studio_tasks(votes: pa.Table, items: pa.Table, question: str | None = None) -> LabelStudioTasks:
    """The items with their accepted answers, without attention checks.

    In a task the ending of the item's first system is A for everybody, so an answer is written for the side on which
    its ending is there, and not for that on which the person saw it.

    Raises:
        UserError: no item of the votes is among the items, or as `one_question`.
    """
    accepted = one_question(counted(votes), question)
    by_item: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in accepted.to_pylist():
        by_item.setdefault((row["study"], row["item_id"]), []).append(row)
    tasks = []
    answers = 0
    for item in items.to_pylist():
        if item["kind"] != "pair" or item["is_check"] or item["is_training"]:
            continue
        its = by_item.get((item["study"], item["item_id"]), [])
        answers += len(its)
        first, second = item["systems"]
        data = {
            "study": item["study"],
            "item_id": item["item_id"],
            "case_id": item["case_id"],
            "context": " ".join(item["context"]),
            "ending_a": item["endings"][0],
            "ending_b": item["endings"][1],
            "system_a": first,
            "system_b": second,
        }
        tasks.append({"data": data, "annotations": [_annotation(row, (first, second)) for row in its]})
    if accepted.num_rows and not answers:
        raise UserError("items: none of the items that were answered is in this table; give that of the same study")
    return LabelStudioTasks(tasks, answers, accepted.num_rows - answers)


def tasks_json(found: LabelStudioTasks) -> str:
    """The tasks as the JSON that Label Studio imports."""
    return json.dumps(found.tasks, ensure_ascii=False, indent=1) + "\n"


def _annotation(row: Mapping[str, Any], systems: tuple[str, str]) -> dict[str, Any]:
    said = {systems[0]: "A", systems[1]: "B"}.get(row["choice"], row["choice"])
    result: list[dict[str, Any]] = [
        {"from_name": "answer", "to_name": "context", "type": "choices", "value": {"choices": [said]}}
    ]
    if row["reason"]:
        result.append(
            {"from_name": "reason", "to_name": "context", "type": "textarea", "value": {"text": [row["reason"]]}}
        )
    made: dict[str, Any] = {"completed_by": {"email": row["annotator_id"]}, "was_cancelled": False, "result": result}
    if row["submitted_at"] is not None:
        made["created_at"] = made["updated_at"] = row["submitted_at"].isoformat()
        if row["started_at"] is not None:
            made["lead_time"] = max(0.0, (row["submitted_at"] - row["started_at"]).total_seconds())
    return made
