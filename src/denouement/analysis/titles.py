"""How titles begin, as a tree: Mostafazadeh et al. 2016, section 3.1, Figure 4."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from denouement.charts.sunburst import END, Path
from denouement.text.words import lowered

DEPTH = 5
FADED = 0.001
"""A path of a smaller share of all titles is faded."""


def title_paths(titles: Iterable[str | None]) -> Counter[Path]:
    """How many titles begin with each path of up to `DEPTH` words, `END` being one; titles are put in lower case."""
    counts: Counter[Path] = Counter()
    for title in titles:
        words = lowered(title) if title else []
        if words:
            path = tuple(words[:DEPTH]) if len(words) >= DEPTH else (*words, END)
            counts.update(path[:n] for n in range(1, len(path) + 1))
    return counts


def faded_share(paths: Counter[Path]) -> float | None:
    """The share of titles whose whole path is faded (the paper: three quarters).

    None where there are too few titles for any path to be faded.
    """
    whole = [(path, n) for path, n in paths.items() if len(path) == DEPTH or path[-1] == END]
    total = sum(n for _, n in whole)
    return sum(n for _, n in whole if n / total < FADED) / total if total > 1 / FADED else None


@dataclass(frozen=True)
class FirstWord:
    """A word that titles begin with: how many do, and which share of all titles that is."""

    word: str
    count: int
    share: float


def first_words(paths: Counter[Path], most: int) -> list[FirstWord]:
    """The `most` most frequent first words of titles."""
    found = sorted(((path[0], n) for path, n in paths.items() if len(path) == 1), key=lambda row: (-row[1], row[0]))
    total = sum(n for _, n in found)
    return [FirstWord(word, n, n / total) for word, n in found[:most]]
