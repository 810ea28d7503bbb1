"""Cases with more than two endings, and with different numbers of them in one set."""

import json

import numpy as np
import pyarrow as pa
import pytest

from denouement import schemas
from denouement.cloze.base import by_case, case_of_endings, choices, endings, of_endings
from denouement.cloze.evaluation import statistics
from denouement.cloze.evaluation.brought_scores import read_scores
from denouement.cloze.evaluation.evaluate import evaluate
from denouement.cloze.evaluation.predictions import predictions
from denouement.cloze.evaluation.sections import accuracy_blocks, language_tables
from denouement.cloze.resources import Resources
from denouement.cloze.systems.ngram_overlap import NgramOverlap
from denouement.corpus.cases import right_and_wrong
from denouement.documents import document
from denouement.errors import UserError
from denouement.present.sections import Table


@pytest.fixture
def mixed() -> pa.Table:
    """Three cases with two, four and three endings; the right one shares most words with its context."""
    texts = [
        (["Ann lost her red cap.", "She looked for it."], ["It rained.", "She found her red cap."], 2),
        (["Tom ran a race."], ["Bob sang.", "We ate.", "Tom won a race.", "Cows moo."], 3),
        (["Kim baked bread."], ["Kim ate the bread.", "Dogs bark.", "Kim slept."], 1),
    ]
    rows = [
        {
            "case_id": f"case-{number}",
            "context": context,
            "endings": of_case,
            "right_ending": right,
            "language": "en",
            "release": "mine",
            "split": "validation",
        }
        for number, (context, of_case, right) in enumerate(texts)
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema)


def test_scores_have_a_place_for_each_ending_and_minus_infinity_elsewhere(mixed):
    assert len(endings(mixed)) == 9
    assert case_of_endings(mixed).tolist() == [0, 0, 1, 1, 1, 1, 2, 2, 2]
    scores = by_case(np.arange(9), mixed)
    gone = -np.inf
    assert scores.tolist() == [[0, 1, gone, gone], [2, 3, 4, 5], [6, 7, 8, gone]]
    assert of_endings(scores, mixed) == [[0, 1], [2, 3, 4, 5], [6, 7, 8]]
    assert choices(scores).tolist() == [2, 4, 3]
    assert choices(-np.abs(scores)).tolist() == [1, 1, 1], "the place of no ending is never chosen"


def test_right_endings_and_all_wrong_ones(mixed):
    right, wrong = right_and_wrong(mixed)
    assert right.to_pylist() == ["She found her red cap.", "Tom won a race.", "Kim ate the bread."]
    assert wrong.to_pylist() == ["It rained.", "Bob sang.", "We ate.", "Cows moo.", "Dogs bark.", "Kim slept."]


def test_a_tie_counts_as_a_guess_among_those_that_tie(mixed):
    # Two tie with the right one among them (1/2), four tie (1/4), and two tie of which neither is right (0).
    scores = by_case([0, 0, 1, 1, 1, 1, 0, 2, 2], mixed)
    found = statistics.half_ties(scores, mixed)
    assert (found.ties, found.accuracy_half_ties) == (3, (1 / 2 + 1 / 4) / 3)
    assert statistics.n_best(scores).tolist() == [2, 4, 2]


def test_chance_is_the_mean_of_one_over_the_number_of_endings(mixed):
    assert statistics.chance(mixed) == pytest.approx((1 / 2 + 1 / 4 + 1 / 3) / 3)
    assert statistics.chance(mixed.slice(0, 0)) == 0.5


def test_several_wrong_endings_are_compared_in_length_by_their_mean(mixed):
    assert statistics.by_length(mixed) == ["right longer"] * 3
    # Three words (the stop counts as one) against three on average: 2, 3 and 4.
    case = mixed.slice(1, 1).to_pylist()[0] | {"endings": ["Go.", "He ate.", "He ate it.", "He won."]}
    case["right_ending"] = 4
    assert statistics.by_length(pa.Table.from_pylist([case], mixed.schema)) == ["equal"]


def test_an_evaluation_of_mixed_cases(mixed, tmp_path):
    found = evaluate(["constant_first", "ngram_overlap"], None, mixed, Resources(cache=tmp_path))
    rows = {row.system: row for row in found.result.systems}
    assert [rows[name].correct for name in ("constant_first", "ngram_overlap")] == [1, 3]
    assert rows["ngram_overlap"].chance == pytest.approx(13 / 36)
    assert [len(scores) for scores in found.scores["scores"].to_pylist()] == [2, 4, 3] * 2
    assert predictions(found.scores)["ngram_overlap-mine-validation"].split() == [
        *("InputStoryid,AnswerRightEnding", "case-0,2", "case-1,3", "case-2,1")
    ]
    again = evaluate(["constant_first", "ngram_overlap"], None, mixed, Resources(cache=tmp_path))
    assert again.scores.equals(found.scores), "as kept"
    schemas.write_table(found.scores, tmp_path / "scores.parquet", "scores")
    brought = [each for each in read_scores(tmp_path / "scores.parquet") if each.system == "ngram_overlap"]
    assert evaluate([], None, mixed, Resources(), brought=brought).result.systems[0].correct == 3


