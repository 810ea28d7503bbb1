"""Pairs of a preferred and a rejected ending, as programs for preference training (DPO) read them."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from denouement.answers import counted
from denouement.errors import UserError
from denouement.study.converting.questions import one_question

Take = Literal["majority", "unanimous", "each"]


@dataclass(frozen=True)
class PreferencePair:
    """One line of the file: a story, the ending that people prefer, and the other one."""

    prompt: str
    chosen: str
    rejected: str


@dataclass(frozen=True)
class PreferencePairs:
    """Pairs, and what is not among them.

    Attributes:
        pairs: in the order of the first answers.
        answers: those that count.
        without_item: answers whose item is not in the table of items.
        ties: stories, or with `each` answers, for which both or neither is the answer.
        disagreements: stories for which no ending has more than half of the answers, or not all of them.
    """

    pairs: list[PreferencePair]
    answers: int
    without_item: int
    ties: int
    disagreements: int


def preference_pairs(
    votes: pa.Table, items: pa.Table, take: Take = "majority", question: str | None = None
) -> PreferencePairs:
    """The pairs of accepted answers, without attention checks.

    Answers about the same two texts after the same story are put together, also where they are of several studies.

    Args:
        votes: the table `votes`.
        items: the table `items` of the same studies.
        question: the question whose answers are taken, where there are several; None: the one that there is.
        take: `majority` makes a pair of a story where more than half of its answers are for one ending; `unanimous`
            where all are; `each` makes a pair of every answer that is for one ending.

    Raises:
        UserError: no item of the votes is among the items, or as `one_question`.
    """
    accepted = one_question(counted(votes), question)
    texts = _texts(items)
    chosen: dict[tuple[str, tuple[str, str]], list[str | None]] = defaultdict(list)
    without_item = 0
    columns = (accepted[name].to_pylist() for name in ("study", "item_id", "choice"))
    for study, item_id, choice in zip(*columns, strict=True):
        item = texts.get((study, item_id))
        if item is None:
            without_item += 1
            continue
        prompt, by_system = item
        first, second = sorted(by_system.values())
        chosen[prompt, (first, second)].append(by_system.get(choice) if first != second else None)
    if accepted.num_rows and without_item == accepted.num_rows:
        raise UserError("items: none of the items that were answered is in this table; give that of the same study")
    pairs: list[PreferencePair] = []
    ties = disagreements = 0
    for (prompt, endings), answers in chosen.items():
        if take == "each":
            ties += answers.count(None)
            pairs += [_pair(prompt, endings, answer) for answer in answers if answer is not None]
            continue
        (most, n), *_ = Counter(answers).most_common(1)
        if 2 * n <= len(answers) or (take == "unanimous" and n < len(answers)):
            disagreements += 1
        elif most is None:
            ties += 1
        else:
            pairs.append(_pair(prompt, endings, most))
    return PreferencePairs(pairs, accepted.num_rows, without_item, ties, disagreements)


def json_lines(found: PreferencePairs) -> str:
    """The pairs as JSON Lines with the fields `prompt`, `chosen` and `rejected`."""
    return "".join(json.dumps(vars(pair), ensure_ascii=False) + "\n" for pair in found.pairs)


def _texts(items: pa.Table) -> dict[tuple[str, str], tuple[str, Mapping[str, str]]]:
    """By study and item the story and, by system, its two endings."""
    return {
        (row["study"], row["item_id"]): (
            " ".join(row["context"]),
            dict(zip(row["systems"], row["endings"], strict=True)),
        )
        for row in items.to_pylist()
        if row["kind"] == "pair"
    }


def _pair(prompt: str, endings: tuple[str, str], chosen: str) -> PreferencePair:
    return PreferencePair(prompt, chosen, endings[1] if chosen == endings[0] else endings[0])
