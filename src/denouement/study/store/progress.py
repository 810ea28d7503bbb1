"""How far a study is, counted from its answers."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import median
from typing import Any

from denouement.study.store.records import (
    Answer,
    Correction,
    Flag,
    ItemProgress,
    PersonProgress,
    Progress,
    StudyState,
)
from denouement.study.store.stored_study import StoredStudy


def measure(
    study: StoredStudy,
    state: StudyState,
    people: Sequence[Any],
    leases: Sequence[Any],
    answers: Sequence[Answer],
    flags: Sequence[Flag] = (),
    corrections: Sequence[Correction] = (),
) -> Progress:
    """The progress of a study.

    Args:
        study: the study.
        state: its state.
        people: the rows of its annotators.
        leases: the open ones: the ids of the rows of the item and of the annotator.
        answers: all answers of the study.
        flags: all its skips and reported problems.
        corrections: all its answers that were corrected later.
    """
    held = Counter[int](lease.item_id for lease in leases)
    holders = {lease.annotator_id for lease in leases}
    noted = _Noted(flags, corrections)
    by_person: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_person[answer.annotator_id].append(answer)
    seconds: dict[str, list[float]] = defaultdict(list)  # of the answers to each item that count
    for answer in answers:
        if answer.status == "accepted" and not answer.item.is_check:
            seconds[answer.item.id].append(answer.seconds)
    statuses = Counter(answer.status for answer in answers if not answer.item.is_check)
    rows = tuple(
        ItemProgress(
            item.id,
            item.case_id,
            item.systems,
            len(seconds[item.id]),
            held[row],
            _median(seconds[item.id]),
            noted.of_items["skip", item.id],
            noted.of_items["flag", item.id],
        )
        for row, item in study.items.items()
        if not (item.is_check or item.is_training)
    )
    k = study.design.answers_per_item
    return Progress(
        study=study.name,
        state=state,
        items=rows,
        people=tuple(
            _person_progress(person, by_person[person.annotator_id], person.pk in holders, noted) for person in people
        ),
        wanted=k * len(rows),
        accepted=statuses["accepted"],
        complete=sum(row.accepted >= k for row in rows),
        open=sum(row.open for row in rows),
        surplus=statuses["surplus"],
        excluded=statuses["excluded"],
        median_seconds=_median([each for of_item in seconds.values() for each in of_item]),
        skipped=sum(row.skipped for row in rows),
        flagged=sum(row.flagged for row in rows),
        corrected=sum(not each.item.is_check for each in corrections),
    )


class _Noted:
    """How many skips (`skip`), reported problems (`flag`) and corrections (`correction`) items and people have."""

    def __init__(self, flags: Sequence[Flag], corrections: Sequence[Correction]) -> None:
        all_noted = [(each.kind, each) for each in flags] + [("correction", each) for each in corrections]
        self.of_items = Counter((kind, each.item.id) for kind, each in all_noted)
        self.of_people = Counter((kind, each.annotator_id) for kind, each in all_noted)


def _person_progress(person: Any, answers: Sequence[Answer], is_holding: bool, noted: _Noted) -> PersonProgress:
    checks = [answer for answer in answers if answer.item.is_check]
    judged = [answer for answer in answers if not answer.item.is_check]
    return PersonProgress(
        annotator_id=person.annotator_id,
        state=person.state,
        answered=len(judged),
        checks=len(checks),
        checks_failed=sum(not answer.is_right for answer in checks),
        surplus=sum(answer.status == "surplus" for answer in judged),
        median_seconds=_median([answer.seconds for answer in judged]),
        last_seen_at=person.seen_at,
        is_holding=is_holding,
        excluded_because=person.excluded_because or "",
        skipped=noted.of_people["skip", person.annotator_id],
        flagged=noted.of_people["flag", person.annotator_id],
        corrected=noted.of_people["correction", person.annotator_id],
    )


def _median(seconds: Sequence[float]) -> float | None:
    return median(seconds) if seconds else None
