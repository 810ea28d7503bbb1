"""YAML is read as DVC reads it, and what cannot be read is one line."""

import contextlib
import math
from dataclasses import dataclass
from pathlib import Path

import pytest
from dvc.utils.serialize import load_yaml, modify_yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from denouement.errors import UserError
from denouement.settings import build
from denouement.yaml_files import parse_yaml, read_yaml

# What YAML 1.1 and 1.2 take for different things, with what 1.2 says; then what both agree on.
SCALARS = {
    "1e-05": 1e-05,
    "1E-5": 1e-05,
    "1e5": 100000.0,
    "010": 10,
    "0777": 777,
    "08": 8,
    "0o10": 8,
    "0o8": "0o8",
    "yes": "yes",
    "No": "No",
    "on": "on",
    "OFF": "OFF",
    "y": "y",
    "12:30": "12:30",
    "190:20:30": "190:20:30",
    "1_000": 1000,
    "0x1F": 31,
    "0b11": 3,
    ".5": 0.5,
    "1.": 1.0,
    "+1": 1,
    "true": True,
    "False": False,
    "~": None,
    "null": None,
    "": None,
    ".inf": math.inf,
    "'010'": "010",
    '"yes"': "yes",
    "1e": "1e",
    "e5": "e5",
}


@pytest.mark.parametrize("written", SCALARS)
def test_a_scalar_is_what_dvc_takes_it_for(written: str, tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_text(f"key: {written}\nlist: [{written or '~'}]\n")
    wanted = SCALARS[written]
    for found in (read_yaml(path), load_yaml(str(path))):
        assert found == {"key": wanted, "list": [wanted]}
        assert type(found["key"]) is type(wanted)


# Digits and signs that make numbers, times and dates; words of logic.
NEAR_NUMBERS = st.text(alphabet="0123456789_.:+-eExobTZ", min_size=1, max_size=8)
NEAR_WORDS = st.sampled_from(
    ["yes", "no", "on", "off", "y", "n", "true", "false", "null", "~", ".inf", ".nan"]
).flatmap(lambda word: st.sampled_from([word, word.upper(), word.title(), f"{word} ", f"-{word}"]))


@settings(deadline=None, max_examples=300)
@given(st.one_of(NEAR_NUMBERS, NEAR_WORDS))
def test_whatever_looks_like_a_number_or_a_word_of_logic_is_what_dvc_takes_it_for(written: str) -> None:
    from dvc.utils.serialize import parse_yaml as dvc_parses

    text = f"key: {written}\n"
    try:
        wanted = dvc_parses(text, "params.yaml")
    except Exception:
        with pytest.raises(UserError):
            parse_yaml(text, "params.yaml")
    else:
        assert repr(parse_yaml(text, "params.yaml")) == repr(wanted)  # NaN equals itself here, 1 is not True


@dataclass(frozen=True)
class Rate:
    rate: float


@settings(deadline=None, max_examples=200)
@given(rate=st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_that_dvc_writes_into_a_file_is_the_same_setting(rate: float, tmp_path_factory) -> None:
    path = tmp_path_factory.mktemp("rate") / "params.yaml"
    path.write_text("train: {rate: 0.5}\n")
    with modify_yaml(str(path)) as content:  # as `dvc exp run -S train.rate=...` does
        content["train"]["rate"] = rate
    assert build(Rate, read_yaml(path)["train"], "train") == Rate(rate)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: {b: 5, c: 1, b: 7}", 'line 1, column 17: not readable YAML (found duplicate key "b"'),
        ("a: {}\nb: {}\na: {}", 'line 3, column 1: not readable YAML (found duplicate key "a"'),
        ("a: {}\nb: [{c: 1, c: 1}]", 'line 2, column 12: not readable YAML (found duplicate key "c"'),
        ("a:\n\tb: 5", "line 2, column 1"),
        ("a: 1\n---\na: 1", "line 2, column 1: not readable YAML (but found another document)"),
        ("a: !!python/object/apply:os.getcwd []", "could not determine a constructor"),
        ("a: 1\nb: !!bool maybe", "a value is not what its tag !! says"),
        ("a: !!int ", "a value is not what its tag !! says"),
        ("a: !!float x", "could not convert"),
        ("a: 2026-13-45", "month must be in 1..12"),
        ("a: " + "9" * 5000, "Exceeds the limit"),
        ("a: " + "[" * 5000, "nested too deeply"),
        ("a: 1\nb: \x07", "line 2: not readable YAML (special characters are not allowed)"),
        ("a: é".encode("latin-1"), "not text in UTF-8"),
        ("a: 1".encode("utf-16"), "not text in UTF-8"),
        ("a: *b", "found undefined alias"),
        ("[{a: 1}]: 2\n", "a key is no text and no number"),
        (None, "no such file"),
    ],
)
def test_what_cannot_be_read_is_one_line_that_names_the_place(
    content: str | bytes | None, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.yaml"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UserError) as caught:
        read_yaml(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


# Every mark that YAML knows, and tags with nothing or something wrong behind them.
PIECES = ["!!int ", "!!bool ", "!!omap ", "!!set ", "!!binary ", "!<a>", "a", "1", "1e", "0x", "0o", "_"]
PIECES += ["&a ", "*a", "<<: ", "? ", ": ", "- ", "[", "]", "{", "}", "#", "=", "~", "@", "%", "'", '"', "\\"]
PIECES += ["|\n", "\t", "\n", "\x85", "\ufeff", "---\n", "%YAML 1.1\n---\n", "2001-12-14t21:59:43.10-99:00"]


@settings(deadline=None, max_examples=300)
@given(text=st.lists(st.sampled_from(PIECES), max_size=12).map("".join), aliases=st.booleans())
def test_any_text_is_read_or_refused_with_one_line(text: str, aliases: bool) -> None:
    with contextlib.suppress(UserError):
        parse_yaml(text, "a.yaml", aliases)


def test_aliases_are_read_or_refused_as_asked() -> None:
    text = "base: &base {a: 3, b: 4}\nmore: {<<: *base, b: 5}\n"
    assert parse_yaml(text, "a.yaml")["more"] == {"a": 3, "b": 5}
    with pytest.raises(UserError, match=r"a\.yaml: line 2, column 12: not readable YAML \(\*base is an alias"):
        parse_yaml(text, "a.yaml", aliases=False)


def test_an_empty_file_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("")
    assert read_yaml(path) is None
    path.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read_yaml(path) == {"a": 1}
