"""Making any number of stories and Story Cloze cases, drawn from the story grammar.

A checksum of a context's letters (the first four sentences) decides whether it belongs to the stories or to the cases,
which get one in ten. Seed and number do not matter, so the context of a case is never that of a story.
"""

import itertools
import random
import uuid
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from denouement.corpus.sample.grammar import SENTENCES, Branch, Filling, branches, render, render_title, scenarios
from denouement.errors import UserError

_KEPT_FOR_CASES = 10  # one context in so many


@dataclass(frozen=True)
class Story:
    """A story of five sentences, and the scenario and branch it was made from."""

    story_id: str
    title: str
    sentences: tuple[str, ...]
    scenario: str
    branch: str


@dataclass(frozen=True)
class Case:
    """A Story Cloze case: four sentences, two endings, and which of them is right (1 or 2)."""

    case_id: str
    context: tuple[str, ...]
    endings: tuple[str, str]
    right_ending: int
    scenario: str
    branch: str


def stories(n: int, seed: int) -> Iterator[Story]:
    """`n` different stories, equally many of every branch; they are also the first ones for every larger `n`.

    Raises:
        UserError: `n` is below 1 or above `most_stories()`.
    """
    _check(n, most_stories(), "stories")
    rng = random.Random(f"stories {seed}")  # noqa: S311 - a corpus, not a secret
    return (
        Story(
            _identifier(rng),
            render_title(rng.choice(branch.titles), values),
            (*context, render(rng.choice(branch.sentences[-1]), values)),
            branch.scenario,
            branch.name,
        )
        for branch, values, context in itertools.islice(_contexts(rng, for_cases=False), n)
    )


def cloze_cases(n: int, seed: int) -> Iterator[Case]:
    """`n` cases with different contexts; the wrong ending is that of another branch with the same slots.

    In each successive pair of cases one has its right ending first, so that sides are balanced; chance decides which.

    Raises:
        UserError: `n` is below 1 or above `most_cases()`.
    """
    _check(n, most_cases(), "cases")
    rng = random.Random(f"cases {seed}")  # noqa: S311
    return (
        _case(branch, values, context, right, rng)
        for (branch, values, context), right in zip(
            itertools.islice(_contexts(rng, for_cases=True), n), _sides(rng), strict=False
        )
    )


def most_stories() -> int:
    """The largest allowed number of stories: every branch gives equally many, at most half of its contexts.

    Each context is used once; the limit of half of them keeps the search for an unused one short.
    """
    return _smallest() // 2 * len(branches())


def most_cases() -> int:
    """The largest allowed number of cases: half of the contexts that are reserved for them."""
    return _smallest() // (2 * _KEPT_FOR_CASES) * len(branches())


def possible_stories() -> int:
    """How many different stories the grammar can make."""
    return sum(branch.count() for branch in branches())


def _check(n: int, most: int, what: str) -> None:
    """Raise a UserError unless `n` of `what` can be made."""
    if not 1 <= n <= most:
        raise UserError(f"cannot make {n} sample {what}: ask for 1 to {most}")


def _contexts(rng: random.Random, for_cases: bool) -> Iterator[tuple[Branch, Filling, tuple[str, ...]]]:
    """New contexts without end, the branches in turn, in an order that is drawn again for each round."""
    used: set[tuple[str, ...]] = set()
    while True:
        for branch in rng.sample(branches(), len(branches())):
            values, context = _tell(branch, rng)
            while context in used or _kept_for_cases(context) != for_cases:
                values, context = _tell(branch, rng)
            used.add(context)
            yield branch, values, context


def _case(branch: Branch, values: Filling, context: tuple[str, ...], right_ending: int, rng: random.Random) -> Case:
    sibling = rng.choice([other for other in scenarios()[branch.scenario] if other is not branch])
    right, wrong = (render(rng.choice(teller.sentences[-1]), values) for teller in (branch, sibling))
    endings = (right, wrong) if right_ending == 1 else (wrong, right)
    return Case(_identifier(rng), context, endings, right_ending, branch.scenario, branch.name)


def _sides(rng: random.Random) -> Iterator[int]:
    """1 and 2 without end, in pairs whose order is drawn."""
    while True:
        yield from rng.sample((1, 2), 2)


def _tell(branch: Branch, rng: random.Random) -> tuple[Filling, tuple[str, ...]]:
    values = branch.fill(rng)
    return values, tuple(render(rng.choice(phrasings), values) for phrasings in branch.sentences[:-1])


def _kept_for_cases(context: Sequence[str]) -> bool:
    letters = "".join(filter(str.isalnum, "".join(context).casefold()))
    return zlib.crc32(letters.encode()) % _KEPT_FOR_CASES == 0


def _smallest() -> int:
    return min(branch.count(SENTENCES - 1) for branch in branches())


def _identifier(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))
