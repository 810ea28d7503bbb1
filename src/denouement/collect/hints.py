"""Hints, which refuse nothing: slang, no shared character, another tone, pasted text, a story that is there."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from denouement.analysis.duplicates import ORDER, SIMILAR, NearDuplicate
from denouement.collect.checks import LONGEST_TEXT, RIGHT, WRONG, Remark
from denouement.collect.description import EndingStep
from denouement.text.coreference import NARRATOR, READER, Entity, entities
from denouement.text.sentiment import compound
from denouement.text.syntax import Parse, Parses
from denouement.text.words import lowered, tokenize
from denouement.yaml_files import parse_yaml

_DRAWN_OUT = re.compile(r"([^\W\d_])\1\1")
_SHOUTED = re.compile(r"[!?]{2,}")
_PERSONS = {"he", "she"}  # what may stand for a single character
_POSSESSIVE = "PRP$"


def informal(texts: Mapping[str, str]) -> list[Remark]:
    """Hints on slang and informal spellings.

    Args:
        texts: by box. One of more than `LONGEST_TEXT` characters, which is refused, is not read.
    """
    found = []
    for box, text in texts.items():
        if len(text) > LONGEST_TEXT:
            continue
        for word in dict.fromkeys(_informal_words(text)):
            better = "I" if word == "i" else _instead().get(word.lower(), "")
            words = f"'{word}' is how people speak or text" + (f": write '{better}'." if better else ".")
            found.append(Remark("informal", box, words, refuses=False))
        if _SHOUTED.search(text):
            found.append(Remark("informal", box, "One end mark is enough.", refuses=False))
    return found


def no_shared_character(context: Sequence[str], endings: Mapping[str, str], parses: Parses) -> list[Remark]:
    """Hints on endings in which nobody from the story is.

    A character is whoever may be he or she, the narrator, the reader, and whatever may be they, since the parser does
    not distinguish groups of people from other plurals. `His` and the like count as one, too.

    Args:
        context: the sentences before the endings.
        endings: by box.
        parses: of all of these (`text.syntax.parse`). An ending without a parse gets no hint.
    """
    before = [parses[sentence] for sentence in context]
    n_before = len(entities(before))
    found = []
    for box, ending in endings.items():
        parse = parses[ending]
        met = entities([*before, parse])[:n_before]  # entities are in the order in which they were first met
        is_shared = (
            _POSSESSIVE in parse.tags
            or any(each.last_met[0] == len(before) for each in filter(_may_act, met))
            or _shares_name(before, parse)
        )
        if parse.words and not is_shared:
            found.append(
                Remark(
                    "no_shared_character",
                    box,
                    "Nobody from the story seems to be in it: name one of them, or say he, she or they.",
                    refuses=False,
                )
            )
    return found


def tone_apart(right: str, wrong: str, least: float = EndingStep.tone_apart) -> list[Remark]:
    """A hint on endings whose tone differs by `least` or more (VADER's compound)."""
    if max(len(right), len(wrong)) > LONGEST_TEXT:
        return []
    of_right, of_wrong = compound([right, wrong]).tolist()
    if abs(of_right - of_wrong) < least:
        return []
    glad, other = (RIGHT, WRONG) if of_right > of_wrong else (WRONG, RIGHT)
    words = f"The {glad} ending sounds much happier than the {other} one: give both the same tone if you can."
    return [Remark("tone_apart", WRONG, words, refuses=False)]


def pasted(texts: Mapping[str, str], typed: Mapping[str, int]) -> list[Remark]:
    """Hints on texts most of which were not typed.

    Args:
        texts: by box.
        typed: by box how many characters were typed into it, those that were deleted again too; a box that it lacks is
            not judged.
    """
    words = "Most of it was not typed: write a text of your own."
    return [
        Remark("pasted", box, words, refuses=False)
        for box, text in texts.items()
        if box in typed and 2 * typed[box] < len(text)
    ]


class WrittenStories:
    """The stories that are there, to be asked for one that is nearly like a new one.

    Two stories are nearly alike as in the statistics of a corpus (`analysis.duplicates`), but each is compared with all
    others, exactly.
    """

    def __init__(self, stories: Iterable[tuple[str, Sequence[str]]] = ()) -> None:
        """Begin with stories, each with its id."""
        self._sizes: dict[str, int] = {}
        self._holding: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for story_id, sentences in stories:
            self.add(story_id, sentences)

    def add(self, story_id: str, sentences: Sequence[str]) -> None:
        """Add a story.

        Raises:
            ValueError: its id is there.
        """
        if story_id in self._sizes:
            raise ValueError(f"story {story_id} is there")
        shingles = _shingles(sentences)
        self._sizes[story_id] = len(shingles)
        for shingle in shingles:
            self._holding[shingle].append(story_id)

    def nearest(self, story_id: str, sentences: Sequence[str]) -> NearDuplicate | None:
        """The story, of another id, that is nearly like this one: the most similar, of equals the first that came."""
        shingles = _shingles(sentences)
        shared = Counter(other for shingle in shingles for other in self._holding.get(shingle, ()) if other != story_id)
        if not shared:
            return None
        similarity = {other: n / (len(shingles) + self._sizes[other] - n) for other, n in shared.items()}
        place = {other: at for at, other in enumerate(self._sizes)}
        nearest = min(similarity, key=lambda other: (-similarity[other], place[other]))
        return NearDuplicate(story_id, nearest, similarity[nearest]) if similarity[nearest] >= SIMILAR else None


def nearly_like(near: NearDuplicate | None) -> list[Remark]:
    """The hint on a story that is nearly like another one. It does not say whose that is, nor what its words are."""
    if near is None:
        return []
    words = (
        f"A story that is there already has {near.similarity:.0%} of its sequences of words in common with this one."
    )
    return [Remark("nearly_like", "", words, refuses=False)]


def _may_act(entity: Entity) -> bool:
    return bool(entity.pronouns & {*_PERSONS, "they"} or entity.names & {NARRATOR, READER})


def _shares_name(before: Sequence[Parse], ending: Parse) -> bool:
    """Whether a word is in both that the parser takes for a name somewhere: at the beginning it often does not."""
    parses = [*before, ending]
    names = {word for each in parses for word, pos in zip(each.words, each.pos, strict=True) if pos == "PROPN"}
    return any(not names.isdisjoint({*each.words} & {*ending.words}) for each in before)


def _shingles(sentences: Sequence[str]) -> set[tuple[str, ...]]:
    words = [word for sentence in sentences for word in lowered(sentence[:LONGEST_TEXT])]
    return {tuple(words[at : at + ORDER]) for at in range(len(words) - ORDER + 1)}


def _informal_words(text: str) -> Iterator[str]:
    for word in re.findall(r"[^\W_]+(?:['\u2019][^\W_]+)*", text):
        plain = word.replace("\u2019", "'")
        is_slang = plain.lower() in _instead() and not (len(word) == 1 and word.isupper())  # R may be a name
        is_drawn_out = _DRAWN_OUT.search(word) and not word.isupper()  # nor is AAA
        if is_slang or is_drawn_out or (word == "i" and "i" in tokenize(text)):
            yield plain


@cache
def _instead() -> Mapping[str, str]:
    text = (files(__package__) / "informal.yaml").read_text(encoding="utf-8")
    words: Mapping[str, str] = parse_yaml(text, "informal.yaml")
    return words
