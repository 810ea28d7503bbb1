"""Items from cases and endings: what is drawn, what is left out and counted."""

import csv

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from story_tables import cases, endings

from denouement.errors import UserError
from denouement.study.design.making import make_items
from denouement.study.design.reading import design_from
from denouement.study.design.showing import shown
from denouement.study.languages import texts
from denouement.text.sentences import is_finished


def design(**keys):
    return design_from({"name": "pilot", "systems": ["h", "human_right"], "cases": {"n": 2}, **keys}, "test")


def test_an_item_for_each_case_and_pair():
    made = design(systems=["h", "s", "human_wrong"])
    generated = [endings("h", {"c0": "H 0.", "c1": "H 1."}), endings("s", {"c0": "S 0.", "c1": "S 1."})]
    items, counts = make_items(made, cases(2), generated)
    found = {(item.case_id, item.systems, item.endings) for item in items}
    assert found == {
        (f"c{n}", systems, tuple(f"{text} {n}." for text in texts))
        for n in (0, 1)
        for systems, texts in (
            (("h", "s"), ("H", "S")),
            (("h", "human_wrong"), ("H", "Wrong")),
            (("s", "human_wrong"), ("S", "Wrong")),
        )
    }
    assert (counts["cases"], counts["items"], counts["identical_endings"]) == (2, 6, 0)
    assert len({item.id for item in items}) == 6
    assert not any(system in item.id for item in items for system in item.systems)


def test_the_second_ending_may_be_the_right_one():
    items, _ = make_items(design(), cases(2, right_ending=2), [endings("h", {"c0": "H.", "c1": "H."})])
    assert {item.endings[1] for item in items} == {"Wrong 0.", "Wrong 1."}


def test_identical_endings_are_dropped_and_counted():
    generated = endings("h", {"c0": "right  0.", "c1": "H 1."})  # but for case and spacing
    items, counts = make_items(design(), cases(2), [generated])
    assert [item.case_id for item in items] == ["c1"]
    assert (counts["items"], counts["identical_endings"], counts["cases"]) == (1, 1, 2)


@pytest.mark.parametrize(
    "text", ["right 0.\u200b", "\ufeffRight\xa0 0.", "Ri\xadght 0.", "Right\u3164 0.", "Right\u200d 0."]
)
def test_endings_that_differ_invisibly_or_by_blanks_are_identical(text):
    _, counts = make_items(design(), cases(2), [endings("h", {"c0": text, "c1": "H 1."})])
    assert counts["identical_endings"] == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        (" \t\u3000", "empty"),
        ("\u200b\ufeff", "empty"),
        ("\u200d", "empty"),
        ("\u2800\u3164", "empty"),
        ("Bell \x07.", "not_shown"),
        ("\x1b[2JGone.", "not_shown"),
        ("He said \u202eno\u202c.", "not_shown"),
        ("\u2066Isolated.", "not_shown"),
        ("Deleted \x7f.", "not_shown"),
    ],
)
def test_sentences_that_cannot_be_shown_are_left_out_and_counted_with_their_reason(text, problem):
    of = design(cases={"n": 1})
    items, counts = make_items(of, cases(2), [endings("h", {"c0": text, "c1": "H 1."})])
    assert [item.case_id for item in items] == ["c1"]
    assert (counts[f"endings_{problem}"], counts["cases_without_endings"]) == (1, 1)
    items, _ = make_items(of, cases(1), [endings("h", {"c0": text}), endings("h", {"c0": "Second."})])
    assert items[0].endings[0] == "Second."  # as if the first were not written
    for context in (["One.", text], [text]):
        both = pa.concat_tables([cases(1, case_id="bad", context=context), cases(1)])
        items, counts = make_items(of, both, [endings("h", {"bad": "H.", "c0": "H 0."})])
        assert [item.case_id for item in items] == ["c0"]
        assert counts[f"contexts_{problem}"] == 1
    with pytest.raises(UserError, match=r"no ending of h .* \(1 are empty or cannot be shown\)"):
        make_items(of, cases(1), [endings("h", {"c0": text})])


def test_a_case_without_a_context_is_left_out():
    _, counts = make_items(design(cases={"n": 1}), pa.concat_tables([cases(1, case_id="bad", context=[]), cases(1)]), H)
    assert counts["contexts_empty"] == 1


def test_sentences_that_read_the_same_cannot_be_put_into_order():
    same = pa.concat_tables([cases(1, endings=["it goes  on.", "Wrong 0."]), cases(1, case_id="c1")])
    items, counts = make_items(design(kind="order", systems=["human_right"]), same, [])
    assert [item.case_id for item in items] == ["c1"]
    assert counts["identical_endings"] == 1


def test_what_is_invisible_is_not_in_an_item():
    items, _ = make_items(
        design(cases={"n": 1}), cases(1, context=["\ufeffOne."]), [endings("h", {"c0": "T\u200bwo."})]
    )
    assert (items[0].context, items[0].endings[0]) == (("One.",), "Two.")


