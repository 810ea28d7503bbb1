import json
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

from denouement.analysis import bias_monitor, cloze_sections, story_sections
from denouement.analysis.bias_monitor import Thresholds, _by_case, exceeded, fewest
from denouement.analysis.comparison import compare
from denouement.analysis.ending_statistics import ending_features, has_other_sign
from denouement.analysis.endings import strays
from denouement.analysis.ngram_odds import deviation, ngram_odds, ngrams
from denouement.analysis.sentiment_drift import by_context, distributions
from denouement.cli import main
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.schemas import TABLES, empty_table, write_table


def test_means_tests_and_effect_by_hand():
    found = compare(np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 3.0]))
    assert (found["right"], found["wrong"], found["difference"]) == (4.0, 2.0, 2.0)
    assert found["effect"] == pytest.approx(2 / math.sqrt(2.5))  # variances 4 and 1
    assert found["t"] == pytest.approx(2 / math.sqrt(5 / 3))
    assert found["paired_t"] == pytest.approx(2 / math.sqrt(1 / 3))  # differences 1, 2, 3
    assert found["high"] - found["difference"] == pytest.approx(4.302653 / math.sqrt(3), rel=1e-5)


def test_nothing_is_made_up_where_nothing_varies():
    found = compare(np.ones(3), np.ones(3))
    assert found["difference"] == 0
    assert found["p"] is None
    assert found["effect"] is None
    assert compare(np.empty(0), np.empty(0))["right"] is None
    assert compare(np.full(30, 0.4404), np.full(30, -0.296))["p"] is None
    values = np.array([0.3, 0.5, 0.7])
    assert compare(values, values - 0.1)["paired_p"] is None, "what subtracting leaves is no deviation"


def test_sign_of_a_difference_beside_the_papers():
    paper = {"right": 1.15, "wrong": 1.17}
    assert has_other_sign({"difference": 0.1, "paper": paper})
    for difference in (-0.1, 0.0, None):
        assert not has_other_sign({"difference": difference, "paper": paper})


def test_features_without_a_parser():
    features = ending_features(["She was happy.", "He hated it."], None)
    assert features["tokens"].tolist() == [4, 4]
    assert features["vader"][0] > 0 > features["vader"][1]
    assert "yngve" not in features


def test_ngrams_of_words_and_characters():
    assert list(ngrams("words", "He ran.", None)) == ["he", "ran", ".", "he ran", "ran .", "he ran ."]
    assert list(ngrams("characters", "He ran", None)) == ["He r", "e ra", " ran"]


def test_log_odds_with_a_prior_by_hand():
    found = ngram_odds("characters", ["good"] * 6 + ["same"] * 4, ["evil"] * 6 + ["same"] * 4, None)
    assert found["ngram"] == ["good", "same", "evil"]
    assert (found["right"], found["wrong"]) == ([6, 4, 0], [0, 4, 6])
    # the prior is a tenth of both together: 0.6 of 2; so 6.6 to 5.4 against 0.6 to 11.4
    expected = math.log(6.6 / 5.4) - math.log(0.6 / 11.4)
    assert found["log_odds"][0] == pytest.approx(expected)
    assert found["z"][0] == pytest.approx(expected / math.sqrt(1 / 6.6 + 1 / 0.6))
    assert found["log_odds"][1] == pytest.approx(0)
    assert deviation(found["right"], found["wrong"]) == pytest.approx(6)  # of 6, 0, -6


def test_an_ngram_that_is_all_there_is_marks_neither():
    found = ngram_odds("words", ["good"] * 6, ["good"] * 6, None)
    assert (found["log_odds"], found["z"]) == ([0.0], [0.0])


def test_rare_ngrams_are_left_out():
    assert ngram_odds("characters", ["rare"] * 4, [], None)["ngram"] == []


def test_thresholds():
    monitor = {"missing": None, "variants": [{"variant": "", "accuracy": 0.7}, {"variant": "style", "accuracy": 0.9}]}
    features = [{"feature": "vader", "effect": -0.4}, {"feature": "tokens", "effect": 0.1}]
    assert exceeded("v1.0", monitor, features, Thresholds()) == []
    told = exceeded("v1.0", monitor, features, Thresholds(accuracy=0.65, effect=0.2))
    assert len(told) == 2
    assert "70.0%" in told[0]
    assert "vader" in told[1]
    assert exceeded("v1.0", monitor, features, Thresholds(accuracy=0.7)) == []
    with pytest.raises(MissingResourceError, match="pip"):
        exceeded("v1.0", {"missing": "pip install it", "variants": []}, features, Thresholds(accuracy=0.6))


