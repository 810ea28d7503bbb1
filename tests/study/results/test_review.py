"""What came in: people whose answers are unusual, and rules about them."""

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from denouement.errors import UserError
from denouement.schemas import TABLES, UNNAMED_ANNOTATOR
from denouement.study.results.conduct import FAST, conducts, has_word
from denouement.study.results.exclusion import excluded, exclusion_section
from denouement.study.results.preferences import study_results
from denouement.study.results.review import review, review_sections
from denouement.study.results.rules import FLAGS, MEASURES, flags_with, rule, rules

START = datetime(2026, 1, 1, tzinfo=UTC)
LONG = "The ending fits what Tom did before."


def vote(annotator, item, answer="A", seconds=20.0, reason=None, **other):
    """An answer; `mine` is on side A of items with an even number, else on B."""
    sides = ("mine", "human_right") if item % 2 == 0 else ("human_right", "mine")
    return {
        "study": "s",
        "item_id": f"i{item}",
        "case_id": f"c{item}",
        "annotator_id": annotator,
        "position_a": sides[0],
        "position_b": sides[1],
        "question": "better",
        "answer": answer,
        "choice": {"A": sides[0], "B": sides[1]}.get(answer, answer),
        "reason": reason,
        "is_check": False,
        "status": "accepted",
        "started_at": START,
        "submitted_at": None if seconds is None else START + timedelta(seconds=seconds),
        "kind": "person",
    } | other


def check(annotator, is_right, **other):
    """An answer to the check `i98`, whose right answer is `check_first`."""
    right = {"position_a": "check_first", "position_b": "check_second", "is_check": True}
    choice = "check_first" if is_right else "check_second"
    return vote(annotator, 98) | right | {"answer": "A" if is_right else "B", "choice": choice} | other


def votes(*rows):
    return pa.Table.from_pylist(list(rows), TABLES["votes"].schema)


def items(*numbers):
    rows = [
        {
            "study": "s",
            "item_id": f"i{number}",
            "case_id": f"c{number}",
            "kind": "pair",
            "context": ["Tom had a test."],
            "systems": ["check_first", "check_second"] if number == 98 else ["mine", "human_right"],
            "endings": [f"He passed {number}.", f"He slept {number}."],
            "is_check": number == 98,
            "is_training": False,
            "expected": "check_first" if number == 98 else None,
        }
        for number in numbers
    ]
    return pa.Table.from_pylist(rows, TABLES["items"].schema)


def of(table, shown=None, **keys):
    return {each.annotator_id: each for each in conducts(table, shown, **keys)}


