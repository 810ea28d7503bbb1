"""Which n-grams mark right endings and which wrong ones: Sharma et al. 2018, sections 3 and 5, Table 5."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from denouement.schemas import TABLES
from denouement.text.syntax import Parses
from denouement.text.words import lowered

KINDS = ("words", "characters", "pos", "token_pos")
LONGEST = 3
"""The longest n-grams of words, parts of speech and words with theirs; the paper leaves it open."""

CHARACTERS = 4
LEAST = 5
"""An n-gram that occurs less often in both kinds of endings together is left out (Sharma et al. 2018, section 4)."""

SHOWN = 30
NOTABLE = 2.0
"""An n-gram is shown to mark endings where its z is at least this, or at most minus this."""

_PRIOR = 0.1  # the prior's counts, as a share of the counts in right and wrong endings together


@dataclass(frozen=True)
class NgramOdds:
    """How far n-grams mark right endings, those that mark them most first; lists of equal length.

    Attributes:
        ngram: the n-grams.
        right, wrong: how often each occurs in right and in wrong endings.
        log_odds: the difference of its log-odds in right and in wrong endings.
        z: that in units of its standard error.
    """

    ngram: list[str]
    right: list[int]
    wrong: list[int]
    log_odds: list[float]
    z: list[float]


def ngrams(kind: str, ending: str, parses: Parses | None) -> Iterator[str]:
    """The n-grams of an ending; without its parse there are none of parts of speech.

    Args:
        kind: `words` in lower case (1 to `LONGEST`), `characters` (`CHARACTERS`, in their own case), `pos` (tags of the
            Penn Treebank) or `token_pos` (`did/VBD`).
        ending: the text.
        parses: of all endings, or None.
    """
    if kind == "characters":
        yield from (ending[at : at + CHARACTERS] for at in range(len(ending) - CHARACTERS + 1))
        return
    if kind == "words":
        items: Sequence[str] = lowered(ending)
    else:
        parse = parses[ending] if parses is not None else None
        tags = parse.tags if parse else ()
        words = [word.lower() for word in parse.words] if parse else []
        items = tags if kind == "pos" else [f"{word}/{tag}" for word, tag in zip(words, tags, strict=True)]
    for n in range(1, LONGEST + 1):
        yield from (" ".join(items[at : at + n]) for at in range(len(items) - n + 1))


def ngram_odds(kind: str, right: Iterable[str], wrong: Iterable[str], parses: Parses | None) -> NgramOdds:
    """Count n-grams in right and in wrong endings, and measure how far each marks one of the two.

    `log_odds` is the difference of the log-odds of an n-gram in right and in wrong endings, with a Dirichlet prior of
    the n-gram's own frequency in both together; `z` is that in units of its standard error (Monroe, Colaresi and Quinn
    2008, equations 16 and 22). This puts a frequent n-gram with a small difference and a rare one with a large
    difference on one scale. Unlike in the paper, n-grams of all lengths of a kind share one total.
    """
    counted = [
        Counter(gram for ending in endings for gram in ngrams(kind, ending, parses)) for endings in (right, wrong)
    ]
    names = sorted(gram for gram, n in (counted[0] + counted[1]).items() if n >= LEAST)
    counts = np.array([[of[gram] for gram in names] for of in counted], float).reshape(2, -1)
    totals = np.array([[sum(of.values())] for of in counted], float)
    prior = _PRIOR * counts.sum(axis=0)
    prior_total = _PRIOR * totals.sum()
    raised = counts + prior
    others = np.maximum(totals + prior_total - raised, 1e-9)  # 0 where there is only one n-gram
    log_odds = np.subtract(*(np.log(raised) - np.log(others))) if names else np.empty(0)
    z = log_odds / np.sqrt((1 / raised).sum(axis=0))
    order = np.lexsort([np.arange(len(names)), -z])
    return NgramOdds(
        [names[place] for place in order],
        counts[0, order].astype(int).tolist(),
        counts[1, order].astype(int).tolist(),
        log_odds[order].tolist(),
        z[order].tolist(),
    )


def deviation(right: Sequence[int], wrong: Sequence[int], n_wrong: float) -> float | None:
    """The standard deviation over n-grams of the difference of their counts: Table 5; None for fewer than two.

    Counts in wrong endings are divided by `n_wrong`, how many of these there are for each right one. The deviation
    grows with the number of cases, so releases compare only by equal numbers (the paper's are 3,742 and 3,142).
    """
    differences = np.subtract(right, np.divide(wrong, n_wrong))
    return float(differences.std(ddof=1)) if len(differences) > 1 else None


def odds_table(found: Mapping[tuple[str, str, str], NgramOdds]) -> pa.Table:
    """The table `ngram_odds` of n-grams by release, split and kind."""
    schema = TABLES["ngram_odds"].schema
    parts = []
    for (release, split, kind), odds in found.items():
        n = len(odds.ngram)
        parts.append(
            pa.table({"release": [release] * n, "split": [split] * n, "kind": [kind] * n, **vars(odds)}, schema=schema)
        )
    return pa.concat_tables(parts or [schema.empty_table()])
