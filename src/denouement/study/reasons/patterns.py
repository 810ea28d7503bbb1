"""Patterns over the words of a parsed sentence, and whether a match of theirs is denied.

A pattern is a line of parts, separated by blanks:

- `sense`: a word, in any case, or its lemma (`make` also matches "makes", "making", ...);
- `ADJ`, `NNS`: a part of speech, universal or of the Penn Treebank;
- `OPTION`: the letter A or B for an answer, and not the article: "A fits", not "a fit";
- `@feelings`: any word of a named list;
- `good|best|@feelings`: any of these;  `!better`: a word that is none of these;  `very?`: such a word or nothing;
- `...`: up to four words of any kind.

A match never leaves its sentence; a sentence ends at . ! ? and ;
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from denouement.text.syntax import Parse

GAP = None
"""The part `...` of a pattern."""

_LONGEST_GAP = 4
# Universal parts of speech, tags of the Penn Treebank as spaCy's English pipelines have them, and our own.
_TAGS = """
ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SPACE SYM VERB X
ADD AFX CC CD DT EX FW HYPH IN JJ JJR JJS LS MD NFP NN NNP NNPS NNS PDT POS PRP PRP$ RB RBR RBS RP TO UH
VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB OPTION
"""
_PARTS_OF_SPEECH = frozenset(_TAGS.split())
# Tags of words that may follow the answer A but never the article: finite verbs, "and", a comma, a closing quote ...
_BEHIND_NO_ARTICLE = {"VBZ", "VBD", "VBP", "MD", "CC", "IN", ".", ",", ":", "-RRB-", "''"}
_SENTENCE_ENDS = {".", "!", "?", ";"}


@dataclass(frozen=True, slots=True)
class PatternPart:
    """One part of a pattern: the words that may be there, or with `forbids` those that may not."""

    any_of: frozenset[str]
    forbids: bool = False
    optional: bool = False


Pattern: TypeAlias = tuple[PatternPart | None, ...]


@dataclass(frozen=True, slots=True)
class TaggedWord:
    """A word of a text, with the names by which a pattern may match it: the word, its lemma, part of speech and tag."""

    text: str
    faces: frozenset[str]


Sentence: TypeAlias = Sequence[TaggedWord]


@dataclass(frozen=True, slots=True)
class Denial:
    """When a match is denied: by a negation in it, or up to `reach` words before it without a barrier between."""

    negations: frozenset[str]
    barriers: frozenset[str]
    reach: int


def compile_pattern(text: str, lists: Mapping[str, frozenset[str]]) -> Pattern:
    """The pattern that `text` describes.

    Raises:
        ValueError: an unknown list or part of speech; no word at the beginning or at the end.
    """
    pattern: list[PatternPart | None] = []
    for part in text.split():
        if part == "...":
            pattern.append(GAP)
            continue
        any_of: set[str] = set()
        if strange := [word for word in _words(part) if word != word.lower() and word not in _PARTS_OF_SPEECH]:
            raise ValueError(f"pattern {text!r}: {strange[0]!r} is no part of speech; write words in lower case")
        for name in _words(part):
            if not name.startswith("@"):
                any_of.add(name)
            elif name[1:] in lists:
                any_of |= lists[name[1:]]
            else:
                raise ValueError(f"pattern {text!r}: no list {name[1:]!r}; lists are {', '.join(sorted(lists))}")
        pattern.append(PatternPart(frozenset(any_of), part.startswith("!"), part.endswith("?")))
    if not pattern or pattern[0] is GAP or pattern[-1] is GAP:
        raise ValueError(f"pattern {text!r}: must begin and end with a word")
    return tuple(pattern)


def _words(part: str) -> list[str]:
    return part.removeprefix("!").removesuffix("?").split("|")


def sentences(parsed: Parse) -> list[Sentence]:
    """The words of a parsed text, sentence by sentence."""
    found: list[list[TaggedWord]] = [[]]
    following = (*parsed.tags[1:], ".")
    for word, lemma, pos, tag, after in zip(
        parsed.words, parsed.lemmas, parsed.pos, parsed.tags, following, strict=True
    ):
        plain, base = (text.lower().replace("’", "'") for text in (word, lemma))
        faces = {plain, base, pos, tag}
        if plain == "b" or (plain == "a" and after in _BEHIND_NO_ARTICLE):
            faces.add("OPTION")
        if plain.endswith("n't"):  # spaCy does not divide some such words, for example DOESN'T
            faces.add("n't")
        found[-1].append(TaggedWord(word, frozenset(faces)))
        if plain in _SENTENCE_ENDS:
            found.append([])
    return [sentence for sentence in found if sentence]


def spans(patterns: Iterable[Pattern], sentence: Sentence) -> Iterator[tuple[int, int]]:
    """Begin and end (exclusive) of each match of any pattern, from the left; from each word the shortest one."""
    for start in range(len(sentence)):
        for pattern in patterns:
            end = _end(pattern, sentence, start)
            if end is not None and end > start:
                yield start, end


def is_denied(sentence: Sentence, start: int, end: int, denial: Denial) -> bool:
    """Whether the words from `start` to `end` (exclusive) are denied, as in "makes no sense"."""
    if any(word.faces & denial.negations for word in sentence[start:end]):
        return True
    for word in reversed(sentence[max(0, start - denial.reach) : start]):
        if word.faces & denial.barriers:
            return False
        if word.faces & denial.negations:
            return True
    return False


def _end(pattern: Pattern, sentence: Sentence, at: int) -> int | None:
    """The end of the match of `pattern` that begins with word `at`; None where there is none."""
    if not pattern:
        return at
    first, rest = pattern[0], pattern[1:]
    if first is GAP:
        ends = (_end(rest, sentence, at + skipped) for skipped in range(_LONGEST_GAP + 1))
        return next((end for end in ends if end is not None), None)
    if at < len(sentence) and first.any_of.isdisjoint(sentence[at].faces) == first.forbids:
        end = _end(rest, sentence, at + 1)
        if end is not None:
            return end
    return _end(rest, sentence, at) if first.optional else None
