"""Private links into a study, and the id in the tables of a person who enters it."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from denouement.errors import UserError
from denouement.schemas import UNNAMED_ANNOTATOR
from denouement.study.store.base import StoreBase, moment
from denouement.study.store.log import By, note
from denouement.study.store.models import annotators, links
from denouement.study.store.stored_study import StoredCampaign, could_be_id


class Links(StoreBase):
    """Private links: of studies that people enter by such, and of collections, whose reviewers do."""

    def links(self, study: str) -> list[str]:
        """The secret tokens of a study's private links, one a person; none in another kind of entry."""
        of = self._campaign(study)
        with self._reading() as connection:
            return [row.token for row in links_of(connection, of)]

    def opened_by(self, study: str) -> dict[str, str | None]:
        """By the token of each private link, the id in the tables of the person who used it; None where nobody did."""
        of = self._campaign(study)
        with self._reading() as connection:
            rows = links_of(connection, of)
            came = set(connection.scalars(sa.select(annotators.c.annotator_id).where(annotators.c.study_id == of.id)))
        called = {row.token: link_id(of, row.token, row.number) for row in rows}
        return {token: name if name in came else None for token, name in called.items()}

    def add_links(
        self,
        study: str,
        n: int,
        by: By = "command",
        now: datetime | None = None,
        steps: Sequence[str] | None = None,
    ) -> list[str]:
        """Make `n` more private links and return their tokens.

        Args:
            study: its name.
            n: how many.
            by: who does it, for the log.
            now: the time.
            steps: of a collection, those that the links lead to.

        Raises:
            UserError: people do not enter this study by private links.
        """
        of = self._campaign(study)
        if of.design.entry.kind != "links" and steps is None:
            raise UserError(f"study {study}: people come in by one link for all (entry.kind: {of.design.entry.kind})")
        at = moment(now)

        def job(connection: sa.Connection) -> list[str]:
            note(connection, of, at, by, "added links", detail=str(n))
            return make_links(connection, of.id, n, steps)

        return self._write(job)


def links_of(connection: sa.Connection, of: StoredCampaign) -> Sequence[Any]:
    """The rows of the private links of a study or collection, in the order in which they were made."""
    return connection.execute(sa.select(links).where(links.c.study_id == of.id).order_by(links.c.number)).all()


def annotator_id_of(connection: sa.Connection, study: StoredCampaign, external_id: str) -> str | None:
    """The id in the tables of the person with this external id; None for an id with which nobody can enter."""
    if not could_be_id(external_id):
        return None
    link = sa.select(links.c.number).where(links.c.study_id == study.id, links.c.token == external_id)
    number = connection.scalar(link)
    if number is not None:
        return link_id(study, external_id, number)
    if study.design.entry.kind == "links":
        return None
    if study.design.hash_ids:
        return study.hashed(external_id)
    return None if external_id.startswith(UNNAMED_ANNOTATOR) else external_id


def link_id(study: StoredCampaign, token: str, number: int) -> str:
    """The id in the tables of the person with this private link, which has this number."""
    return study.hashed(token) if study.design.hash_ids else f"link_{number}"


def make_links(connection: sa.Connection, study_id: int, n: int, steps: Sequence[str] | None = None) -> list[str]:
    """Add `n` private links after the existing ones; return their tokens."""
    last = connection.scalar(sa.select(sa.func.max(links.c.number)).where(links.c.study_id == study_id)) or 0
    tokens = [secrets.token_urlsafe(16) for _ in range(n)]
    led = None if steps is None else list(steps)
    rows = [
        {"study_id": study_id, "number": last + place, "token": token, "steps": led}
        for place, token in enumerate(tokens, 1)
    ]
    if rows:
        connection.execute(links.insert(), rows)
    return tokens
