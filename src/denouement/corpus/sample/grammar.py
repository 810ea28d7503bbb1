"""The story grammar: scenarios read from YAML, from which stories are made.

A scenario is a small situation that can develop in two or more ways, its branches. They share the opening sentences and
the slots (the people, things and places that fill the sentences) and differ in the events that follow. The ending of a
branch follows from its own sentences and contradicts those of its siblings, so it can be their wrong ending.
`docs/sample_corpus.md` shows the format of the files.
"""

import random
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain
from math import prod
from string import Template
from typing import Any

from denouement.errors import UserError
from denouement.yaml_files import parse_yaml

SENTENCES = 5

_PERSON = ("name", "he", "him", "his", "himself", "they", "them", "their")
_HE = ("he", "him", "his", "himself", "they", "them", "their")
_SHE = ("she", "her", "her", "herself", "they", "them", "their")
_FIRST_PERSON = ("I", "I", "me", "my", "myself", "we", "us", "our")
_FIRST_PERSON_SHARE = 1 / 7
_MINOR_WORDS = frozenset(("a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"))
_A_BEFORE_VOWEL = re.compile(r"\b(a) (?=(?!eu|onc?e\b|uni(?![mn])|us[beu])[aeiou]|hour|honest)", re.IGNORECASE)

Filling = Mapping[str, str]  # slot name -> what fills it
Group = tuple[Filling, ...]  # slots whose values belong together: one row is drawn


@dataclass(frozen=True, eq=False)
class Branch:
    """One of the ways in which a scenario can develop."""

    scenario: str
    name: str
    titles: tuple[Template, ...]
    sentences: tuple[tuple[Template, ...], ...]
    """For each of the five sentences its phrasings; any phrasing fits any phrasing of the other sentences."""
    groups: tuple[Group, ...]

    def fill(self, rng: random.Random) -> Filling:
        """Draw a value for every slot."""
        return {name: value for group in self.groups for name, value in rng.choice(group).items()}

    def count(self, sentences: int = SENTENCES) -> int:
        """How many different texts the first `sentences` sentences can have.

        A slot counts only if a sentence uses it. The number is exact if no two phrasings give the same text.
        """
        ways = Counter({frozenset[str](): 1})  # slots used so far -> number of choices of phrasings that use just these
        for phrasings in self.sentences[:sentences]:
            longer: Counter[frozenset[str]] = Counter()
            for used, number in ways.items():
                for phrasing in phrasings:
                    longer[used.union(phrasing.get_identifiers())] += number
            ways = longer
        return sum(number * prod(_distinct(group, used) for group in self.groups) for used, number in ways.items())


def _distinct(group: Group, used: frozenset[str]) -> int:
    return len({tuple(row[name] for name in row if name in used) for row in group})


def render(template: Template, values: Filling) -> str:
    """Fill a sentence; `a` becomes `an` where the next word needs it, and the first letter becomes a capital."""
    text = _A_BEFORE_VOWEL.sub(r"\1n ", template.substitute(values))
    return text[0].upper() + text[1:]


def render_title(template: Template, values: Filling) -> str:
    """Fill a title and give every word but the minor ones a capital."""
    first, *rest = render(template, values).split()
    return " ".join([first, *(word if word in _MINOR_WORDS else word[0].upper() + word[1:] for word in rest)])


@cache
def scenarios() -> dict[str, tuple[Branch, ...]]:
    """The embedded scenarios by name, in the order of their files."""
    folder = files(__package__)
    people = parse_yaml((folder / "people.yaml").read_text(encoding="utf-8"), "people.yaml")
    found: dict[str, tuple[Branch, ...]] = {}
    for file in sorted((folder / "scenarios").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".yaml"):
            for name, content in parse_yaml(file.read_text(encoding="utf-8"), file.name).items():
                if name in found:
                    raise UserError(f"{file.name}: the scenario '{name}' exists already; give it another name")
                found[name] = read_scenario(name, content, people, where=f"{file.name}, scenario '{name}'")
    return found


def branches() -> list[Branch]:
    """Every branch of every embedded scenario."""
    return list(chain.from_iterable(scenarios().values()))


def read_scenario(
    name: str, content: Mapping[str, Any], people: Mapping[str, list[str]], where: str
) -> tuple[Branch, ...]:
    """The branches of one scenario.

    Raises:
        UserError: a part is missing or unknown, a branch does not have five sentences, a slot has no values, or the
            first sentence does not name the hero (`where` says which scenario).
    """
    if content.keys() != {"titles", "slots", "story", "branches"} or len(content["branches"]) < 2:
        raise UserError(f"{where}: give it titles, slots, story, and at least two branches, and nothing else")
    slots = {"friend": people["friend"]} | content["slots"]
    groups = (_heroes(people), *(_rows(names, values, where) for names, values in slots.items()))
    known = {slot for group in groups for slot in group[0]}
    titles = tuple(map(Template, content["titles"]))
    branches = []
    for branch, rest in content["branches"].items():
        numbered = content["story"] | rest
        if sorted(numbered) != list(range(1, SENTENCES + 1)) or len(numbered) < len(content["story"]) + len(rest):
            raise UserError(
                f"{where}: story and branch '{branch}' must have the sentences 1 to {SENTENCES} between them, each once"
            )
        sentences = tuple(tuple(map(Template, numbered[k])) for k in sorted(numbered))
        for template in (*titles, *(phrasing for phrasings in sentences for phrasing in phrasings)):
            if not template.is_valid() or not known.issuperset(template.get_identifiers()):
                raise UserError(f"{where}: no slot for a $name in '{template.template}'; the slots are {sorted(known)}")
        if not all("name" in phrasing.get_identifiers() for phrasing in sentences[0]):
            raise UserError(f"{where}: every phrasing of sentence 1 must hold $name")
        branches.append(Branch(name, branch, titles, sentences, groups))
    return tuple(branches)


def _rows(names: str, values: list[str], where: str) -> Group:
    """The rows of a slot, or of several slots that vary together: `a | b: [a1 | b1, a2 | b2]`."""
    keys = _parts(names)
    rows = [_parts(value) for value in values or ()]
    if not rows or any(len(row) != len(keys) for row in rows):
        raise UserError(f"{where}: the slot '{names}' needs values, each with {len(keys)} part(s) between |")
    return tuple(dict(zip(keys, row, strict=True)) for row in rows)


def _parts(cell: object) -> list[str]:
    return [part.strip() for part in str(cell).split("|")]


def _heroes(people: Mapping[str, list[str]]) -> Group:
    """All possible heroes; `I` is repeated so often that it is drawn for its share of the stories."""
    named = [(name, *_HE) for name in people["he"]] + [(name, *_SHE) for name in people["she"]]
    often = round(len(named) * _FIRST_PERSON_SHARE / (1 - _FIRST_PERSON_SHARE))
    return tuple(dict(zip(_PERSON, forms, strict=True)) for forms in (*named, *[_FIRST_PERSON] * often))
