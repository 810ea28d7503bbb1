"""Evaluation as a whole, with small systems whose answers are known."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from denouement import schemas
from denouement.cloze import SYSTEMS
from denouement.cloze.base import ClozeSystem
from denouement.cloze.evaluation.case_sets import case_sets, learnable
from denouement.cloze.evaluation.cross_validation import folds, out_of_fold
from denouement.cloze.evaluation.evaluate import evaluate
from denouement.cloze.evaluation.predictions import predictions
from denouement.cloze.evaluation.published import accuracy
from denouement.cloze.evaluation.results import FittedTo
from denouement.cloze.evaluation.scoring import inputs_digest
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.errors import UserError


@dataclass
class Majority(ClozeSystem):
    """Chooses the ending that is right more often in what it was fitted to; remembers what it has seen."""

    name: ClassVar[str] = "majority"
    learns_from_cases: ClassVar[bool] = True
    seen: ClassVar[list[set[str]]] = []
    scored: ClassVar[list[set[str]]] = []

    def fit(self, cases, resources):
        self.seen.append(set(cases["case_id"].to_pylist()))
        self.second = (cases["right_ending"].to_numpy() == 2).mean() > 0.5

    def score(self, cases, resources):
        self.scored.append(set(cases["case_id"].to_pylist()))
        return {"": np.tile([0.0, 1.0] if self.second else [1.0, 0.0], (cases.num_rows, 1))}


@dataclass
class Stories(ClozeSystem):
    """Counts how often it works."""

    name: ClassVar[str] = "stories"
    runs: ClassVar[int] = 0

    def learns_from_stories(self, variant):
        return variant == "one"

    def prepare(self, resources):
        resources.need_stories(self.name)
        type(self).runs += 1

    def score(self, cases, resources):
        resources.notes["stories: odd cases"] += 1
        return {each: np.ones((cases.num_rows, 2)) for each in ("one", "two")}


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    for system in (Majority, Stories):
        monkeypatch.setitem(SYSTEMS, system.name, f"{__name__}:{system.__name__}")
    monkeypatch.setattr(Majority, "seen", [])
    monkeypatch.setattr(Majority, "scored", [])
    monkeypatch.setattr(Stories, "runs", 0)


def stories(*sentences: list[str]) -> pa.Table:
    rows = [
        {"story_id": f"story-{number}", "title": None, "sentences": each, "source": "sample", "split": "train"}
        for number, each in enumerate(sentences)
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema)


def test_cross_validation_never_scores_what_was_fitted(make_cases):
    cases = make_cases([1, 2, 2, 2, 2, 2, 2])
    found = evaluate(["majority"], cases, None, Resources(), n_folds=3)
    ids = set(cases["case_id"].to_pylist())
    assert len(Majority.seen) == 3
    for seen, scored in zip(Majority.seen, Majority.scored, strict=True):
        assert not seen & scored
        assert seen | scored == ids
    [row] = [row for row in found.result.systems if row.system == "majority"]
    assert row.accuracy == pytest.approx(6 / 7)
    assert row.trained_on == "7 cases of v1.0 validation in 3 folds"
    assert row.fitted_to == FittedTo({"v1.0 validation": 7}, 3, 0)


def test_training_cases_that_are_scored_are_left_out(make_cases):
    train = make_cases([2, 2, 1, 1, 1])
    test = pa.concat_tables([make_cases([2, 2], split="test"), make_cases([2], split="test", start=9)])
    found = evaluate(["majority"], train, test, Resources())
    assert Majority.seen == [{"case-2", "case-3", "case-4"}]
    [row] = [row for row in found.result.systems if row.system == "majority"]
    assert row.correct == 0
    assert row.trained_on == "3 cases of v1.0 validation; 2 cases left out as leaks"
    assert row.fitted_to == FittedTo({"v1.0 validation": 3}, None, 2)


def test_nothing_left_to_learn_from_is_said(make_cases):
    test = pa.concat_tables([make_cases([1, 2], split="test"), make_cases([1], split="test", start=5)])
    found = evaluate(["majority"], make_cases([1, 2]), test, Resources())
    assert found.result.systems[0].missing == (
        "majority learns from labelled cases of the splits train and validation, and --train has none for v1.0 test "
        "(2 are in v1.0 test and are left out): give other ones"
    )


def test_cases_in_two_releases_are_learned_from_once(make_cases):
    both = pa.concat_tables([make_cases([1, 2, 1]), make_cases([1, 2, 1, 2], release="v1.5")])
    blind = make_cases([None, None], release="v1.5", split="test", start=2)
    everything = pa.concat_tables([both, blind])
    found = learnable(everything, None)
    assert found.passed_over == {
        "cases without a label, not learned from": 2,
        "cases whose story an earlier case has, learned from once": 3,
    }
    sets = case_sets(everything, found.cases)
    of_sets = [(each.name, each.train["case_id"].to_pylist(), each.is_learned_from, each.left_out) for each in sets]
    assert of_sets == [
        ("v1.0 validation", ["case-3"], True, 0),
        ("v1.5 validation", [], True, 3),  # of v1.0, the same stories as its own cases
        ("v1.5 test", ["case-0", "case-1"], False, 2),
    ]


def test_stories_that_are_scored_are_left_out(make_cases, capsys):
    cases = make_cases([1, 2])
    given = stories([*cases["context"][0].as_py(), "The end."], ["Somebody else came.", "The end."])
    found = evaluate(["stories"], cases, None, Resources(stories=given))
    assert [row.trained_on for row in found.result.systems[:2]] == ["1 stories", "nothing"]  # by variant
    assert "1 of 2 stories are among the scored cases and are left out" in capsys.readouterr().err


def test_a_missing_resource_keeps_the_row(make_cases):
    found = evaluate(["stories", "majority"], None, make_cases([1, 2]), Resources())
    assert [row.missing for row in found.result.systems if row.system != "human"] == [
        "stories learns from stories: give them with --stories",
        "majority learns from labelled cases: give them with --train",
    ]
    assert found.scores.num_rows == 0


def test_blind_cases_get_predictions_and_no_accuracy(make_cases):
    train = make_cases([2, 2, 2])
    blind = make_cases([None, None], release="v1.5", split="test", start=5)
    found = evaluate(["majority"], train, blind, Resources())
    assert [(row.accuracy, row.blind) for row in found.result.systems] == [(None, True)]
    assert not found.result.comparisons
    text = "InputStoryid,AnswerRightEnding\ncase-5,2\ncase-6,2\n"
    assert predictions(found.scores) == {"majority-v1.5-test": text}


def test_each_release_and_split_is_scored_by_itself(make_cases):
    test = pa.concat_tables([make_cases([1, 1]), make_cases([2], release="v1.5", split="test", start=2)])
    found = evaluate(["constant_first", "stories"], None, test, Resources(stories=stories(["A.", "B."])), n_folds=2)
    constant = [row for row in found.result.systems if row.system == "constant_first"]
    assert [(row.release, row.split, row.accuracy) for row in constant] == [
        ("v1.0", "validation", 1.0),
        ("v1.5", "test", 0.0),
    ]
    assert constant[0].paper == 0.514
    ties = [row.ties for row in found.result.systems if row.system == "stories"]
    assert ties == [2, 2, 1, 1]
    assert set(found.result.comparisons) == {"v1.0 validation", "v1.5 test"}


def test_kept_scores_are_used_until_something_changes(make_cases, tmp_path):
    cases = make_cases([1, 2, 2])
    resources = Resources(stories=stories(["A.", "B."]), cache=tmp_path)
    first = evaluate(["stories"], cases, None, resources)
    again = evaluate(["stories"], cases, None, resources)
    assert Stories.runs == 1
    assert again.result.systems == first.result.systems
    assert again.scores.equals(first.scores)
    assert again.result.notes == first.result.notes == {"stories": {"stories: odd cases": 1}}
    evaluate(["stories"], cases, None, Resources(stories=stories(["A.", "C."]), cache=tmp_path))
    assert Stories.runs == 2
    assert len(list((tmp_path / "scores").iterdir())) == 2, "a file for each of the two inputs"
    for path in (tmp_path / "scores").iterdir():
        path.write_bytes(b"damaged")
    evaluate(["stories"], cases, None, resources)
    assert Stories.runs == 3


@dataclass
class Named(ClozeSystem):
    """Scores by what a file says."""

    name: ClassVar[str] = "named"
    path: str = ""

    def files(self, resources):
        return [Path(self.path)]

    def score(self, cases, resources):
        return {"": np.tile([float(Path(self.path).read_text()), 0.0], (cases.num_rows, 1))}


def test_kept_scores_depend_on_the_content_of_files_that_options_name(make_cases, tmp_path, monkeypatch):
    monkeypatch.setitem(SYSTEMS, Named.name, f"{__name__}:Named")
    file = tmp_path / "score.txt"

    def first_score(text):
        file.write_text(text)
        resources = Resources(cache=tmp_path / "cache")
        found = evaluate(["named"], make_cases([1, 2]), None, resources, {"named": {"path": str(file)}})
        return [first for first, _ in found.scores["scores"].to_pylist()]

    assert first_score("1") == [1.0, 1.0]
    assert first_score("2") == [2.0, 2.0]


def test_kept_scores_depend_on_the_content_of_files_that_encoders_read(make_cases, tmp_path):
    vectors = tmp_path / "vectors.txt"
    resources = Resources(encoders={"glove": {"vectors": str(vectors)}}, cache=tmp_path / "cache")
    sets = case_sets(make_cases([1, 2]), None)
    vectors.write_text("one 1 0\n")
    before = inputs_digest(sets, resources)
    assert inputs_digest(sets, resources) == before
    vectors.write_text("one 0 1\n")
    assert inputs_digest(sets, resources) != before


@pytest.mark.parametrize(
    ("rows", "notes"),
    [([0, 1, 2], "[1]"), ([0, 1, 2], "no JSON"), ([0, 1, 2], '{"odd": "many"}'), ([0, 1], "{}"), ([2, 1, 0], "{}")],
)
def test_kept_scores_with_other_rows_or_notes_are_made_again(make_cases, tmp_path, rows, notes):
    resources = Resources(stories=stories(["A.", "B."]), cache=tmp_path)
    first = evaluate(["stories"], make_cases([1, 2, 2]), None, resources)
    [path] = (tmp_path / "scores").iterdir()
    table = schemas.read_table(path, "scores")
    kept = pa.concat_tables(
        table.filter(pc.equal(table["variant"], variant)).take(rows)
        for variant in pc.unique(table["variant"]).to_pylist()
    )
    schemas.write_table(kept, path, "scores", {"missing": "{}", "notes": notes})
    again = evaluate(["stories"], make_cases([1, 2, 2]), None, resources)
    assert Stories.runs == 2
    assert again.scores.equals(first.scores)


def test_cases_without_a_context_are_refused(make_cases):
    cases = make_cases([1, 2])
    empty = cases.set_column(1, cases.schema.field("context"), pa.array([[], ["A."]], cases["context"].type))
    for train, test in ((cases, empty), (empty, None)):
        with pytest.raises(UserError, match="1 of 2 cases have no sentence of context, the first is case-0"):
            evaluate(["constant_first"], train, test, Resources())


def test_labels_that_are_not_used_are_counted(make_cases, capsys):
    evaluate(["constant_first"], None, make_cases([1, None, 2]), Resources())
    assert "v1.0 validation: 2 labels are not used, since the other 1 cases have none" in capsys.readouterr().err


def test_scores_that_are_no_numbers_are_a_defect(make_cases, monkeypatch):
    monkeypatch.setattr(Stories, "score", lambda self, cases, resources: {"": np.full((cases.num_rows, 2), np.nan)})
    with pytest.raises(ValueError, match="stories : not a finite number for each ending"):
        evaluate(["stories"], make_cases([1]), None, Resources(stories=stories(["A.", "B."])))


def test_unknown_systems_and_no_cases(make_cases):
    with pytest.raises(UserError, match="no Story Cloze system 'bert'; there are constant_first"):
        evaluate(["bert"], make_cases([1]), None, Resources())
    with pytest.raises(UserError, match="no Story Cloze cases to score"):
        case_sets(None, None)
    with pytest.raises(MissingResourceError, match="2 labelled cases cannot be parted into 10 folds"):
        out_of_fold(Majority, make_cases([1, 2]), Resources(), 10)


def test_folds_are_even_and_drawn_by_the_seed():
    fold_of = folds(23, 10, seed=1)
    assert sorted(np.bincount(fold_of)) == [2] * 7 + [3] * 3
    assert (fold_of == folds(23, 10, seed=1)).all()
    assert (fold_of != folds(23, 10, seed=2)).any()


def test_a_part_of_a_system_is_not_set_beside_the_whole():
    assert accuracy("cogcomp", "", "v1.0", "test") == 0.776
    assert accuracy("cogcomp", "topic", "v1.0", "test") is None
    assert accuracy("ending_reg", "pos", "v1.0", "test") == 0.687
    assert accuracy("word_vectors", "glove", "v1.0", "test") == 0.539


class Failing(Stories):
    """Ends with an error of a user's or of ours."""

    name: ClassVar[str] = "failing"
    error: ClassVar[BaseException] = UserError("model.parquet: damaged")

    def prepare(self, resources):
        raise self.error