def sentiment(**scores: list[float]) -> pa.Table:
    rows = [(f"{group}{place}", group, score) for group, of in scores.items() for place, score in enumerate(of)]
    ids, groups, compounds = zip(*rows, strict=True)
    n = len(rows)
    columns = [list(ids), list(groups), list(compounds), [0.0] * n, [1.0] * n, [0.0] * n]
    return pa.table(columns, names=TABLES["sentiment"].schema.names).cast(TABLES["sentiment"].schema)


def test_earth_movers_distance_by_hand():
    right, system = distributions(sentiment(right=[0.0, 0.0, 0.5, 0.5], mine=[0.5, 0.5, 0.5, 0.5]))
    assert right["distance"] is None
    assert system["distance"] == pytest.approx(0.25)  # half of the scores move by 0.5
    assert system["positive_share"] == 1
    assert right["quantiles"][2] == pytest.approx(0.25)
    assert sum(right["counts"]) == 4


def test_the_distance_that_chance_gives_is_that_of_groups_alike():
    drawn = np.random.default_rng(1)
    people, alike, shifted = drawn.uniform(-1, 0.5, 400), drawn.uniform(-1, 0.5, 100), drawn.uniform(-0.5, 1, 100)
    right, same, other = distributions(sentiment(right=people, alike=alike, shifted=shifted))
    assert right["chance"] is None
    assert same["distance"] < same["chance"]
    assert other["chance"] < 0.2 < other["distance"]  # they are shifted by 0.5
    few = distributions(sentiment(right=people, alike=alike[:10]))[1]
    assert few["chance"] > same["chance"]  # of fewer scores, chance makes more
    assert distributions(sentiment(right=people, alike=alike))[1] == same  # whatever else is in the table
    [_, constant] = distributions(sentiment(right=[0.5] * 9, mine=[0.5] * 9))
    assert (constant["distance"], constant["chance"]) == (0.0, 0.0)


def test_endings_are_parted_by_the_sentiment_of_their_context(tmp_path):
    contexts = {
        "glad": "I love this wonderful, happy day.",
        "sad": "I hate this awful, sad day.",
        "plain": "It is a day.",
    }
    n = len(contexts)
    columns = [list(contexts), [[text] for text in contexts.values()], ["A."] * n, ["B."] * n, [1] * n]
    columns += [["v1.0"] * n, ["validation"] * n]
    write_table(pa.table(columns, schema=TABLES["cloze"].schema), tmp_path / "cloze.parquet", "cloze")
    rows = [
        *[
            (f"v1.0/validation/{case}", "right", score)
            for case, score in (("glad", 0.8), ("sad", -0.4), ("plain", 0.1))
        ],
        *[("glad", "mine", 0.2), ("glad#2", "mine", 0.6), ("sad", "mine", 0.6), ("gone", "mine", -1.0)],
        ("train/s1", "rocstories", 0.9),
    ]
    ids, groups, scores = zip(*rows, strict=True)
    zeros = [0.0] * len(rows)
    table = pa.table([ids, groups, scores, zeros, zeros, zeros], names=TABLES["sentiment"].schema.names)
    found = by_context(table.cast(TABLES["sentiment"].schema), tmp_path / "cloze.parquet")
    assert [(row["group"], row["context"], row["n"], round(row["mean"], 4)) for row in found] == [
        ("right", "negative", 1, -0.4),
        ("right", "neutral", 1, 0.1),
        ("right", "positive", 1, 0.8),
        ("mine", "negative", 1, 0.6),
        ("mine", "positive", 2, 0.4),
    ]
    assert [row["distance"] for row in found[3:]] == pytest.approx([1.0, 0.4])  # each from right ones of such contexts


