"""Studies whose people leave: how many are filled, and what is paid for answers that do not count.

People come, agree and answer through the store's own functions, by a simulated clock. Some leave at a random point:
they close the page, which tells the server; or they return the submission, which the organiser reports up to half an
hour later; or they leave without a word, and the lease has to end; or they send one more answer after it has ended. For
each another person comes.
"""

import heapq
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import sqlalchemy as sa

from benchmarks.table import Row
from denouement.study.design.description import Design
from denouement.study.design.entry import Entry
from denouement.study.design.items import Item
from denouement.study.design.share import fair_share
from denouement.study.store import Assignment, Store, open_store

_START = datetime(2026, 1, 1, tzinfo=UTC)
_SECONDS = (10, 60)  # an answer takes
_REPORTED = (1, 30)  # minutes until the organiser reports a returned submission
_PATIENCE = timedelta(minutes=1)  # who finds every item held looks again so often
_LATE = (1, 30)  # minutes after the end of the lease
_WAYS = ("closes", "returns", "vanishes", "is late")


@dataclass(frozen=True)
class Shape:
    """A study to simulate: of so many people as many leave as `leavers` says, and each of them is replaced."""

    items: int
    answers: int
    people: int
    leavers: int

    def __str__(self) -> str:
        return f"{self.items} items, {self.answers} answers each, {self.leavers} of {self.people} people leave"


@dataclass(frozen=True)
class Simulated:
    """What came of one study.

    Attributes:
        answers: accepted answers to each item.
        surplus: answers that came too late to count.
        minutes, lost_minutes: the time of all answers, each at most a lease, and of those that do not count.
        agreed: people who agreed to take part, replacements among them.
        in_vain: people who agreed, stayed, and got no question.
    """

    answers: list[int]
    surplus: int
    minutes: float
    lost_minutes: float
    agreed: int
    in_vain: int


SHAPES = (Shape(10, 5, 5, 2), Shape(40, 3, 10, 4), Shape(50, 5, 20, 8))
STUDIES = (200, 20, 20)


@dataclass
class _Person:
    """A person, and after how many answers they leave; None: they stay."""

    name: str
    leaves_after: int | None = None
    way: str = ""
    key: str = ""
    given: int = 0
    held: Assignment | None = None


def simulate(store: Store, shape: Shape, seed: int) -> Simulated:
    """One study, until every item has its answers; who is missing at the end is recruited, too."""
    draw = random.Random(seed)  # noqa: S311
    name = f"study_{shape.items}_{seed}"
    design = Design(
        name=name,
        systems=("one", "two"),
        entry=Entry("prolific", people=shape.people),
        answers_per_item=shape.answers,
    )
    items = _items(shape.items)
    share = fair_share(design, items).each
    assert share is not None
    store.create(Design(**{**vars(design), "max_items_per_person": share}), items, now=_START)
    numbers, order = count(), count()
    waiting: list[tuple[datetime, int, _Person, str]] = []

    def plan(at: datetime, person: _Person, what: str) -> None:
        heapq.heappush(waiting, (at, next(order), person, what))

    for place in range(shape.people):
        person = _Person(f"p{next(numbers)}")
        if place < shape.leavers:
            person.leaves_after, person.way = draw.randrange(share), draw.choice(_WAYS)
        plan(_START + timedelta(seconds=draw.randrange(600)), person, "comes")
    people: list[_Person] = []
    now = _START
    while True:
        if not waiting:
            if store.outlook(name, now=now).state == "full":
                break
            plan(now + _PATIENCE, _Person(f"p{next(numbers)}"), "comes")
        now, _, person, what = heapq.heappop(waiting)
        if what == "is replaced":
            if person.way == "returns":
                store.returned(name, [person.name], now=now)
            plan(now, _Person(f"p{next(numbers)}"), "comes")
            continue
        if what == "answers late":
            assert person.held
            store.submit(person.key, person.held.id, draw.choice(("A", "B")), now=now)
            continue
        if what == "comes":
            state = store.outlook(name, now=now).state
            if state == "busy":
                plan(now + _PATIENCE, person, "comes")
            if state != "free":
                continue
            annotator = store.enter(name, person.name, now=now)
            assert annotator
            person.key = store.consent(annotator.key, now=now).key
            people.append(person)
        elif person.held:
            store.submit(person.key, person.held.id, draw.choice(("A", "B")), now=now)
            person.given += 1
        person.held = store.next(person.key, now=now)
        if person.held and person.given == person.leaves_after:
            if person.way == "closes":
                store.leave(person.key, person.held.id, now=now)
            known_after = {"closes": 1, "returns": draw.randint(*_REPORTED)}.get(person.way, design.lease_minutes)
            plan(now + timedelta(minutes=known_after), person, "is replaced")
            if person.way == "is late":
                plan(now + timedelta(minutes=known_after + draw.randint(*_LATE)), person, "answers late")
        elif person.held:
            plan(now + timedelta(seconds=draw.randint(*_SECONDS)), person, "answers")
        elif store.may_get_more(person.key):
            plan(now + _PATIENCE, person, "looks again")
    return _simulated(store, name, people)