class TestConduct:
    def test_times(self):
        table = votes(*(vote("a", number, seconds=taken) for number, taken in enumerate((1, 2.9, 3, 40, None, -5))))
        found = of(table)["a"]
        assert (found.answers, found.median_seconds, found.fast_answers) == (6, 2.95, 0.5), "-5 s is no time"
        assert of(table, fast=3.5)["a"].fast_answers == 0.75
        assert of(votes(vote("a", 1, seconds=None)))["a"].median_seconds is None

    def test_reasons_that_are_repeated_copied_or_without_a_word(self):
        texts = ["Good.", "good. ", LONG, "...", "aaaa", None]
        table = votes(
            *(vote("a", number, reason=text) for number, text in enumerate(texts)),
            vote("b", 0, reason=f" {LONG.upper()}"),
            vote("b", 1, reason="Good."),
            vote("c", 0),
        )
        found = of(table)
        assert found["a"].repeated_reasons == 2 / 5
        assert found["a"].copied_reasons == 1 / 5, "that others wrote Good. too says nothing"
        assert found["a"].wordless_reasons == 2 / 5
        assert (found["b"].repeated_reasons, found["b"].copied_reasons) == (0, 0.5)
        assert found["c"].copied_reasons is None

    @pytest.mark.parametrize(
        ("text", "is_word"),
        [("ok", True), ("x", False), ("!!! 123", False), ("zzz z", False), ("結末が良い", True), ("It's", True)],
    )
    def test_what_is_a_word(self, text, is_word):
        assert has_word(text) == is_word

    def test_sides_and_answers_need_ten(self):
        ten = [*(vote("a", number) for number in range(8)), vote("a", 8, "B"), vote("a", 9, "both")]
        found = of(votes(*ten, vote("a", 10, "A"), *(vote("b", number) for number in range(9))))
        assert found["a"].one_side == 9 / 10
        assert found["a"].one_answer == 9 / 11
        assert (found["b"].one_side, found["b"].one_answer) == (None, None)

    def test_failed_checks_of_any_status_once_the_right_answer_is_known(self):
        table = votes(vote("a", 0), check("a", False, status="excluded"), check("b", True), vote("c", 0))
        assert {name: each.failed_checks for name, each in of(table, items(0, 98)).items()} == {
            "a": 1,
            "b": 0,
            "c": None,
        }
        assert of(table)["a"].failed_checks is None
        assert of(table, items(98))["b"].answers == 0

    def test_people_without_a_name_are_nobody(self):
        assert of(votes(vote(f"{UNNAMED_ANNOTATOR}1", 0))) == {}

    def test_ratings_are_one_answer_with_all_their_values(self):
        common = {key: value for key, value in vote("a", 0).items() if key in TABLES["ratings"].schema.names}
        rows = [
            common | {"item_id": f"i{item}", "system": "mine", "question": question, "value": value}
            for item in range(10)
            for question, value in (("logic", 3), ("style", 3 if item else 4))
        ]
        found = of(pa.Table.from_pylist(rows, TABLES["ratings"].schema))["a"]
        assert (found.answers, found.one_answer, found.one_side) == (10, 0.9, None)

    def test_an_order_that_was_left_as_it_was_shown_is_one_answer(self):
        common = {key: value for key, value in vote("a", 0).items() if key in TABLES["orders"].schema.names}
        shown = [[1, 0, 2], [2, 1, 0]] * 5
        rows = [common | {"item_id": f"i{n}", "shown": its, "order": its} for n, its in enumerate(shown)]
        assert of(pa.Table.from_pylist(rows, TABLES["orders"].schema))["a"].one_answer == 1


class TestRules:
    @pytest.mark.parametrize(
        ("text", "limit"),
        [("median_seconds<5", 5), ("median_seconds <= 1.5min", 90), ("one_side>90%", 0.9), ("one_side>0.9", 0.9)],
    )
    def test_units(self, text, limit):
        assert rule(text).limit == limit

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("speed<3", "unknown measure; there are answers, median_seconds"),
            ("failed_checks>1s", "must be like failed_checks>1"),
            ("median_seconds<3%", "must be like median_seconds<5s"),
            ("one_side>90", "a share is at most 100%; write 90%"),
            ("one_side!90%", "must be like one_side>90%"),
            ("", "unknown measure"),
            ("answers<1e9", "must be like"),
        ],
    )
    def test_what_is_no_rule_is_refused_in_one_line(self, text, said):
        with pytest.raises(UserError, match=said.replace("?", r"\?")) as told:
            rule(text)
        assert "\n" not in str(told.value)

    def test_a_rule_never_holds_without_a_value(self):
        found = of(votes(vote("a", 0, seconds=None)))["a"]
        assert not rule("median_seconds<5s").holds(found)
        assert not rule("failed_checks=0").holds(found)
        assert rule("answers=1").holds(found)

    def test_given_flags_replace_those_of_the_same_measure(self):
        found = flags_with(rules(["failed_checks>2", "failed_checks>2", "answers<3"]))
        assert [each.text for each in found if each.measure == "failed_checks"] == ["failed_checks>2"]
        assert len(found) == len(FLAGS) + 1

    def test_every_measure_is_a_field(self):
        found = of(votes(vote("a", 0)))["a"]
        assert all(hasattr(found, name) for name in MEASURES)

    def test_the_command_s_option_has_the_same_default(self):
        from denouement.cli import study_rules

        assert study_rules._FAST == FAST


