"""Our instructions, examples, tests and consent, for what COLLECTION.yaml leaves out: `texts.yaml`."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from denouement.collect.qualification import JudgedExample
from denouement.settings import build
from denouement.yaml_files import parse_yaml


@cache
def our_texts() -> Mapping[str, Any]:
    """By step, and under `consent`, our texts. Paragraphs are of one line, since a page shows ends of lines."""
    text = (files(__package__) / "texts.yaml").read_text(encoding="utf-8")
    return {step: _unwrapped(words) for step, words in parse_yaml(text, "texts.yaml").items()}


def examples_of(given: Iterable[Mapping[str, Any]]) -> tuple[JudgedExample, ...]:
    """The examples of a list in `our_texts`."""
    return tuple(build(JudgedExample, each, "texts.yaml") for each in given)


def _unwrapped(words: Any) -> Any:
    if isinstance(words, Mapping):
        return {key: _unwrapped(value) for key, value in words.items()}
    return re.sub(r"(?<!\n)\n(?!\n|\Z)", " ", words) if isinstance(words, str) else words
