"""cogcomp: which ending fits what happened, how it felt and what it was about. Chaturvedi, Peng and Roth 2017."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.cloze.base import ClozeSystem, Scores, case_of_endings, endings
from denouement.cloze.evaluation.cross_validation import story_folds
from denouement.cloze.parts.ngram_model import BEGIN, END, NgramModel
from denouement.cloze.parts.pairwise import Features, Pairwise, pairs_to_learn
from denouement.cloze.resources import Resources
from denouement.encoders.word_vectors import WordVectors, open_vectors
from denouement.settings import at_least
from denouement.text import events
from denouement.text.sentiment import NEGATIVE, POSITIVE, vader
from denouement.text.syntax import Parse, Parses

VARIANTS: dict[str, tuple[str, ...]] = {
    "": ("predicates", "pairs", "sequence", "sentiment", "topic"),
    "events": ("predicates", "pairs", "sequence"),
    "sentiment": ("sentiment",),
    "topic": ("topic",),
}
"""The groups of features each variant uses: all of them, then each aspect of the paper alone."""

_LEVELS = {"plain": events.predicates, "marked": events.marked_predicates}
_CONTENT = {"nouns": ("NOUN", "PROPN"), "verbs": ("VERB",), "modifiers": ("ADJ", "ADV")}
_PARTS = ("beginning", "body", "climax")
_PRIOR = 3.0  # stories that the trajectory model has seen before it sees any, with endings as in all stories


@dataclass
class CogComp(ClozeSystem):
    """Logistic regression on the difference between endings of a case, over three aspects of a story.

    Events. A sentence is a sequence of events, a verb each with its particle, negation and, for "be", what it says;
    "marked" events also say who acts (`text.events`). Group `predicates`: the events of the ending, plain, marked,
    with their object, and each with the next. Group `pairs`: each event of the context with each of the ending. Group
    `sequence`, for plain and for marked events, learned from stories: mean and summed log-probability (trigrams) of the
    ending's events after those of the context, at the begin of a story and as a last sentence, the gain by the context,
    and pointwise mutual information of the ending's events with those of the context and of its last sentence.

    Sentiment. A story has a beginning (its first sentence), a body, a climax (the last sentence before the ending) and
    an ending, each positive, neutral or negative by VADER. Group `sentiment`: the log-probability of the ending's class
    after those of the parts, as in stories; VADER's four scores of the ending; and how the ending's compound agrees
    with each part's.

    Topic. Group `topic`: the cosine between the word vectors of each noun, verb and modifier of the ending and the
    closest one of the context (mean and least over the ending's words, plain or weighted by how rare a word is in
    stories) and the mean cosine, over the whole context and its last sentence; the cosine of mean vectors; the share of
    words that are in the context already; and pointwise mutual information of words of the context and of the ending
    in stories.

    Differences from the paper: verbs replace the frames of a semantic role labeller, and n-gram models the semantic
    language models, which the paper trained on far more text; to make up for that, weights of events and of pairs of
    events are learned from the cases as well. The paper's best model lets a hidden variable choose the aspect that
    matters to a story; this is the linear one.

    Attributes:
        order: the longest n-grams of events.
        min_count: a feature that fewer endings have, of those fitted to, is left out.
        n_folds: of the cross-validation inside the cases fitted to; the strength of the penalty is the one with the
            least loss there.
    """

    name: ClassVar[str] = "cogcomp"
    learns_from_cases: ClassVar[bool] = True
    only_english: ClassVar[bool] = True

    order: int = 3
    min_count: int = 3
    n_folds: int = 5

    def __post_init__(self) -> None:
        at_least(self, 1, "order", "min_count")
        at_least(self, 2, "n_folds")

    def learns_from_stories(self, variant: str) -> bool:
        """See `ClozeSystem`."""
        return True

    def learned_elsewhere(self, variant: str, resources: Resources) -> str | None:
        """See `ClozeSystem`."""
        return resources.word_vectors_named(of_file=resources.word_vectors is not None)

    def lacks(self, resources: Resources) -> list[str]:
        """See `ClozeSystem`."""
        return resources.lacks(self.name, stories=True, parser=True)

    def prepare(self, resources: Resources) -> None:
        """Learn from stories how events, sentiment and words go together.

        Raises:
            MissingResourceError: there are no stories, or no parser.
        """
        stories = resources.need_stories(self.name)
        self._models = resources.once((self.name, self.order), lambda: self._learn(stories, resources))

    def fit(self, cases: pa.Table, resources: Resources) -> None:
        """Learn the weights of the features, a model for each variant.

        Raises:
            MissingResourceError: fewer cases than twice `n_folds`, or stories than `n_folds`.
        """
        pairs = pairs_to_learn(cases, self.n_folds, self.name)
        fold_of = story_folds(cases, self.n_folds, resources.seed)
        self._pairwise = Pairwise(self.features(cases, resources), pairs, self.min_count)
        self._weights = {
            variant: self._pairwise.fit(groups, fold_of, resources.seed) for variant, groups in VARIANTS.items()
        }

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """The scores by all features, and by those of each aspect alone (`VARIANTS`)."""
        features = self.features(cases, resources)
        return {variant: self._pairwise.score(features, cases, weights) for variant, weights in self._weights.items()}

    def features(self, cases: pa.Table, resources: Resources) -> list[Features]:
        """The features of all endings of each case; the groups are those of `VARIANTS`."""
        key = (self.name, self.order, "features")
        return resources.once_an_ending(key, cases, lambda new: self._features_of(new, resources))

    def _learn(self, stories: pa.Table, resources: Resources) -> "_Models":
        texts = stories["sentences"].to_pylist()
        parses = resources.parse([sentence for story in texts for sentence in story])
        parsed = [[parses[sentence] for sentence in story] for story in texts]
        vectors = open_vectors(str(resources.word_vectors) if resources.word_vectors else None)
        return _Models(
            events={
                level: EventModel([[of(parse) for parse in story] for story in parsed], self.order)
                for level, of in _LEVELS.items()
            },
            trajectory=TrajectoryModel(_compounds(texts)),
            topic=TopicModel([[content(parse) for parse in story] for story in parsed], vectors),
        )

    def _features_of(self, cases: pa.Table, resources: Resources) -> list[Features]:
        contexts, candidates = cases["context"].to_pylist(), endings(cases)
        sentences = [sentence for context in contexts for sentence in context]
        parses = resources.parse(sentences + candidates)
        for what, texts in {"context sentences": sentences, "endings": candidates}.items():
            if without := sum(not events.events(parses[text]) for text in texts):
                resources.notes[f"{self.name}: {what} without an event"] += without
        compounds = _compounds(contexts)
        sentiments = vader(candidates, workers=1).astype(np.float64)
        self._models.topic.learn(parses)
        before = [[parses[sentence] for sentence in context] for context in contexts]
        return [
            {
                **_predicate_features(parses[ending]),
                **_pair_features(before[case], parses[ending]),
                **self._sequence_features(before[case], parses[ending]),
                **self._models.trajectory.features(compounds[case], sentiment),
                **self._models.topic.features(before[case], parses[ending]),
            }
            for case, ending, sentiment in zip(case_of_endings(cases), candidates, sentiments, strict=True)
        ]

    def _sequence_features(self, context: Sequence[Parse], ending: Parse) -> dict[str, float]:
        return {
            f"sequence {level} {name}": value
            for level, of in _LEVELS.items()
            for name, value in self._models.events[level].features([of(parse) for parse in context], of(ending)).items()
        }


class EventModel:
    """How events follow each other in stories."""

    def __init__(self, stories: Sequence[Sequence[Sequence[str]]], order: int) -> None:
        """Count the events of each sentence of each story."""
        self._sequences = NgramModel(([event for sentence in story for event in sentence] for story in stories), order)
        self._last = NgramModel((story[-1] for story in stories if story), order)
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._firsts: Counter[str] = Counter()
        self._seconds: Counter[str] = Counter()
        for story in stories:
            for earlier, later in combinations([sorted(set(sentence)) for sentence in story], 2):
                self._pairs.update((one, other) for one in earlier for other in later)
                self._firsts.update({one: len(later) for one in earlier})
                self._seconds.update({other: len(earlier) for other in later})
        self._total = self._pairs.total()

    def pmi(self, one: str, other: str) -> float:
        """Pointwise mutual information, in nats, of `one` in a sentence of a story and `other` in a later one.

        Pairs seen once say little and count as unrelated (0); others are discounted by n / (n + 1).
        """
        n = self._pairs[one, other]
        if n < 2:
            return 0.0
        return math.log(n * self._total / (self._firsts[one] * self._seconds[other])) * n / (n + 1)

    def features(self, context: Sequence[Sequence[str]], ending: Sequence[str]) -> dict[str, float]:
        """What the model says of the events of an ending after those of each sentence of a context."""
        before = [event for sentence in context for event in sentence]
        after = self._sequences.log_probs(ending, before)
        alone = self._sequences.log_probs(ending)
        last = self._last.log_probs(ending)
        related = self._table(before, ending)
        related_last = self._table(context[-1] if context else [], ending)
        return {
            "events": len(ending),
            "log-prob after the context": after.sum(),
            "mean log-prob after the context": after.mean(),
            "log-prob alone": alone.sum(),
            "mean log-prob alone": alone.mean(),
            "gain by the context": after.sum() - alone.sum(),
            "log-prob as last sentence": last.sum(),
            "mean log-prob as last sentence": last.mean(),
            "mean pmi": related.mean(),
            "mean greatest pmi": related.max(axis=1).mean(),
            "greatest pmi": related.max(),
            "mean pmi with the last sentence": related_last.mean(),
            "greatest pmi with the last sentence": related_last.max(),
        }

    def _table(self, before: Sequence[str], ending: Sequence[str]) -> npt.NDArray[np.float64]:
        """The PMI of each event of the ending (rows) with each event before; a single 0 without events."""
        if not before or not ending:
            return np.zeros((1, 1))
        return np.array([[self.pmi(one, other) for one in before] for other in ending])


class TrajectoryModel:
    """Which sentiment stories end with after which."""

    def __init__(self, compounds: Sequence[npt.NDArray[np.float64]]) -> None:
        """Count the classes of the parts of stories.

        Args:
            compounds: of each story those of its sentences, the ending last.
        """
        self._trajectories: Counter[tuple[tuple[str, ...], tuple[int, ...], int]] = Counter()
        self._histories: Counter[tuple[tuple[str, ...], tuple[int, ...]]] = Counter()
        ends: Counter[int] = Counter()
        for story in compounds:
            if len(story) < 2:
                continue
            ending = _class(story[-1])
            ends[ending] += 1
            for names, classes in _histories(_parts(story[:-1])):
                self._trajectories[names, classes, ending] += 1
                self._histories[names, classes] += 1
        self._ends = {each: (ends[each] + 1) / (ends.total() + 3) for each in (-1, 0, 1)}

    def prob(self, history: Mapping[str, int], ending: int) -> float:
        """How likely a story whose parts have these classes (-1, 0 or 1) ends with the class `ending`.

        The share among such stories, with all stories counted as three more such stories.
        """
        names, classes = tuple(history), tuple(history.values())
        seen = self._trajectories[names, classes, ending] + _PRIOR * self._ends[ending]
        return seen / (self._histories[names, classes] + _PRIOR)

    def features(self, context: npt.NDArray[np.float64], ending: npt.NDArray[np.float64]) -> dict[str, float]:
        """How the sentiment of an ending (VADER's four scores) suits the compounds of a context's sentences."""
        compound, negative, neutral, positive = ending.tolist()
        parts = _parts(context)
        overall = float(context.mean()) if len(context) else 0.0
        log_probs = {
            f"sentiment log-prob after {' '.join(names)}": math.log(
                self.prob(dict(zip(names, classes, strict=True)), _class(compound))
            )
            for names, classes in _histories(parts)
        }
        products = {f"sentiment with {name}": compound * value for name, value in parts.items()}
        return {
            **log_probs,
            **products,
            "sentiment compound": compound,
            "sentiment negative": negative,
            "sentiment neutral": neutral,
            "sentiment positive": positive,
            "sentiment with all": compound * overall,
            "sentiment far from all": abs(compound - overall),
            "sentiment far from climax": abs(compound - parts["climax"]),
        }


class TopicModel:
    """Which words go together in stories, and by their vectors."""

    def __init__(self, stories: Sequence[Sequence[Mapping[str, Sequence[str]]]], vectors: WordVectors) -> None:
        """Count the content words of each sentence of each story (`content`)."""
        self._vectors = vectors
        self._stories = len(stories)
        self._in_stories: Counter[str] = Counter()
        self._in_contexts: Counter[str] = Counter()
        self._in_endings: Counter[str] = Counter()
        self._pairs: Counter[tuple[str, str]] = Counter()
        for story in stories:
            before = sorted({word for sentence in story[:-1] for word in _all(sentence)})
            after = sorted({word for sentence in story[-1:] for word in _all(sentence)})
            self._in_stories.update({*before, *after})
            self._in_contexts.update(before)
            self._in_endings.update(after)
            self._pairs.update((one, other) for one in before for other in after)

    def learn(self, parses: Parses) -> None:
        """Read the vectors of the content words of `parses`."""
        self._vectors.learn(word for parse in parses.values() for word in _all(content(parse)))

    def pmi(self, one: str, other: str) -> float:
        """Pointwise mutual information, in nats, of `one` in a context and `other` in its ending; smoothed.

        0 for a word never seen there.
        """
        firsts, seconds = self._in_contexts[one], self._in_endings[other]
        if not firsts or not seconds:
            return 0.0
        return math.log((self._pairs[one, other] + 0.1) * self._stories / ((firsts + 1) * (seconds + 1)))

    def features(self, context: Sequence[Parse], ending: Parse) -> dict[str, float]:
        """How close the content words of an ending are to those of a context."""
        before = [content(parse) for parse in context]
        after = content(ending)
        found: dict[str, float] = {}
        for kind, words in [*after.items(), ("words", _all(after))]:
            for what, sentences in (("context", before), ("last sentence", before[-1:])):
                others = [
                    word for sentence in sentences for word in (_all(sentence) if kind == "words" else sentence[kind])
                ]
                cosines = self._cosines(words, others)
                closest = cosines.max(axis=1)
                found |= {
                    f"topic {kind} closest in {what}": closest.mean(),
                    f"topic {kind} least close in {what}": closest.min(),
                    f"topic {kind} mean in {what}": cosines.mean(),
                }
        words, others = sorted(set(_all(after))), sorted({word for sentence in before for word in _all(sentence)})
        known = [word for word in words if word in self._vectors]
        rarity = np.array([self._rarity(word) for word in known] or [0.0])
        closest = self._cosines(known, others).max(axis=1)
        pmi = np.array([[self.pmi(one, other) for one in others] or [0.0] for other in words] or [[0.0]])
        shared = set(words) & set(others)
        found |= {
            "topic closest by rarity": float((closest * rarity).sum() / rarity.sum()) if rarity.any() else 0.0,
            "topic rarity": rarity.mean(),
            "topic greatest rarity": rarity.max(),
            "topic mean vectors": self._cosine_of_means(words, others),
            "topic mean pmi": pmi.mean(),
            "topic mean greatest pmi": pmi.max(axis=1).mean(),
            "topic greatest pmi": pmi.max(),
            "topic mean positive pmi": np.maximum(pmi, 0).mean(),
            "topic shared words": len(shared),
            "topic share of shared words": len(shared) / max(1, len(words)),
        }
        return found

    def _rarity(self, word: str) -> float:
        return math.log((1 + self._stories) / (1 + self._in_stories[word]))

    def _cosines(self, words: Sequence[str], others: Sequence[str]) -> npt.NDArray[np.float64]:
        """The cosine of each of `words` (rows) with each of `others`, for those with a vector; one 0 without any."""
        ones, twos = self._unit_vectors(words), self._unit_vectors(others)
        return ones @ twos.T if len(ones) and len(twos) else np.zeros((1, 1))

    def _cosine_of_means(self, words: Sequence[str], others: Sequence[str]) -> float:
        ones, twos = self._unit_vectors(words), self._unit_vectors(others)
        if not len(ones) or not len(twos):
            return 0.0
        one, other = ones.mean(axis=0), twos.mean(axis=0)
        return float(one @ other / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-12))

    def _unit_vectors(self, words: Sequence[str]) -> npt.NDArray[np.float64]:
        """float64 [known words, dimension]."""
        known = [self._vectors[word].astype(np.float64) for word in words if word in self._vectors]
        return np.array([vector / max(float(np.linalg.norm(vector)), 1e-12) for vector in known])


@dataclass(frozen=True)
class _Models:
    events: Mapping[str, EventModel]
    trajectory: TrajectoryModel
    topic: TopicModel


def content(parse: Parse) -> dict[str, list[str]]:
    """The lemmas, in lower case, of the nouns, verbs and modifiers of a sentence."""
    words = list(zip(parse.lemmas, parse.pos, strict=True))
    return {kind: [lemma.lower() for lemma, pos in words if pos in wanted] for kind, wanted in _CONTENT.items()}


def _all(words: Mapping[str, Sequence[str]]) -> list[str]:
    return [word for kind in words.values() for word in kind]


def _predicate_features(ending: Parse) -> dict[str, float]:
    found = events.events(ending)
    names = [
        name
        for event in found
        for name in (
            event.predicate,
            f"{event.subject}: {event.predicate}",
            *((f"{event.predicate} + {event.object}", f"+ {event.object}") if event.object else ()),
        )
    ]
    names += [f"{one} > {other}" for one, other in pairwise([BEGIN, *(event.predicate for event in found), END])]
    return {f"predicates {name}": float(count) for name, count in Counter(names).items()}


def _pair_features(context: Sequence[Parse], ending: Parse) -> dict[str, float]:
    before = [predicate for sentence in context for predicate in events.predicates(sentence)]
    pairs = Counter((one, other) for one in before for other in events.predicates(ending))
    return {f"pairs {one} > {other}": float(count) for (one, other), count in pairs.items()}


def _compounds(texts: Sequence[Sequence[str]]) -> list[npt.NDArray[np.float64]]:
    """VADER's compound of each sentence of each text."""
    values = vader([sentence for text in texts for sentence in text], workers=1)[:, 0].astype(np.float64)
    return np.split(values, np.cumsum([len(text) for text in texts])[:-1])


def _parts(compounds: npt.NDArray[np.float64]) -> dict[str, float]:
    """The sentiment of each part of a context; that of the body is the mean of its sentences."""
    if not len(compounds):
        return dict.fromkeys(_PARTS, 0.0)
    body = compounds[1:-1]
    values = (compounds[0], body.mean() if len(body) else 0.0, compounds[-1])
    return {name: float(value) for name, value in zip(_PARTS, values, strict=True)}


def _histories(parts: Mapping[str, float]) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
    """The n-grams of parts that end with the climax, and each earlier part alone; with their classes."""
    for names in (("beginning",), ("body",), ("climax",), ("body", "climax"), _PARTS):
        yield names, tuple(_class(parts[name]) for name in names)


def _class(compound: float) -> int:
    """1 positive, 0 neutral, -1 negative."""
    return int(compound >= POSITIVE) - int(compound <= NEGATIVE)
