import json

import pytest

from denouement.errors import UserError
from denouement.study.reasons import ELEMENTS
from denouement.study.reasons.rules import matches, packaged, read_rules
from denouement.text.syntax import parse
from denouement.yaml_files import parse_yaml

# Written for these tests: none of them is of the published answers.
REASONS = {
    "B makes perfect sense after the flood.": {"logic"},
    "A makes no sense at all.": {"logic"},
    "It is the most logical ending.": {"logic"},
    "He was tired, therefore he slept.": {"logic"},
    "The ending fits.": {"logic"},
    "A boat was never mentioned in the story.": {"relevance"},
    "This is completely irrelevant.": {"relevance"},
    "Maria was overjoyed and proud of her medal.": {"emotion"},
    "He hated the long mornings.": {"emotion"},
    "Stealing is immoral.": {"morality"},
    "Cruel neighbors punished him unfairly.": {"morality"},
    "Most people sleep at night.": {"common_sense"},
    "When you swim you get wet.": {"common_sense"},
    "The grammar of A is broken.": {"grammar"},
    "A is awkwardly worded.": {"grammar"},
    "She would be furious, and horses are not mentioned.": {"logic", "relevance", "emotion"},
    "Tom went to the harbour.": set(),
    "ok": set(),
    "42": set(),
}


@pytest.fixture(scope="module")
def rules():
    return read_rules()


@pytest.fixture(scope="module")
def parses():
    return parse(list(REASONS), None)


@pytest.mark.parametrize("reason", REASONS)
def test_reasons_get_the_elements_that_they_name(reason, rules, parses):
    assert {match.element for match in matches(parses[reason], rules)} == REASONS[reason]


def test_what_is_denied_keeps_its_element_and_says_so(rules, parses):
    def denied(reason: str) -> dict[str, bool]:
        return {match.element: match.denied for match in matches(parses[reason], rules)}

    assert denied("B makes perfect sense after the flood.") == {"logic": False}
    assert denied("A makes no sense at all.") == {"logic": True}
    assert denied("A boat was never mentioned in the story.") == {"relevance": True}
    found = denied("She would be furious, and horses are not mentioned.")
    assert found == {"logic": False, "relevance": True, "emotion": False}


def test_every_element_has_rules_of_distinct_names(rules):
    names = [(rule.element, rule.name) for rule in rules.rules]
    assert len(set(names)) == len(names)
    assert {element for element, _ in names} == set(ELEMENTS)


def test_unless_holds_for_its_sentence_alone(rules):
    text = "A makes no sense as a sentence. B makes sense."
    [logic] = [match for match in matches(parse([text], None)[text], rules) if match.element == "logic"]
    assert (logic.words, logic.denied) == ("makes sense", False)


def test_an_exception_takes_away_the_matches_that_it_touches_and_no_other(tmp_path):
    path = tmp_path / "rules.yaml"
    rule = {"name": "expected", "patterns": ["would be"], "except": ["would be wrong"]}
    path.write_text(changed(elements={"logic": [rule]}))
    texts = ["It would be wrong.", "It would be wrong, and she would be sorry."]
    found = [[match.words for match in matches(parse([text], None)[text], read_rules(path))] for text in texts]
    assert found == [[], ["would be"]]


def changed(**changes):
    return json.dumps(parse_yaml(packaged("elements.yaml"), "elements.yaml") | changes)  # JSON is YAML


RULE = {"name": "joy", "patterns": ["joy"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "line 1, column 5: not readable YAML"),
        ("- a", "no section `elements`"),
        (changed(elements={"style": {}}), "unknown style; elements are logic"),
        (changed(colour=1), "unknown colour"),
        (changed(elements={"logic": {"rules": [RULE]}}), "is where another kind should be"),
        (changed(elements={"logic": [RULE | {"when": 1}]}), "'joy': unknown key when"),
        (
            changed(elements={"logic": [RULE | {"patterns": ["@colours"]}]}),
            "logic, rule 'joy': pattern '@colours': no list 'colours'",
        ),
        (changed(elements={"logic": [RULE | {"unless": ["..."]}]}), "begin and end"),
        (changed(elements={"logic": 3}), "is where another kind should be"),
        (changed(elements={"logic": [RULE, RULE]}), "two rules of the same name"),
        (changed(elements={"logic": [{"name": "y"}]}), "missing key patterns"),
        (
            changed(elements={"logic": [RULE | {"patterns": "fun"}]}),
            "logic, rule 'joy': patterns is not a list of texts",
        ),
        (changed(elements={"logic": [RULE | {"except": "fun"}]}), "logic, rule 'joy': except is not a list of texts"),
        (changed(elements={"logic": [RULE | {"unless": [5]}]}), "logic, rule 'joy': unless is not a list of texts"),
        (changed(elements={"logic": [RULE | {"name": 5}]}), "logic, rule 5: a name is text"),
        (changed(reach=-1), "reach is -1, not a number of words"),
        ("5: x\nwords: y\nelements: {}\n", "unknown 5, words"),
        (changed(reach="far"), "reach is 'far', not a number of words"),
    ],
)
def test_mistakes_of_a_file_of_rules_are_named(tmp_path, text, message):
    path = tmp_path / "rules.yaml"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        read_rules(path)
    assert message in str(error.value)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_ones_own_rules_are_read(tmp_path):
    path = tmp_path / "rules.yaml"
    path.write_text(changed(elements={"emotion": [RULE]}))
    text = "Joy makes sense"
    [match] = matches(parse([text], None)[text], read_rules(path))
    assert (match.element, match.rule, match.words, match.denied) == ("emotion", "joy", "Joy", False)
