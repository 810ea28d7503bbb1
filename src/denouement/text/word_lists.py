"""Words of everyday stories to which "he", "she", "it" and "they" may refer, and names of times: `word_lists.yaml`.

A noun in no list is a thing, and a name in no list is a person of either sex.
"""

from importlib.resources import files

from denouement.yaml_files import parse_yaml

_TEXTS: dict[str, str] = parse_yaml(
    (files(__package__) / "word_lists.yaml").read_text(encoding="utf-8"), "word_lists.yaml"
)

MEN, WOMEN, PEOPLE, ANIMALS, GROUPS, MALE_NAMES, FEMALE_NAMES, TIMES = (
    frozenset(_TEXTS[name].split())
    for name in ("men", "women", "people", "animals", "groups", "male_names", "female_names", "times")
)
