"""The events of a sentence: its verbs with particles and negation, each with its subject and object."""

from collections.abc import Sequence
from typing import NamedTuple

from denouement.text.clauses import OBJECT, SUBJECT, fillers
from denouement.text.syntax import Parse

PERSON, NEUTER, THING, NOBODY = "person", "it", "thing", "nobody"

_PERSONAL = {"i", "you", "he", "she", "we", "they", "who", "me", "him", "her", "us", "them"}


class Event(NamedTuple):
    """An event of a sentence.

    Attributes:
        predicate: the verb's lemma with its particle ("give up"), for a form of "be" with its complement ("be happy"),
            and with "not" before it if it is negated.
        subject: the kind of subject: PERSON (a name or a personal pronoun), NEUTER ("it", "this", "that"), THING (any
            other noun), or NOBODY. Of a passive it is NOBODY, since the sentence need not name an agent.
        object: the lemma of its object, in lower case; "" where it has none.
    """

    predicate: str
    subject: str
    object: str


def events(parse: Parse) -> list[Event]:
    """The events of a sentence in the order of their verbs; empty for a sentence without a verb or a parse."""
    return [_event(parse, verb, filled.get(SUBJECT), filled.get(OBJECT)) for verb, filled in fillers(parse).items()]


def predicates(parse: Parse) -> list[str]:
    """The predicates of a sentence's events."""
    return [event.predicate for event in events(parse)]


def marked_predicates(parse: Parse) -> list[str]:
    """The predicates of a sentence's events, each with the kind of its subject, such as `person: go`."""
    return [f"{event.subject}: {event.predicate}" for event in events(parse)]


def _event(parse: Parse, verb: int, subject: int | None, filler: int | None) -> Event:
    children = [child for child, head in enumerate(parse.heads) if head == verb != child]
    words = [parse.lemmas[verb].lower(), *_lemmas(parse, [each for each in children if parse.relations[each] == "prt"])]
    if parse.pos[verb] == "AUX" and filler is not None:
        words += _lemmas(parse, [filler])
    if any(parse.relations[child] == "neg" for child in children):
        words.insert(0, "not")
    return Event(
        " ".join(words), _subject(parse, subject), "" if filler is None else next(iter(_lemmas(parse, [filler])))
    )


def _subject(parse: Parse, word: int | None) -> str:
    if word is None:
        return NOBODY
    if parse.pos[word] == "PROPN" or parse.words[word].lower() in _PERSONAL:
        return PERSON
    return NEUTER if parse.pos[word] == "PRON" else THING


def _lemmas(parse: Parse, words: Sequence[int]) -> list[str]:
    return [parse.lemmas[word].lower() for word in words]
