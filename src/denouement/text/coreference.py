"""Which words of a story refer to the same person or thing, by rules.

The rules follow the deterministic resolvers before neural ones (Hobbs 1978; Raghunathan et al. 2010), reduced to the
needs of stories of five sentences. They take the words of a story in order:

- "I", "me", "we", "us" are the narrator, "you" is the reader.
- A name refers to the entity that had this name before; a noun to the entity that had this noun, in the same number.
- A pronoun refers, among the entities it can refer to, to the most recent subject, or else to the most recently
  mentioned one. A reflexive pronoun refers to the subject of its verb if possible; another pronoun that is an object
  does not refer to a subject or object of the same verb.
- "He" can refer to a man and to anyone who may be one: an unknown name, "friend", "doctor". After that "she" cannot.
  "It" refers to things, animals and groups; "they" to plurals, groups, and several entities joined by "and".

The rules do not handle two people with one name or noun ("another friend"), a noun for a name ("Tom", "the boy"),
pronouns before their noun, and "they" for one person.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from denouement.text import word_lists
from denouement.text.clauses import NOMINAL, OBJECT, SUBJECT, Argument, arguments, joined, relation
from denouement.text.syntax import Parse

NARRATOR, READER = "I", "you"
NOWHERE = (-1, -1)

_MALE, _FEMALE, _THING, _SEVERAL = "he", "she", "it", "they"

_PERSONAL = {"i", "me", "myself", "we", "us", "ourselves"}
_READER = {"you", "yourself", "yourselves"}
_THIRD = {
    **dict.fromkeys(("he", "him", "himself"), _MALE),
    **dict.fromkeys(("she", "her", "herself"), _FEMALE),
    **dict.fromkeys(("it", "itself"), _THING),
    **dict.fromkeys(("they", "them", "themselves"), _SEVERAL),
}
_REFLEXIVE = {"himself", "herself", "itself", "themselves"}

# Relations of words that are no phrases of their own, or that express times or amounts.
_NO_MENTION = {"compound", "nmod", "npadvmod", "det", "expl", "amod", "nummod", "quantmod", "intj", "advmod"}

_NOUNS = (
    (word_lists.MEN, {_MALE}),
    (word_lists.WOMEN, {_FEMALE}),
    (word_lists.PEOPLE, {_MALE, _FEMALE}),
    (word_lists.ANIMALS, {_MALE, _FEMALE, _THING}),
    (word_lists.GROUPS, {_THING, _SEVERAL}),
)
_TITLES = {"mr", "mr.", "sir", "mrs", "mrs.", "ms", "ms.", "miss", "madam", "dr", "dr.", "prof.", "rev."}
_MASCULINE = word_lists.MALE_NAMES | word_lists.MEN | {"mr", "mr.", "sir"}
_FEMININE = word_lists.FEMALE_NAMES | word_lists.WOMEN | {"mrs", "mrs.", "ms", "ms.", "miss", "madam"}


@dataclass
class Entity:
    """A person or thing of one story.

    Attributes:
        names: the words of its name, or one noun, in lower case.
        pronouns: those of "he", "she", "it" and "they" that may refer to it, also in their other forms.
        places: its arguments of verbs in the order of the story, each with the number of the sentence.
        last_met: sentence and word of its last mention.
        last_subject: sentence and word of its last mention as a subject; `NOWHERE` if there is none.
    """

    names: set[str]
    pronouns: set[str]
    places: list[tuple[int, Argument]] = field(default_factory=list)
    last_met: tuple[int, int] = NOWHERE
    last_subject: tuple[int, int] = NOWHERE


def entities(sentences: Sequence[Parse]) -> list[Entity]:
    """The entities of a story in the order of their first mention, also those that are no argument of a verb."""
    found: list[Entity] = []
    for number, sentence in enumerate(sentences):
        _read(sentence, number, found)
    return found


def _read(sentence: Parse, number: int, found: list[Entity]) -> None:
    """Add the mentions of a sentence to the entities `found` so far, and add its new entities."""
    filled: dict[int, list[Argument]] = {}
    for argument in arguments(sentence):
        filled.setdefault(argument.word, []).append(argument)
    for word in range(len(sentence.words)):
        if not _is_mention(sentence, word):
            continue
        places = filled.get(word, [])
        entity = _entity(sentence, word, number, places, found)
        if entity:
            _meet(entity, number, word, places)
        members = joined(sentence, word)
        if len(members) > 1 and sentence.relations[word] != "conj":
            called = " and ".join(sorted(sentence.words[member].lower() for member in members))
            _meet(_called({called}, {_SEVERAL}, found), number, word, places)


def _meet(entity: Entity, number: int, word: int, places: Sequence[Argument]) -> None:
    entity.places += [(number, place) for place in places]
    entity.last_met = (number, word)
    if any(place.role == SUBJECT for place in places):
        entity.last_subject = (number, word)


def _is_mention(sentence: Parse, word: int) -> bool:
    return (
        sentence.pos[word] in NOMINAL
        and relation(sentence, word) not in _NO_MENTION
        and sentence.tags[word] != "PRP$"  # "his" is no argument
    )


def _entity(sentence: Parse, word: int, number: int, places: Sequence[Argument], found: list[Entity]) -> Entity | None:
    """The entity, known or new, to which `word` refers; None for "who", "something", "this" and similar words."""
    text = sentence.words[word].lower()
    if text in _PERSONAL:
        return _called({NARRATOR}, set(), found)
    if text in _READER:
        return _called({READER}, set(), found)
    if text in _THIRD:
        return _antecedent(text, number, places, found)
    if sentence.pos[word] == "PRON":
        return None
    if sentence.pos[word] == "NOUN":
        is_plural = sentence.tags[word] == "NNS"
        noun = text if is_plural else sentence.lemmas[word].lower()
        return _called({noun}, {_SEVERAL} if is_plural else _of_noun(noun), found)
    name = _name(sentence, word)
    return _called(
        set(name) - _TITLES or {text}, {_SEVERAL} if sentence.tags[word] == "NNPS" else _of_name(name), found
    )


def _name(sentence: Parse, word: int) -> list[str]:
    """The words, in lower case, of the name whose last word is `word`."""
    return [
        sentence.words[each].lower()
        for each in range(word + 1)
        if each == word or (sentence.heads[each] == word and sentence.relations[each] == "compound")
    ]


def _of_noun(noun: str) -> set[str]:
    """The pronouns for a singular noun."""
    for nouns, pronouns in _NOUNS:
        if noun in nouns:
            return set(pronouns)
    return {_THING}


def _of_name(name: Sequence[str]) -> set[str]:
    """The pronouns for a person's name. Its first word that shows the sex decides: "Sarah Thomas", "Mrs. Thomas"."""
    for word in name:
        if word in _MASCULINE:
            return {_MALE}
        if word in _FEMININE:
            return {_FEMALE}
    return {_MALE, _FEMALE}


