"""From a table `ending_scores`, as `denouement metrics score` writes it, to its agreement with people."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from scipy.stats import kendalltau, pearsonr

from denouement import schemas
from denouement.cli import main
from denouement.errors import UserError
from denouement.metrics.agreement.people import HumanAnswers
from denouement.metrics.agreement.reading import read_scores
from denouement.metrics.agreement.sections import agreement_sections
from denouement.metrics.agreement.values import gathered_ratings
from denouement.metrics.agreement.with_people import Agreement, AgreementSettings, agreement_with_people
from denouement.present import markdown

ITEMS, SYSTEMS = [f"c{n}" for n in range(12)], ["a", "b", "c", "d", "e"]
RATED = {
    (item, system): float((n * 7 + 3 * m) % 5 + m) for n, item in enumerate(ITEMS) for m, system in enumerate("abcde")
}
SELF_BLEU = dict(zip(SYSTEMS, (40.0, 30.0, 35.0, 10.0, 20.0), strict=True))
DISTINCT = {"a": 0.1, "b": 0.4, "d": 0.6, "e": 0.3}  # c has none

Row = tuple[str | None, str, str, float]


def scores_file(path: Path, *more: Row, single: bool = True) -> Path:
    rows: list[Row] = [(None, system, "self_bleu_4_13a_exp", value) for system, value in SELF_BLEU.items()]
    rows += [(None, system, "distinct_1", value) for system, value in DISTINCT.items()]
    if single:
        rows += [(*ending, "rouge_l", value / 9) for ending, value in RATED.items()]
        rows += [(*ending, "perplexity seq2seq", 20 - value) for ending, value in RATED.items()]
    columns = dict(zip(("case_id", "system", "score", "value"), zip(*rows, *more, strict=True), strict=True))
    table = pa.table({name: list(of) for name, of in columns.items()}, schemas.TABLES["ending_scores"].schema)
    schemas.write_table(table, path, "ending_scores")
    return path


def agreement_of(path: Path, *names: str) -> Agreement:
    scores = read_scores(path)
    people = HumanAnswers(gathered_ratings("people.csv", ((each, "ann", value) for each, value in RATED.items())))
    return agreement_with_people(scores.only(names) if names else scores, people, AgreementSettings("kendall", 100, 10))


@pytest.fixture
def scores(tmp_path) -> Path:
    return scores_file(tmp_path / "scores.parquet")


def test_values_of_sets_are_no_endings_and_count_by_system_alone(scores):
    read = read_scores(scores)
    assert set(read.endings) == set(RATED)
    assert read.names == ["rouge_l", "perplexity seq2seq"]
    found = agreement_of(scores)
    assert (found.matched.endings, found.matched.only_scores) == (60, 0)
    assert found.of_sets == ["self_bleu_4_13a_exp", "distinct_1"]
    for level in ("global", "item"):
        assert {row.score for row in found.of(level, "pearson")} == {"rouge_l", "perplexity seq2seq"}
    assert {row.score for row in found.picked} == {"rouge_l", "perplexity seq2seq"}
    assert {name for row in found.differences for name in (row.first, row.second)} == set(read.names)


def test_values_of_sets_correlate_with_the_mean_ratings_of_systems_as_scipy_says(scores):
    means = {system: np.mean([RATED[item, system] for item in ITEMS]) for system in SYSTEMS}
    found = agreement_of(scores)
    for score, of, sign in (("self_bleu_4_13a_exp", SELF_BLEU, -1), ("distinct_1", DISTINCT, 1)):
        values = [(sign * value, means[system]) for system, value in of.items()]
        for coefficient, by_scipy in (("pearson", pearsonr), ("kendall", kendalltau)):
            [row] = [row for row in found.of("system", coefficient) if row.score == score]
            assert row.value == pytest.approx(by_scipy(*zip(*values, strict=True)).statistic)
            assert row.n == len(of)


def test_the_registry_says_of_which_scores_lower_values_are_better(scores):
    found = agreement_of(scores)
    assert found.lower == ["perplexity seq2seq", "self_bleu_4_13a_exp"]
    assert [row.value for row in found.of("global", "kendall")] == pytest.approx([1, 1])
    read = read_scores(scores)
    np.testing.assert_array_equal(read.turned(["perplexity seq2seq"]).values, read.values)  # not turned back
    assert "perplexity seq2seq, self_bleu_4_13a_exp: these count times -1" in markdown.render(agreement_sections(found))


def test_a_score_of_another_version_is_marked_and_can_be_turned(tmp_path):
    path = scores_file(tmp_path / "scores.parquet", ("c0", "a", "oddness", 3.0))
    read = read_scores(path)
    assert read.no_direction == ["oddness"]
    assert "This version does not know oddness" in markdown.render(agreement_sections(agreement_of(path)))
    turned = read.turned(["oddness"])
    assert (turned.no_direction, np.nanmax(turned.only(["oddness"]).values)) == ([], -3)


def test_scores_of_sets_can_be_looked_at_alone(scores):
    found = agreement_of(scores, "self_bleu_4_13a_exp")
    assert set(found.levels_left_out) == {"global", "item"}
    assert {row.score for row in found.correlations} == {"self_bleu_4_13a_exp"}
    assert found.picked == found.differences == []
    shown = markdown.render(agreement_sections(found))
    assert "the scores are of all endings of a system together" in shown
    assert "fewer than two scores of single endings" in shown


def test_a_table_without_single_endings_is_refused(tmp_path):
    path = scores_file(tmp_path / "scores.parquet", single=False)
    with pytest.raises(UserError, match=r"scores\.parquet: has values of whole systems alone; score single endings"):
        read_scores(path)


def test_the_command_joins_it_with_a_csv_and_refuses_to_swap_values_of_sets(scores, tmp_path):
    lines = [f"{item},{system},{value}" for (item, system), value in RATED.items()]
    people = tmp_path / "people.csv"
    people.write_text("\n".join(["case_id,system,ann", *lines]), encoding="utf-8")
    command = ["metrics", "agreement", str(scores), str(people), "--draws", "100", "--permutations", "10", "--json"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["of_sets"] == ["self_bleu_4_13a_exp", "distinct_1"]
    result = CliRunner().invoke(main, [*command, "--compare", "distinct_1", "--compare", "rouge_l"])
    assert result.exit_code == 2
    assert "--compare: distinct_1 has no value of single endings" in result.output


@pytest.mark.parametrize("kind", ["votes", "items", "rankings"])
def test_tables_of_a_study_are_no_scores(kind, tmp_path):
    """Their columns of yes and no would be read as numbers."""
    schemas.write_table(schemas.empty_table(kind), tmp_path / "table.parquet", kind)
    with pytest.raises(UserError, match=f"a table '{kind}' of a study has no scores"):
        read_scores(tmp_path / "table.parquet")
