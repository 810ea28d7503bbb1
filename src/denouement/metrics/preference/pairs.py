"""Pairs of endings of one story and which people prefer, from answers of a study or chosen and rejected texts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from denouement.answers import counted
from denouement.cloze.parts.vectors import Floats
from denouement.corpus.endings import named_rows
from denouement.errors import UserError
from denouement.metrics.agreement.people import HumanAnswers, read_people
from denouement.metrics.agreement.picking import PreferredPairs, pairs_of_ratings
from denouement.metrics.agreement.published import LAYOUTS
from denouement.metrics.agreement.tables import kind_of
from denouement.metrics.agreement.values import Ending, Grid, Ratings, named
from denouement.metrics.base import EndingRows
from denouement.schemas import read_table, shortened
from denouement.study.results.rankings import check_ranks
from denouement.text.sentences import split_sentences

_CONTEXT = ("context", "prompt")
_CHOSEN = ("chosen", "chosen_story")
_REJECTED = ("rejected", "rejected_story")

_POINTS = np.array([1.0, 0.0, 0.5, 0.5])  # for the first ending: first, second, both, neither


@dataclass(frozen=True)
class StoryEnding:
    """An ending with the story before it, in sentences."""

    context: tuple[str, ...]
    ending: str


@dataclass(frozen=True)
class JudgedPairs:
    """Two endings of one story each, and what people say of them.

    Attributes:
        source: where they come from, for messages.
        pairs: the endings, and which of each two people prefer.
        share: float64 [pairs]: how much of what people say is for the first ending, from 0 to 1; who prefers neither is
            half for it.
        texts: of each ending; empty where they are not known.
        question: what was asked, or by which criterion was rated; None where that is not known.
        other_questions: those that are in the same file.
        people: the answers in which reasons may name elements; None of other files.
        left_out: a sentence with the number of rows of each kind that do not count.
    """

    source: str
    pairs: PreferredPairs
    share: Floats
    texts: Mapping[Ending, StoryEnding] = field(default_factory=dict)
    question: str | None = None
    other_questions: Sequence[str] = ()
    people: HumanAnswers | None = None
    left_out: Sequence[str] = ()

    @property
    def endings(self) -> list[Ending]:
        """Those of the pairs, each once."""
        return sorted({*self.pairs.first, *self.pairs.second})

    def rows(self) -> EndingRows:
        """The texts of `endings`, without references."""
        texts = [self.texts[ending] for ending in self.endings]
        return EndingRows([each.ending for each in texts], [each.context for each in texts], [()] * len(texts))

    def stories(self) -> list[str]:
        """By pair a text that is the same for pairs of one story: of its context, or its id where that is not known."""
        from denouement.cloze.parts.chooser import context_digests

        if not self.texts:
            return [item for item, _ in self.pairs.first]
        return context_digests([self.texts[ending].context for ending in self.pairs.first])

    def without(self, systems: Sequence[str]) -> "JudgedPairs":
        """The pairs without an ending of some systems.

        Raises:
            UserError: no pair has one of these systems, or every pair has.
        """
        of_pairs = [(one, other) for (_, one), (_, other) in zip(self.pairs.first, self.pairs.second, strict=True)]
        known = sorted({system for both in of_pairs for system in both})
        if unknown := [system for system in systems if system not in known]:
            raise UserError(f"{self.source}: no system {shortened(unknown)} to leave out; there are {shortened(known)}")
        kept = [not set(systems).intersection(both) for both in of_pairs]
        if not any(kept):
            raise UserError(f"{self.source}: every pair has an ending of {shortened(systems)}; leave fewer systems out")
        return self.where(kept)

    def where(self, kept: Sequence[bool]) -> "JudgedPairs":
        """Some of the pairs."""
        places = np.flatnonzero(kept).tolist()
        ids, first, second = self.pairs.ids, self.pairs.first, self.pairs.second
        pairs = PreferredPairs(
            [ids[at] for at in places],
            [first[at] for at in places],
            [second[at] for at in places],
            self.pairs.prefers[places],
        )
        return replace(self, pairs=pairs, share=self.share[places])


def read_judged(
    paths: Sequence[Path], items: Path | None = None, question: str | None = None, raters: Sequence[str] = ()
) -> JudgedPairs:
    """What people prefer.

    Args:
        paths: files with the columns `context` (or `prompt`), `chosen` and `rejected`; or one table `votes` or
            `rankings`, or one file of ratings that `read_people` reads: of two endings of a story the one with the
            higher mean rating is preferred.
        items: table `items` of the study, which has the texts.
        question: of the answers; None: the first.
        raters: of ratings, those who count; none for all.

    Raises:
        UserError: a file that cannot be read, files of both kinds, or no pair in them; items of other answers.
    """
    of_texts = [path for path in paths if _has_texts(path)]
    if of_texts and len(of_texts) < len(paths):
        raise UserError(f"{of_texts[0]} has texts, and other files have ids: learn from one kind at a time")
    if of_texts:
        if items or question or raters:
            raise UserError("--items, --question and --rater are for answers of a study; these files have texts")
        judged = _chosen_and_rejected(paths)
    elif len(paths) > 1:
        raise UserError(f"{paths[1]}: a second table of answers; put them together first (`denouement study import`)")
    else:
        judged = _answers(paths[0], question, raters)
    if not len(judged.pairs):
        raise UserError(f"{judged.source}: has no two endings of one story that people compared or rated")
    return judged if items is None else replace(judged, texts=_texts(items, judged))


def _has_texts(path: Path) -> bool:
    """Whether a file has chosen and rejected texts."""
    if path.is_dir() or kind_of(path) is not None or any(layout.is_of(path) for layout in LAYOUTS.values()):
        return False
    return all(_column(named_rows(path, _is_of_texts)[0], known) for known in (_CHOSEN, _REJECTED))


def _is_of_texts(names: Sequence[str]) -> bool:
    return all(_column(names, known) for known in (_CONTEXT, _CHOSEN, _REJECTED))


def _column(names: Iterable[str], known: Sequence[str]) -> str | None:
    return next((name for name in names if name.lower() in known), None)


def _chosen_and_rejected(paths: Sequence[Path]) -> JudgedPairs:
    """Pairs of texts; rows about the same two endings of a story are put together."""
    stories: dict[str, dict[str, Ending]] = {}
    texts: dict[Ending, StoryEnding] = {}
    points: defaultdict[tuple[Ending, Ending], list[float]] = defaultdict(list)
    counts: Counter[str] = Counter()
    for path in paths:
        names, rows = named_rows(path, _is_of_texts)
        columns = [_column(names, known) for known in (_CONTEXT, _CHOSEN, _REJECTED)]
        if columns[0] is None:
            raise UserError(f"{path}: no column context or prompt beside chosen and rejected; add it")
        for where, row in rows:
            context, chosen, rejected = (_text(path, where, str(name), row.get(str(name))) for name in columns)
            if not (context and chosen and rejected):
                counts["rows lack the context or an ending and are left out"] += 1
            elif chosen == rejected:
                counts["rows with twice the same ending are left out"] += 1
            else:
                its = stories.setdefault(context, {})
                for text in (chosen, rejected):
                    ending = its.setdefault(text, (f"story {len(stories)}", f"ending {len(its) + 1}"))
                    texts.setdefault(ending, StoryEnding(tuple(split_sentences(context)), text))
                first, second = sorted((its[chosen], its[rejected]))
                points[first, second].append(1.0 if first == its[chosen] else 0.0)
    if repeated := sum(map(len, points.values())) - len(points):
        counts["rows are about two endings that an earlier row has too, and are put together with it"] = repeated
    source = ", ".join(map(str, paths))
    answers = {("", f"{a[0]} {a[1]} {b[1]}"): ((a, b), of) for (a, b), of in points.items()}
    return replace(_mean(source, answers), texts=texts, left_out=[f"{n:,} {what}" for what, n in counts.items()])


def _text(path: Path, where: str, name: str, value: Any) -> str:
    """A text, or one of a list of sentences, with single blanks."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = " ".join(value)
    if not isinstance(value, str | None):
        raise UserError(f"{path}: {where}: {name} must be a text, not {value!r:.40}")
    return " ".join((value or "").split())


