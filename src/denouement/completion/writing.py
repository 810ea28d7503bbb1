"""The endings that several systems write for one story, by several ways of decoding."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from denouement.completion.reading import TypedStory
from denouement.generators.base import Ending, Generator
from denouement.generators.decoding import SAMPLED, USUAL, Decoding
from denouement.text.sentiment import NEGATIVE, POSITIVE, compound

DECODINGS = {
    "Beam": USUAL,
    "Sample": SAMPLED,
    "Greedy": Decoding(),
    "Free sample": Decoding("sample", top_p=0.9),
}
"""The ways to decode that the page of `denouement try` offers, by title."""

_DRAWS = 4  # samples drawn for each that is shown, since some are equal


def usual(n: int) -> Decoding:
    """`USUAL`, with a beam that is wide enough for `n` endings of a story."""
    return replace(USUAL, beam_width=min(max(n, USUAL.beam_width), 1000))


@dataclass(frozen=True)
class JudgedEnding:
    """An ending of a typed story.

    Attributes:
        text: as people write it.
        log_prob_per_token: mean log-probability of its tokens in nats; None where the generator gives none.
        compound: VADER's sentiment, from -1 to 1.
    """

    text: str
    log_prob_per_token: float | None
    compound: float

    @property
    def sentiment(self) -> str:
        """The sentiment in words: `positive, 0.62`."""
        word = "positive" if self.compound >= POSITIVE else "negative" if self.compound <= NEGATIVE else "neutral"
        return f"{word}, {self.compound:.2f}"


@dataclass(frozen=True)
class WrittenSide:
    """What one system wrote in one way.

    Attributes:
        system: its name.
        endings: different ones, the best first; samples in the order of their drawing.
    """

    system: str
    endings: list[JudgedEnding]


def write_side_by_side(
    story: TypedStory, systems: Mapping[str, Generator], decoding: Decoding, n: int
) -> list[WrittenSide]:
    """Different endings of each system, at most `n`: as many as the way of decoding gives.

    Args:
        story: what was typed.
        systems: generators by name.
        decoding: for those that decode words; the others choose whole endings.
        n: endings of each.

    Raises:
        UserError: as `Generator.write`.
    """
    asked = {"greedy": 1, "beam": min(n, decoding.beam_width), "sample": _DRAWS * n}[decoding.method]
    written = []
    for name, generator in systems.items():
        if generator.decodes:
            [endings] = generator.write([story.sentences], decoding, asked)
        else:
            [endings] = generator.write([story.sentences], None, n)
        first: dict[str, Ending] = {}
        for ending in endings:
            first.setdefault(ending.text, ending)
        different = list(first.values())[:n]
        scores = compound([ending.text for ending in different])
        judged = [JudgedEnding(e.text, _per_token(e), float(score)) for e, score in zip(different, scores, strict=True)]
        written.append(WrittenSide(name, judged))
    return written


def _per_token(ending: Ending) -> float | None:
    if ending.log_prob is None or not ending.n_tokens:
        return None
    return ending.log_prob / ending.n_tokens