def _called(names: set[str], pronouns: set[str], found: list[Entity]) -> Entity:
    """The entity that shares one of `names` and was mentioned last; or else a new one."""
    known = [entity for entity in found if entity.names & names]
    if known:
        entity = max(known, key=lambda each: each.last_met)
        entity.names |= names
        return entity
    return _new(Entity(names, pronouns), found)


def _antecedent(pronoun: str, number: int, places: Sequence[Argument], found: list[Entity]) -> Entity:
    """The entity to which a pronoun of the third person refers; a new one if it can be none of those `found`."""
    kind = _THIRD[pronoun]
    candidates = [entity for entity in found if kind in entity.pronouns]
    if pronoun in _REFLEXIVE:
        verbs = {(number, place.verb) for place in places}
        candidates = [entity for entity in candidates if _fills(entity, verbs, {SUBJECT})] or candidates
    else:
        verbs = {(number, place.verb) for place in places if place.role == OBJECT}
        candidates = [entity for entity in candidates if not _fills(entity, verbs, {SUBJECT, OBJECT})]
    if not candidates:
        return _new(Entity(set(), {kind}), found)
    entity = max(candidates, key=lambda each: (each.last_subject, each.last_met))
    if kind != _SEVERAL:
        entity.pronouns -= {_MALE, _FEMALE, _THING} - {kind}
    return entity


def _fills(entity: Entity, verbs: set[tuple[int, int]], roles: set[str]) -> bool:
    return any((number, place.verb) in verbs and place.role in roles for number, place in entity.places)


def _new(entity: Entity, found: list[Entity]) -> Entity:
    found.append(entity)
    return entity
