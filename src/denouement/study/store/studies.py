"""Studies in the store: how they are made, what they ask, and whether they have an item for who comes."""

import math
import random
import secrets
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from denouement.errors import UserError
from denouement.study.design.description import Design
from denouement.study.design.items import Item
from denouement.study.design.reading import to_json
from denouement.study.store.base import StoreBase, moment
from denouement.study.store.leases import LACKS_ANSWER, open_leases
from denouement.study.store.links import make_links
from denouement.study.store.log import By, note
from denouement.study.store.models import STUDY, items, studies
from denouement.study.store.records import Outlook
from denouement.study.store.stored_study import item_row

_UNFINISHED = sa.select(items.c.id, items.c.wanted, items.c.accepted).where(
    items.c.study_id == sa.bindparam("study"), items.c.role == "judge", LACKS_ANSWER
)


class Studies(StoreBase):
    """Studies, their designs and items."""

    def create(
        self,
        design: Design,
        study_items: Sequence[Item],
        now: datetime | None = None,
        by: By = "command",
        copy_of: str | None = None,
    ) -> None:
        """Add a study with its items, and with private links where people enter by such.

        Args:
            design: what it asks.
            study_items: its items.
            now: the time.
            by: who makes it, for the log.
            copy_of: the study of which it is a copy, for the log.

        Raises:
            UserError: the store has a study of this name.
            ValueError: there are no items.
        """
        if not study_items:
            raise ValueError("a study without items")
        at = moment(now)
        salt = secrets.token_hex(32)
        drawn = list(range(len(study_items)))
        random.Random(salt).shuffle(drawn)  # noqa: S311 (seeded by a secret)

        def job(connection: sa.Connection) -> None:
            if connection.scalar(sa.select(studies.c.id).where(studies.c.name == design.name)):
                raise UserError(f"name: {design.name} is in the store already; give this study another name")
            made = studies.insert().values(name=design.name, design=to_json(design), salt=salt, created_at=at)
            study_id = _new_id(connection.execute(made))
            rows = zip(study_items, drawn, strict=True)
            connection.execute(
                items.insert(),
                [item_row(study_id, design, item, number, place) for number, (item, place) in enumerate(rows)],
            )
            make_links(connection, study_id, design.entry.links or 0)
            made_of = f"a copy of {copy_of}" if copy_of else None
            note(connection, self._study(design.name, connection), at, by, "created", detail=made_of)

        self._write(job)

    def studies(self) -> list[str]:
        """The names of the studies, the oldest first."""
        with self._reading() as connection:
            names = sa.select(studies.c.name).where(studies.c.kind == STUDY).order_by(studies.c.id)
            return list(connection.scalars(names))

    def design(self, study: str) -> Design:
        """The design of a study."""
        return self._study(study).design

    def items(self, study: str) -> list[Item]:
        """All items of a study, checks and training item included, in the order that `create` got them in."""
        return list(self._study(study).items.values())

    def training_items(self, study: str) -> list[Item]:
        """The practice items of a study, in their order."""
        return [item for item in self.items(study) if item.is_training]

    def training_order(self, study: str, annotator_id: str, place: int = 0) -> list[int]:
        """The order of the texts of the practice item at `place` on a person's page, of the form of `Assignment.order`.

        Raises:
            IndexError: the study has no practice item at this place.
        """
        return self._study(study).drawn_order(annotator_id, self.training_items(study)[place])

    def outlook(self, study: str, now: datetime | None = None) -> Outlook:
        """What a person finds who comes to the study now."""
        of = self._study(study)
        at = moment(now)
        with self._reading() as connection:
            state = connection.scalars(sa.select(studies.c.state).where(studies.c.id == of.id)).one()
            if state != "open":
                return Outlook(state)
            rows = connection.execute(_UNFINISHED, {"study": of.id}).all()
            leases = connection.execute(open_leases(of, at)).all() if rows else []
        held = Counter(lease.item_id for lease in leases)
        if not rows:
            return Outlook("full")
        if any(row.accepted + held[row.id] < row.wanted for row in rows):
            return Outlook("free")
        ends = min(lease.expires_at for lease in leases if lease.item_id in {row.id for row in rows})
        return Outlook("busy", math.ceil((ends - at) / timedelta(minutes=1)))

    def most_items(self, study: str) -> int:
        """How many items a person may see at most, checks included."""
        return self._study(study).most_items


def _new_id(result: sa.CursorResult[Any]) -> int:
    return int(result.inserted_primary_key[0])  # type: ignore[index]
