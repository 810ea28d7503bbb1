"""Wrong endings that are made up from stories, from which a chooser learns before it sees labelled cases.

ROCStories have right endings alone. A made-up ending is wrong in a known way: it belongs to another story, it says the
opposite, it is about another person, it comes too early, or a language model wrote it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from denouement.cloze.parts.chooser_settings import Example
from denouement.schemas import read_table
from denouement.settings import at_least
from denouement.text.word_lists import FEMALE_NAMES, MALE_NAMES

Kind = Literal["random", "near", "samples", "negated", "renamed", "order"]

_NEAREST = 5  # stories from which that with another ending is taken
_BLOCK = 500  # stories that are compared with all others at once

_WORD = re.compile(r"[A-Za-z]+")
_NAMES = MALE_NAMES | FEMALE_NAMES
_CONTRACTED = {"can't": "can", "won't": "will", "cannot": "can"}
_NEGATION = re.compile(r"\b(can't|won't|cannot)\b|(?<=[a-z])n't\b| (?:not|never)\b", re.IGNORECASE)
_AUXILIARY = re.compile(r"\b(was|were|is|are|am|could|would|should|can|will|did|does|do|must|might)\b", re.IGNORECASE)


@dataclass(frozen=True)
class MadeUp:
    """Which wrong endings are made up.

    Attributes:
        kinds: `random`, the ending of another story; `near`, that of a story with many words in common; `samples`, what
            a language model wrote (`endings`); `negated`, the ending with or without "not"; `renamed`, with the name of
            another person of the story; `order`, the story's last two sentences in the wrong order.
        stories: how many stories of the split train are drawn.
        epochs: passes over them.
        endings: a table of endings that a model wrote for the stories, whose `case_id` is that of the story.
    """

    kinds: tuple[Kind, ...] = ("random", "near")
    stories: int = 2000
    epochs: int = 1
    endings: str | None = None

    def __post_init__(self) -> None:
        at_least(self, 1, "stories", "epochs")
        if not self.kinds:
            raise ValueError("kinds: name at least one")
        if ("samples" in self.kinds) != (self.endings is not None):
            raise ValueError("endings: name a table of endings for the kind samples, and for no other")


def made_up(stories: pa.Table, settings: MadeUp, seed: int) -> list[Example]:
    """Stories with their own ending, which is the first, and a made-up one of each kind that can be made.

    The kind `order` gives an example of its own, whose context ends two sentences earlier.

    Args:
        stories: rows of the table `stories`, all of which are used; those of fewer than three sentences are not.
        settings: which kinds.
        seed: of the draws.

    Raises:
        UserError: the table of endings cannot be read.
    """
    rows = [row for row in stories.select(["story_id", "sentences"]).to_pylist() if len(row["sentences"]) >= 3]
    sentences = [row["sentences"] for row in rows]
    if not rows:
        return []
    draws = np.random.default_rng(seed)
    makers: Mapping[str, Callable[[], Sequence[str | None]]] = {
        "random": lambda: _random(sentences, draws),
        "near": lambda: _near(sentences),
        "samples": lambda: _samples([row["story_id"] for row in rows], settings.endings or "", draws),
        "negated": lambda: [negated(story[-1]) for story in sentences],
        "renamed": lambda: [renamed(story) for story in sentences],
    }
    wrong = [makers[kind]() for kind in settings.kinds if kind != "order"]
    found = []
    for story, *made in zip(sentences, *wrong, strict=True):
        others = [ending for ending in dict.fromkeys(made) if ending is not None and ending != story[-1]]
        if others:
            found.append(Example(story[:-1], [story[-1], *others], 0))
        if "order" in settings.kinds:
            told = [" ".join(story[-2:]), " ".join(story[:-3:-1])]
            found.append(Example(story[:-2], told, 0, story=story[:-1]))
    return found


def negated(sentence: str) -> str | None:
    """The sentence without its first "not" or "never", or with one after its first auxiliary; None where it has none.

    >>> negated("He could not sleep.")
    'He could sleep.'
    >>> negated("They were happy.")
    'They were not happy.'
    """
    if _NEGATION.search(sentence):
        return _NEGATION.sub(lambda found: _CONTRACTED.get(found[0].lower(), ""), sentence, count=1)
    if _AUXILIARY.search(sentence):
        return _AUXILIARY.sub(r"\1 not", sentence, count=1)
    return None


def renamed(story: Sequence[str]) -> str | None:
    """The ending with each of the two people that the story names first called by the other's name.

    None where the ending names neither, or the story not two.

    >>> renamed(["Tom met Ann.", "Ann was late.", "Tom left."])
    'Ann left.'
    """
    names = dict.fromkeys(
        word for sentence in story for word in _WORD.findall(sentence) if word.istitle() and word.lower() in _NAMES
    )
    if len(names) < 2:
        return None
    one, other, *_ = names
    swapped = {one: other, other: one}
    ending = _WORD.sub(lambda found: swapped.get(found[0], found[0]), story[-1])
    return None if ending == story[-1] else ending


def _random(stories: Sequence[Sequence[str]], draws: np.random.Generator) -> list[str | None]:
    """The ending of another story, drawn for each."""
    n = len(stories)
    if n < 2:
        return [None] * n
    others = (np.arange(n) + draws.integers(1, n, n)) % n
    return [stories[other][-1] for other in others]


def _near(stories: Sequence[Sequence[str]]) -> list[str | None]:
    """The ending of the story that has most in common with each, words weighed by how rare they are (TF-IDF)."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(sublinear_tf=True).fit_transform(map(" ".join, stories))
    found: list[str | None] = []
    for start in range(0, len(stories), _BLOCK):
        similar = (vectors[start : start + _BLOCK] @ vectors.T).toarray()
        for row, of_story in enumerate(similar, start):
            of_story[row] = -1
            nearest = np.argsort(-of_story, kind="stable")[:_NEAREST]
            endings = (stories[at][-1] for at in nearest if at != row)
            found.append(next((ending for ending in endings if ending != stories[row][-1]), None))
    return found


def _samples(ids: Sequence[str], path: str, draws: np.random.Generator) -> list[str | None]:
    """One of the endings that a model wrote for each story, drawn; None where it wrote none."""
    table = read_table(Path(path), "endings")
    of_story: dict[str, list[str]] = {}
    for row in table.select(["case_id", "ending"]).to_pylist():
        of_story.setdefault(row["case_id"], []).append(row["ending"])
    return [str(draws.choice(of_story[each])) if each in of_story else None for each in ids]
