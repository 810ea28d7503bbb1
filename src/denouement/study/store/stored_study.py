"""A study, or a collection, in the memory of the store, and the orders that are drawn for each person."""

import hashlib
import hmac
import math
import random
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any, Literal

from denouement.study.design.campaign import Campaign
from denouement.study.design.description import Design
from denouement.study.design.items import Item
from denouement.study.design.share import with_checks
from denouement.study.store.records import Assignment


@dataclass(frozen=True)
class StoredCampaign:
    """What was read from the database of a study or of a collection; an edit of its texts makes it be read again.

    Attributes:
        id: the id of its row.
        salt: a secret, from which the hashed ids and all that is drawn for a person are made.
    """

    id: int
    name: str
    design: Campaign
    salt: str

    @property
    def lease(self) -> timedelta:
        """How long an item is kept for one person."""
        return timedelta(minutes=self.design.lease_minutes)

    @property
    def first_state(self) -> Literal["training", "answering"]:
        """The state of a person who has consented and replied to the questions before."""
        return "answering"

    def may_see_more(self, answered: int) -> bool:
        """Whether a person who answered so many items may get another."""
        return True

    def hashed(self, text: str) -> str:
        """A salted hash of an id: HMAC-SHA-256, its first 64 bits."""
        return keyed_hash(self.salt, text)[:16]

    def logged(self, annotator_id: str) -> str:
        """A person's id as the log has it: never the one that another service, such as Prolific, knows."""
        is_own = self.design.hash_ids or self.design.entry.kind == "links"
        return annotator_id if is_own else self.hashed(annotator_id)


@dataclass(frozen=True)
class StoredStudy(StoredCampaign):
    """A study. Its items never change.

    Attributes:
        items: by the ids of their rows, in the order in which they were made.
    """

    design: Design
    items: dict[int, Item]

    @cached_property
    def n_training(self) -> int:
        """How many practice items there are."""
        return sum(item.is_training for item in self.items.values())

    @property
    def first_state(self) -> Literal["training", "answering"]:
        """The state of a person who has consented and replied to the questions before."""
        return "training" if self.n_training else "answering"

    @cached_property
    def most_items(self) -> int:
        """How many items a person may see at most, checks included.

        A person sees one of several items of the same texts.
        """
        checks = sum(item.is_check for item in self.items.values())
        judged = len({item.content for item in self.items.values() if not (item.is_check or item.is_training)})
        seen = with_checks(self.design, judged, checks)
        return min(seen, self.design.max_items_per_person or seen)

    def may_see_more(self, answered: int) -> bool:
        """Whether a person who answered so many items may get another."""
        most = self.design.max_items_per_person
        return most is None or answered < most

    def is_check_due(self, annotator_id: str, served: int) -> bool:
        """Whether a person who got `served` items so far gets a check next.

        Checks are spread evenly, from a beginning drawn for the person: among any n items in a row, n times the rate
        are checks, rounded up or down.
        """
        rate = self.design.checks.rate
        start = self._generator("checks", annotator_id).random()
        return math.floor(start + (served + 1) * rate) > math.floor(start + served * rate)

    def drawn_order(self, annotator_id: str, item: Item, is_turned: bool | None = None) -> list[int]:
        """The order of an item's texts on this person's page, drawn from all; sentences never keep their own order.

        Args:
            annotator_id: the person.
            item: the item.
            is_turned: of a pair, whether the second ending comes first; None draws it.
        """
        if is_turned is not None:
            return [1, 0] if is_turned else [0, 1]
        generator = self._generator("order", annotator_id, item.id)
        places = list(range(len(item.sentences if item.kind == "order" else item.endings)))
        own = list(places)
        generator.shuffle(places)
        while item.kind == "order" and places == own and len(places) > 1:
            generator.shuffle(places)
        return places

    def assignment(self, row: Any, answered: int) -> Assignment:
        """The assignment of a row of `assignments`."""
        return Assignment(
            id=row.token,
            item=self.items[row.item_id],
            order=tuple(row.shown),
            started_at=row.started_at,
            expires_at=row.expires_at,
            number=answered + 1,
            of=self.most_items,
        )

    def _generator(self, *parts: str) -> random.Random:
        return random.Random(keyed_hash(self.salt, "\0".join(parts)))  # noqa: S311 (seeded by a secret)


def keyed_hash(salt: str, text: str) -> str:
    """HMAC-SHA-256 in hexadecimal."""
    return hmac.new(salt.encode(), text.encode(), hashlib.sha256).hexdigest()


def could_be_id(text: str) -> bool:
    """Whether `text`, which came from outside, can be an id, key or token; if not, it is not looked up."""
    return 0 < len(text) <= 128 and text.isascii() and text.isprintable()


def item_row(study_id: int, design: Design, item: Item, number: int, drawn: int) -> dict[str, Any]:
    """The row of an item in the table `items`."""
    role = "check" if item.is_check else "training" if item.is_training else "judge"
    return {
        "study_id": study_id,
        "item_id": item.id,
        "role": role,
        "number": number,
        "drawn": drawn,
        "content": item.content,
        "case_id": item.case_id,
        "context": list(item.context),
        "systems": list(item.systems),
        "endings": list(item.endings),
        "expected": item.expected,
        "wanted": design.answers_per_item if role == "judge" else None,
        "taken": 0,
        "accepted": 0,
    }


def item_of(row: Any, design: Design) -> Item:
    """The item of such a row."""
    return Item(
        id=row.item_id,
        case_id=row.case_id,
        kind=design.kind,
        context=tuple(row.context),
        systems=tuple(row.systems),
        endings=tuple(row.endings),
        is_check=row.role == "check",
        is_training=row.role == "training",
        expected=row.expected,
    )
