"""The results of studies that show several endings of a story at once: the best and the worst, or their ranks."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement.answers import counted, n_answers, statuses
from denouement.errors import UserError
from denouement.study.design.names import RANKED
from denouement.study.results.choice_model import ChoicesMade, Option, Strengths, estimated
from denouement.study.results.clustered import clusters, item_numbers, mean_of_items
from denouement.study.results.crossed import Numbers
from denouement.study.results.people import WhoTookPart
from denouement.study.results.reliability import Alpha, ChecksAnswered, check_results, checks_in_all, ordinal_alpha


@dataclass(frozen=True)
class RankedSystem:
    """How often the endings of a system are the best or the worst of those shown.

    Attributes:
        system: whose endings.
        items, answers: how many showed an ending of this system.
        best, worst: how many of the answers say that it is the best, or the worst; endings that share the first place
            are all the best, unless all endings share it.
        mean: the best-worst score: the mean of 1 for the best, -1 for the worst and 0 for others.
        low, high, over, why_not: its 95% interval, as of `clustered.MeanOfAnswers`.
    """

    system: str
    items: int
    answers: int
    best: int
    worst: int
    mean: float
    low: float | None
    high: float | None
    over: str | None
    why_not: str | None


@dataclass(frozen=True)
class RankedKind:
    """The results of all answers of one kind of study.

    Attributes:
        kind: `best_worst` or `ranking`.
        answers: how many count.
        systems: a row a system, the one with the best mean first.
        strengths: all systems on one scale.
        alpha: how far annotators agree on the rank of an ending among those shown with it (ordinal).
    """

    kind: str
    answers: int
    systems: list[RankedSystem]
    strengths: Strengths
    alpha: Alpha


@dataclass(frozen=True)
class ReasonForRanking:
    """An answer with a reason; `ranks` are by system, and `endings`, by system, are None without a table of items."""

    study: str
    item_id: str
    case_id: str
    annotator_id: str
    reason: str
    ranks: dict[str, int]
    endings: dict[str, str] | None


@dataclass(frozen=True)
class RankingResults:
    """The results of best-worst choices and of rankings.

    Attributes:
        studies, statuses, answers, checks, people: as of `preferences.StudyResults`.
        kinds: the results by kind of study.
        reasons: the answers with a reason.
    """

    studies: list[str]
    statuses: dict[str, int]
    answers: int
    checks: ChecksAnswered
    kinds: list[RankedKind]
    reasons: list[ReasonForRanking]
    people: WhoTookPart | None


def ranking_results(rankings: pa.Table, items: pa.Table | None = None) -> RankingResults:
    """The results of the accepted answers of the table `rankings`, without attention checks.

    Args:
        rankings: the answers.
        items: the table `items` with the right answers to checks.

    Raises:
        UserError: rows whose ranks are not one for each of several systems, or not those of a best-worst answer.
    """
    check_ranks(rankings)
    accepted = counted(rankings)
    of_kind = [accepted.filter(pc.equal(accepted["kind"], kind)) for kind in RANKED]
    return RankingResults(
        studies=sorted(rankings["study"].unique().to_pylist()),
        statuses=statuses(rankings),
        answers=n_answers(accepted),
        checks=checks_in_all(rankings, check_results(rankings, items), items),
        kinds=[_kind(kind, rows) for kind, rows in zip(RANKED, of_kind, strict=True) if rows.num_rows],
        reasons=_reasons(accepted, items),
        people=None,
    )


def check_ranks(rankings: pa.Table) -> None:
    """Refuse rows whose ranks say nothing about their systems.

    Raises:
        UserError: there are such rows.
    """
    rows = zip(
        rankings["kind"].to_pylist(), rankings["systems"].to_pylist(), rankings["ranks"].to_pylist(), strict=True
    )
    wrong = sum(not _fits(kind, systems, ranks) for kind, systems, ranks in rows)
    if wrong:
        raise UserError(
            f"rankings: in {wrong:,} rows the ranks are not one for each of the systems (of best_worst one 1, one 3, "
            "else 2; of a ranking one more than the number of better endings); export them again"
        )


def _fits(kind: str, systems: list[str], ranks: list[int]) -> bool:
    n = len(systems)
    if n < 2 or len(set(systems)) < n or len(ranks) != n:
        return False
    if kind == "best_worst":
        return sorted(ranks) == [1, *[2] * (n - 2), 3]
    return ranks == [1 + sum(other < rank for other in ranks) for rank in ranks]


def _kind(kind: str, rows: pa.Table) -> RankedKind:
    shown: list[list[str]] = rows["systems"].to_pylist()
    ranks: list[list[int]] = rows["ranks"].to_pylist()
    systems = [
        _system(rows, shown, ranks, system) for system in sorted({name for systems in shown for name in systems})
    ]
    item = item_numbers(rows)
    units = [(number, name) for number, names in zip(item.tolist(), shown, strict=True) for name in names]
    place = {unit: number for number, unit in enumerate(sorted(set(units)))}
    values = np.array([rank for its in ranks for rank in its], dtype=np.int64)
    of_endings = ordinal_alpha(values, np.array([place[unit] for unit in units], dtype=np.int64))
    per_item = np.bincount(item)
    return RankedKind(
        kind=kind,
        answers=rows.num_rows,
        systems=sorted(systems, key=lambda row: -row.mean),
        strengths=estimated(choices_made(rows), rows.num_rows),
        alpha=Alpha(of_endings.alpha, int((per_item > 1).sum()), int((per_item == 1).sum())),
    )


def _system(rows: pa.Table, shown: list[list[str]], ranks: list[list[int]], system: str) -> RankedSystem:
    its = [row for row, names in enumerate(shown) if system in names]
    scores = np.array([_score(ranks[row], shown[row].index(system)) for row in its], dtype=np.int64)
    n_items, mean = mean_of_items(rows.take(pa.array(its)), scores, (-1, 1))
    return RankedSystem(system, n_items, len(its), int((scores > 0).sum()), int((scores < 0).sum()), **vars(mean))


def _score(ranks: list[int], place: int) -> int:
    """1 where an ending is the best of those shown, -1 where it is the worst, else 0; 0 where all are alike."""
    return int(ranks[place] == min(ranks)) - int(ranks[place] == max(ranks))


def choices_made(rows: pa.Table) -> list[ChoicesMade]:
    """The answers of a table `rankings` of one kind as choices, for `choice_model.estimated`.

    A ranking is a row of choices: the best of all endings, then the best of the rest, and so on (Plackett 1975, after
    Luce 1959). Endings that share a place are chosen together (Firth, Kosmidis and Turner 2019, Davidson-Luce model
    for multi-item choice with ties): the weight of several is the geometric mean of theirs, times a factor for their
    number. Of two endings this is Davidson's model. A best-worst answer is the choice of the best of all, then of the
    worst of the rest, with the inverse of the weights (Louviere, Flynn and Marley 2015, Best-Worst Scaling); how the
    endings between them compare is not known, and is not used.
    """
    by = clusters(rows)
    made: dict[tuple[tuple[str, ...], int], list[tuple[tuple[str, ...], int]]] = {}
    tied = {1}
    answers = zip(rows["kind"].to_pylist(), rows["systems"].to_pylist(), rows["ranks"].to_pylist(), strict=True)
    for row, (kind, systems, ranks) in enumerate(answers):
        rank_of = dict(zip(systems, ranks, strict=True))
        for among, chosen, sign in _steps(rank_of, kind == "best_worst"):
            made.setdefault((among, sign), []).append((chosen, row))
            tied.add(len(chosen))
    found = []
    for (among, sign), its in sorted(made.items()):
        groups = [group for size in sorted(tied) for group in combinations(among, size)]
        place = {group: number for number, group in enumerate(groups)}
        options = [Option({name: sign / len(group) for name in group}, tied=len(group)) for group in groups]
        counts = np.zeros((len(its), len(groups)), dtype=np.int64)
        counts[np.arange(len(its)), [place[chosen] for chosen, _ in its]] = 1
        of: Numbers = np.array([row for _, row in its], dtype=np.int64)
        found.append(ChoicesMade(options, counts, by.cases[of], None if by.annotators is None else by.annotators[of]))
    return found


def _steps(rank_of: dict[str, int], is_best_worst: bool) -> list[tuple[tuple[str, ...], tuple[str, ...], int]]:
    """The choices of which an answer consists: among which systems, which were chosen, and 1 as best or -1 as worst."""
    rest = tuple(sorted(rank_of))
    steps = []
    signs = [1, -1] if is_best_worst else [1] * len(rest)
    for sign in signs:
        if len(rest) < 2:
            break
        wanted = min(sign * rank_of[name] for name in rest)
        chosen = tuple(name for name in rest if sign * rank_of[name] == wanted)
        steps.append((rest, chosen, sign))
        rest = tuple(name for name in rest if name not in chosen)
    return steps


def _reasons(accepted: pa.Table, items: pa.Table | None) -> list[ReasonForRanking]:
    known: dict[tuple[str, str], dict[str, str]] = {}
    if items is not None:
        columns = (items[name].to_pylist() for name in ("study", "item_id", "systems", "endings"))
        for study, item_id, systems, endings in zip(*columns, strict=True):
            known[study, item_id] = dict(zip(systems, endings, strict=True))
    return [
        ReasonForRanking(
            **{name: row[name] for name in ("study", "item_id", "case_id", "annotator_id", "reason")},
            ranks=dict(zip(row["systems"], row["ranks"], strict=True)),
            endings=known.get((row["study"], row["item_id"])),
        )
        for row in accepted.filter(pc.is_valid(accepted["reason"])).to_pylist()
    ]


def kind_rows(found: RankedKind) -> list[dict[str, Any]]:
    """The rows of the table `ranking_means`."""
    strength_of = {row.system: row for row in found.strengths.systems}
    rows = []
    for row in found.systems:
        strength = strength_of.get(row.system)
        of_strength = {
            "strength": strength and strength.strength,
            "strength_low": strength and strength.low,
            "strength_high": strength and strength.high,
            "share": strength and strength.share,
        }
        rows.append({"kind": found.kind, **vars(row), **of_strength})
    return rows