class TestReview:
    TABLE = (
        vote("slow", 0, seconds=30, reason=LONG),
        vote("quick", 0, "B", seconds=1, status="surplus"),
        vote("quick", 1, "both", seconds=2),
        vote("slow", 1, seconds=31),
    )

    def test_people_with_flags_come_first_and_items_have_all_answers(self):
        found = review(votes(*self.TABLE), items(1, 0, 7))
        assert [(each.conduct.annotator_id, each.flags) for each in found.people] == [
            ("quick", ["median_seconds<5s", "fast_answers>20%"]),
            ("slow", []),
        ]
        assert found.flagged == 1
        assert [item.item_id for item in found.items] == ["i1", "i0"], "as in the table; i7 has no answer"
        said = [(one.annotator_id, one.said, one.status, one.seconds) for one in found.items[1].answers]
        assert said == [("quick", "human_right", "surplus", 1), ("slow", "mine", "accepted", 30)]

    def test_without_items_there_are_answers_and_no_texts(self):
        found = review(votes(*self.TABLE), None)
        assert [(item.endings, len(item.answers)) for item in found.items] == [([], 2), ([], 2)]

    def test_items_of_another_study_are_refused(self):
        with pytest.raises(UserError, match="none of the items"):
            review(votes(*self.TABLE), items(50))

    def test_what_is_shown(self):
        found = review(votes(*self.TABLE, vote(f"{UNNAMED_ANNOTATOR}1", 0)), items(0, 1))
        people, answers = review_sections(found, with_answers=True)
        assert people.what.startswith("1 of 2 people have a flag.")
        assert "1 answer without a known annotator" in people.what
        story = answers.blocks[0].stories[0]
        assert ("quick: human_right (1 s, surplus)", "") in list(story.remarks)
        assert ("slow: mine (30 s)", LONG) in list(story.remarks)


class TestExclusion:
    def test_what_is_left_out_and_what_it_changes(self):
        table = votes(
            vote("good", 0, "B"),
            vote("bad", 0, seconds=1),
            vote("bad", 1, seconds=1, status="rejected"),
            check("bad", False),
            check("good", True),
            vote("worse", 0, seconds=2),
        )
        given = rules(["failed_checks>0", "median_seconds<3s"])
        kept, found = excluded(table, items(0, 1, 98), given, study_results)
        assert [(each.rule, each.people, each.answers, each.not_known) for each in found.rules] == [
            ("failed_checks>0", 1, 1, 1),
            ("median_seconds<3s", 2, 2, 0),
        ]
        assert (found.people, found.answers, found.of_people, found.of_answers) == (2, 2, 3, 3)
        statuses = sorted(zip(kept["annotator_id"].to_pylist(), kept["status"].to_pylist(), strict=True))
        assert statuses == [
            ("bad", "excluded"),
            ("bad", "excluded"),
            ("bad", "rejected"),
            ("good", "accepted"),
            ("good", "accepted"),
            ("worse", "excluded"),
        ]
        values = {each.what: (each.of_all, each.of_kept) for each in found.compared}
        assert values["answers"] == (3, 1)
        assert values["mine / human_right: answers for mine"] == (pytest.approx(2 / 3), 0)
        assert study_results(kept).answers == 1
        shown = exclusion_section(found)
        assert shown.what.startswith("2 of 3 people, with 2 of 3 answers that count")

    def test_answers_without_a_name_stay_and_are_counted(self):
        table = votes(vote(f"{UNNAMED_ANNOTATOR}1", 0, seconds=1), vote("a", 0, seconds=1))
        kept, found = excluded(table, None, rules(["median_seconds<3s"]), study_results)
        assert (found.answers, found.unnamed_answers) == (1, 1)
        assert study_results(kept).answers == 1
