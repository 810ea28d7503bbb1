"""Scores and people's ratings of the same endings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from denouement.errors import UserError
from denouement.metrics.agreement.weighted import Floats
from denouement.schemas import shortened

Ending = tuple[str, str]
"""The id of an item, such as a story, and the system that wrote the ending; an empty text where no system is named."""

Value = tuple[Ending, str, float]
"""An ending, the score or the rater, and the value; NaN where there is none."""


@dataclass(frozen=True)
class Scores:
    """What scores say of endings.

    Attributes:
        source: where they come from, for messages.
        endings: one or more.
        names: the scores.
        values: float64 [names, endings], NaN where there is none.
        left_out: columns that are no numbers and were not read.
        of_sets: by score and system the value of all endings of a system together, which no single ending has.
        lower: scores of which a lower value is better: all their values are times -1.
        no_direction: scores of which it is not known which values are better, where it is known of others.
    """

    source: str
    endings: list[Ending]
    names: list[str]
    values: Floats
    left_out: list[str] = field(default_factory=list)
    of_sets: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    lower: list[str] = field(default_factory=list)
    no_direction: list[str] = field(default_factory=list)

    @property
    def all_names(self) -> list[str]:
        """Those of single endings, then those of sets."""
        return [*self.names, *self.of_sets]

    def only(self, names: Sequence[str]) -> "Scores":
        """The same with some scores alone.

        Raises:
            UserError: an unknown name.
        """
        if unknown := [name for name in names if name not in self.all_names]:
            raise UserError(f"{self.source}: no score {shortened(unknown)}; there are {shortened(self.all_names)}")
        of_endings = [name for name in dict.fromkeys(names) if name in self.names]
        return Scores(
            self.source,
            self.endings,
            of_endings,
            self.values[[self.names.index(name) for name in of_endings]],
            of_sets={name: self.of_sets[name] for name in dict.fromkeys(names) if name in self.of_sets},
            lower=[name for name in self.lower if name in names],
            no_direction=[name for name in self.no_direction if name in names],
        )

    def single(self, names: Sequence[str]) -> "Scores":
        """As `only`, of scores of single endings.

        Raises:
            UserError: an unknown name, or a score of all endings of a system together.
        """
        found = self.only(names)
        if found.of_sets:
            raise UserError(
                f"{self.source}: {shortened(list(found.of_sets))} is of all endings of a system together; name a score "
                "of each ending"
            )
        return found

    def turned(self, names: Sequence[str]) -> "Scores":
        """The same with some scores, of which a lower one is better, times -1; those that already are stay so.

        Raises:
            UserError: an unknown name.
        """
        self.only(names)
        turned = set(names) - set(self.lower)
        sign = {name: -1.0 if name in turned else 1.0 for name in self.all_names}
        return replace(
            self,
            values=self.values * np.array([sign[name] for name in self.names])[:, None],
            of_sets={
                name: {system: sign[name] * value for system, value in of.items()} for name, of in self.of_sets.items()
            },
            lower=[name for name in self.all_names if name in turned or name in self.lower],
            no_direction=[name for name in self.no_direction if name not in turned],
        )


@dataclass(frozen=True)
class Ratings:
    """What people say of endings.

    Attributes:
        source: where they come from, for messages.
        endings: one or more.
        raters: who rated, or the names of columns.
        ending, rater: int64 [ratings]: places in these lists.
        value: float64 [ratings].
    """

    source: str
    endings: list[Ending]
    raters: list[str]
    ending: npt.NDArray[np.int64]
    rater: npt.NDArray[np.int64]
    value: Floats

    def only(self, raters: Sequence[str]) -> "Ratings":
        """The same by some raters alone.

        Raises:
            UserError: an unknown one.
        """
        if unknown := [name for name in raters if name not in self.raters]:
            raise UserError(f"{self.source}: no rater {shortened(unknown)}; there are {shortened(self.raters)}")
        kept = np.isin(self.rater, [self.raters.index(name) for name in raters])
        return self._of(kept)

    def among(self, endings: Iterable[Ending]) -> "Ratings":
        """The same of some endings alone."""
        wanted = set(endings)
        return self._of(np.array([ending in wanted for ending in self.endings], bool)[self.ending])

    def means(self) -> Floats:
        """float64 [endings]: the mean of each ending, rounded so that equal means are equal; NaN without a rating."""
        n = np.bincount(self.ending, minlength=len(self.endings))
        total = np.bincount(self.ending, self.value, minlength=len(self.endings))
        means: Floats = np.where(n > 0, total / np.maximum(n, 1), np.nan)
        return np.asarray(np.round(means, 12))

    def _of(self, kept: npt.NDArray[np.bool_]) -> "Ratings":
        return Ratings(self.source, self.endings, self.raters, self.ending[kept], self.rater[kept], self.value[kept])


def gathered_scores(source: str, rows: Iterable[Value], left_out: Sequence[str] = ()) -> Scores:
    """The values of rows in any order.

    Raises:
        UserError: no row, or two rows for one ending and score.
    """
    found = _once(source, rows)
    endings, names = sorted({ending for ending, _ in found}), list(dict.fromkeys(name for _, name in found))
    row_of, column_of = {name: at for at, name in enumerate(names)}, {ending: at for at, ending in enumerate(endings)}
    values = np.full((len(names), len(endings)), np.nan)
    for (ending, name), value in found.items():
        values[row_of[name], column_of[ending]] = value
    return Scores(source, endings, names, values, list(left_out))


def gathered_ratings(source: str, rows: Iterable[Value]) -> Ratings:
    """The values of rows in any order.

    Raises:
        UserError: no row, or two rows for one ending and rater.
    """
    found = {key: value for key, value in _once(source, rows).items() if not np.isnan(value)}
    if not found:
        raise UserError(f"{source}: no rating in it; name the complete file")
    endings, raters = sorted({ending for ending, _ in found}), sorted({name for _, name in found})
    rater_of, place_of = {name: at for at, name in enumerate(raters)}, {ending: at for at, ending in enumerate(endings)}
    in_order = sorted(found)
    return Ratings(
        source,
        endings,
        raters,
        np.array([place_of[ending] for ending, _ in in_order], np.int64),
        np.array([rater_of[name] for _, name in in_order], np.int64),
        np.array([found[each] for each in in_order]),
    )


def _once(source: str, rows: Iterable[Value]) -> dict[tuple[Ending, str], float]:
    found: dict[tuple[Ending, str], float] = {}
    again: list[tuple[Ending, str]] = []
    for ending, name, value in rows:
        if (ending, name) in found:
            again.append((ending, name))
        found[ending, name] = value
    if not found:
        raise UserError(f"{source}: no row in it; name the complete file")
    if again:
        ending, name = again[0]
        raise UserError(
            f"{source}: {len(again):,} rows repeat another, such as {name} for {named(ending)}; keep one of them"
        )
    return found


def named(ending: Ending) -> str:
    """An ending for a message: `story-1 of seq2seq`."""
    item, system = ending
    return f"{item} of {system}" if system else item


@dataclass(frozen=True)
class Grid:
    """Scores and mean ratings of the same endings, a row a system and a column an item.

    Attributes:
        items: the ids.
        systems: their names; one with an empty name where none is named.
        scores: the names of the scores.
        values: float64 [scores, systems, items], NaN where there is none.
        people: float64 [systems, items]: the mean over raters, NaN where nobody rated.
    """

    items: list[str]
    systems: list[str]
    scores: list[str]
    values: Floats
    people: Floats

    @property
    def endings(self) -> set[Ending]:
        """Those that were rated."""
        return {
            (self.items[item], self.systems[row]) for row, item in zip(*np.nonzero(~np.isnan(self.people)), strict=True)
        }


@dataclass(frozen=True)
class Matched:
    """Which endings have scores and ratings.

    Attributes:
        endings: those that have both.
        items, systems: how many items and systems these are of; no system where none is named.
        only_scores: endings with scores that nobody rated.
        only_people: endings that were rated and have no score.
    """

    endings: int
    items: int
    systems: int
    only_scores: int
    only_people: int


def matched(scores: Scores, people: Ratings, without: Sequence[str] = ()) -> tuple[Grid, Ratings, Matched]:
    """The endings that have scores and ratings, and the ratings with their names of systems.

    Args:
        scores: what scores say.
        people: what people say.
        without: systems that are left out.

    Raises:
        UserError: no ending has both, one of the inputs names several systems and the other none, or a system that is
            to be left out is not there.
    """
    scores, people = _alike(scores, people)
    rated = {people.endings[place] for place in np.unique(people.ending)}
    both = set(scores.endings) & rated
    if not both:
        raise UserError(
            f"{scores.source} and {people.source} have no ending in common: the first has {named(scores.endings[0])}, "
            f"the second {named(people.endings[0])}; give tables with the same ids of items and names of systems"
        )
    if unknown := sorted(set(without) - {system for _, system in both}):
        known = shortened(sorted({system for _, system in both if system})) or "none"
        raise UserError(f"no system {shortened(unknown)} to leave out; there are {known}")
    kept = sorted(ending for ending in both if ending[1] not in without)
    if not kept:
        raise UserError("every system is left out; leave fewer out")
    items, systems = sorted({item for item, _ in kept}), sorted({system for _, system in kept})
    row_of, column_of = ({name: at for at, name in enumerate(of)} for of in (systems, items))
    rows, columns = [row_of[system] for _, system in kept], [column_of[item] for item, _ in kept]

    def placed(endings: list[Ending], values: Floats) -> Floats:
        place_of = {ending: at for at, ending in enumerate(endings)}
        made = np.full((*values.shape[:-1], len(systems), len(items)), np.nan)
        made[..., rows, columns] = values[..., [place_of[ending] for ending in kept]]
        return made

    grid = Grid(
        items, systems, scores.names, placed(scores.endings, scores.values), placed(people.endings, people.means())
    )
    n_systems = len(systems) if systems != [""] else 0
    count = Matched(len(kept), len(items), n_systems, len(set(scores.endings) - rated), len(rated - both))
    return grid, people.among(kept), count


def _alike(scores: Scores, people: Ratings) -> tuple[Scores, Ratings]:
    """Both with names of systems, or both without: a single system need not be named in both."""
    systems = [sorted({system for _, system in each.endings if system}) for each in (scores, people)]
    if bool(systems[0]) == bool(systems[1]):
        return scores, people
    several, bare = (scores, people) if systems[0] else (people, scores)
    if len(systems[0] or systems[1]) > 1:
        raise UserError(
            f"{bare.source}: names no system, but {several.source} has endings of "
            f"{shortened(systems[0] or systems[1])}; add a column system"
        )
    return (
        replace(scores, endings=[(item, "") for item, _ in scores.endings]),
        replace(people, endings=[(item, "") for item, _ in people.endings]),
    )
