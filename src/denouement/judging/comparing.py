"""A judge held against people: how often the order of the endings changes its answer, and how far it agrees with them.

Where a judge gives other answers to a pair when its endings change places, it says where they stand and not how good
they are. So this comes first, and agreement is shown by order too.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement.answers import question_asked, questions_of
from denouement.errors import UserError
from denouement.judging.judging import JudgeRecord
from denouement.judging.questions import ORDERS, items_digest
from denouement.study.importing.merging import check_items
from denouement.study.results.agreement import NO_AGREEMENT, Codes, Counts, agreement
from denouement.study.results.ballot import Ballot, count
from denouement.study.results.clustered import (
    MeanOfAnswers,
    Preference,
    ShareOfAnswers,
    clusters,
    mean_with_interval,
    preference,
    share_of_answers,
)
from denouement.study.results.crossed import Clusters
from denouement.study.results.items_of_answers import lacking
from denouement.study.results.pairs import ExactShare, exact_share
from denouement.study.results.reliability import alpha, check_results, cohens_kappa
from denouement.text.language import looks_english
from denouement.text.sentiment import compound

ALL, LISTED, SWAPPED, STEADY, ONE_PERSON = "all", "listed", "swapped", "steady", "person"
"""Whose answers a row of the agreement is about; see `AgreementWithPeople`."""

FIRST_SHOWN, LONGER, HAPPIER = "first shown", "longer", "happier"
"""What answers may lean towards."""


@dataclass(frozen=True)
class Flips:
    """How often the order of the endings changes a judge's answer.

    Attributes:
        pairs: those that it answered in both orders.
        flipped: those that it answered differently, with the exact interval.
        first, second: of these, where it chose the ending shown first, or second, both times.
        tie: of these, where it chose both or neither one time.
    """

    pairs: int
    flipped: ExactShare
    first: int
    second: int
    tie: int


@dataclass(frozen=True)
class AgreementWithPeople:
    """How far answers are those of people.

    Attributes:
        who: `all` answers of the judge; its answers with the endings as they are `listed` in the table of items, or
            `swapped`; one answer for each pair where it gave the same in both orders (`steady`); or each single
            `person`, against the others.
        answers: how many there are.
        same: how many of them are the answer on which people agree, of the pairs where they do; None without one.
        kappa, alpha: the same beyond chance, Cohen's and Krippendorff's (nominal); None where it is not defined.
        same_as_person: the mean share of people's single answers to the pair that are the same; None without answers.
    """

    who: str
    answers: int
    same: ShareOfAnswers | None
    kappa: float | None
    alpha: float | None
    same_as_person: MeanOfAnswers | None


@dataclass(frozen=True)
class Leaning:
    """How often an ending is chosen that stands first, is longer or happier.

    Attributes:
        what: one of FIRST_SHOWN, LONGER and HAPPIER.
        judge, people: of the answers for one of two endings that differ in it, those for the one that has more of it.
    """

    what: str
    judge: Preference
    people: Preference


@dataclass(frozen=True)
class JudgeReport:
    """A judge held against people, on one question.

    Attributes:
        record: whose answers these are.
        question, words: what was asked.
        pairs: how many both the judge and people answered; all that follows but `flips` is of these.
        only_judge, only_people: pairs that one of them answered alone.
        people: how many people answered these pairs; None where the answers name nobody.
        people_answers: how many answers they gave.
        no_agreement: pairs on which people agree on no answer.
        flips: None where no pair was answered in both orders.
        agreement: rows as `AgreementWithPeople.who` lists them.
        leanings: a row each; of endings that do not look English there is none for the happier one.
        checks, checks_failed: attention checks that the judge answered, both orders counted, and answered wrong.
        uncertainty: half the width of the exact 95% interval of a share of one half of so many pairs.
    """

    record: JudgeRecord
    question: str
    words: str | None
    pairs: int
    only_judge: int
    only_people: int
    people: int | None
    people_answers: int
    no_agreement: int
    flips: Flips | None
    agreement: list[AgreementWithPeople]
    leanings: list[Leaning]
    checks: int
    checks_failed: int
    uncertainty: float


def judge_report(
    record: JudgeRecord, judged: pa.Table, people: pa.Table, items: pa.Table, question: str | None = None
) -> JudgeReport:
    """Hold a judge against people.

    Args:
        record: whose answers `judged` holds.
        judged: the table `votes` that a judge's answers are in.
        people: the table `votes` of people; those of other studies are passed over.
        items: the table `items` of the study.
        question: which one; None is the judge's first.

    Raises:
        UserError: the tables do not belong together, or have no pair in common.
    """
    people = people.filter(pc.equal(people["study"], record.study))
    question = question or questions_of(judged)[0]
    _check(record, judged, people, items, question)
    judge, human = count(judged, question), count(people, question)
    if record.options == ("A", "B") and (human.choice > 1).any():
        raise UserError("people could choose both and neither, and the judge could not: judge with --choices ties")
    row_of = {key: row for row, key in enumerate(_keys(human.items))}
    rows = np.array([row_of.get(key, -1) for key in _keys(judge.votes)], np.int64)
    in_both = sorted(set(rows[rows >= 0].tolist()))
    if not in_both:
        raise UserError(f"no pair of study {record.study} was answered by people and by the judge")
    counts = human.counts()
    wanted = np.isin(human.item, in_both)
    checks = check_results(judged, items).values()
    whole = exact_share(len(in_both) // 2, len(in_both))
    clustered = clusters(human.votes).of(wanted)
    return JudgeReport(
        record=record,
        question=question,
        words=question_asked(judged, question).words,
        pairs=len(in_both),
        only_judge=judge.items.num_rows - len(in_both),
        only_people=human.items.num_rows - len(in_both),
        people=None if clustered.annotators is None else len(np.unique(clustered.annotators)),
        people_answers=int(wanted.sum()),
        no_agreement=int((agreement(counts[in_both]) == NO_AGREEMENT).sum()),
        flips=_flips(judge),
        agreement=[*_of_judge(judge, rows, counts), _of_persons(human, counts, wanted)],
        leanings=_leanings(judge, rows >= 0, human, wanted, items),
        checks=sum(done for done, _ in checks),
        checks_failed=sum(failed for _, failed in checks),
        uncertainty=(whole.high - whole.low) / 2,
    )


def _check(record: JudgeRecord, judged: pa.Table, people: pa.Table, items: pa.Table, question: str) -> None:
    """Refuse tables that do not belong together."""
    if question not in questions_of(judged):
        raise UserError(f"question {question}: the judge was asked {', '.join(questions_of(judged))}")
    if not people.num_rows:
        raise UserError(f"study {record.study}: no answer of people to it; name their table, or the study in the store")
    if question not in questions_of(people):
        raise UserError(f"question {question}: people were asked {', '.join(questions_of(people))}")
    asked, of_people = question_asked(judged, question).words, question_asked(people, question).words
    if of_people and asked != of_people:
        raise UserError(f"question {question}: people were asked {of_people!r}, and the judge {asked!r}: judge again")
    without, of = lacking(judged, items)
    if without:
        raise UserError(
            f"items: {without:,} of {of:,} that the judge answered are missing; give the table that it read"
        )
    if items_digest(items, set(_keys(judged))) != record.items:
        raise UserError("items: the judge read other texts than this table has under the same ids: judge again")
    check_items(people, items)


def _keys(table: pa.Table) -> list[tuple[str, str]]:
    return list(zip(table["study"].to_pylist(), table["item_id"].to_pylist(), strict=True))


def _flips(judge: Ballot) -> Flips | None:
    by_item: dict[int, dict[int, tuple[int, str]]] = {}
    columns = judge.item.tolist(), _orders(judge), judge.choice.tolist(), judge.votes["answer"].to_pylist()
    for item, order, choice, said in zip(*columns, strict=True):
        by_item.setdefault(item, {})[order] = choice, said
    pairs = [(its[1], its[2]) for its in by_item.values() if len(its) == len(ORDERS)]
    if not pairs:
        return None
    flipped = [{one[1], other[1]} for one, other in pairs if one[0] != other[0]]
    first, second = flipped.count({"A"}), flipped.count({"B"})
    return Flips(len(pairs), exact_share(len(flipped), len(pairs)), first, second, len(flipped) - first - second)


def _orders(judge: Ballot) -> list[int]:
    """In which order each answer was given, which the annotator's id ends with."""
    return [int(annotator.rpartition("-")[2]) for annotator in judge.votes["annotator_id"].to_pylist()]


