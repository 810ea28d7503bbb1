"""Is the order of sentences the order of events? Mostafazadeh et al. 2016, section 3.3, Table 3."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis.columns import read_columns
from denouement.answers import counted
from denouement.errors import UserError
from denouement.schemas import shortened

ORDER_COLUMNS = {"story": "story", "order": "order"}
TLINK_COLUMNS = {"first": "first_sentence", "second": "second_sentence", "relation": "relation"}
"""By role the column that has it."""

Orderings = Sequence[tuple[str, tuple[int, ...]]]
"""A story's id, and for each place the sentence put there, from 0 in the story's own order."""

_FORWARD, _BACKWARD = {"before", "ibefore"}, {"after", "iafter"}


def orderings(orders: pa.Table) -> Orderings:
    """The accepted orderings of the table `orders`, without attention checks."""
    accepted = counted(orders)
    stories = pc.binary_join_element_wise(accepted["study"], accepted["item_id"], "/").to_pylist()
    return [(story, tuple(order)) for story, order in zip(stories, accepted["order"].to_pylist(), strict=True)]


def read_orderings(path: Path, columns: Mapping[str, str]) -> Orderings:
    """Orderings from a CSV file with a row for each person and story; `order` such as `1 3 2 4 5`: the sentence at each
    place.

    Raises:
        UserError: no such file or column, a row without a story, or an order that is not each number from 1 once; it
            names the line.
    """
    found = []
    for row in read_columns(path, ORDER_COLUMNS | dict(columns), ORDER_COLUMNS):
        if not row["story"]:
            raise UserError(f"{path}: line {row['line']}: no story; leave the row out or name its story")
        numbers = re.split("[ ,-]+", row["order"])
        if sorted(numbers) != sorted(map(str, range(1, len(numbers) + 1))):
            shown = shortened([repr(row["order"])])
            raise UserError(f"{path}: line {row['line']}: order {shown} must hold each number from 1 once")
        found.append((row["story"], tuple(int(number) - 1 for number in numbers)))
    return found


@dataclass(frozen=True)
class OrderStatistics:
    """Table 3: how far `orderings` of the shuffled sentences of `stories` agree with the stories' own order.

    Shares are from 0 to 1, None without an ordering.

    Attributes:
        majority: the share of stories whose own order more than half of the people gave.
        perfect: the share of orderings that are the story's own.
        near: the share of those with at most one sentence out of its place, the others following each other rightly.
        by_place: for each place of a story the share of orderings with the right sentence there.
    """

    stories: int
    orderings: int
    majority: float | None
    perfect: float | None
    near: float | None
    by_place: tuple[float, ...]


@dataclass(frozen=True)
class RelationCount:
    """How many links have a relation, and which share of all links that is."""

    n: int
    share: float


@dataclass(frozen=True)
class TlinkStatistics:
    """Section 3.3: whether temporal links between events agree with the order of sentences.

    Attributes:
        links: how many there are.
        relations: by relation, in lower case, the most frequent first.
        between: links between two sentences; of these `ordered` say before or after, and `agreeing` agree.
        agreeing_share, agreeing_share_of_ordered: of `between` and of `ordered`, from 0 to 1; None where there is none.
    """

    links: int
    relations: Mapping[str, RelationCount]
    between: int
    ordered: int
    agreeing: int
    agreeing_share: float | None
    agreeing_share_of_ordered: float | None


def order_statistics(given: Orderings) -> OrderStatistics:
    """The values of Table 3.

    >>> found = order_statistics([("a", (0, 1, 2)), ("a", (0, 1, 2)), ("b", (1, 0, 2))])
    >>> found.majority, round(found.perfect, 3), found.near
    (0.5, 0.667, 1.0)
    """
    n = len(given)
    by_story: dict[str, list[bool]] = {}
    right: Counter[int] = Counter()
    of_place: Counter[int] = Counter()
    near = 0
    for story, order in given:
        by_story.setdefault(story, []).append(order == tuple(sorted(order)))
        near += _longest_rising(order) >= len(order) - 1
        for place, sentence in enumerate(order):
            of_place[place] += 1
            right[place] += place == sentence
    return OrderStatistics(
        stories=len(by_story),
        orderings=n,
        majority=_share(sum(2 * sum(perfect) > len(perfect) for perfect in by_story.values()), len(by_story)),
        perfect=_share(sum(map(sum, by_story.values())), n),
        near=_share(near, n),
        by_place=tuple(right[place] / of_place[place] for place in sorted(of_place)),
    )


def tlink_statistics(path: Path, columns: Mapping[str, str]) -> TlinkStatistics:
    """Temporal links between events, from a CSV file with a row a link: the sentences (from 1) and the relation.

    Sentence order agrees with a link when the sentence of the earlier event comes first. Links within a sentence say
    nothing of it. The paper does not say which links its 55% is a share of. Two shares are given here: of all links
    between two sentences, where one without an order (`simultaneous`, `includes`, ...) does not agree, and of the
    ordered links.

    Raises:
        UserError: no such file or column, or a sentence that is no whole number from 1; it names the line.
    """
    rows = read_columns(path, TLINK_COLUMNS | dict(columns), TLINK_COLUMNS)
    relations: Counter[str] = Counter()
    between = ordered = agreeing = 0
    for row in rows:
        relation = row["relation"].lower()
        if not relation:
            raise UserError(f"{path}: line {row['line']}: no relation; name one, such as BEFORE")
        relations[relation] += 1
        first, second = (_sentence(path, row, role) for role in ("first", "second"))
        if first == second:
            continue
        between += 1
        ordered += relation in _FORWARD | _BACKWARD
        agreeing += relation in (_FORWARD if first < second else _BACKWARD)
    by_frequency = sorted(relations.items(), key=lambda item: (-item[1], item[0]))
    return TlinkStatistics(
        links=len(rows),
        relations={name: RelationCount(n, n / len(rows)) for name, n in by_frequency},
        between=between,
        ordered=ordered,
        agreeing=agreeing,
        agreeing_share=_share(agreeing, between),
        agreeing_share_of_ordered=_share(agreeing, ordered),
    )


def _share(count: int, n: int) -> float | None:
    return count / n if n else None


def _longest_rising(order: Sequence[int]) -> int:
    """The length of the longest rising subsequence."""
    lengths: list[int] = []
    for place, item in enumerate(order):
        before = [length for other, length in zip(order[:place], lengths, strict=True) if other < item]
        lengths.append(1 + max(before, default=0))
    return max(lengths, default=0)


def _sentence(path: Path, row: Mapping[str, str], role: str) -> int:
    text = row[role]
    if not re.fullmatch("[1-9][0-9]{0,5}", text):
        shown = shortened([repr(text)])
        raise UserError(f"{path}: line {row['line']}: {role} sentence {shown} is no whole number from 1; correct it")
    return int(text)