def _answers(path: Path, question: str | None, raters: Sequence[str]) -> JudgedPairs:
    if not path.is_dir() and kind_of(path) == "rankings":
        if question or raters:
            raise UserError("--question and --rater are for votes and ratings; rankings answer one question")
        return _of_rankings(str(path), read_table(path, "rankings"))
    people = read_people(path, question, raters)
    if people.pairs is None or people.ballot is None:
        pairs = pairs_of_ratings(_grid(people.ratings))
        share = (1 + pairs.prefers) / 2
        return JudgedPairs(str(path), pairs, share, question=people.question, other_questions=people.other_questions)
    n = np.bincount(people.ballot.item, minlength=len(people.pairs))
    share = np.bincount(people.ballot.item, _POINTS[people.ballot.choice], len(people.pairs)) / n
    return JudgedPairs(
        str(path),
        people.pairs,
        share,
        question=people.question,
        other_questions=people.other_questions,
        people=people,
    )


def _grid(ratings: Ratings) -> Grid:
    """The mean ratings by system and item, without a score."""
    items, systems = (sorted({ending[part] for ending in ratings.endings}) for part in (0, 1))
    people = np.full((len(systems), len(items)), np.nan)
    for (item, system), mean in zip(ratings.endings, ratings.means(), strict=True):
        people[systems.index(system), items.index(item)] = mean
    return Grid(items, systems, [], np.empty((0, *people.shape)), people)