class Demanding(Majority):
    """Cannot learn from fewer than four cases."""

    name: ClassVar[str] = "demanding"

    def fit(self, cases, resources):
        if cases.num_rows < 4:
            raise MissingResourceError(f"demanding needs at least 4 labelled cases, not {cases.num_rows}")
        super().fit(cases, resources)


@pytest.fixture
def failing(monkeypatch):
    monkeypatch.setitem(SYSTEMS, "failing", f"{__name__}:Failing")
    return Failing


def test_a_system_that_fails_leaves_the_others_their_rows(make_cases, failing, monkeypatch):
    found = evaluate(["failing", "constant_first"], None, make_cases([1, 2]), Resources())
    assert [(row.system, row.failed, row.accuracy) for row in found.result.systems[:2]] == [
        ("failing", "model.parquet: damaged", None),
        ("constant_first", None, 0.5),
    ]
    assert found.scores.num_rows == 2
    with pytest.raises(UserError, match=r"1 of the systems failed.*failing: model\.parquet: damaged"):
        found.raise_failures()
    monkeypatch.setattr(failing, "error", ZeroDivisionError("no\nway"))
    found = evaluate(["failing", "constant_first"], None, make_cases([1, 2]), Resources())
    assert found.result.systems[0].failed == r"ZeroDivisionError: no\nway"
    with pytest.raises(ZeroDivisionError):
        found.raise_failures()
    with pytest.raises(ZeroDivisionError):
        evaluate(["failing"], None, make_cases([1, 2]), Resources())
    monkeypatch.setattr(failing, "error", KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        evaluate(["failing", "constant_first"], None, make_cases([1, 2]), Resources())


@pytest.mark.parametrize("kept", [False, True])
def test_a_set_with_too_few_cases_is_missing_and_the_others_are_scored(make_cases, monkeypatch, tmp_path, kept):
    monkeypatch.setitem(SYSTEMS, "demanding", f"{__name__}:Demanding")
    table = pa.concat_tables([make_cases([1, 2, 1]), make_cases([1, 1], split="test", start=5)])
    resources = Resources(cache=tmp_path if kept else None)
    for _ in range(1 + kept):
        found = evaluate(["majority", "demanding"], table, None, resources)
        of_system = {(row.system, row.split): (row.missing, row.accuracy) for row in found.result.systems[:4]}
        assert of_system == {
            ("majority", "validation"): (
                "3 labelled cases cannot be parted into 10 folds; give more cases with --train, or fewer --folds",
                None,
            ),
            ("majority", "test"): (None, 1.0),
            ("demanding", "validation"): (of_system["majority", "validation"][0], None),
            ("demanding", "test"): ("demanding needs at least 4 labelled cases, not 3", None),
        }
    assert len(Majority.seen) == 1, "kept scores were made again"


def test_test_cases_teach_nothing(make_cases):
    table = pa.concat_tables([make_cases([2, 2, 2]), make_cases([1] * 5, split="test", start=5)])
    found = evaluate(["majority"], table, None, Resources(), n_folds=3)
    validation, test = found.result.systems[:2]
    assert all(max(int(name[5:]) for name in seen) < 5 for seen in Majority.seen)
    assert (validation.accuracy, test.accuracy) == (1, 0)
    assert test.fitted_to == FittedTo({"v1.0 validation": 3}, None, 0)
    assert found.result.notes["cases to learn from"] == {"labelled cases of the split test, not learned from": 5}


def test_one_story_is_in_one_fold(make_cases):
    # Cases 0 and 1 have one story under two ids.
    cases = make_cases([1, 2, 1, 2, 1, 2])
    columns = {name: cases[name].to_pylist() for name in cases.column_names}
    columns["context"][1] = columns["context"][0]
    table = pa.table(columns, schema=cases.schema)
    evaluate(["majority"], table, None, Resources(), n_folds=5)
    for seen in Majority.seen:
        assert len(seen & {"case-0", "case-1"}) in (0, 2)


def test_each_row_is_compared_with_the_best_one(make_cases):
    cases = make_cases([1] * 9 + [2])
    found = evaluate(["majority", "constant_first"], cases, None, Resources(), n_folds=2)
    first = [row for row in found.result.systems if row.best]
    assert [row.system for row in first] == ["majority"], "the first of equals"
    [pair] = found.result.comparisons["v1.0 validation"]
    assert {row.system: row.p_best for row in found.result.systems[:2]} == {"majority": None, "constant_first": 1.0}
    assert (pair.p, pair.p_holm) == (1, 1)


def test_predictions_name_each_case_and_no_two_systems_share_a_file():
    def scores(*systems):
        rows = [
            {"system": name, "variant": "", "case_id": 'a,"b"', "release": "v1.5", "split": "test"}
            | {"language": "en", "scores": [0.0, 1.0]}
            for name in systems
        ]
        return pa.Table.from_pylist(rows, schemas.TABLES["scores"].schema)

    text = 'InputStoryid,AnswerRightEnding\n"a,""b""",2\n'
    assert predictions(scores("my system")) == {"my_system-v1.5-test": text}
    with pytest.raises(UserError, match=r"would both be my_system-v1\.5-test\.csv"):
        predictions(scores("my system", "my_system"))


def test_a_published_accuracy_is_shown_for_a_system_without_scores(make_cases):
    found = evaluate(["cogcomp", "skip_thoughts"], None, make_cases([1, 2]), Resources())
    rows = [row for row in found.result.systems if row.system != "human"]
    assert [(row.paper, row.missing is None) for row in rows] == [(0.751, False), (0.536, False)]
