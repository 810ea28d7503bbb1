"""A result is read back from its document as it was; a damaged document is one line that names the place."""

import json
from dataclasses import dataclass

import pytest

from denouement.documents import document, flattened, read_document, write_document
from denouement.errors import UserError


@dataclass(frozen=True)
class Part:
    share: float | None
    from_: str


@dataclass(frozen=True)
class Whole:
    n: int
    parts: tuple[Part, ...]
    by_name: dict[str, int]


RESULT = Whole(3, (Part(0.5, "a"), Part(None, "b")), {"é": 1})


def test_a_result_is_written_by_the_names_of_its_fields(tmp_path):
    path = tmp_path / "result.json"
    write_document(RESULT, path)
    parts = [{"share": 0.5, "from": "a"}, {"share": None, "from": "b"}]
    assert json.loads(path.read_text(encoding="utf-8")) == {"n": 3, "parts": parts, "by_name": {"é": 1}}
    assert document(RESULT)["parts"] == tuple(parts)
    written = path.read_bytes()
    write_document(RESULT, path)
    assert path.read_bytes() == written


@dataclass(frozen=True)
class Plain:
    n: int
    shares: tuple[float, ...]


def test_what_was_written_is_read_as_the_same_dataclass(tmp_path):
    write_document(Plain(3, (0.5, 1.0)), tmp_path / "plain.json")
    assert read_document(tmp_path / "plain.json", Plain) == Plain(3, (0.5, 1.0))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"n": 3}', "shares is missing"),
        ('{"n": "3", "shares": []}', "n is missing or not what is written there"),
        ('{"n": 3, "shares": [0.5, "1"]}', "shares > 1 is missing or not"),
        ('{"n": 3, "shares": [NaN]}', "NaN is no number of JSON's"),
        ('{"n": 3, "shares": [1e999]}', "1e999 is too large"),
        ('{"n": 3', "no JSON"),
        ("[]", "the whole of it is missing"),
    ],
)
def test_a_damaged_document_is_refused(tmp_path, text, problem):
    path = tmp_path / "damaged.json"
    path.write_text(text)
    with pytest.raises(UserError, match=problem) as caught:
        read_document(path, Plain, "sentiment")
    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).endswith("make it again: dvc repro sentiment")
    assert "\n" not in str(caught.value)


def test_a_number_that_json_lacks_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="Out of range"):
        write_document(Plain(1, (float("inf"),)), tmp_path / "plain.json")
    assert not list(tmp_path.iterdir())


def test_nested_keys_are_joined_and_an_empty_mapping_is_a_value():
    assert flattened({"a": {"b": 1, "c": {"d": None}}, "e": {}}) == {"a.b": 1, "a.c.d": None, "e": {}}