def _of_judge(judge: Ballot, rows: npt.NDArray[np.int64], counts: Counts) -> list[AgreementWithPeople]:
    order = np.array(_orders(judge), np.int64)
    shared = rows >= 0
    choices = np.full((judge.items.num_rows, len(ORDERS)), -1)
    choices[judge.item, order - 1] = judge.choice
    steady = (choices[:, 0] == choices[:, 1])[judge.item] & (order == ORDERS[0])
    which = {ALL: shared, LISTED: shared & (order == 1), SWAPPED: shared & (order == 2), STEADY: shared & steady}
    of_cases = Clusters(clusters(judge.votes).cases, None)  # its two orders are not two annotators
    majority = agreement(counts)

    def row(who: str, chosen: npt.NDArray[np.bool_]) -> AgreementWithPeople:
        at = rows[chosen]
        return _agreement(who, judge.choice[chosen], majority[at], counts[at], of_cases.of(chosen))

    return [row(who, chosen) for who, chosen in which.items()]


def _of_persons(human: Ballot, counts: Counts, wanted: npt.NDArray[np.bool_]) -> AgreementWithPeople:
    choice = human.choice[wanted]
    others = counts[human.item[wanted]] - np.eye(4, dtype=np.int64)[choice]
    return _agreement(ONE_PERSON, choice, agreement(others), others, clusters(human.votes).of(wanted))