def _simulated(store: Store, name: str, people: Sequence[_Person]) -> Simulated:
    answers = store.answers(name)
    longest = store.design(name).lease_minutes
    minutes = {id(each): min(each.seconds / 60, longest) for each in answers}
    accepted = Counter(each.item.id for each in answers if each.status == "accepted")
    return Simulated(
        answers=[accepted[item.id] for item in store.items(name)],
        surplus=sum(each.status == "surplus" for each in answers),
        minutes=sum(minutes.values()),
        lost_minutes=sum(minutes[id(each)] for each in answers if each.status != "accepted"),
        agreed=len(people),
        in_vain=sum(person.leaves_after is None and not person.given for person in people),
    )


def _items(n: int) -> list[Item]:
    return [
        Item(f"item-{i}", f"case-{i}", "pair", (f"Story {i}.", "Goes on."), ("one", "two"), (f"End {i}.", f"Fin {i}."))
        for i in range(n)
    ]


def studies(folder: Path, shape: Shape, n: int) -> list[Simulated]:
    """`n` studies in a store of their own, in which no commit waits for the disk: nothing is at stake."""
    with closing(open_store(f"sqlite:///{folder / 'studies.db'}")) as store:
        engine = store._engine
        engine.dispose()
        sa.event.listen(engine, "connect", lambda made, _: made.execute("PRAGMA synchronous = OFF"))
        return [simulate(store, shape, seed) for seed in range(n)]


def measure() -> list[Row]:
    """Of each shape: studies that are filled; answers that count of all; people who agreed, and who got a question."""
    rows = []
    for shape, n in zip(SHAPES, STUDIES, strict=True):
        with tempfile.TemporaryDirectory() as folder:
            found = studies(Path(folder), shape, n)
        filled = sum(set(each.answers) == {shape.answers} for each in found)
        counted = sum(sum(each.answers) for each in found)
        given = counted + sum(each.surplus for each in found)
        minutes = sum(each.minutes for each in found)
        useful = minutes - sum(each.lost_minutes for each in found)
        agreed = sum(each.agreed for each in found)
        served = agreed - sum(each.in_vain for each in found)
        asked = (shape.people + shape.leavers) * n
        rows += [
            Row(f"{shape}: filled", "all", filled, n, "studies", filled / n, 1),
            Row(f"{shape}: answers that count", "all", counted, given, "answers", counted / given, 0.95),
            Row(
                f"{shape}: minutes that count, a late answer as a whole lease",
                "all",
                useful,
                minutes,
                "min",
                useful / minutes,
            ),
            Row(f"{shape}: who agreed", "one a place and leaver", agreed, asked, "people", asked / agreed, 0.9),
            Row(f"{shape}: got a question", "who agreed and stayed", served, agreed, "people", served / agreed, 0.98),
        ]
    return rows
