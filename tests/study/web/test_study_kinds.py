"""Each kind of question on its pages, without JavaScript, and from there to the tables and results."""

import html
import re
from pathlib import Path
from typing import Any

import pytest
from hosted import Person, design, store_with

from denouement.study.results.preferences import study_results
from denouement.study.results.scales import scale_results
from denouement.study.store import Store
from denouement.study.store.export import study_tables

FOUR = ["w", "x", "y", "human_right"]
RIGHT = "Her father loved the cake."  # of the training item
QUESTIONS = [{"name": "better", "text": "Which is better?"}, {"name": "odd", "text": "Which is more surprising?"}]


def begun(folder: Path, n: int = 1, **keys: Any) -> tuple[Store, Person]:
    store = store_with(folder, design(**keys), n)
    return store, Person(store).go()


def letter_of(person: Person, ending: str) -> str:
    """The letter before an ending that stands above its question."""
    shown = re.findall(r"<strong>([A-H])</strong> ([^<]*?) ?<", person.text)
    return next(letter for letter, text in shown if html.unescape(text) == ending)


def places(person: Person) -> dict[str, str]:
    """The field of each ending that gets a place."""
    found = re.findall(r'<label for="(place-\d)">(.*?)</label>', person.text)
    return {html.unescape(text): name for name, text in found}


def test_a_forced_choice_has_no_ties(tmp_path: Path):
    store, person = begun(tmp_path, choices="forced")
    assert 'value="both"' not in person.text
    person.send(answer="both")
    assert person.problem == "Please choose A or B."
    side = person.side_of("Tom passed test 1.")
    person.send(answer=side)
    (row,) = study_tables(store, "pilot")["votes"].to_pylist()
    assert (row["answer"], row["choice"], row["strength"]) == (side, "plain_system", None)


def test_a_graded_preference_has_a_direction_and_a_strength(tmp_path: Path):
    store, person = begun(tmp_path, choices="graded")
    side = letter_of(person, "Tom passed test 1.")
    person.send(answer=side)
    assert person.problem == "Please choose one of the four answers."
    person.send(answer=f"{side}2")
    table = study_tables(store, "pilot")["votes"]
    (row,) = table.to_pylist()
    assert (row["answer"], row["strength"], row["choice"]) == (side, 2, "plain_system")
    (pair,) = study_results(table).pairs
    assert pair.first == "plain_system"
    assert pair.graded.mean == 2


def test_several_questions_are_answered_on_one_page(tmp_path: Path):
    store, person = begun(tmp_path, questions=QUESTIONS, reason={"mode": "required"})
    assert person.text.count("Tom passed test 1.") == 1
    side = letter_of(person, "Tom passed test 1.")
    person.send(**{"answer-better": side, "reason": "It fits the story."})
    assert person.problem == "Please answer each of the questions."
    assert re.search(rf'name="answer-better" value="{side}"[^>]* checked', person.text)
    person.send(**{"answer-better": side, "answer-odd": "both", "reason": "It fits the story."})
    rows = study_tables(store, "pilot")["votes"].to_pylist()
    assert [(row["question"], row["choice"], row["reason"]) for row in rows] == [
        ("better", "plain_system", "It fits the story."),
        ("odd", "both", None),
    ]


OURS = ("completes the story", "complete it equally well", "can end this story", "is much better")


def test_questions_of_one_s_own_have_texts_that_fit_them(tmp_path: Path):
    several = [{"name": "better", "text": "Which is better?"}, {"name": "odd", "text": "Which is odder?"}]
    for keys in ({"question": "Which ending is odder?"}, {"questions": several[1:]}):
        for choices in ("ties", "forced", "graded"):
            folder = tmp_path / f"{choices}{len(list(tmp_path.iterdir()))}"
            folder.mkdir()
            _, person = begun(folder, choices=choices, reason={"mode": "required"}, **keys)
            assert not [words for words in OURS if words in person.text], (keys, choices)
            assert "Why did you choose this answer?" in person.text
    (tmp_path / "several").mkdir()
    _, person = begun(tmp_path / "several", choices="graded", reason={"mode": "required"}, questions=several)
    assert person.text.count("is much better") == 2, "of the question `better` alone, one a side"
    assert person.text.count("by far") == 2
    assert "say which answer each is about" in person.text
    (tmp_path / "usual").mkdir()
    _, person = begun(tmp_path / "usual")
    assert all(words in person.text for words in OURS[:3])


def test_consent_says_how_many_questions_there_are_how_long_they_take_and_whom_to_ask(tmp_path: Path):
    for number, (n, keys, told) in enumerate((
        (3, {}, "There are at most 3 questions for you. This takes about 2 minutes."),  # of 30 seconds each
        (3, {"max_items_per_person": 1}, "There is at most 1 question for you. This takes about 1 minute."),
        (3, {"language": "ja"}, "質問は多くて3問です。所要時間は約2分です。"),
    )):  # fmt: skip
        (tmp_path / str(number)).mkdir()
        store = store_with(tmp_path / str(number), design(**keys), n)
        text = html.unescape(Person(store).open("/s/pilot/").text)
        assert told in text
        assert "someone@example.org" in text


