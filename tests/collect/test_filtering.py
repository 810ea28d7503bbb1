"""The rules of both papers on cases worked out by hand; splits and sides; answers that do not belong."""

import numpy as np
import pyarrow as pa
import pytest
from collect.collected import all_confirmed, endings, verifications

from denouement.collect.filtering import FilterRules, filter_cases
from denouement.collect.work import as_table
from denouement.corpus import keys
from denouement.errors import UserError

YES, NO = ["1"] * 3, ["0"] * 3


def outcomes(cases: pa.Table, given, **rules) -> list[str]:
    found, summary = filter_cases(cases, verifications(given), FilterRules(**rules))
    counted = {outcome: n for outcome, n in summary.outcomes.items() if n}
    assert counted == {each: found["outcome"].to_pylist().count(each) for each in set(found["outcome"].to_pylist())}
    is_kept = np.array(found["outcome"].to_pylist()) == "kept"
    for column in ("split", "right_ending"):
        assert (np.array([value is not None for value in found[column].to_pylist()]) == is_kept).all()
    return found["outcome"].to_pylist()


def test_the_rule_of_v1_0():
    given = {
        "c0": (YES, NO),
        "c1": (["1", "1", "0"], NO),  # one does not confirm the right one
        "c2": (YES, ["0", "0", "-1"]),  # one cannot tell of the wrong one
        "c3": (["1", "1", "-1"], ["0", "1", "0"]),
        "c4": (YES, ["0", "0"]),
        "c5": (["1"] * 4, ["0"] * 3),
        "c6": (["1", "1", "1", "0"], ["0"] * 3),  # a fourth one disagrees
    }
    assert outcomes(endings(8), given) == [
        "kept",
        "right_not_confirmed",
        "wrong_not_confirmed",
        "neither_confirmed",
        "too_few_answers",
        "kept",
        "right_not_confirmed",
        "too_few_answers",  # nobody answered
    ]


def test_the_rule_of_v1_5():
    sense, until_last = ["sense"] * 3, ["until_last"] * 3
    given = {
        "c0": (sense, until_last),
        "c1": (sense, ["until_last", "until_last", "other"]),
        "c2": (["sense", "sense", "until_last"], until_last),
    }
    assert outcomes(endings(3), given, form="v1.5") == ["kept", "wrong_not_confirmed", "right_not_confirmed"]


def test_a_stated_majority():
    given = {
        "c0": (["1", "1", "0"], ["0", "0", "1"]),
        "c1": (["1", "0", "0"], NO),
        "c2": (["1", "1", "0", "0"], NO),  # 2 of 4 are fewer than 2 of 3
        "c3": (["1", "1", "1", "0"], NO),  # 3 of 4 are more
    }
    assert outcomes(endings(4), given, confirming=2) == ["kept", "right_not_confirmed", "right_not_confirmed", "kept"]


def test_answers_of_who_wrote_the_endings_or_the_story_do_not_count():
    cases = endings(2)  # c0 is by w0 and v0, c1 by w1 and v1
    rows = verifications({"c0": (YES, NO), "c1": (YES, NO)}).to_pylist()
    for row in rows:
        if row["case_id"] == "c0" and row["verifier"] == "b":
            row["verifier"] = "w0" if row["ending"] == "right" else "v0"
        if row["case_id"] == "c1" and row["verifier"] == "c":
            row["verifier"] = "w0"  # who wrote other endings may verify these
    found, summary = filter_cases(cases, as_table("verifications", rows), FilterRules())
    assert found["outcome"].to_pylist() == ["too_few_answers", "kept"]
    assert (summary.own_work, summary.answers, summary.unknown_writers) == (2, 10, 0)
    own = [{**row, "verifier": "w0"} for row in rows[:1]]
    with pytest.raises(UserError, match="no answer counts"):
        filter_cases(cases, as_table("verifications", own), FilterRules())


def test_cases_without_a_writer_are_counted():
    cases = endings(2, writer=None, story_writer=None)
    assert filter_cases(cases, all_confirmed(cases), FilterRules())[1].unknown_writers == 2


def test_of_cases_with_the_same_texts_the_first_is_kept():
    cases = endings(3).to_pylist()
    cases[2] = {**cases[0], "case_id": "c2", "right": cases[0]["right"].upper()}
    table = as_table("collected_endings", cases)
    found, _ = filter_cases(table, all_confirmed(table), FilterRules())
    assert found["outcome"].to_pylist() == ["kept", "kept", "repeated"]


