"""The store: its rules are in `docs/study.md`, *Leases and late answers*."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from denouement.errors import UserError
from denouement.study.design import Design
from denouement.study.items import Item
from denouement.study.store.records import Annotator, Answer, Assignment, Outcome, Progress


class StoreUnavailableError(UserError):
    """The database cannot be reached or written to now; nothing was changed, or at least nothing was confirmed."""


def open_store(url: str) -> "Store":
    """The store at a database URL, `sqlite:///FILE` or `postgresql+psycopg://USER:PASSWORD@HOST/NAME`.

    Its tables are made, or brought to this version's form.

    Raises:
        UserError: no such database, no database of studies, one of a newer version.
    """
    raise NotImplementedError


class Store:
    """Studies, people, leases and answers. Every method may be called from any thread; `now` is the clock, for tests.

    An outcome that a method returned is on the disk. All methods raise `StoreUnavailableError` when the database does
    not answer, and UserError for a study that is not there.
    """

    def close(self) -> None:
        """Let the database go. Nothing is lost without it."""
        raise NotImplementedError

    def create(self, design: Design, items: Sequence[Item]) -> None:
        """Add a study with its items, and its private links where people come in by those.

        Raises:
            UserError: a study of this name is there.
        """
        raise NotImplementedError

    def studies(self) -> list[str]:
        """The names of the studies, the oldest first."""
        raise NotImplementedError

    def design(self, study: str) -> Design:
        """The design of a study."""
        raise NotImplementedError

    def items(self, study: str) -> list[Item]:
        """All items of a study, in the order they were created with, checks and training item included."""
        raise NotImplementedError

    def training_item(self, study: str) -> Item | None:
        """The training item of a study, if it has one. Its endings are shown as they stand: A is the first."""
        raise NotImplementedError

    def links(self, study: str) -> list[str]:
        """The tokens of a study's private links: secret, one a person. Empty in another mode of entry."""
        raise NotImplementedError

    def annotator_id(self, study: str, external_id: str) -> str:
        """How the person with this external id is called in the tables: to find a Prolific participant's answers."""
        raise NotImplementedError

    def enter(
        self, study: str, external_id: str, entry: Mapping[str, str] | None = None, now: datetime | None = None
    ) -> Annotator | None:
        """The person with this external id: a new one, or the one who came before, whatever their state.

        Args:
            study: its name.
            external_id: the link's token (`links`), the browser's own random id (`open`), or PROLIFIC_PID.
            entry: what else came with the address, such as STUDY_ID and SESSION_ID; kept from the first time, hashed
                like the id.
            now: the time.

        Returns:
            None where people come in by private links and this is the token of none, or for an id that is empty, longer
            than 128 characters or not printable.
        """
        raise NotImplementedError

    def annotator(self, key: str) -> Annotator | None:
        """The person whose secret key this is."""
        raise NotImplementedError

    def consent(self, key: str, now: datetime | None = None) -> Annotator:
        """From `consenting` to `training` or `answering`; in any other state nothing changes. All such steps return
        the person as they now are, and raise UserError for a key that is no one's.
        """
        raise NotImplementedError

    def decline(self, key: str, now: datetime | None = None) -> Annotator:
        """From `consenting` to `screened_out`."""
        raise NotImplementedError

    def passed_training(self, key: str, now: datetime | None = None) -> Annotator:
        """From `training` to `answering`."""
        raise NotImplementedError

    def failed_training(self, key: str, now: datetime | None = None) -> Annotator:
        """Count a wrong answer to the training item: `screened_out` after as many as the design allows."""
        raise NotImplementedError

    def next(self, key: str, now: datetime | None = None) -> Assignment | None:
        """What this person is to answer: the item they hold already (reload, two tabs), or a newly leased one.

        Returns:
            None before consent and training, after leaving, and when there is nothing for this person at present: their
            state is `done` then, and `answering` again once this returns an item.
        """
        raise NotImplementedError

    def submit(
        self,
        key: str,
        assignment_id: str,
        answer: str | None = None,
        reason: str | None = None,
        values: Mapping[str, int] | None = None,
        order: Sequence[int] | None = None,
        now: datetime | None = None,
    ) -> Outcome:
        """Keep an answer; it is on the disk when this returns.

        Args:
            key: of the person.
            assignment_id: that `next` gave to this person.
            answer: of a pair: A, B, both or neither, by the sides of the page.
            reason: why; as long as the design asks.
            values: of a rating: a whole number for each scale's name.
            order: of an order: the places on the page (from 0) of the sentences, as they should follow each other.
            now: the time.
        """
        raise NotImplementedError

    def withdraw(self, key: str, now: datetime | None = None) -> int:
        """Delete a person's answers and what came with their entry, and free their items. The number of answers."""
        raise NotImplementedError

    def exclude(self, study: str, annotator_id: str, now: datetime | None = None) -> int:
        """Mark a person's answers excluded and reopen their items. The number of answers.

        Raises:
            UserError: no such person.
        """
        raise NotImplementedError

    def progress(self, study: str, now: datetime | None = None) -> Progress:
        """How far a study is."""
        raise NotImplementedError

    def answers(self, study: str) -> list[Answer]:
        """All answers, by item and annotator; those of checks too."""
        raise NotImplementedError