def _of_rankings(source: str, rankings: pa.Table) -> JudgedPairs:
    """Each two endings of an answer, without two that are neither the best nor the worst of a best-worst answer."""
    check_ranks(rankings)
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    ends: dict[tuple[str, str], tuple[Ending, Ending]] = {}
    for row in counted(rankings).to_pylist():
        for (one, rank), (other, its) in combinations(sorted(zip(row["systems"], row["ranks"], strict=True)), 2):
            if rank != its or row["kind"] == "ranking":
                key = (row["study"], f"{row['item_id']} {one} {other}")
                ends[key] = ((row["case_id"], one), (row["case_id"], other))
                found[key].append((1 + float(np.sign(its - rank))) / 2)
    return _mean(source, {key: (ends[key], points) for key, points in found.items()})


def _mean(source: str, answers: Mapping[tuple[str, str], tuple[tuple[Ending, Ending], Sequence[float]]]) -> JudgedPairs:
    """Pairs by id, with the points that each answer gives the first ending: people prefer what has more than half."""
    share = np.array([np.mean(points) for _, points in answers.values()], np.float64)
    first, second = ([both[side] for both, _ in answers.values()] for side in (0, 1))
    return JudgedPairs(source, PreferredPairs([*answers], first, second, np.sign(share - 0.5).astype(np.int64)), share)


def _texts(items: Path, judged: JudgedPairs) -> dict[Ending, StoryEnding]:
    """The texts of the endings that were judged."""
    wanted, found = set(judged.endings), dict[Ending, StoryEnding]()
    context_of: dict[str, tuple[str, ...]] = {}
    for row in read_table(items, "items").to_pylist():
        for system, text in zip(row["systems"], row["endings"], strict=True):
            ending = (row["case_id"], system)
            if ending not in wanted:
                continue
            own = StoryEnding(tuple(row["context"]), text)
            same_story = context_of.setdefault(row["case_id"], own.context) == own.context
            if found.setdefault(ending, own) != own or not same_story:
                raise UserError(
                    f"{items}: has two texts for {named(ending)} or its story, of studies that do not belong together: "
                    "give the answers and items of one of them"
                )
    if lacking := wanted - found.keys():
        raise UserError(
            f"{items}: lacks {len(lacking):,} of the {len(wanted):,} endings that people compared, such as "
            f"{named(min(lacking))}: give the items of the same study"
        )
    return found
