"""The rules that find which elements of a story a reason names: reads them, and applies them to parsed reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from denouement.errors import UserError
from denouement.study.reasons import ELEMENTS
from denouement.study.reasons.patterns import Denial, Pattern, Sentence, compile_pattern, is_denied, sentences, spans
from denouement.text.syntax import Parse
from denouement.yaml_files import parse_yaml, read_yaml

_SECTIONS = {"negations", "barriers", "reach", "lists", "elements"}
_KEYS = {"name", "patterns", "unless", "except"}


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that tags reasons with an element.

    Attributes:
        element: the element.
        name: the rule's name in tables.
        patterns: the rule applies where one of these matches.
        unless: the rule does not apply in a sentence in which one of these matches.
        exceptions: a match that shares a word with a match of one of these does not count, but other matches in the
            sentence do; the file calls them `except`.
    """

    element: str
    name: str
    patterns: tuple[Pattern, ...]
    unless: tuple[Pattern, ...] = ()
    exceptions: tuple[Pattern, ...] = ()


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules in the file's order, and when a match is denied."""

    rules: tuple[Rule, ...]
    denial: Denial


@dataclass(frozen=True, slots=True)
class Match:
    """An application of a rule: the words that it matched, and whether they are denied ("makes no sense")."""

    element: str
    rule: str
    words: str
    denied: bool


def read_rules(path: Path | None = None) -> Rules:
    """The rules of a YAML file; without one, those of this package (`elements.yaml`, whose head explains the form).

    Raises:
        UserError: not YAML, or not a file of rules; the message says what is wrong, and in which rule.
    """
    where = "elements.yaml" if path is None else str(path)
    document = parse_yaml(packaged(where), where) if path is None else read_yaml(path)
    if not isinstance(document, dict) or not isinstance(document.get("elements"), dict):
        raise UserError(f"{where}: no section `elements`; see the elements.yaml of this package")
    if unknown := set(document) - _SECTIONS | set(document["elements"]) - set(ELEMENTS):
        raise UserError(f"{where}: unknown {', '.join(sorted(map(str, unknown)))}; elements are {', '.join(ELEMENTS)}")
    try:
        lists = {name: frozenset(words.split()) for name, words in document.get("lists", {}).items()}
        reach = document["reach"]
        if type(reach) is not int or reach < 0:
            raise ValueError(f"reach is {reach!r}, not a number of words such as 5")
        denial = Denial(frozenset(document["negations"].split()), frozenset(document["barriers"].split()), reach)
        rules = []
        for element, written in document["elements"].items():
            of_element = [_rule(element, rule, lists) for rule in written]
            if len({rule.name for rule in of_element}) < len(of_element):
                raise ValueError(f"{element}: two rules of the same name; give each its own")
            rules += of_element
    except KeyError as error:
        raise UserError(f"{where}: missing key {error.args[0]}") from error
    except ValueError as error:
        raise UserError(f"{where}: {error}") from error
    except (AttributeError, TypeError) as error:
        raise UserError(f"{where}: text, a list or a section is where another kind should be ({error})") from error
    return Rules(tuple(rules), denial)


def packaged(name: str) -> str:
    """The text of a data file of this package."""
    return resources.files("denouement.study.reasons").joinpath(name).read_text(encoding="utf-8")


def _rule(element: str, rule: Mapping[str, Any], lists: Mapping[str, frozenset[str]]) -> Rule:
    name = f"{element}, rule {rule['name']!r}"
    if not isinstance(rule["name"], str):
        raise ValueError(f"{name}: a name is text; put it in quotes")
    if unknown := set(rule) - _KEYS:
        listed = ", ".join(sorted(map(str, unknown)))
        raise ValueError(f"{name}: unknown key {listed}; keys are {', '.join(sorted(_KEYS))}")
    written = {"patterns": rule["patterns"], "unless": rule.get("unless", []), "except": rule.get("except", [])}
    for key, texts in written.items():
        # A single text would be read as one pattern for each letter.
        if not (isinstance(texts, list) and all(isinstance(text, str) for text in texts)):
            raise ValueError(f'{name}: {key} is not a list of texts, such as ["make ... sense"]')
    try:
        patterns, unless, exceptions = (
            tuple(compile_pattern(text, lists) for text in texts) for texts in written.values()
        )
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    return Rule(element, rule["name"], patterns, unless, exceptions)


def matches(parsed: Parse, rules: Rules) -> list[Match]:
    """The rules that apply to a parsed reason, in their order, each with its first match."""
    text = sentences(parsed)
    found = (_first(rule, text, rules.denial) for rule in rules.rules)
    return [match for match in found if match]


def _first(rule: Rule, text: Sequence[Sentence], denial: Denial) -> Match | None:
    for sentence in text:
        if any(spans(rule.unless, sentence)):
            continue
        excepted = list(spans(rule.exceptions, sentence))
        for start, end in spans(rule.patterns, sentence):
            if any(first < end and start < last for first, last in excepted):
                continue
            words = " ".join(word.text for word in sentence[start:end])
            return Match(rule.element, rule.name, words, is_denied(sentence, start, end, denial))
    return None