def test_several_graded_questions(tmp_path: Path):
    store, person = begun(tmp_path, questions=QUESTIONS, choices="graded")
    side = letter_of(person, "Tom passed test 1.")
    other = "AB"[side == "A"]
    person.send(**{"answer-better": f"{side}1", "answer-odd": f"{other}2"})
    rows = study_tables(store, "pilot")["votes"].to_pylist()
    assert [(row["question"], row["choice"], row["strength"]) for row in rows] == [
        ("better", "plain_system", 1),
        ("odd", "human_right", 2),
    ]


def test_the_best_and_the_worst_are_two(tmp_path: Path):
    store, person = begun(tmp_path, kind="best_worst", systems=FOUR)
    best, worst = letter_of(person, "Tom passed test 1."), letter_of(person, "A cow sang song 1.")
    person.send(best=best, worst=best)
    assert person.problem == "Please choose the best and the worst sentence; they must be two different ones."
    assert re.search(rf'name="best" value="{best}"[^>]* checked', person.text)
    person.send(best=best, worst=worst)
    table = study_tables(store, "pilot")["rankings"]
    (row,) = table.to_pylist()
    assert dict(zip(row["systems"], row["ranks"], strict=True)) == {"w": 1, "x": 2, "y": 2, "human_right": 3}
    assert row["systems"].index("w") == "ABCD".index(best)  # as the page showed them
    (kind,) = scale_results("rankings", table).kinds
    assert {each.system: each.mean for each in kind.systems} == {"w": 1, "x": 0, "y": 0, "human_right": -1}


@pytest.mark.parametrize(
    ("choices", "given", "kept"),
    [
        ("forced", (2, 1, 4, 3), {"w": 2, "x": 1, "y": 4, "human_right": 3}),
        ("ties", (1, 3, 3, 4), {"w": 1, "x": 2, "y": 2, "human_right": 4}),  # no ending is second
    ],
)
def test_endings_get_places(choices: str, given: tuple[int, ...], kept: dict[str, int], tmp_path: Path):
    store, person = begun(tmp_path, kind="ranking", systems=FOUR, choices=choices)
    fields = places(person)
    texts = ["Tom passed test 1.", "Tom was late for lesson 1.", "Tom forgot book 1.", "A cow sang song 1."]
    assert ("Several sentences may have the same place." in person.text) == (choices == "ties")
    assert "Tom had a big test on Monday." in person.text
    person.send(**dict.fromkeys(fields.values(), "1") | {fields[texts[0]]: ""})
    assert person.problem == "Please give each sentence a place."
    if choices == "forced":
        person.send(**dict.fromkeys(fields.values(), "1"))
        assert person.problem == "Please give each sentence a place of its own."
    person.send(**{fields[text]: str(place) for text, place in zip(texts, given, strict=True)})
    (row,) = study_tables(store, "pilot")["rankings"].to_pylist()
    assert dict(zip(row["systems"], row["ranks"], strict=True)) == kept


@pytest.mark.parametrize(
    "keys",
    [
        {"choices": "forced"},
        {"choices": "graded"},
        {"questions": QUESTIONS},
        {"kind": "best_worst", "systems": FOUR},
        {"kind": "ranking", "systems": FOUR},
        {"kind": "ranking", "systems": FOUR, "choices": "ties"},
    ],
)
def test_the_training_item_and_checks_of_each_kind(keys: dict[str, Any], tmp_path: Path):
    store, person = begun(tmp_path, n=3, training=True, checks={"rate": 0.5}, **keys)

    def answer(best: str, is_better: bool) -> None:
        """Say that an ending of the page is the best of all, or the worst."""
        if keys.get("kind") == "ranking":
            fields = places(person)
            order = sorted(fields, key=lambda text: (text != best) == is_better)
            person.send(**{fields[text]: str(place) for place, text in enumerate(order, 1)})
            return
        find = Person.side_of if keys == {"choices": "forced"} else letter_of
        side = find(person, best)
        if keys.get("kind") == "best_worst":
            other = "AB"[side == "A"]
            person.send(best=side if is_better else other, worst=other if is_better else side)
            return
        chosen = side if is_better else "AB"[side == "A"]
        chosen += "1" if keys.get("choices") == "graded" else ""
        person.send(**({"answer-better": chosen, "answer-odd": "A"} if "questions" in keys else {"answer": chosen}))

    answer(RIGHT, False)
    assert person.problem.startswith("Not quite.")
    if "questions" in keys:
        assert person.problem.endswith("Please choose again: Which is better?")
    answer(RIGHT, True)
    assert person.at == "/s/pilot/passed"
    person.open("/s/pilot/question")
    seen_checks = 0
    while person.at == "/s/pilot/question":
        shown = html.unescape(person.text)
        item = next(
            item for item in store.items("pilot") if item.context[0] in shown and all(map(shown.count, item.endings))
        )
        seen_checks += item.is_check
        answer(item.endings[0], seen_checks != 1)
    (of_person,) = store.progress("pilot").people
    assert (of_person.checks, of_person.checks_failed) == (seen_checks, 1)
    tables = study_tables(store, "pilot")
    if "rankings" in tables:
        found = scale_results("rankings", tables["rankings"], tables["items"])
    else:
        found = study_results(tables["votes"], tables["items"])
    assert (found.checks.answers, found.checks.failed) == (seen_checks, 1)
    assert found.answers == 3
