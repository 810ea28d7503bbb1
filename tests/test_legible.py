"""Which characters a person sees."""

import json
import unicodedata

import pytest

from denouement.legible import can_be_shown, cleaned, printed, seen, unturned

CONTROLS = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in ("Cc", "Cs")]
TURNING = [chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))]
# Ignored by default (Unicode's DerivedCoreProperties) and assigned.
INVISIBLE = list(
    "\xad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2064\ufe0f\ufeff\U000e0001\U000e0100"
)
NOTHING = list("\u115f\u1160\u2800\u3164\uffa0")


def test_what_is_not_to_be_shown():
    for character in [*CONTROLS, *TURNING]:
        assert can_be_shown(f"a{character}b") == (character in "\n\t")
        assert (printed(f"a{character}b") == f"a{character}b") == (character in "\n\t")
    for text in ("", "Étrange – 🙂?", "\u200bא", "a\xa0b", *INVISIBLE, *NOTHING):
        assert can_be_shown(text)
        assert printed(text) == text


@pytest.mark.parametrize("character", INVISIBLE)
def test_the_invisible_is_no_text(character):
    assert seen(f"{character} a{character}b {character}") == "ab"
    assert seen(character * 3) == ""


@pytest.mark.parametrize("character", [*NOTHING, *"\xa0\u2003\u3000\t\n"])
def test_what_is_drawn_as_nothing_is_a_blank(character):
    assert seen(f"a{character}{character}b") == "a b"
    assert seen(character) == ""


def test_what_is_harmless_is_cleaned_and_what_shapes_a_character_stays():
    assert cleaned("\ufeffa\u200bb\xadc\u3164d") == "abc d"
    assert cleaned("👩\u200d🍳❤\ufe0f") == "👩\u200d🍳❤\ufe0f"
    assert cleaned("a\u202eb") == "a\u202eb"  # told, not hidden


def test_marks_of_direction_stay_where_the_language_uses_them():
    hebrew = "הוא קנה C++\u200e ואז\u200f!"
    persian = "می\u200cخواهم\u061c"
    assert cleaned(hebrew) == hebrew
    assert cleaned(persian) == persian
    assert cleaned("He bought C++\u200e then\u200f!") == "He bought C++ then!"
    assert cleaned("\u200f\u061c only marks") == " only marks"


def test_what_turns_the_text_after_it_can_be_taken_out():
    assert unturned("".join(["a", *TURNING, "\u200f", "b"])) == "a\u200fb"


def test_json_means_the_same_once_printed():
    document = {"text": "a\x1b[2J\x9b\u202e\u2028\x7f\n" + "é🙂"}
    text = printed(json.dumps(document, ensure_ascii=False))
    assert json.loads(text) == document
    assert can_be_shown(text)
