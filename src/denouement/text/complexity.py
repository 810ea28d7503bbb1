"""How complex the syntax of a sentence is: the scores of Yngve 1960 and Frazier 1985, as means over its words.

Both are defined on constituent trees. Here a tree is made from a dependency parse. Each word has a phrase. Its parts
are the phrases of the dependents before the word and then the nucleus, which consists of the word and the phrases of
the dependents after it. So a clause is a subject and a verb phrase, `[[green ideas] [sleep furiously]]`.

Differences from the trees of the Penn Treebank: auxiliaries and adverbs before a verb are sisters of its subject
instead of beginning verb phrases of their own; modifiers after a noun are inside the nucleus of the noun instead of
being sisters of the noun phrase; coordinated phrases depend on the first one; the full stop belongs to the verb phrase
instead of the clause. So scores of sentences can be compared with each other, but not with values from constituent
trees.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from denouement.text.syntax import Parse

CLAUSE = 1.5
"""The weight of a clause in Frazier's score; any other phrase weighs 1."""

_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})

# Relations in which a single word is a phrase too: "she" (noun phrase), "furiously" (adverb phrase).
_LONE_PHRASES = _SUBJECTS | {"dobj", "dative", "pobj", "attr", "acomp", "oprd", "npadvmod", "advmod"}


def yngve(parse: Parse) -> float:
    """The mean of `yngve_depths`; 0 without words."""
    return float(yngve_depths(parse).mean()) if parse.words else 0.0


def frazier(parse: Parse) -> float:
    """The mean of `frazier_scores`; 0 without words."""
    return float(frazier_scores(parse).mean()) if parse.words else 0.0


def yngve_depths(parse: Parse) -> npt.NDArray[np.int64]:
    """int64 [words]: how many parts of unfinished phrases are still to come at each word (Yngve 1960).

    This is the sum of the numbers of the branches from the root to the word, where the branches of each phrase are
    numbered from the right, beginning with 0.
    """
    to_come = [0] * len(parse.heads)  # parts after a word's phrase in its parent phrase
    before, behind = _dependents(parse.heads)
    for dependents in before:
        for number, word in enumerate(reversed(dependents), start=1):  # the nucleus comes last
            to_come[word] = number
    for dependents in behind:
        for number, word in enumerate(reversed(dependents)):
            to_come[word] = number
    return np.array(
        [
            len(behind[word]) + sum(to_come[phrase] for phrase in _path(parse.heads, word))
            for word in range(len(parse.heads))
        ],
        dtype=np.int64,
    )


def frazier_scores(parse: Parse) -> npt.NDArray[np.float64]:
    """float64 [words]: the number of phrases that begin with each word, where a clause counts `CLAUSE` (Frazier 1985).

    A clause is the phrase of a root or a phrase with a subject. A single word is a phrase only as a subject, object,
    complement or adverb.
    """
    before, behind = _dependents(parse.heads)
    first = list(range(len(parse.heads)))
    for word in range(len(parse.heads)):
        for phrase in _path(parse.heads, word):
            first[phrase] = min(first[phrase], word)
    scores = np.zeros(len(parse.heads))
    for word, (left, right) in enumerate(zip(before, behind, strict=True)):
        relations = {parse.relations[dependent] for dependent in left + right}
        if parse.heads[word] == word or relations & _SUBJECTS:
            scores[first[word]] += CLAUSE
        elif left or right or parse.relations[word] in _LONE_PHRASES:
            scores[first[word]] += 1
        if left and right:
            scores[word] += 1  # the nucleus
    return scores


def _dependents(heads: Sequence[int]) -> tuple[list[list[int]], list[list[int]]]:
    """For each word the words before it that depend on it, and those after it, in order."""
    before: list[list[int]] = [[] for _ in heads]
    behind: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads):
        if word != head:
            (before if word < head else behind)[head].append(word)
    return before, behind


def _path(heads: Sequence[int], word: int) -> Iterator[int]:
    """The word, its head, that one's head ... to the root."""
    yield word
    while heads[word] != word:
        word = heads[word]
        yield word
