"""The example of docs/collecting.md is a collection, and the page lists every key."""

import dataclasses
import re
from pathlib import Path

from denouement.collect import checks, hints
from denouement.collect.description import STEPS, Collection, collection_from
from denouement.collect.qualification import JudgedExample
from denouement.settings import build
from denouement.yaml_files import parse_yaml

PAGE = (Path(__file__).parents[2] / "docs/collecting.md").read_text(encoding="utf-8")
ALL = collection_from({"name": "k", **dict.fromkeys(STEPS, True)}, "C.yaml")


def test_the_examples_are_read():
    whole, item = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    found = collection_from(parse_yaml(whole, "docs"), "docs")
    assert (found.steps, found.release, found.licence) == (STEPS, "kitchen-2026", "CC BY 4.0")
    assert not list(build(JudgedExample, parse_yaml(item, "docs"), "docs").mistakes())


def test_every_key_is_on_the_page():
    named = {*re.findall(r"[\w.]+", " ".join(re.findall(r"`([^`\n]+)`", PAGE)))}
    for part in (Collection(), *(getattr(ALL, step) for step in STEPS)):
        keys = {field.name for field in dataclasses.fields(part)}
        assert not keys - named, part


def test_every_code_of_a_remark_is_on_the_page():
    texts = [Path(str(module.__file__)).read_text(encoding="utf-8") for module in (checks, hints)]
    codes = {code for text in texts for code in re.findall(r"Remark\(\s*\"(\w+)\"", text)}
    assert len(codes) > 12
    assert [code for code in sorted(codes) if f"`{code}`" not in PAGE] == []
