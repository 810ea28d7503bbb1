"""Which elements of a story reasons name: logic, relevance, emotion, morality, common sense, grammar.

Mori et al. 2019 (section 4.4) read 250 reasons and listed these elements. Here rules (`elements.yaml`) tag each reason
with the elements that it names: several, one, or none. `elements_summary` counts how often each element is named, which
are named together, and what the people who name it chose; `rules_quality` measures the rules on labelled reasons.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa

from denouement import schemas
from denouement.delimited import header_of, rows_of
from denouement.errors import UserError
from denouement.study.reasons import ELEMENTS
from denouement.study.reasons.boxes import Boxes, boxes_ticked
from denouement.study.reasons.quality import Quality, TagCounts, tag_counts
from denouement.study.reasons.rules import Rules, matches
from denouement.study.reasons.written import Key, key_of, not_english, written_reasons
from denouement.study.results.clustered import clusters, mean_with_interval
from denouement.study.results.crossed import Clusters
from denouement.text.syntax import parse

_VOTE = ("study", "item_id", "case_id", "annotator_id", "question", "choice", "reason")


@dataclass(frozen=True)
class Chosen:
    """How many of the people who gave certain reasons chose a certain answer.

    Attributes:
        choice: a system, `both` or `neither`.
        n: how many chose it.
        share: their share, from 0 to 1; this and the interval are None where there is no such reason.
        low, high, over, why_not: its 95% interval, as of `clustered.MeanOfAnswers`.
        share_without: the share among the other reasons; None where there are none.
    """

    choice: str
    n: int
    share: float | None
    low: float | None
    high: float | None
    over: str | None
    why_not: str | None
    share_without: float | None


@dataclass(frozen=True)
class ElementNamed:
    """How often an element is named, and which answers the people who name it chose.

    Attributes:
        element: one of `ELEMENTS`.
        n, share: the number of reasons that name it, and their share of all reasons.
        denied: how many of these deny it each time they name it.
        choices: how often each answer was chosen, in the same order for all elements.
    """

    element: str
    n: int
    share: float
    denied: int
    choices: list[Chosen]


@dataclass(frozen=True)
class NamedTogether:
    """How many reasons name both of two elements."""

    elements: tuple[str, str]
    n: int


@dataclass(frozen=True)
class RuleCount:
    """How many reasons a rule tags."""

    element: str
    rule: str
    n: int


@dataclass(frozen=True)
class ElementQuality:
    """The `TagCounts` of an element."""

    element: str
    tagged: int
    labelled: int
    both: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class RulesQuality:
    """How well the rules agree with labels.

    Attributes:
        n: reasons that have labels.
        elements: a row an element, in the order of `ELEMENTS`.
        micro: from the counts of all elements together.
        macro: the means of the elements' values, without those that are None.
        exact: the share of the reasons whose tags are exactly the labels.
    """

    n: int
    elements: list[ElementQuality]
    micro: TagCounts
    macro: Quality
    exact: float


@dataclass(frozen=True)
class ElementsSummary:
    """Which elements the reasons name.

    Attributes:
        reasons: how many there are.
        untagged: how many name no element.
        choices: how often each answer was chosen by people who gave a reason, the most frequent first.
        elements: a row an element, in the order of `ELEMENTS`.
        together: a row for every two elements.
        rules: a row for every rule that tags a reason.
        quality: how well the rules agree with labels; None where no reason has labels.
        boxes: what people ticked beside their reasons; None where no answer has boxes.
        not_english: how many further reasons were left out, since they do not look English.
    """

    reasons: int
    untagged: int
    choices: list[Chosen]
    elements: list[ElementNamed]
    together: list[NamedTogether]
    rules: list[RuleCount]
    quality: RulesQuality | None
    boxes: Boxes | None
    not_english: int = 0  # documents of earlier versions have none


def tag_reasons(votes: pa.Table, rules: Rules, cache: Path | None = None) -> pa.Table:
    """The table `reason_elements`: every rule that applies to a reason, in the votes' order.

    Args:
        votes: a table `votes`.
        rules: from `rules.read_rules`.
        cache: a file of parses, which is read and extended (`text.syntax.parse`).

    Raises:
        UserError: no reason to tag, or no parser.
    """
    written = written_reasons(votes)
    parses = parse(written["reason"].to_pylist(), cache)
    matched = {reason: matches(parsed, rules) for reason, parsed in parses.items()}
    schema = schemas.TABLES["reason_elements"].schema
    rows = [
        {name: vote[name] for name in _VOTE}
        | {"element": match.element, "rule": match.rule, "words": match.words, "denied": match.denied}
        for vote in written.to_pylist()
        for match in matched[vote["reason"]]
    ]
    return pa.Table.from_pylist(rows, schema)


def elements_summary(votes: pa.Table, tags: pa.Table, labels: Mapping[str, frozenset[str]]) -> ElementsSummary:
    """How often each element is named, with which others, and what the people who name it chose.

    Args:
        votes: a table `votes`.
        tags: the result of `tag_reasons`.
        labels: the result of `read_labels`; may be empty.
    """
    written = written_reasons(votes)
    keys = [key_of(vote) for vote in written.select(["study", "item_id", "annotator_id", "question"]).to_pylist()]
    choice_of = dict(zip(keys, written["choice"].to_pylist(), strict=True))
    by = clusters(written)
    named: dict[str, set[Key]] = {element: set() for element in ELEMENTS}
    affirmed: dict[str, set[Key]] = {element: set() for element in ELEMENTS}
    for tag in tags.to_pylist():
        named[tag["element"]].add(key_of(tag))
        if not tag["denied"]:
            affirmed[tag["element"]].add(key_of(tag))
    choices = [choice for choice, _ in Counter(choice_of.values()).most_common()]
    total = len(choice_of)

    def choices_of(reasons: set[Key]) -> list[Chosen]:
        return _choices(reasons, choice_of, choices, by.of(np.array([key in reasons for key in keys], dtype=bool)))

    rules = Counter(zip(tags["element"].to_pylist(), tags["rule"].to_pylist(), strict=True))
    return ElementsSummary(
        reasons=total,
        untagged=total - len(set().union(*named.values())),
        choices=choices_of(set(choice_of)),
        elements=[
            ElementNamed(element, len(its), len(its) / total, len(its - affirmed[element]), choices_of(its))
            for element, its in named.items()
        ],
        together=[NamedTogether((one, other), len(named[one] & named[other])) for one, other in combinations(named, 2)],
        rules=[RuleCount(element, rule, n) for (element, rule), n in rules.items()],
        quality=rules_quality(votes, tags, labels),
        boxes=boxes_ticked(votes, tags),
        not_english=not_english(votes),
    )


def _choices(reasons: set[Key], choice_of: Mapping[Key, str], choices: Iterable[str], by: Clusters) -> list[Chosen]:
    """The choices of the people who gave `reasons`; `by` has their answers, in the order of `choice_of`."""
    chosen = np.array([choice for reason, choice in choice_of.items() if reason in reasons], dtype=str)
    others = Counter(choice for reason, choice in choice_of.items() if reason not in reasons)
    rows = []
    for choice in choices:
        without = others[choice] / others.total() if others else None
        if not len(chosen):
            rows.append(Chosen(choice, 0, None, None, None, None, None, without))
            continue
        share = mean_with_interval(chosen == choice, by, (0, 1))
        n = int((chosen == choice).sum())
        rows.append(Chosen(choice, n, share.mean, share.low, share.high, share.over, share.why_not, without))
    return rows


def reason_digest(case_id: str, reason: str) -> str:
    """The id of a reason in a file of labels: 16 hex digits of SHA-256 over its case and its words."""
    return hashlib.sha256(f"{case_id}\n{' '.join(reason.split())}".encode()).hexdigest()[:16]


def read_labels(path: Path | None = None) -> dict[str, frozenset[str]]:
    """The elements that a reader saw in each reason, by its digest; without a file, those of 98 published reasons.

    A file is CSV with columns `digest` and `labels`, the elements with blanks between; other columns are not read.

    Raises:
        UserError: other columns, a row of another width, an unknown element, or the same reason twice.
    """
    if path is None:
        with as_file(files("denouement.study.reasons") / "labels.csv") as of_package:
            return read_labels(of_package)
    header = header_of(path, lambda names: {"digest", "labels"} <= set(names))
    if header is None:
        raise UserError(f"{path}: no columns digest and labels")
    labels: dict[str, frozenset[str]] = {}
    for row in rows_of(path, header):
        if problem := header.misfit(row.cells):
            raise UserError(f"{path}: line {row.line} has {problem}; correct the line")
        cells = dict(zip(header.names, map(str.strip, row.cells), strict=True))
        of_reason = frozenset(cells["labels"].split())
        if strange := of_reason - set(ELEMENTS):
            raise UserError(
                f"{path}: line {row.line}: unknown label {', '.join(sorted(strange))}; labels are {', '.join(ELEMENTS)}"
            )
        if cells["digest"] in labels:
            raise UserError(f"{path}: line {row.line}: the reason {cells['digest']} is there twice")
        labels[cells["digest"]] = of_reason
    return labels


def rules_quality(votes: pa.Table, tags: pa.Table, labels: Mapping[str, frozenset[str]]) -> RulesQuality | None:
    """How well the tags agree with labels, on the reasons that have them; None where none has."""
    tagged_by_reason: dict[tuple[str, ...], set[str]] = {}
    for tag in tags.to_pylist():
        tagged_by_reason.setdefault(key_of(tag), set()).add(tag["element"])
    tagged, labelled = [], []
    for vote in written_reasons(votes).to_pylist():
        wanted = labels.get(reason_digest(vote["case_id"], vote["reason"]))
        if wanted is not None:
            labelled.append([element in wanted for element in ELEMENTS])
            tagged.append([element in tagged_by_reason.get(key_of(vote), ()) for element in ELEMENTS])
    if not labelled:
        return None
    by_rule, by_hand = np.array(tagged), np.array(labelled)
    rows = [
        ElementQuality(element, **vars(tag_counts(by_rule[:, [place]], by_hand[:, [place]])))
        for place, element in enumerate(ELEMENTS)
    ]
    return RulesQuality(
        n=len(labelled),
        elements=rows,
        micro=tag_counts(by_rule, by_hand),
        macro=Quality(
            _mean(row.precision for row in rows), _mean(row.recall for row in rows), _mean(row.f1 for row in rows)
        ),
        exact=float((by_rule == by_hand).all(1).mean()),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