def test_what_does_not_belong_together_is_refused():
    cases = endings(2)
    with pytest.raises(UserError, match=r"1 cases that are not among the endings \(c7\)"):
        filter_cases(cases, verifications({"c0": (YES, NO), "c7": (YES, NO)}), FilterRules())
    with pytest.raises(UserError, match="the answer '1' is none of sense, until_last, other"):
        filter_cases(cases, verifications({"c0": (YES, NO)}), FilterRules(form="v1.5"))


@pytest.mark.parametrize("rules", [{"people": 0}, {"confirming": 4}, {"confirming": 0}, {"validation": 1.5}])
def test_rules_out_of_range(rules):
    with pytest.raises(ValueError, match="must be"):
        FilterRules(**rules)


def kept(n: int, same_story: int = 1, earlier: pa.Table | None = None, **rules) -> pa.Table:
    cases = endings(n, same_story)
    return filter_cases(cases, all_confirmed(cases), FilterRules(**rules), earlier)[0]


@pytest.mark.parametrize("n", [1, 2, 40, 41])
def test_halves_and_sides_are_balanced(n):
    cases = endings(n)
    found, summary = filter_cases(cases, all_confirmed(cases), FilterRules())
    assert sum(of for of, _ in summary.splits.values()) == n == found.num_rows
    assert abs(summary.splits["validation"][0] - summary.splits["test"][0]) <= 1
    for of, first in summary.splits.values():
        assert first in (of // 2, of - of // 2)


def test_the_share_for_validation():
    for share, expected in ((0.0, 0), (0.25, 10), (1.0, 40)):
        assert kept(40, validation=share)["split"].to_pylist().count("validation") == expected


def test_no_story_is_in_both_splits():
    found = kept(60, same_story=3)
    stories = keys.contexts(found).to_pylist()
    of_story = {}
    for story, split in zip(stories, found["split"].to_pylist(), strict=True):
        assert of_story.setdefault(story, split) == split
    assert sorted(of_story.values()).count("test") == 10


def test_the_order_of_cases_and_answers_decides_nothing_and_the_seed_everything():
    cases = endings(40, same_story=2)
    answers = all_confirmed(cases)
    first, _ = filter_cases(cases, answers, FilterRules())
    backwards = pa.array(range(39, -1, -1))
    again, _ = filter_cases(
        cases.take(backwards), answers.take(pa.array(range(answers.num_rows - 1, -1, -1))), FilterRules()
    )
    assert again.take(backwards).to_pylist() == first.to_pylist()
    other, _ = filter_cases(cases, answers, FilterRules(seed=2))
    assert other["split"].to_pylist() != first["split"].to_pylist()


def test_a_collection_that_has_grown_keeps_splits_and_sides():
    first = kept(20)
    grown = kept(51, earlier=first)
    for column in ("split", "right_ending"):
        assert grown[column].to_pylist()[:20] == first[column].to_pylist()
    assert sorted((grown["split"].to_pylist().count("validation"), grown["split"].to_pylist().count("test"))) == [
        25,
        26,
    ]
    for split in ("validation", "test"):
        sides = [row["right_ending"] for row in grown.to_pylist() if row["split"] == split]
        assert abs(sides.count(1) - sides.count(2)) <= 1
    assert kept(51)["split"].to_pylist()[:20] != first["split"].to_pylist()  # alone they are drawn anew


def test_agreement_is_that_of_the_answers_that_count():
    import krippendorff

    cases = endings(3)
    given = {"c0": (["1", "1", "0"], NO), "c1": (YES, ["0", "-1", "0"]), "c2": (YES, NO)}
    _, summary = filter_cases(cases, verifications(given), FilterRules())
    units = [[float(answer) for answer in of_ending] for of_case in given.values() for of_ending in of_case]
    expected = krippendorff.alpha(np.array(units).T, level_of_measurement="nominal")
    assert summary.alpha == pytest.approx(expected)
    assert "all verifiers, at least 3, call the right ending 1 and the wrong one 0" in summary.rule


@pytest.mark.parametrize("n", [0, 2])
def test_while_nobody_has_verified_anything_all_wait_for_answers(n):
    filtered, summary = filter_cases(endings(n), as_table("verifications", []), FilterRules())
    assert filtered["outcome"].to_pylist() == ["too_few_answers"] * n
    assert (summary.answers, summary.alpha) == (0, None)
