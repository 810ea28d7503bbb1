"""Topics of reasons by latent Dirichlet allocation (Blei et al. 2003), as Mori et al. 2019 (section 4.4) tried them.

The paper's topics follow the subjects of the stories, not the criteria of the choices; the words of each topic show
whether that is so here. With few reasons topics mean nothing: another seed gives others (`ENOUGH_A_TOPIC`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from denouement.errors import UserError
from denouement.schemas import TABLES
from denouement.settings import at_least

ENOUGH_A_TOPIC = 200
"""With fewer reasons for each topic, topics mean nothing: a rule of thumb that `docs/reasons.md` explains."""


@dataclass(frozen=True)
class TopicSettings:
    """Settings of the model.

    Attributes:
        topics: how many.
        words: how many words of a topic are printed.
        min_reasons: words in fewer reasons are left out.
        passes: how often the training goes through all reasons.
        seed: the seed of the model; the same reasons, settings and seed give the same topics.
    """

    topics: int = 5
    words: int = 10
    min_reasons: int = 2
    passes: int = 50
    seed: int = 1

    def __post_init__(self) -> None:
        """Check the ranges."""
        at_least(self, 1, "topics", "words", "min_reasons", "passes")
        at_least(self, 0, "seed")


@dataclass(frozen=True)
class TopicWord:
    """A word of a topic, and its probability."""

    word: str
    weight: float


@dataclass(frozen=True)
class Topic:
    """A topic.

    Attributes:
        share: the topic's share of all words.
        reasons: the number of reasons in which it is the strongest topic.
        coherence: C_v of its words; None where it is undefined, as for a topic of one word.
        words: the most probable first.
    """

    share: float
    reasons: int
    coherence: float | None
    words: list[TopicWord]


@dataclass(frozen=True)
class Topics:
    """The topics of reasons.

    Attributes:
        reasons: how many have a word of the vocabulary.
        enough_reasons: with fewer the topics mean nothing.
        vocabulary: the number of different words.
        topics: the largest first.
        coherence_c_v, coherence_u_mass: means over the topics of two measures of how often the words of a topic are
            used together: C_v (Roeder et al. 2015), from 0 to 1, and U_mass (Mimno et al. 2011), below 0. More is
            better for both; None where undefined.
        not_english: how many further reasons were left out, since they do not look English.
    """

    reasons: int
    enough_reasons: int
    vocabulary: int
    topics: list[Topic]
    coherence_c_v: float | None
    coherence_u_mass: float | None
    not_english: int = 0


def find_topics(texts: Sequence[Sequence[str]], settings: TopicSettings) -> Topics:
    """Topics of texts, each the list of its words (`words.content_words`).

    Raises:
        UserError: no word is frequent enough.
    """
    from gensim.corpora import Dictionary
    from gensim.models import CoherenceModel, LdaModel

    dictionary = Dictionary(texts)
    dictionary.filter_extremes(no_below=settings.min_reasons, no_above=1.0, keep_n=None)
    if len(dictionary) < 2:
        raise UserError(f"fewer than two words are in {settings.min_reasons} reasons or more: no topics to find")
    kept = [list(text) for text in texts if dictionary.doc2bow(text)]
    bags = [dictionary.doc2bow(text) for text in kept]
    model = LdaModel(
        bags,
        num_topics=settings.topics,
        id2word=dictionary,
        passes=settings.passes,
        chunksize=max(len(bags), 1),
        random_state=settings.seed,
        alpha="auto",
        eta="auto",
        eval_every=None,
    )
    n_words = min(settings.words, len(dictionary))
    tops = [model.show_topic(topic, n_words) for topic in range(settings.topics)]
    words = [[word for word, _ in top] for top in tops]
    u_mass = CoherenceModel(topics=words, corpus=bags, dictionary=dictionary, coherence="u_mass", processes=1)
    c_v = CoherenceModel(topics=words, texts=kept, dictionary=dictionary, coherence="c_v", processes=1)
    mixtures = [dict(model.get_document_topics(bag, minimum_probability=0)) for bag in bags]
    lengths = [sum(count for _, count in bag) for bag in bags]
    by_topic = [
        Topic(
            share=float(sum(mix[topic] * n for mix, n in zip(mixtures, lengths, strict=True)) / sum(lengths)),
            reasons=sum(max(mix, key=lambda each: (mix[each], -each)) == topic for mix in mixtures),
            coherence=_number(coherence),
            words=[TopicWord(word, float(weight)) for word, weight in tops[topic]],
        )
        for topic, coherence in enumerate(c_v.get_coherence_per_topic())
    ]
    return Topics(
        reasons=len(bags),
        enough_reasons=ENOUGH_A_TOPIC * settings.topics,
        vocabulary=len(dictionary),
        topics=sorted(by_topic, key=lambda topic: -topic.share),
        coherence_c_v=_number(c_v.get_coherence()),
        coherence_u_mass=_number(u_mass.get_coherence()),
    )


def topic_table(topics: Topics) -> pa.Table:
    """The table `reason_topics`: a row for each word of each topic, topics counted from 1."""
    rows = [
        {"topic": number, "share": topic.share, "reasons": topic.reasons, "coherence": topic.coherence} | vars(word)
        for number, topic in enumerate(topics.topics, 1)
        for word in topic.words
    ]
    return pa.Table.from_pylist(rows, TABLES["reason_topics"].schema)


def _number(value: float) -> float | None:
    """`value`; None when it is undefined, as for a topic of one word."""
    return float(value) if value == value else None