def _agreement(who: str, choice: Codes, majority: Codes, counts: Counts, by: Clusters) -> AgreementWithPeople:
    """How far answers are those of people.

    Args:
        who: as of `AgreementWithPeople`.
        choice: int64 [answers].
        majority: int64 [answers]: the answer on which people agree, or NO_AGREEMENT.
        counts: int64 [answers, 4]: of each answer of people to the same pair, how many there are.
        by: the case and the annotator of each answer.
    """
    decided, n = majority != NO_AGREEMENT, counts.sum(axis=1)
    mine, theirs = choice[decided], majority[decided]
    answered = n > 0
    shares = counts[np.arange(len(choice)), choice][answered] / n[answered]
    one = np.eye(4, dtype=np.int64)
    return AgreementWithPeople(
        who=who,
        answers=len(choice),
        same=share_of_answers(mine == theirs, by.of(decided)) if len(mine) else None,
        kappa=cohens_kappa(mine, theirs),
        alpha=alpha(one[mine] + one[theirs]).alpha,
        same_as_person=mean_with_interval(shares, by.of(answered), (0, 1)) if len(shares) else None,
    )


def _leanings(
    judge: Ballot,
    shared: npt.NDArray[np.bool_],
    human: Ballot,
    wanted: npt.NDArray[np.bool_],
    items: pa.Table,
) -> list[Leaning]:
    texts = {
        (row["study"], row["item_id"]): dict(zip(row["systems"], row["endings"], strict=True))
        for row in items.to_pylist()
        if row["kind"] == "pair"
    }
    distinct = sorted({ending for of_item in texts.values() for ending in of_item.values()})
    measures: dict[str, Mapping[str, float] | None] = {FIRST_SHOWN: None}
    measures[LONGER] = {ending: len(ending.split()) for ending in distinct}
    if looks_english("\n".join(distinct)):
        measures[HAPPIER] = dict(zip(distinct, compound(distinct).tolist(), strict=True))
    of_judge, of_people = Clusters(clusters(judge.votes).cases, None), clusters(human.votes)
    return [
        Leaning(
            what,
            _preference(judge.votes, shared, of_judge, texts, value_of),
            _preference(human.votes, wanted, of_people, texts, value_of),
        )
        for what, value_of in measures.items()
    ]


def _preference(
    votes: pa.Table,
    chosen: npt.NDArray[np.bool_],
    by: Clusters,
    texts: Mapping[tuple[str, str], Mapping[str, str]],
    value_of: Mapping[str, float] | None,
) -> Preference:
    """Of the chosen answers that are for one ending, those for the one with the higher value, where the two differ.

    Args:
        votes: the answers.
        chosen: bool [votes].
        by: their cases and annotators.
        texts: by pair the ending of each system.
        value_of: of each ending; None: the one that is shown first has more.
    """
    columns = (votes[name].to_pylist() for name in ("study", "item_id", "position_a", "position_b", "answer"))
    for_more = np.zeros(votes.num_rows, np.int64)
    for at, (study, item_id, a, b, answer) in enumerate(zip(*columns, strict=True)):
        endings = texts.get((study, item_id))
        if chosen[at] and endings and answer in ("A", "B"):
            more = 1.0 if value_of is None else value_of[endings[a]] - value_of[endings[b]]
            for_more[at] = np.sign(more) * (1 if answer == "A" else -1)
    decided = for_more != 0
    return preference(for_more[decided] > 0, by.of(decided))
