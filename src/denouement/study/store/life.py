"""The life of a study: paused, closed, open again; edited, copied, exported, deleted."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import astuple, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from denouement.errors import UserError
from denouement.study.design.names import study_name_mistakes
from denouement.study.design.reading import to_json
from denouement.study.store.answering import Answering, flags_of
from denouement.study.store.base import moment
from denouement.study.store.leases import make_whole
from denouement.study.store.log import By, note
from denouement.study.store.models import metadata, studies
from denouement.study.store.records import Answer, Flag, Reply, StudyState
from denouement.study.store.replies import replies_to
from denouement.study.store.studies import Studies

_DONE: dict[StudyState, str] = {"open": "reopened", "paused": "paused", "closed": "closed"}


class Life(Studies, Answering):
    """What may be done to a study once it is made. Its items and questions never change."""

    def state(self, study: str) -> StudyState:
        """Whether the study is open, paused or closed."""
        of = self._campaign(study)
        with self._reading() as connection:
            state: StudyState = connection.scalars(sa.select(studies.c.state).where(studies.c.id == of.id)).one()
        return state

    def set_state(self, study: str, state: StudyState, by: By = "command", now: datetime | None = None) -> None:
        """Pause, close or reopen a study.

        In a paused study nobody gets a new item; in a closed one nobody comes in either. Answers to open leases are
        accepted in both, also of people who left the page a moment before.

        Raises:
            UserError: the study is in this state already.
        """
        of = self._campaign(study)
        at = moment(now)

        def job(connection: sa.Connection) -> None:
            if connection.scalar(sa.select(studies.c.state).where(studies.c.id == of.id)) == state:
                raise UserError(f"study {study}: is {state} already")
            connection.execute(studies.update().where(studies.c.id == of.id).values(state=state))
            if state != "open":
                make_whole(connection, of, at)
            note(connection, of, at, by, _DONE[state])

        self._write(job)

    def edit(
        self,
        study: str,
        title: str | None = None,
        contact: str | None = None,
        max_items_per_person: int | None = None,
        by: By = "command",
        now: datetime | None = None,
    ) -> None:
        """Change what may change while a study runs; None leaves a value as it is.

        Raises:
            UserError: a value that a study's file may not have.
        """
        given = {"title": title, "contact": contact, "max_items_per_person": max_items_per_person}
        changed: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        at = moment(now)

        def job(connection: sa.Connection) -> None:
            of = self._study(study, connection)
            design = replace(of.design, **changed)
            mistakes = [mistake.text for mistake in design.mistakes() if set(mistake.keys) & set(changed)]
            if mistakes:
                raise UserError("; ".join(mistakes))
            new = {"design": to_json(design), "edition": studies.c.edition + 1}
            connection.execute(studies.update().where(studies.c.id == of.id).values(**new))
            note(connection, of, at, by, "edited", detail=json.dumps(changed, ensure_ascii=False))

        self._write(job)

    def copy(self, study: str, name: str, by: By = "command", now: datetime | None = None) -> None:
        """Make a study of the same design and items under another name: without answers, with links and ids of its own.

        Raises:
            UserError: a name that no study may have, or that one has.
        """
        of = self._study(study)
        if mistakes := [mistake.text for mistake in study_name_mistakes(name)]:
            raise UserError("; ".join(mistakes))
        self.create(replace(of.design, name=name), list(of.items.values()), now, by, copy_of=study)

    def exported(self, study: str, answers: Sequence[Answer], by: By = "command", now: datetime | None = None) -> None:
        """Keep that these answers, the result of `answers`, were exported, so that the study may be deleted later."""
        of = self._study(study)
        at = moment(now)

        def job(connection: sa.Connection) -> None:
            digest = _digest(answers, replies_to(connection, of), flags_of(connection, of))
            connection.execute(studies.update().where(studies.c.id == of.id).values(exported=digest))
            note(connection, of, at, by, "exported", detail=f"{len(answers)} answers")

        self._write(job)

    def delete(self, study: str, without_export: bool = False) -> None:
        """Delete a study with all that the store has of it; SQLite overwrites it.

        Args:
            study: its name.
            without_export: whether its answers may be lost.

        Raises:
            UserError: it is not closed, or the last export lacks an answer or has it with another status.
        """
        of = self._study(study)

        def job(connection: sa.Connection) -> None:
            row = connection.execute(sa.select(studies).where(studies.c.id == of.id)).one()
            if row.state != "closed":
                raise UserError(f"study {study}: is {row.state}; close it first")
            answers = self._answers(connection, of)
            replies, flags = replies_to(connection, of), flags_of(connection, of)
            has_any = answers or replies or flags
            if has_any and not without_export and row.exported != _digest(answers, replies, flags):
                had = "its answers are in no export" if row.exported is None else "its answers changed since the export"
                raise UserError(f"study {study}: {had}; export it first, or say that they may be lost")
            for table in reversed(metadata.sorted_tables):
                if "study_id" in table.c:
                    connection.execute(table.delete().where(table.c.study_id == of.id))
            connection.execute(studies.delete().where(studies.c.id == of.id))

        self._write(job)
        self._forget()


def _digest(answers: Sequence[Answer], replies: Sequence[Reply], flags: Sequence[Flag]) -> str:
    """A digest of what the answers say, of their statuses, and of what people replied, skipped and reported."""
    rows: list[tuple[object, ...]] = sorted(
        (
            each.item.id,
            each.annotator_id,
            each.status,
            each.submitted_at.isoformat(),
            sorted(each.answers.items()),
            sorted(each.values.items()),
            each.arranged,
            each.reason or "",
            each.elements,
            [astuple(mark) for mark in each.highlights or ()],
        )
        for each in answers
    )
    rows += [astuple(each) for each in replies]
    rows += [(each.item.id, each.annotator_id, each.kind, each.text) for each in flags]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()