def test_probabilities_of_cases_are_those_of_their_scores():
    columns = {
        "case_id": ["a", "b", "c"],
        "context": [["He ran."]] * 3,
        "ending_1": ["right", "wrong", "right"],
        "ending_2": ["wrong", "right", "wrong"],
        "right_ending": [1, 2, 1],
        "release": ["v1.0"] * 3,
        "split": ["validation"] * 3,
    }
    cases = pa.table(columns, schema=TABLES["cloze"].schema)
    scores = pa.table(
        {"case_id": ["b", "c", "a"], "score_1": [1.0, -1000.0, 0.0], "score_2": [1.0, 1000.0, -math.log(3)]}
    )
    found = _by_case(cases, scores)
    assert found.select(["case_id", "right", "wrong"]).to_pylist() == [
        {"case_id": case_id, "right": "right", "wrong": "wrong"} for case_id in "abc"
    ]
    assert found["probability"].to_pylist() == pytest.approx([0.75, 0.5, 0.0])  # odds of 3 to 1, none, and none at all


def test_endings_whose_cases_are_missing_are_counted(tmp_path):
    schema = TABLES["endings"].schema
    rows = [("a", "mine", "He ran.", -1.0, 3), ("z", "mine", "He fell.", -1.0, 3)]
    path = tmp_path / "mine.parquet"
    write_table(
        pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema), path, "endings"
    )
    cases = [{"case_id": "a", "context": ["B."], "ending_1": "C.", "ending_2": "D.", "right_ending": 1}]
    cloze = pa.Table.from_pylist(
        [case | {"release": "v1.0", "split": "test"} for case in cases], TABLES["cloze"].schema
    )
    assert strays([path], cloze)[0].startswith("1 of 2 endings of mine.parquet belong to cases that are not among")
    assert (
        strays([path], pa.concat_tables([cloze, cloze.set_column(0, schema.field("case_id"), pa.array(["z"]))])) == []
    )


@pytest.mark.parametrize(
    "kept", ["[1]", '{"feature": 1}', '[{"feature": "x"}]', '[{"feature": "x", "weight": "y"}]', "[]"]
)
def test_kept_weights_of_another_shape_are_made_again(tmp_path, monkeypatch, kept):
    class Fitted:
        def fit(self, cases, resources):
            pass

        def weights(self):
            return [("style tokens", 0.5)]

    monkeypatch.setattr(bias_monitor, "EndingReg", Fitted)
    monkeypatch.setattr(bias_monitor, "_digest", lambda *_: "0")
    (tmp_path / "bias-0.json").write_text(kept)
    again = bias_monitor._features(empty_table("cloze"), Resources(cache=tmp_path))
    assert again == [{"feature": "style tokens", "weight": 0.5}]
    assert json.loads((tmp_path / "bias-0.json").read_text()) == again


def test_command_needs_a_labelled_case_and_a_threshold_in_range(tmp_path):
    table = tmp_path / "cloze.parquet"
    write_table(empty_table("cloze"), table, "cloze")
    for options, problem in (
        ([], "no labelled case"),
        (["--max-accuracy", "7"], "--max-accuracy: must be from 0 to 1"),
        (["--column", "who=me"], "must be like worker=WorkerId"),
    ):
        result = CliRunner().invoke(main, ["statistics", str(table), *options])
        assert result.exit_code == 2
        assert problem in result.output
        assert result.output.count("\n") == 1


def collection(folder: Path, n: int) -> Path:
    """A table of `n` cases whose right endings are happy."""
    rows = {
        "case_id": [f"c{place}" for place in range(n)],
        "context": [["Tom ran.", "He fell.", "He got up.", "He ran on."]] * n,
        "ending_1": [f"He was happy to see {place} trees." for place in range(n)],
        "ending_2": [f"He hated all of the {place} trees." for place in range(n)],
        "right_ending": [1] * n,
        "release": ["v1.0"] * n,
        "split": ["validation"] * n,
    }
    path = folder / "cloze.parquet"
    write_table(pa.table(rows, schema=TABLES["cloze"].schema), path, "cloze")
    return path


