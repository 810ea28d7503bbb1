"""The files of texts: all languages have the same ones, and the code uses each of them."""

import html
import re
from pathlib import Path

import pytest
from hosted import Person, design, items_of, store_with

import denouement.study
from denouement.errors import UserError
from denouement.study import languages
from denouement.study.design.items import Item
from denouement.study.design.making import check_items
from denouement.study.design.reading import design_from, from_json, to_json
from denouement.study.languages import Texts, differences, joined, texts

CODE = Path(denouement.study.__file__).parent
OTHERS = [language for language in languages.languages() if language != "en"]


@pytest.mark.parametrize("language", OTHERS)
def test_all_languages_have_the_same_keys_and_placeholders(language: str):
    assert differences(texts(language), texts("en")) == []


def test_each_text_is_used_and_each_that_is_used_is_there():
    entries = list(texts("en").entries)
    code = "".join(path.read_text(encoding="utf-8") for path in CODE.rglob("*") if path.suffix in (".py", ".html"))
    written = {*re.findall(r'"([a-z_]+(?:\.(?:[a-z_]+|\{[^}"]+\}))+)"', code), *re.findall(r'story\(f?"([^"]+)"', code)}
    sections = {entry.partition(".")[0] for entry in entries}
    keys = [key for key in written if key.partition(".")[0] in sections and not key.endswith(".html")]
    patterns = {key: re.compile(re.sub(r"\{.*?\}", "[a-z_]+", key).replace(".", r"\.") + r"(\.\w+)?") for key in keys}
    assert len(keys) > 60
    assert [key for key, pattern in patterns.items() if not any(map(pattern.fullmatch, entries))] == []
    assert [entry for entry in entries if not any(each.fullmatch(entry) for each in patterns.values())] == []
    refusals = {*re.findall(r'RefusedVisit\(\d+, "([a-z_]+)"', code), *re.findall(r'"refused\.([a-z_]+)', code)}
    assert set(texts("en").names("refused")) == refusals


def test_a_number_chooses_the_form_and_has_its_thousands_marked():
    say = texts("en")
    assert say("training.left", n=1) == "You have 1 attempt left."
    assert say("training.left", n=2) == "You have 2 attempts left."
    assert say("end.answered", n=12345).startswith("You have answered 12,345 questions")


def test_a_value_cannot_name_another_one():
    assert Texts("en", {"key": "{one} {other}"})("key", one="{other}", other=2) == "{other} 2"


def test_a_text_without_its_value_is_an_error():
    for key, values in (("training.left", {}), ("page.contact", {}), ("no.such", {}), ("scales.ends", {})):
        with pytest.raises(KeyError):
            texts("en")(key, **values)


def test_a_file_that_does_not_fit_names_its_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    english = (CODE / "languages" / "en.yaml").read_text(encoding="utf-8")
    (tmp_path / "en.yaml").write_text(english, encoding="utf-8")
    changed = english.replace("  go_back: Go back\n", "").replace("write to {contact}", "write to {contakt}")
    (tmp_path / "xx.yaml").write_text(changed, encoding="utf-8")
    (tmp_path / "yy.yaml").write_text("page: {skip: 3}", encoding="utf-8")
    monkeypatch.setattr(languages, "_FOLDER", tmp_path)
    texts.cache_clear()
    try:
        with pytest.raises(UserError, match=r"xx.yaml: .*declined.contact, page.go_back"):
            texts("xx")
        with pytest.raises(UserError, match=r"yy.yaml: page.skip: must be a text or a list of texts, not 3"):
            texts("yy")
        with pytest.raises(UserError, match="language de: has no texts; the languages are en, xx, yy"):
            texts("de")
    finally:
        texts.cache_clear()


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        ("{n} answers of {who}", True),
        ({"one": "{n} answer of {who}", "other": "{n} answers of {who}"}, True),
        ({"one": "an answer of {who}", "other": "{n} answers of {who}"}, True),
        ({"one": "{n} answer of {whom}", "other": "{n} answers of {who}"}, False),
        ({"one": "{n} answer", "other": "{n} answers of {who}"}, False),
        ({"one": "an answer of {who}", "other": "answers of {who}"}, False),
        ("{n} answers", False),
        (("{n} answers of {who}",), False),
    ],
)
def test_each_form_of_a_text_has_its_words(given, fits):
    english = Texts("en", {"key": {"one": "{n} answer of {who}", "other": "{n} answers of {who}"}})
    assert differences(Texts("xx", {"key": given}), english) == ([] if fits else ["key"])


def test_a_text_that_gets_no_number_has_no_forms():
    forms = {"one": "the answer of {who}", "other": "the answers of {who}"}
    assert differences(Texts("xx", {"key": forms}), Texts("en", {"key": "the answers of {who}"})) == ["key"]


