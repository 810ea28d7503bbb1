"""The people of a study, with the times of what they did."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from denouement.study.store.base import StoreBase
from denouement.study.store.models import annotators
from denouement.study.store.records import State


@dataclass(frozen=True)
class Participant:
    """A person who came to a study.

    Attributes:
        entry: what their address said when they came, such as STUDY_ID; hashed unless the study says otherwise.
        consented_at: None where they did not agree, or did so before the store kept it.
    """

    annotator_id: str
    state: State
    excluded_because: str | None
    entry: Mapping[str, str]
    entered_at: datetime
    consented_at: datetime | None
    last_seen_at: datetime


class Roster(StoreBase):
    """Lists people."""

    def people(self, study: str) -> list[Participant]:
        """All people who came to a study, in the order in which they came."""
        of = self._campaign(study)
        with self._reading() as connection:
            rows = connection.execute(
                sa.select(annotators).where(annotators.c.study_id == of.id).order_by(annotators.c.id)
            ).all()
        return [
            Participant(
                row.annotator_id,
                row.state,
                row.excluded_because,
                row.entry,
                row.entered_at,
                row.consented_at,
                row.seen_at,
            )
            for row in rows
        ]
