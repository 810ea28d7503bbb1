"""People's answers about pairs of endings, beside a score of all such pairs."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from denouement.answers import question_asked, read_judge_votes, read_votes
from denouement.errors import UserError
from denouement.metrics.agreement.reading import read_scores
from denouement.metrics.agreement.tables import kind_of
from denouement.metrics.agreement.values import Scores
from denouement.metrics.estimates.regression import ScoredAnswers, ScoredItems
from denouement.schemas import UNNAMED_ANNOTATOR, shortened
from denouement.study.results.agreement import BOTH, FIRST, NEITHER
from denouement.study.results.ballot import Ballot, ballot_of_file
from denouement.study.results.clustered import clusters
from denouement.study.results.crossed import Clusters, Floats, Numbers

Pair = tuple[str, str]


@dataclass(frozen=True)
class PairScores:
    """By pair of systems and case a value that is higher, the better the first system's ending is.

    Attributes:
        source: where they come from, for messages.
        name: the score's name; of a judge's answers, that of its file.
        values: by pair, then by case.
    """

    source: str
    name: str
    values: Mapping[Pair, Mapping[str, float]]


@dataclass(frozen=True)
class ScoredPairs:
    """Answers about pairs, and the scores of all items.

    Attributes:
        ballot: all answers that count; a stratum below is a pair of these.
        rows: int64 [answers]: the places in it of those about items with a score, in the order of the pairs.
        answers: what is known of these.
        everything: all items with a score, by their ranks: of the items of its pair, the share that has a lower score,
            those with the same score half.
        answered: bool [items]: which of these have answers.
        without_score: by pair, the answered items that have no score.
    """

    ballot: Ballot
    rows: Numbers
    answers: ScoredAnswers
    everything: ScoredItems
    answered: np.ndarray
    without_score: list[int]


def read_answers(path: Path, question: str | None = None) -> Ballot:
    """People's answers to one question of a table `votes`; None is the first.

    Raises:
        UserError: no such file, another table, no such question, or no answer that counts.
    """
    if kind_of(path) != "votes":
        raise UserError(f"{path}: no table votes; name one that `denouement study export` or `import` wrote")
    return ballot_of_file(path, read_votes(path), question)


def read_pair_scores(path: Path, people: Ballot, name: str | None = None) -> PairScores:
    """The scores of pairs: differences of a score of endings, or a judge's answers to the question of `people`.

    Args:
        path: scores of endings as `metrics.agreement.reading` reads them, or a table `votes` of a judge.
        people: whose pairs and question count.
        name: the score; needed where the file has several.

    Raises:
        UserError: no such file, no such score or none named of several, scores that name no systems, a judge who is one
            of the people or was asked another question, or no value for a pair of the people's.
    """
    if not path.is_dir() and kind_of(path) == "votes":
        if name:
            raise UserError(f"--score {name}: is for a file of scores; {path} has a judge's answers")
        found = _of_judge(path, people)
    else:
        found = _of_scores(path, people, name)
    if lacking := [pair for pair in people.pairs if not found.values.get(pair)]:
        raise UserError(
            f"{path}: no value for {' and '.join(lacking[0])} of one case; give scores of the endings that people read"
        )
    return found


def _of_judge(path: Path, people: Ballot) -> PairScores:
    judge = ballot_of_file(path, read_judge_votes(path), people.question)
    ids = {each for each in judge.votes["annotator_id"].to_pylist() if not each.startswith(UNNAMED_ANNOTATOR)}
    if shared := sorted(ids & set(people.votes["annotator_id"].to_pylist())):
        raise UserError(
            f"{path}: {shortened(shared)} answered in the table of people, too; a judge is none of the people"
        )
    asked, of_people = (question_asked(each.votes, each.question).words for each in (judge, people))
    if asked and of_people and asked != of_people:
        raise UserError(f"{path}: the judge was asked {asked!r}, and people {of_people!r}: have it judge again")
    points = np.select([judge.choice == FIRST, (judge.choice == BOTH) | (judge.choice == NEITHER)], [1.0, 0.5], 0.0)
    means = np.bincount(judge.item, points, judge.items.num_rows) / np.bincount(judge.item)
    given: defaultdict[tuple[Pair, str], list[float]] = defaultdict(list)
    places, cases = judge.items["pair"].to_pylist(), judge.items["case_id"].to_pylist()
    for place, case, mean in zip(places, cases, means.tolist(), strict=True):
        given[judge.pairs[place], case].append(mean)
    values: defaultdict[Pair, dict[str, float]] = defaultdict(dict)
    for (pair, case), its in given.items():
        values[pair][case] = float(np.mean(its))
    return PairScores(str(path), path.name, values)


def _of_scores(path: Path, people: Ballot, name: str | None) -> PairScores:
    scores = _one_of(read_scores(path), name)
    if not any(system for _, system in scores.endings):
        raise UserError(f"{path}: names no systems, so that two endings cannot be compared; add a column system")
    by_system: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for (case, system), value in zip(scores.endings, scores.values[0].tolist(), strict=True):
        if np.isfinite(value):
            by_system[system][case] = value
    values = {
        (first, second): {
            case: value - by_system[second][case]
            for case, value in by_system[first].items()
            if case in by_system[second]
        }
        for first, second in people.pairs
    }
    return PairScores(str(path), scores.names[0], values)


def _one_of(scores: Scores, name: str | None) -> Scores:
    if name is None and len(scores.names) > 1:
        raise UserError(
            f"{scores.source}: has {len(scores.names)} scores; choose one with --score, before you see what it gives: "
            f"{shortened(scores.names)}"
        )
    return scores.single([name or scores.names[0]])


def scored_pairs(people: Ballot, scores: PairScores) -> ScoredPairs:
    """The answers about items with a score, and all such items. The order of either table makes no difference.

    Raises:
        UserError: of a pair, no item that people answered has a score.
    """
    pair_of_item, case_of_item = people.items["pair"].to_numpy(), people.items["case_id"].to_pylist()
    known = [scores.values[pair] for pair in people.pairs]
    has_score = np.array(
        [case in known[place] for place, case in zip(pair_of_item, case_of_item, strict=True)], dtype=bool
    )
    for place, (first, second) in enumerate(people.pairs):
        if not has_score[pair_of_item == place].any():
            raise UserError(
                f"{scores.source}: has no value for any case about which people compared {first} with {second}, such "
                f"as {case_of_item[int(np.flatnonzero(pair_of_item == place)[0])]}; give scores of the same cases"
            )
    number = {case: place for place, case in enumerate(sorted({*case_of_item, *(c for its in known for c in its)}))}
    ranked = [_ranks(its) for its in known]
    keys = [(place, case) for place, its in enumerate(ranked) for case in its]
    everything = ScoredItems(
        np.array([place for place, _ in keys], np.int64),
        np.array([ranked[place][case] for place, case in keys]),
        np.array([number[case] for _, case in keys], np.int64),
    )
    labelled = {
        key for key, has in zip(zip(pair_of_item.tolist(), case_of_item, strict=True), has_score, strict=True) if has
    }
    pair_of_answer = pair_of_item[people.item]
    used = has_score[people.item]
    rows = np.concatenate([np.flatnonzero(used & (pair_of_answer == place)) for place in range(len(people.pairs))])
    items = people.item[rows]
    by = Clusters(
        np.array([number[case_of_item[item]] for item in items.tolist()], np.int64),
        clusters(people.votes).of(rows).annotators,
    )
    score = np.array([ranked[pair_of_item[item]][case_of_item[item]] for item in items.tolist()])
    return ScoredPairs(
        people,
        rows,
        ScoredAnswers(pair_of_item[items], score, by),
        everything,
        np.array([key in labelled for key in keys], bool),
        [int((~has_score & (pair_of_item == place)).sum()) for place in range(len(people.pairs))],
    )


def _ranks(values: Mapping[str, float]) -> dict[str, float]:
    """By case the share of the values that are lower, equal ones half."""
    from scipy.stats import rankdata

    cases = sorted(values)
    ranks: Floats = (rankdata(np.round([values[case] for case in cases], 12)) - 0.5) / len(cases)
    return dict(zip(cases, ranks.tolist(), strict=True))
