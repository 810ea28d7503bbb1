"""The verbs of a parsed sentence, and the words that are their subjects, objects and prepositional objects."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from denouement.text import word_lists
from denouement.text.syntax import Parse

SUBJECT, OBJECT = "subject", "object"

_SUBJECTS = {"nsubj", "csubj"}
_PASSIVE_SUBJECTS = {"nsubjpass", "csubjpass"}
_OBJECTS = {"dobj", "attr", "acomp", "oprd"}  # "was happy" and "was a teacher" have an object too
_AUXILIARIES = {"aux", "auxpass"}
_SHARING = {"conj", "xcomp", "advcl"}  # verbs that take another verb's subject when they have none
_RELATIVE_PRONOUNS = {"WP", "WDT"}

NOMINAL = ("NOUN", "PROPN", "PRON")
"""Parts of speech of words that name something."""


@dataclass(frozen=True)
class Argument:
    """A word that is an argument of a verb.

    Attributes:
        word: the position in the sentence of the argument's head.
        verb: the verb's position.
        role: `SUBJECT`, `OBJECT` or the lemma of a preposition ("with", "out of"). Roles are those in the active voice:
            the subject of a passive is an object, its agent a subject. An indirect object has the role "to".
    """

    word: int
    verb: int
    role: str


def verbs(parse: Parse) -> list[int]:
    """The positions of the verbs, including forms of "be" but no auxiliary verbs."""
    return [word for word in range(len(parse.words)) if _is_verb(parse, word)]


def main_verb(parse: Parse) -> int | None:
    """The first verb that is a root, or else the first verb; None without a verb."""
    found = verbs(parse)
    return next((verb for verb in found if parse.heads[verb] == verb), found[0] if found else None)


def arguments(parse: Parse) -> list[Argument]:
    """The arguments of all verbs, in the order of their words, then verbs.

    A verb without a subject of its own takes the subject of the verb that it is joined to ("he fell and cried") or
    depends on ("he wants to go"), or that verb's object ("he asked her to go"). Each of several words joined by "and"
    is an argument. Instead of a relative pronoun the argument is the word that the relative clause describes.
    """
    children = _children(parse)
    found = {
        Argument(each, verb, role)
        for verb in verbs(parse)
        for word, role in _own_arguments(parse, children, verb)
        for each in joined(parse, _described(parse, word, verb))
    }
    return sorted(found, key=lambda argument: (argument.word, argument.verb, argument.role))


def fillers(parse: Parse) -> dict[int, dict[str, int]]:
    """For each verb the first argument in each role, by role, in the order of the words."""
    found: dict[int, dict[str, int]] = {verb: {} for verb in verbs(parse)}
    for argument in arguments(parse):
        found[argument.verb].setdefault(argument.role, argument.word)
    return found


def relation(parse: Parse, word: int) -> str:
    """The dependency of `word`, with a frequent mistake of the parser corrected.

    The parser labels short names, such as "Tim" in "Tim laughed", as times, like "Monday". Here a name before its verb
    is a subject and one after it an object, unless it is a day, a month or a holiday.
    """
    label = parse.relations[word]
    if label != "npadvmod" or parse.pos[word] != "PROPN" or parse.lemmas[word].lower() in word_lists.TIMES:
        return label
    return "nsubj" if word < parse.heads[word] else "dobj"


def _is_verb(parse: Parse, word: int) -> bool:
    return parse.pos[word] in ("VERB", "AUX") and parse.relations[word] not in _AUXILIARIES


def _children(parse: Parse) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in parse.words]
    for word, head in enumerate(parse.heads):
        if head != word:
            children[head].append(word)
    return children


def _own_arguments(parse: Parse, children: Sequence[Sequence[int]], verb: int) -> Iterator[tuple[int, str]]:
    is_passive = any(relation(parse, child) in {"auxpass"} | _PASSIVE_SUBJECTS for child in children[verb])
    for subject in _subjects(parse, children, verb):
        yield subject, OBJECT if is_passive else SUBJECT
    for child in children[verb]:
        kind = relation(parse, child)
        if kind in _OBJECTS:
            yield child, OBJECT
        elif kind == "agent":
            yield from ((word, SUBJECT) for word, _ in _after_preposition(parse, children, child))
        elif kind == "dative" and parse.pos[child] != "ADP":
            yield child, "to"
        elif kind in ("prep", "dative"):
            yield from _after_preposition(parse, children, child)


def _subjects(parse: Parse, children: Sequence[Sequence[int]], verb: int) -> list[int]:
    own = [child for child in children[verb] if relation(parse, child) in _SUBJECTS | _PASSIVE_SUBJECTS]
    head = parse.heads[verb]
    if own or head == verb or parse.relations[verb] not in _SHARING or not _is_verb(parse, head):
        return own
    if parse.relations[verb] == "xcomp":
        objects = [child for child in children[head] if relation(parse, child) == "dobj"]
        if objects:
            return objects
    return _subjects(parse, children, head)


def _after_preposition(
    parse: Parse, children: Sequence[Sequence[int]], preposition: int, before: str = ""
) -> Iterator[tuple[int, str]]:
    role = before + parse.lemmas[preposition].lower()
    for child in children[preposition]:
        if parse.relations[child] == "pobj":
            yield child, role
        elif parse.relations[child] == "prep":
            yield from _after_preposition(parse, children, child, role + " ")


def _described(parse: Parse, word: int, verb: int) -> int:
    """`word`, or for the "who" or "that" of the verb's relative clause the word that the clause describes."""
    is_relative = parse.tags[word] in _RELATIVE_PRONOUNS and parse.relations[verb] == "relcl"
    return parse.heads[verb] if is_relative else word


def joined(parse: Parse, word: int) -> list[int]:
    """`word` and the nouns, names and pronouns joined to it ("Tom, his dog and I"), in order."""
    found = [word]
    for each in range(word + 1, len(parse.words)):
        is_joined = parse.relations[each] == "conj" and parse.heads[each] in found and parse.pos[each] in NOMINAL
        if is_joined and parse.pos[word] in NOMINAL:
            found.append(each)
    return found
