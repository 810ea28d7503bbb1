"""Which text is mended, which is left, and what is counted."""

import pyarrow as pa
import pytest
from ftfy.badness import is_bad
from hypothesis import given, settings
from hypothesis import strategies as st

from denouement.corpus import cells


@pytest.mark.parametrize(
    ("written", "text", "kinds"),
    [
        ("Plain text.", "Plain text.", []),
        (" Two  spaces. ", "Two spaces.", ["spaces_collapsed"]),
        ("A\tno-break\u00a0space.", "A no-break space.", ["spaces_collapsed"]),
        ("One\r\nbreak.", "One break.", ["line_breaks_joined"]),
        ("A break at the end.\n", "A break at the end.", ["spaces_collapsed"]),
        ("her fianc√©.", "her fiancé.", ["mojibake_repaired"]),
        ("her fianc√©e, it", "her fiancée, it", ["mojibake_repaired"]),
        ("I donâ€™t.", "I don’t.", ["mojibake_repaired"]),
        ("I don‚Äôt.", "I don’t.", ["mojibake_repaired"]),
        ("and run away.‚Å•", "and run away.", ["mojibake_repaired"]),
        ("Lost \ufffd here.", "Lost \ufffd here.", ["replacement_characters"]),
        ("NA", "NA", []),
    ],
)
def test_white_space_and_mojibake_are_mended(written: str, text: str, kinds: list[str]) -> None:
    assert cells.clean_text(written) == (text, kinds)


@pytest.mark.parametrize(
    "text",
    [
        "“I can’t,” she said — then left…",
        "“élan” is «French», isn’t it?",
        "CAFÉ’S crème brûlée, Beyoncé’s piñata, Zoë, naïve señor.",
        "½ cup at 25°C for €20 or £5.",
        "Ελληνικά, русский, 日本語, 😀.",
        "Curly ‘quotes’ and “more”.",
    ],
)
def test_rightly_encoded_text_stays_as_written(text: str) -> None:
    assert cells.clean_text(text) == (text, [])


def test_no_single_character_that_ftfy_minds_is_passed_over() -> None:
    for character in map(chr, range(0x80, 0x3000)):
        for text in (f"a{character}b", f"Oh {character} no", f"{character} ", f'.{character}"'):
            assert not is_bad(text) or any("mojibake" in kind for kind in cells.clean_text(text)[1]), text


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("aB .‘’“”–—…éàÃÂâ€™√©‚ÄÅ•ŒœØÙ\u00a0\x81¡°×²вЂĀā"), max_size=6))
def test_no_text_that_ftfy_minds_is_passed_over(text: str) -> None:
    assert not is_bad(text) or any("mojibake" in kind for kind in cells.clean_text(text)[1])


@settings(deadline=None)
@given(st.lists(st.text(alphabet=st.sampled_from("aB. \t\n\u00a0\u2003é’日"), max_size=8), max_size=12))
def test_every_cell_that_needs_mending_is_found(texts: list[str]) -> None:
    cleaned, _ = cells.clean(pa.array(texts, pa.string()))
    assert cleaned.to_pylist() == [" ".join(text.split()) for text in texts]


def test_a_slice_of_an_array_is_cleaned_as_such() -> None:
    cleaned, seen = cells.clean(pa.array(["  out", "a  b", "", "c", " d"]).slice(1, 3))
    assert cleaned.to_pylist() == ["a b", "", "c"]
    assert {kind: rows.tolist() for kind, rows in seen.items()} == {"spaces_collapsed": [0]}


def test_sentences_without_a_full_stop_or_with_a_second_sentence_are_found() -> None:
    texts = {
        "He ran.": "",
        "He ran!": "",
        "“He ran.”": "",
        "He ran…": "",
        "He ran": "stop",
        "He ran,": "stop",
        "": "",
        "He ran. She hid.": "two",
        "He ran! “Stop,” she said": "stop two",
        "He met Mr. Allen.": "",
        "He met J. K. Rowling.": "",
        "He paid 2.50 dollars.": "",
        "At 5 p.m. he left.": "",
        "He ran. Élan helped.": "two",
        "He ran. 3 dogs hid.": "two",
        "It was I. Nobody knew.": "two",
        "He asked Rev. Hill.": "",
    }
    seen = cells.odd_sentences(pa.array(list(texts), pa.string()))
    assert [list(texts)[row] for row in seen["missing_full_stop"]] == [
        text for text, is_odd in texts.items() if "stop" in is_odd
    ]
    assert [list(texts)[row] for row in seen["two_sentences"]] == [
        text for text, is_odd in texts.items() if "two" in is_odd
    ]
