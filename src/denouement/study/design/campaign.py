"""What a study and a collection of texts have in common: how people come in, agree, and are known."""

from typing import Protocol

from denouement.study.design.ask import Ask
from denouement.study.design.entry import Entry


class Campaign(Protocol):
    """What is asked of people under one name: a study (`Design`) or a collection.

    Attributes:
        name: in its address and its tables.
        title, consent, contact: what people read.
        language: of the pages.
        entry: how people enter.
        hash_ids: whether people's ids are stored as salted hashes only.
        lease_minutes: how long an item is kept for one person.
        ask: the organiser's own questions before the first item and after the last.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def consent(self) -> str: ...  # noqa: D102
    @property
    def contact(self) -> str: ...  # noqa: D102
    @property
    def language(self) -> str: ...  # noqa: D102
    @property
    def entry(self) -> Entry: ...  # noqa: D102
    @property
    def hash_ids(self) -> bool: ...  # noqa: D102
    @property
    def lease_minutes(self) -> float: ...  # noqa: D102
    @property
    def ask(self) -> Ask: ...  # noqa: D102