def test_sentences_are_joined_as_their_script_asks():
    assert joined(["One.", "Two."]) == "One. Two."
    assert joined(["一つ。", "二つ。"]) == "一つ。二つ。"
    assert joined(["「はい」", "Tom said yes.", "終わり。"]) == "「はい」Tom said yes. 終わり。"
    assert joined([]) == ""


def test_a_language_without_texts_is_a_mistake_in_the_file():
    section = {"name": "pilot", "systems": ["one", "two"], "language": "xx", "question": " "}
    with pytest.raises(UserError, match=r"language: must be one of en, .*not 'xx'; .*question: is empty"):
        design_from(section, "STUDY.yaml")


def test_a_study_stored_before_stays_as_it_was():
    made = design(training=True, reason={"mode": "required"})
    stored = to_json(made).replace(', "language": "en"', "").replace("How do stories end?", "An older title")
    assert '"language"' not in stored
    read = from_json(stored)
    assert (read.language, read.title, read.consent) == ("en", "An older title", made.consent)
    assert read.training == made.training


STORY = (
    "太郎は山に登りました。",
    "雨が降ってきました。",
    "太郎は小屋を見つけました。",
    "そこで雨がやむのを待ちました。",
)
IN_LATIN_LETTERS = {"DONE", "Enter", "Esc", "Ctrl", "someone", "example", "org", "AB"}


def test_a_study_in_japanese_is_japanese_on_every_page(tmp_path: Path):
    study = design(
        language="ja", training={"attempts": 3}, checks={"rate": 0.3}, reason={"mode": "optional"}, answers_per_item=1
    )
    item = Item("1" * 16, "case", "pair", STORY, study.systems, ("虹が出ました。", "電話が鳴りました。"))
    person = Person(store_with(tmp_path, study, items=[item, *items_of(study, 0)]))
    pages = [person.open("/s/pilot/").text, person.open("/s/pilot/decline").text]
    pages += [person.go().text, person.send().text, person.send(answer="both").text]
    right = html.unescape(texts("ja")("training_story.right"))
    pages += [person.send(answer=person.side_of(right)).text, person.open("/s/pilot/question").text]
    pages.append(person.send(answer="A", reason="短い").text)
    assert "10文字以上" in person.problem
    while person.at == "/s/pilot/question":
        pages.append(person.send(answer="A").text)
    pages += [person.open(f"/s/pilot/{step}").text for step in ("end", "no/such", "withdraw")]
    pages += [person.send().text, person.other().open("/s/pilot/link/x").text]
    pages.append(person.client.post("/s/pilot/answer", data={"form": "x"}).text)
    assert any("".join(STORY) in text for text in pages), "without blanks"
    for text in pages:
        assert '<html lang="ja">' in text
        shown = re.sub("<[^>]*>", " ", text)
        assert set(re.findall("[A-Za-z]{2,}", shown)) <= IN_LATIN_LETTERS


def test_a_page_without_a_study_has_the_language_of_the_browser(tmp_path: Path):
    person = Person(store_with(tmp_path, design(language="ja")))
    for wanted, language in (("ja-JP,ja;q=0.9,en;q=0.8", "ja"), ("xx, en-GB", "en"), ("", "en"), ("xx", "en")):
        for address in ("/", "/no/such/page", "/s/unknown/"):
            shown = person.client.get(address, headers={"accept-language": wanted}).text
            assert f'<html lang="{language}">' in shown
        assert '<html lang="ja">' in person.client.get("/s/pilot/", headers={"accept-language": wanted}).text
        assert '<html lang="en">' in person.client.get("/organiser/x", headers={"accept-language": wanted}).text


@pytest.mark.parametrize("language", languages.languages())
def test_the_default_texts_and_items_are_those_of_the_language(language: str):
    say = texts(language)
    made = design(language=language, training=True, checks={"rate": 0.1}, reason={"mode": "optional"})
    assert made.title == say("design.title")
    assert made.reason.question == say("design.reason.pair")
    assert made.training[0].endings == (say("training_story.right"), say("training_story.wrong"))
    assert len(check_items(made)) == 6
    assert check_items(made)[0].endings[0] == say("check_stories.keys.right")
    rating = {"name": "pilot", "systems": ["one"], "language": language, "kind": "rating"}
    assert design_from({**rating, "scales": "bad_to_perfect"}, "test").scales[0].text == say("scales.quality.text")


def test_a_stored_study_is_read_though_the_file_of_its_language_is_damaged(tmp_path, monkeypatch):
    stored = to_json(design(language="ja", reason={"mode": "required"}, training=True))
    (tmp_path / "ja.yaml").write_text("page: [", encoding="utf-8")
    monkeypatch.setattr(languages, "_FOLDER", tmp_path)
    texts.cache_clear()
    try:
        with pytest.raises(UserError, match=re.escape("ja.yaml")):
            texts("ja")
        assert to_json(from_json(stored)) == stored
    finally:
        texts.cache_clear()