def test_scores_made_elsewhere_have_a_column_for_each_ending(mixed, tmp_path):
    path = tmp_path / "gpt.csv"
    head = "case_id,score_1,score_2,score_3,score_4\n"
    path.write_text(f"{head}case-0,0,1,,\ncase-1,0,0,5,1\ncase-2,-1,-2,-3,\n")
    [row] = evaluate([], None, mixed, Resources(), brought=read_scores(path)).result.systems
    assert (row.correct, row.ties) == (3, 0)
    path.write_text(f"{head}case-0,0,1,2,\ncase-1,0,0,5,1\ncase-2,-1,-2,-3,\n")
    with pytest.raises(UserError, match=r"case case-0 of mine validation has 2 endings and 3 scores"):
        evaluate([], None, mixed, Resources(), brought=read_scores(path))
    path.write_text(f"{head}case-0,0,1,,3\n")
    with pytest.raises(UserError, match="'' is not a finite number; give a score for each ending"):
        read_scores(path)
    path.write_text("case_id,score_1,score_2,score_4\ncase-0,0,1,2\n")
    with pytest.raises(UserError, match="columns of later scores without score_3"):
        read_scores(path)


def test_a_system_for_two_endings_gives_no_wrong_value_but_says_so(mixed, monkeypatch):
    monkeypatch.setattr(NgramOverlap, "most_endings", 2)
    [row, _] = evaluate(["ngram_overlap", "constant_first"], None, mixed, Resources()).result.systems
    assert (row.accuracy, row.missing) == (
        None,
        "ngram_overlap chooses among at most 2 endings, and these cases have up to 4",
    )


def test_a_system_that_reads_english_says_so_of_other_cases(mixed):
    rows = [row | {"language": language} for language in ("en", "es") for row in mixed.to_pylist()]
    cases = pa.Table.from_pylist(rows, mixed.schema)
    found = evaluate(["sentiment_last", "ngram_overlap"], None, cases, Resources()).result.systems
    missing = {(row.cases, row.system): row.missing for row in found if row.missing}
    assert missing == {
        ("mine validation es", "sentiment_last"): "sentiment_last reads English alone, and these cases are in es"
    }
    assert {row.cases: row.correct for row in found if row.system == "ngram_overlap"} == {
        "mine validation": 3,
        "mine validation es": 3,
    }
    [only] = evaluate(["ngram_overlap"], None, cases, Resources(), languages=["es"]).result.systems
    assert (only.language, only.n, only.by_sentiment) == ("es", 3, None)


def test_accuracy_by_language_is_a_table_with_intervals(mixed):
    rows = [row | {"language": language} for language in ("es", "en") for row in mixed.to_pylist()]
    rows[0]["right_ending"] = 1  # so that one of three choices is wrong in Spanish
    cases = pa.Table.from_pylist(rows, mixed.schema)
    result = evaluate(["ngram_overlap", "sentiment_last"], None, cases, Resources()).result
    of_set = result.by_language["mine validation"]
    assert {language: found.correct for language, found in of_set["ngram_overlap"].items()} == {"en": 3, "es": 2}
    [table] = language_tables(result.systems)
    assert table.columns == ["system", "en (n = 3)", "es (n = 3)"]
    # Clopper and Pearson, 3 of 3 and 2 of 3.
    assert table.rows[0] == ["ngram_overlap", "1.000 (0.292 to 1.000)", "0.667 (0.094 to 0.992)"]
    assert [row[2] for row in table.rows[1:]] == ["", ""], "sentiment_last reads English alone"
    assert json.loads(json.dumps(document(result)))["by_language"]["mine validation"]["ngram_overlap"]["es"]["n"] == 3
    assert evaluate(["ngram_overlap"], None, mixed, Resources()).result.by_language == {}


def test_another_chance_than_a_half_is_said_beside_the_number_of_cases(mixed):
    four = pa.Table.from_pylist([row | {"endings": list("abcd"), "right_ending": 4} for row in mixed.to_pylist()])
    four = pa.Table.from_pylist(four.to_pylist() * 8, mixed.schema).set_column(
        0, mixed.schema.field("case_id"), pa.array([str(number) for number in range(24)])
    )
    rows = evaluate(["constant_first"], None, four, Resources()).result.systems
    blocks = accuracy_blocks(rows)
    assert [block.title for block in blocks if isinstance(block, Table)] == [
        "Accuracy on mine validation (n = 24, chance .250)"
    ]
    assert "with the whole interval under .250: constant_first (mine validation)" in str(blocks[-1])