def test_cases_that_lack_an_ending_are_left_out_and_counted():
    items, counts = make_items(design(), cases(5), [endings("h", {"c1": "H 1.", "c4": "H 4."})])
    assert {item.case_id for item in items} == {"c1", "c4"}
    assert counts["cases_without_endings"] == 3
    blind = cases(2, right_ending=None)
    with pytest.raises(UserError, match="no ending of human_right"):
        make_items(design(), blind, [endings("h", {"c0": "H.", "c1": "H."})])


def test_further_endings_of_a_system_are_counted():
    twice = pa.concat_tables([endings("h", {"c0": "First.", "c1": "First."}), endings("h", {"c0": "Second."})])
    items, counts = make_items(design(), cases(2), [twice])
    assert {item.endings[0] for item in items} == {"First."}
    assert counts["further_endings"] == 1


def test_the_sample_depends_on_the_seed_alone_and_a_larger_one_holds_the_smaller():
    generated = [endings("h", {f"c{n}": f"H {n}." for n in range(50)})]

    def drawn(n: int, seed: int, table: pa.Table) -> list[str]:
        return [item.case_id for item in make_items(design(cases={"n": n, "seed": seed}), table, generated)[0]]

    table = cases(50)
    backwards = table.take(list(reversed(range(50))))
    assert drawn(10, 1, table) == drawn(10, 1, backwards)
    assert set(drawn(10, 1, table)) < set(drawn(20, 1, table))
    assert drawn(10, 1, table) != drawn(10, 2, table)
    assert len(drawn(None, 1, table)) == 50


def test_one_release_alone_is_drawn_from():
    both = pa.concat_tables([cases(2), cases(2, release="v1.5", endings=["Newer.", "Wrong."])])
    generated = [endings("h", {"c0": "H 0.", "c1": "H 1."})]
    first, _ = make_items(design(), both, generated)
    assert {item.endings[1] for item in first} == {"Right 0.", "Right 1."}
    newer, _ = make_items(design(cases={"n": 2, "release": "v1.5"}), both, generated)
    assert {item.endings[1] for item in newer} == {"Newer."}
    with pytest.raises(UserError, match=r"none of test; the table holds v1.0 validation, v1.5 validation"):
        make_items(design(cases={"split": "test"}), both, generated)


def test_too_few_cases_and_unknown_systems_are_told():
    with pytest.raises(UserError, match="3 cases are asked for, but only 2 of 2"):
        make_items(design(cases={"n": 3}), cases(2), [endings("h", {"c0": "H.", "c1": "H."})])
    with pytest.raises(UserError, match=r"no ending of h .* hold other"):
        make_items(design(), cases(2), [endings("other", {"c0": "H."})])


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        (" It’s  “fine”… ", 'It\'s "fine"...'),
        ("no mark", "No mark."),
        ("and then ,", "And then."),
        ("she did n't go , she 's ill .", "She didn't go, she's ill."),
        ("`` hello , '' he said", '"Hello," he said.'),
        ('He said , " go ! "', 'He said, "go!"'),
        ("i think i 'm ok ( now ) !", "I think I'm ok (now)!"),
        ('She said, "Go."', 'She said, "Go."'),
        ("We ate chips, i.e. fries.", "We ate chips, i.e. fries."),
        ("the boys ' dog cost $ 5", "The boys' dog cost $5."),
        ("太郎 は 走っ た .", "太郎は走った。"),
        ("太郎は，　すぐに走った", "太郎は、すぐに走った。"),
        ("“はい”と言った...", "“はい”と言った……"),
        ("彼は「もういい」", "彼は「もういい」"),
        ("本当!? 行こう!", "本当！？行こう！"),
        ("Tom Smith は 3.5 km 走った", "Tom Smithは3.5 km走った。"),
    ],
)
def test_the_form_of_a_text_does_not_tell_who_wrote_it(written, seen):
    assert shown(written) == seen
    assert shown(seen) == seen


@given(st.text("太はあっ 　.。．,、!！?？…・「」“”\"'3Tom a-;：；)）", max_size=10))
def test_a_text_in_japanese_has_one_form(text: str):
    once = shown(f"猫{text}")
    assert shown(once) == once


def test_our_stories_in_japanese_are_shown_as_they_are_even_if_a_program_divided_their_words():
    say = texts("ja")
    stories = [say.story(f"check_stories.{name}") for name in say.names("check_stories")] + [
        say.story("training_story")
    ]
    for story in stories:
        for sentence in (*story.context, story.right, story.wrong):
            assert shown(sentence) == sentence
            assert shown(" ".join(sentence)) == sentence
            assert shown(sentence.removesuffix("。")) == sentence