def test_too_few_cases_for_the_bias_monitor_are_told_and_all_else_is_measured(tmp_path):
    assert (fewest(10), fewest(2)) == (12, 20)  # 10 to fit to, once a fold is held out
    path = collection(tmp_path, 11)
    result = CliRunner().invoke(main, ["statistics", str(path), "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert "Not worked out: 11 labelled cases; 10 folds take 12 or more." in result.output
    stopped = CliRunner().invoke(main, ["statistics", str(path), "--max-accuracy", "0.6"])
    assert stopped.exit_code == 2, "a threshold that cannot be checked does not pass"
    assert "10 folds take 12 or more" in stopped.output


@pytest.mark.slow
def test_a_collection_that_gives_its_endings_away_is_stopped(tmp_path):
    path = collection(tmp_path, 40)
    command = ["statistics", str(path), "--folds", "2", "--out", str(tmp_path / "out"), "--max-accuracy", "0.6"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 1
    assert "exceeded: v1.0 validation: a model that sees only the endings is right in 100.0%" in result.output
    assert (tmp_path / "out" / "bias_monitor.md").is_file()


@pytest.mark.slow
def test_a_bias_between_chance_and_certainty_is_told_by_case():
    n, marked = 48, 36  # in the first 36 the right ending is the happy one, in the others the wrong one
    endings = [(f"He was happy to see {place} trees.", f"He hated all of the {place} trees.") for place in range(n)]
    rows = {
        "case_id": [f"c{place:02}" for place in range(n)],
        "context": [["Tom ran."]] * n,
        "ending_1": [happy for happy, _ in endings],
        "ending_2": [gloomy for _, gloomy in endings],
        "right_ending": [1 if place < marked else 2 for place in range(n)],
        "release": ["v1.0"] * n,
        "split": ["validation"] * n,
    }
    cases = pa.table(rows, schema=TABLES["cloze"].schema)
    found, table = bias_monitor.bias_monitor({("v1.0", "validation"): cases}, None, folds=4)["v1.0", "validation"]
    accuracy = found["variants"][0]
    assert accuracy["variant"] == ""
    assert 0.6 < accuracy["accuracy"] < 0.9
    by_case = dict(zip(table["case_id"].to_pylist(), table["probability"].to_pylist(), strict=True))
    surest = list(by_case.values())
    assert surest == sorted(surest, reverse=True)
    assert sum(probability > 0.5 for probability in surest) == accuracy["correct"]
    assert sum(probability >= bias_monitor.CERTAIN for probability in surest) == found["certain"]
    told = [
        np.mean([by_case[case] for case in list(by_case) if (case < f"c{marked}") == is_marked]) for is_marked in (1, 0)
    ]
    assert told[0] > 0.5 > told[1]  # what marks most right endings marks the wrong ones of the others


def test_the_sample_corpus_has_no_columns_of_the_paper():
    row = {
        **{"feature": "tokens", "n": 4, "right": 1.0, "wrong": 2.0, "difference": -1.0, "low": -2.0, "high": 0.0},
        **{
            "effect": -0.2,
            "effect_low": -0.4,
            "effect_high": 0.1,
            "p": 0.1,
            "paired_p": 0.1,
            "paper": {"right": 8.7052, "wrong": 8.4658, "p": 6.63e-5},
        },
    }
    of_sample, official, *_ = cloze_sections._features({"sample validation": [row], "v1.0 test": [row]}).tables
    assert official.header[-3:] == ["paper: right", "wrong", "p"]
    assert official.rows[0][-3:] == ["8.7052", "8.4658", "6.63e-05"]
    assert (len(of_sample.header), len(of_sample.rows[0])) == (8, 8)
    assert "8.7052" not in str(of_sample)


def test_titles_of_the_sample_corpus_stand_alone():
    for kind, header in (("sample", ["", "here"]), ("official", ["", "here", "paper"])):
        table = story_sections._titles(["The Lost Dog", "A Day Out"], kind).tables[0]
        assert table.header == header
        assert {len(row) for row in table.rows} == {len(header)}


def test_each_set_is_measured_by_itself_whatever_its_split(tmp_path):
    """What marks right endings in one set marks wrong ones in the other: only within a set can it be learned."""

    def cases(split, right, wrong):
        rows = [
            {
                "case_id": f"{split}-{number}",
                "context": [f"Person {split} {number} came."],
                "ending_1": right if number % 2 else wrong,
                "ending_2": wrong if number % 2 else right,
                "right_ending": 1 if number % 2 else 2,
                "release": "v1.0",
                "split": split,
            }
            for number in range(24)
        ]
        return pa.Table.from_pylist(rows, TABLES["cloze"].schema)

    sets = {
        ("v1.0", "validation"): cases("validation", "He laughed.", "He cried."),
        ("v1.0", "test"): cases("test", "He cried.", "He laughed."),
    }
    found = bias_monitor.bias_monitor(sets, tmp_path, folds=2)
    assert [of_set["variants"][0]["accuracy"] for of_set, _ in found.values()] == [1, 1]
