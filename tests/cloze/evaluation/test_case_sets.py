"""What is scored, and what may be learned from, for every way in which two tables can meet."""

import pyarrow as pa
import pytest

from denouement.cloze.evaluation.case_sets import case_sets, counted, learnable
from denouement.errors import UserError


def sets_of(train, test, **only):
    """By set: the numbers of the cases to fit to, whether it is learned from itself, and how many were left out."""
    sets = case_sets(train if test is None else test, learnable(train, test).cases, **only)
    return {
        each.name: (
            None if each.train is None else sorted(int(name[5:]) for name in each.train["case_id"].to_pylist()),
            each.is_learned_from,
            each.left_out,
        )
        for each in sets
    }


def renamed(cases, prefix):
    """The same stories under other ids."""
    names = pa.array([f"{prefix}-{name}" for name in cases["case_id"].to_pylist()])
    return cases.set_column(0, cases.schema.field("case_id"), names)


def test_a_labelled_test_is_scored_by_what_validation_taught(make_cases):
    table = pa.concat_tables([make_cases([1] * 4), make_cases([2] * 3, split="test", start=10)])
    expected = {"v1.0 validation": ([], True, 0), "v1.0 test": ([0, 1, 2, 3], False, 0)}
    assert sets_of(table, None) == sets_of(table, table) == expected
    assert sets_of(table, table.take(list(range(6, -1, -1)))) == expected, "in any order of the rows"
    assert learnable(table, None).passed_over == {"labelled cases of the split test, not learned from": 3}


def test_train_and_validation_are_learned_from_together(make_cases):
    table = pa.concat_tables([make_cases([1] * 4, split="train"), make_cases([2] * 3, start=10)])
    assert sets_of(table, None) == {
        "v1.0 train": ([10, 11, 12], True, 0),
        "v1.0 validation": ([0, 1, 2, 3], True, 0),
    }


@pytest.mark.parametrize("n", [3, 20])
def test_a_part_of_what_is_learned_from_is_scored_by_the_rest(make_cases, n):
    train = make_cases([1] * 120)
    assert sets_of(train, train.slice(10, n)) == {
        "v1.0 validation": ([*range(10), *range(10 + n, 120)], False, n),
    }


def test_the_same_stories_leak_by_id_and_by_text(make_cases):
    train = make_cases([1] * 6)
    test = make_cases([1] * 2, split="test")
    assert sets_of(train, renamed(test, "other")) == sets_of(train, test) == {"v1.0 test": ([2, 3, 4, 5], False, 2)}


def test_a_copy_of_validation_named_test_leaves_nothing_to_learn_from(make_cases):
    assert sets_of(make_cases([1] * 6), make_cases([1] * 6, split="test")) == {"v1.0 test": ([], False, 6)}


def test_a_release_that_repeats_another(make_cases):
    # v1.5 validation: cases 2 to 5 of v1.0, of which 5 is a v1.0 test case. v1.0 test: 5 and 6.
    first, second = make_cases([1] * 5), make_cases([1] * 4, release="v1.5", start=2)
    test = make_cases([1] * 2, split="test", start=5)
    assert sets_of(pa.concat_tables([first, second, test]), None) == {
        "v1.0 validation": ([5], True, 0),
        "v1.5 validation": ([0, 1], True, 3),
        "v1.0 test": ([0, 1, 2, 3, 4], False, 1),
    }
    assert sets_of(first, second) == {"v1.5 validation": ([0, 1], False, 3)}


def test_what_is_scored_alone_restricts_nothing_that_is_learned_from(make_cases):
    table = pa.concat_tables(
        [make_cases([1] * 3), make_cases([1] * 2, "v1.5", start=7), make_cases([2] * 3, split="test", start=10)]
    )
    assert sets_of(table, None, splits=["test"]) == {"v1.0 test": ([0, 1, 2, 7, 8], False, 0)}
    assert sets_of(table, table, releases=["v1.5"]) == {"v1.5 validation": ([0, 1, 2], True, 0)}
    with pytest.raises(UserError, match=r"no Story Cloze cases of v1\.5 test to score; there are those of v1\.0"):
        sets_of(table, None, releases=["v1.5"], splits=["test"])


def test_test_cases_are_learned_from_only_when_another_table_is_scored(make_cases, capsys):
    test = make_cases([1] * 3, split="test")
    blind = make_cases([None] * 2, release="v1.5", split="test", start=2)
    both = pa.concat_tables([test, blind])
    assert sets_of(both, None) == sets_of(both, both) == {"v1.0 test": ([], False, 0), "v1.5 test": ([], False, 0)}
    assert not capsys.readouterr().err
    assert sets_of(test, blind) == {"v1.5 test": ([0, 1], False, 1)}
    assert "3 labelled cases of the split test are learned from" in capsys.readouterr().err
    assert sets_of(test, both)["v1.0 test"] == ([], False, 3), "never from itself"
    with_validation = pa.concat_tables([test, make_cases([1], start=20)])
    assert sets_of(with_validation, blind) == {"v1.5 test": ([20], False, 0)}


def test_nothing_to_learn_from_and_blind_sets(make_cases):
    assert sets_of(None, make_cases([1, 2])) == {"v1.0 validation": (None, False, 0)}
    assert sets_of(make_cases([1, None, 2]), None) == {"v1.0 validation": ([], False, 2)}


def test_each_language_is_a_set_and_learned_from_for_itself(make_cases):
    def spoken(cases, language):
        return pa.Table.from_pylist([row | {"language": language} for row in cases.to_pylist()], cases.schema)

    cases = pa.concat_tables(
        [spoken(make_cases([1, 2, 1]), "es"), make_cases([1, 2, 1]), spoken(make_cases([2]), "zh")]
    )
    sets = case_sets(cases, cases)
    assert [each.name for each in sets] == ["v1.0 validation", "v1.0 validation es", "v1.0 validation zh"]
    assert [(each.is_learned_from, each.train.num_rows, each.left_out) for each in sets] == [(True, 0, 0)] * 3
    assert counted(cases) == {"v1.0 validation": 3, "v1.0 validation es": 3, "v1.0 validation zh": 1}
    assert [each.name for each in case_sets(cases, None, languages=["zh", "es"])] == [
        *("v1.0 validation es", "v1.0 validation zh")
    ]
    with pytest.raises(UserError, match="no Story Cloze cases of eu to score; there are those of"):
        case_sets(cases, None, languages=["eu"])


def test_questions_about_one_story_are_all_learned_from(make_cases):
    """Those of another table with the same story and question are not."""
    rows = make_cases([1, 2]).to_pylist()
    asked = [row | {"case_id": f"{row['case_id']} {why}", "question": why} for row in rows for why in ("Who?", "Why?")]
    again = [row | {"case_id": f"{row['case_id']}!", "release": "v1.5"} for row in asked]
    learned = pa.Table.from_pylist([*asked, *again], make_cases([1]).schema)
    [each] = case_sets(make_cases([1], "v1.5", "test", start=9), learned)
    assert each.train["case_id"].to_pylist() == [row["case_id"] for row in asked]