def test_items_hold_what_is_shown_and_mended_endings_are_counted():
    generated = [endings("h", {"c0": "tom did n't go .", "c1": "It is fine."})]
    items, counts = make_items(design(), cases(2, endings=["right", "Wrong."]), generated)
    assert {item.endings for item in items} == {("Tom didn't go.", "Right."), ("It is fine.", "Right.")}
    assert counts["mended_h"] == 1
    assert counts["mended_human_right"] == 2
    assert "mended_h" not in make_items(design(), cases(2), [endings("h", {"c0": "One.", "c1": "Two."})])[1]


def test_real_sentences_are_shown_as_they_were_written(shared_data):
    with (shared_data / "rocstories" / "ROCStories_sample.csv").open(encoding="utf-8", newline="") as opened:
        endings_ = [" ".join(row["sentence5"].split()) for row in csv.DictReader(opened)]
    finished = [text for text in endings_ if is_finished(text) and not set(text) & set("‘’“”…–—\xa0")]
    assert sum(shown(text) == text for text in finished) / len(finished) > 0.99


def test_checks_and_training_have_known_answers_and_names_that_are_no_systems():
    made = design(checks={"rate": 0.1}, training=True)
    items, counts = make_items(made, cases(2), [endings("h", {"c0": "H 0.", "c1": "H 1."})])
    checks = [item for item in items if item.is_check]
    [training] = [item for item in items if item.is_training]
    assert (len(checks), counts["checks"], counts["training"]) == (6, 6, 1)
    assert {item.expected for item in [*checks, training]} == {"check_first"}
    assert all(item.systems == ("check_first", "check_second") for item in [*checks, training])


def test_known_answers_of_each_kind():
    known = {"context": ["One."], "endings": ["a.", "b."], "expected": "neither"}
    [check] = [i for i in make_items(design(checks={"rate": 0.1, "items": [known]}), cases(2), H)[0] if i.is_check]
    assert check.expected == "neither"
    rating = {"kind": "rating", "systems": ["h"], "scales": "bad_to_perfect"}
    known = {"context": ["One."], "endings": ["a."], "values": {"quality": [0, 1]}}
    [check] = [
        i for i in make_items(design(**rating, checks={"rate": 0.1, "items": [known]}), cases(2), H)[0] if i.is_check
    ]
    assert check.expected == '{"quality": [0, 1]}'
    made = design(kind="order", systems=["human_right"], checks={"rate": 0.1})
    order = [item for item in make_items(made, cases(2), [])[0] if item.is_check]
    assert {item.expected for item in order} == {"[0, 1, 2, 3, 4]"}


H = [endings("h", {"c0": "H 0.", "c1": "H 1."})]


def test_ratings_and_orders_have_an_item_for_each_case_and_system():
    rating = {"kind": "rating", "systems": ["h", "human_right"], "scales": "bad_to_perfect"}
    items, _ = make_items(design(**rating), cases(2), H)
    assert {(item.case_id, item.systems) for item in items} == {
        (f"c{n}", (system,)) for n in (0, 1) for system in ("h", "human_right")
    }
    orders, _ = make_items(design(kind="order", systems=["human_right"]), cases(2), [])
    assert {item.sentences for item in orders} == {(f"Story {n}.", "It goes on.", f"Right {n}.") for n in (0, 1)}


def test_equal_texts_on_other_sides_have_one_content():
    swapped = [endings("h", {"c0": "Right 0.", "c1": "H."}), endings("s", {"c0": "S.", "c1": "S."})]
    made = design(systems=["h", "s", "human_right"], pairs=[["h", "s"], ["s", "human_right"]])
    items, _ = make_items(made, cases(2), swapped)
    of_first = [item for item in items if item.case_id == "c0"]
    assert len(of_first) == 2
    assert of_first[0].content == of_first[1].content
    assert of_first[0].id != of_first[1].id


def test_of_several_wrong_endings_the_first_is_the_human_wrong_one():
    four = cases(2, endings=["No.", "Yes.", "Never.", "Not."], right_ending=2)
    made = design(systems=["human_right", "human_wrong"])
    items, counts = make_items(made, four, [])
    assert {item.endings for item in items} == {("Yes.", "No.")}
    assert counts["further_endings"] == 4, "two more of each case"


def test_cases_in_several_languages_are_those_in_the_language_of_the_study():
    both = pa.concat_tables([cases(2, language="ja", context=["雨。"]), cases(2)])
    generated = [endings("h", {"c0": "H 0.", "c1": "H 1."})]
    items, _ = make_items(design(), both, generated)
    assert {item.context for item in items} == {("Story 0.", "It goes on."), ("Story 1.", "It goes on.")}
    items, _ = make_items(design(language="ja"), both, generated)
    assert {item.context for item in items} == {("雨。",)}
    with pytest.raises(UserError, match="are in es, ja, and the study's language is en; give it one of these"):
        make_items(design(), pa.concat_tables([cases(2, language="es"), cases(2, language="ja")]), generated)
