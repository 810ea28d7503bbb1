"""When two texts are the same story."""

import unicodedata

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from denouement import schemas
from denouement.corpus import keys


def test_case_spacing_and_punctuation_do_not_count() -> None:
    texts = ["It’s  5 p.m.", "its 5 PM", "CAFÉ", "cafe\u0301", "…", ""]
    assert keys.normalised(pa.array(texts)).to_pylist() == ["its5pm", "its5pm", "café", "café", "", ""]


@settings(deadline=None)
@given(st.lists(st.text(max_size=20), max_size=8))
def test_each_text_is_normalised_by_itself(texts: list[str]) -> None:
    found = keys.normalised(pa.array(texts, pa.string())).to_pylist()
    assert len(found) == len(texts)
    for text, key in zip(texts, found, strict=True):
        assert all(each.isalnum() or unicodedata.category(each) in ("Mn", "Mc") for each in key), (
            "letters and vowel signs"
        )
        if text.isascii():
            assert key == "".join(filter(str.isalnum, text)).lower()
        assert keys.normalised(pa.array([text])).to_pylist() == [key]
        assert unicodedata.is_normalized("NFKC", key)


def test_the_context_of_a_story_is_all_but_its_last_sentence() -> None:
    stories = pa.table({"sentences": [["A b.", "C!"], ["D.", "E.", "F."]]}).slice(0)
    assert keys.contexts(stories).to_pylist() == ["ab", "de"]
    assert keys.contexts(stories.slice(1)).to_pylist() == ["de"]
    assert keys.last_sentences(stories).to_pylist() == ["c", "f"]
    assert keys.contexts(pa.table({"context": [["A b.", "C!"]]})).to_pylist() == ["abc"]
    for name in ("stories", "cloze"):
        assert keys.contexts(schemas.empty_table(name)).to_pylist() == []
