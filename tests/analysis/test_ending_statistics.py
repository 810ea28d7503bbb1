import csv
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from scipy.stats import ttest_ind
from statsmodels.stats.multitest import multipletests

from denouement.analysis.bias_monitor import (
    BiasMonitor,
    MonitoredSet,
    Thresholds,
    VariantAccuracy,
    bias_monitor,
    exceeded,
    fewest,
)
from denouement.analysis.comparison import compare
from denouement.analysis.ending_statistics import (
    FeatureContrast,
    PublishedContrast,
    ending_features,
    ending_statistics,
    n_tokens,
)
from denouement.analysis.endings import strays
from denouement.analysis.findings import Finding
from denouement.analysis.named_tables import read_tables
from denouement.analysis.ngram_odds import deviation, ngram_odds, ngrams
from denouement.analysis.sections.statistics import statistics_sections
from denouement.analysis.sentiment_drift import GroupSpread, by_context, distributions
from denouement.analysis.statistics import find_statistics
from denouement.charts.lines import Distribution
from denouement.charts.output import as_svg
from denouement.charts.sentiment import sentiment_distributions
from denouement.cli import main
from denouement.cloze.resources import MissingResourceError
from denouement.corpus.cases import CaseSets
from denouement.present.cells import written
from denouement.present.sections import Table
from denouement.schemas import TABLES, empty_table, write_table


def test_means_tests_and_effect_by_hand():
    found = compare(np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 3.0]))
    assert (found.right, found.wrong, found.difference) == (4.0, 2.0, 2.0)
    assert found.effect == pytest.approx(2 / math.sqrt(2.5))  # variances 4 and 1
    assert found.t == pytest.approx(2 / math.sqrt(5 / 3))
    assert found.paired_t == pytest.approx(2 / math.sqrt(1 / 3))  # differences 1, 2, 3
    assert found.high - found.difference == pytest.approx(4.302653 / math.sqrt(3), rel=1e-5)


def test_several_wrong_endings_of_a_case_count_by_their_mean_and_each_in_the_two_sample_test():
    # Wrong endings 0 and 2, then 2, then 1, 3 and 5: means 1, 2 and 3, so that what is paired is as above.
    wrong = np.array([0.0, 2.0, 2.0, 1.0, 3.0, 5.0])
    found = compare(np.array([2.0, 4.0, 6.0]), wrong, np.array([2, 1, 3]))
    one = compare(np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 3.0]))
    assert (found.wrong, found.difference, found.paired_t, found.low) == (2.0, 2.0, one.paired_t, one.low)
    assert found.t == pytest.approx(ttest_ind([2.0, 4.0, 6.0], wrong).statistic)
    assert found.effect == pytest.approx(2 / math.sqrt((4 + wrong.var(ddof=1)) / 2))


def test_nothing_is_made_up_where_nothing_varies():
    found = compare(np.ones(3), np.ones(3))
    assert found.difference == 0
    assert found.p is None
    assert found.effect is None
    assert compare(np.empty(0), np.empty(0)).right is None
    assert compare(np.full(30, 0.4404), np.full(30, -0.296)).p is None
    values = np.array([0.3, 0.5, 0.7])
    assert compare(values, values - 0.1).paired_p is None, "what subtracting leaves is no deviation"


def feature(name: str, difference: float | None = None, effect: float | None = None, paper=None) -> FeatureContrast:
    return FeatureContrast(n=9, difference=difference, effect=effect, feature=name, paired_p_holm=None, paper=paper)


def test_sign_of_a_difference_beside_the_papers():
    paper = PublishedContrast(1.15, 1.17, 0.089)
    assert feature("yngve", 0.1, paper=paper).has_other_sign
    for difference in (-0.1, 0.0, None):
        assert not feature("yngve", difference, paper=paper).has_other_sign
    assert not feature("yngve", 0.1).has_other_sign


def test_features_without_a_parser():
    features = ending_features(["She was happy.", "He hated it."], None)
    assert features["tokens"].tolist() == [4, 4]
    assert features["vader"][0] > 0 > features["vader"][1]
    assert "yngve" not in features


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("He ran home.", 4),
        ("He ran home. She cannot stay.", 4 + 5),  # the first full stop counts; cannot is can and not
        ("Mr. Smith didn't stay.", 6),  # the full stop of Mr. ends nothing
        ("", 0),
    ],
)
def test_words_are_counted_as_by_nltk(text, n):
    assert n_tokens(text) == n


def test_words_of_v1_0_validation_are_those_of_nltk(shared_data):
    """The sums over its endings that NLTK's `word_tokenize` with Punkt gives, counted once with NLTK 3.10.4."""
    path = shared_data / "story_cloze/cloze_test_val__spring2016 - cloze_test_ALL_val.csv"
    with path.open(newline="") as opened:
        rows = [(row[4 + int(row[-1])], row[7 - int(row[-1])]) for row in list(csv.reader(opened))[1:]]
    assert [sum(map(n_tokens, endings)) for endings in zip(*rows, strict=True)] == [16190, 15597]


def made_cases(n: int, release: str, split: str, start: int = 0) -> pa.Table:
    """Cases of which no two are the same; right endings have a word more."""
    rows = {
        "case_id": [f"{release} {start + place}" for place in range(n)],
        "context": [[f"Tom ran {start + place} miles."] for place in range(n)],
        "endings": [
            [f"He was {'very ' * ((start + place) % 3)}happy to rest.", "He was sad to rest."] for place in range(n)
        ],
        "right_ending": [1] * n,
        "question": [None] * n,
        "language": ["en"] * n,
        "release": [release] * n,
        "split": [split] * n,
    }
    return pa.table(rows, schema=TABLES["cloze"].schema)


def test_paired_p_values_are_corrected_for_the_number_of_features():
    rows = {row.feature: row for row in ending_statistics(made_cases(30, "v1.0", "test"), None)}
    tested = [row for row in rows.values() if row.paired_p is not None]
    assert len(tested) == 2, "the five classes do not vary"
    corrected = multipletests([row.paired_p for row in tested], method="holm")[1]
    assert [row.paired_p_holm for row in tested] == pytest.approx(corrected.tolist())
    assert rows["five_point"].paired_p_holm is None


def test_a_feature_that_does_not_vary_is_no_test_to_correct_for():
    cases = made_cases(3, "v1.5", "test").slice(0, 1)
    assert {row.paired_p_holm for row in ending_statistics(cases, None)} == {None}
    assert {row.paper for row in ending_statistics(cases, None)} == {None}


def feature_tables(sets: CaseSets, monkeypatch) -> tuple[list[Table], list[Table]]:
    """The tables of features and of n-grams, without a parser and without the bias monitor."""
    from denouement.analysis import case_findings
    from denouement.text.syntax import NoParserError

    def no_parser(*_):
        raise NoParserError("no parser")

    monitor = (Finding("", "", BiasMonitor({}, ())), empty_table("bias_cases"))
    monkeypatch.setattr(case_findings, "parse", no_parser)
    monkeypatch.setattr(case_findings, "bias_finding", lambda *_: monitor)
    sections = statistics_sections(find_statistics(cloze=pa.concat_tables(sets.values())))
    features, ngrams = (
        [block for block in sections[name].blocks if isinstance(block, Table)] for name in ("ending_features", "ngrams")
    )
    return features, ngrams


def shown(table: Table) -> list[list[str]]:
    return [[written(cell) for cell in row] for row in table.rows]


def test_the_papers_values_are_shown_with_validation_and_test_together(monkeypatch):
    sets = {
        ("v1.0", "validation"): made_cases(12, "v1.0", "validation"),
        ("v1.0", "test"): made_cases(14, "v1.0", "test", start=10),  # two of these are in validation too
    }
    features, ngrams = feature_tables(sets, monkeypatch)
    assert [table.title for table in features[:3]] == [
        "v1.0 validation and test, 24 cases",
        "v1.0 validation, 12 cases",
        "v1.0 test, 14 cases",
    ]
    assert ["paper: p" in table.columns for table in features[:3]] == [True, False, False]
    assert features[0].note.startswith("2 cloze cases repeat an earlier one: only the first counts. ")
    assert "those here are of v1.0 validation and test, 24 cases." in features[0].note
    [row] = [row for row in shown(features[0]) if row[0] == "words"]
    assert row[-3:] == ["8.705", "8.466", "6.63e-05"]
    assert [row[:2] for row in shown(ngrams[0])] == [
        ["v1.0 validation", "12"],
        ["v1.0 test", "14"],
        ["v1.0 validation and test", "24"],
        ["paper: v1.0 validation and test", "3,742"],
    ]


def test_with_one_split_alone_a_sentence_says_what_the_papers_values_are_of(monkeypatch):
    features, ngrams = feature_tables({("v1.0", "test"): made_cases(12, "v1.0", "test")}, monkeypatch)
    said = "The paper's values are of v1.0 validation and test together, 3,742 cases; those here are of v1.0 test, 12"
    assert said in features[0].note
    assert said in ngrams[0].note
    assert [row[0] for row in shown(ngrams[0])] == ["v1.0 test", "paper: v1.0 validation and test"]


@pytest.mark.parametrize("release", ["sample", "v1.5"])
def test_the_papers_features_are_not_shown_with_another_release(release, monkeypatch):
    features, ngrams = feature_tables({(release, "test"): made_cases(12, release, "test")}, monkeypatch)
    assert "paper: p" not in features[0].columns
    assert "paper" not in features[0].note
    assert ("paper" in ngrams[0].note) == (release == "v1.5"), "Table 5 has v1.5 too"


@pytest.mark.slow
def test_halves_of_v1_0_validation_together_give_its_own_table(shared_data, monkeypatch):
    path = shared_data / "story_cloze/cloze_test_val__spring2016 - cloze_test_ALL_val.csv"
    with path.open(newline="") as opened:
        rows = list(csv.reader(opened))[1:]
    names = TABLES["cloze"].schema.names
    values = [(row[0], row[1:5], row[5:7], int(row[7]), None, "en", "v1.0") for row in rows]
    halves = {
        ("v1.0", split): pa.Table.from_pylist(
            [dict(zip(names, (*value, split), strict=True)) for value in values[place::2]], TABLES["cloze"].schema
        )
        for place, split in enumerate(("validation", "test"))
    }
    both = pa.concat_tables(halves.values())
    split = pa.array(["validation"] * both.num_rows)
    whole = {("v1.0", "validation"): both.set_column(names.index("split"), both.schema.field("split"), split)}
    together, of_halves = feature_tables(halves, monkeypatch)
    alone, of_whole = feature_tables(whole, monkeypatch)
    assert together[0].rows == alone[0].rows
    assert [row[:4] for row in shown(together[0]) if row[0] == "words"] == [["words", "8.653", "8.336", "0.317"]]
    assert shown(of_halves[0])[2][1:] == shown(of_whole[0])[0][1:] == ["1,871", "8.2", "8.1"]


def test_ngrams_of_words_and_characters():
    assert list(ngrams("words", "He ran.", None)) == ["he", "ran", ".", "he ran", "ran .", "he ran ."]
    assert list(ngrams("characters", "He ran", None)) == ["He r", "e ra", " ran"]


def test_log_odds_with_a_prior_by_hand():
    found = ngram_odds("characters", ["good"] * 6 + ["same"] * 4, ["evil"] * 6 + ["same"] * 4, None)
    assert found.ngram == ["good", "same", "evil"]
    assert (found.right, found.wrong) == ([6, 4, 0], [0, 4, 6])
    # the prior is a tenth of both together: 0.6 of 2; so 6.6 to 5.4 against 0.6 to 11.4
    expected = math.log(6.6 / 5.4) - math.log(0.6 / 11.4)
    assert found.log_odds[0] == pytest.approx(expected)
    assert found.z[0] == pytest.approx(expected / math.sqrt(1 / 6.6 + 1 / 0.6))
    assert found.log_odds[1] == pytest.approx(0)
    assert deviation(found.right, found.wrong, 1) == pytest.approx(6)  # of 6, 0, -6


def test_an_ngram_that_is_all_there_is_marks_neither():
    found = ngram_odds("words", ["good"] * 6, ["good"] * 6, None)
    assert (found.log_odds, found.z) == ([0.0], [0.0])


def test_rare_ngrams_are_left_out():
    assert ngram_odds("characters", ["rare"] * 4, [], None).ngram == []


def test_thresholds():
    variants = [VariantAccuracy(name, 10, 0, share, 0.0, 1.0) for name, share in (("", 0.7), ("style", 0.9))]
    monitor = MonitoredSet(variants=tuple(variants))
    features = [feature("vader", effect=-0.4), feature("tokens", effect=0.1)]
    assert exceeded("v1.0", monitor, features, Thresholds()) == []
    above = exceeded("v1.0", monitor, features, Thresholds(accuracy=0.65, effect=0.2))
    assert len(above) == 2
    assert "70.0%" in above[0]
    assert "vader" in above[1]
    assert exceeded("v1.0", monitor, features, Thresholds(accuracy=0.7)) == []
    with pytest.raises(MissingResourceError, match="pip"):
        exceeded("v1.0", MonitoredSet(missing="pip install it"), features, Thresholds(accuracy=0.6))


def sentiment(**scores: list[float]) -> pa.Table:
    rows = [(f"{group}{place}", group, score) for group, of in scores.items() for place, score in enumerate(of)]
    ids, groups, compounds = zip(*rows, strict=True)
    n = len(rows)
    columns = [list(ids), list(groups), list(compounds), [0.0] * n, [1.0] * n, [0.0] * n]
    return pa.table(columns, names=TABLES["sentiment"].schema.names).cast(TABLES["sentiment"].schema)


def test_earth_movers_distance_by_hand():
    right, system = distributions(sentiment(right=[0.0, 0.0, 0.5, 0.5], mine=[0.5, 0.5, 0.5, 0.5]))
    assert right.distance is None
    assert system.distance == pytest.approx(0.25)  # half of the scores move by 0.5
    assert system.positive_share == 1
    assert right.quantiles[2] == pytest.approx(0.25)
    assert sum(right.counts) == 4


def test_the_distance_that_chance_gives_is_that_of_groups_alike():
    drawn = np.random.default_rng(1)
    people, alike, shifted = drawn.uniform(-1, 0.5, 400), drawn.uniform(-1, 0.5, 100), drawn.uniform(-0.5, 1, 100)
    right, same, other = distributions(sentiment(right=people, alike=alike, shifted=shifted))
    assert right.chance is None
    assert same.distance < same.chance
    assert other.chance < 0.2 < other.distance  # they are shifted by 0.5
    few = distributions(sentiment(right=people, alike=alike[:10]))[1]
    assert few.chance > same.chance  # of fewer scores, chance makes more
    assert distributions(sentiment(right=people, alike=alike))[1] == same  # whichever other groups are in the table
    [_, constant] = distributions(sentiment(right=[0.5] * 9, mine=[0.5] * 9))
    assert (constant.distance, constant.chance) == (0.0, 0.0)


def test_endings_are_parted_by_the_sentiment_of_their_context():
    contexts = {
        "glad": "I love this wonderful, happy day.",
        "a/sad#1": "I hate this awful, sad day.",  # an id that looks like that of a further ending
        "plain": "It is a day.",
    }
    n = len(contexts)
    columns = [list(contexts), [[text] for text in contexts.values()], [["A.", "B."]] * n, [1] * n]
    columns += [[None] * n, ["en"] * n, ["v1.0"] * n, ["validation"] * n]
    cloze = pa.table(columns, schema=TABLES["cloze"].schema)
    rows = [
        *[
            (f"v1.0/validation/{case}", "right", score)
            for case, score in (("glad", 0.8), ("a/sad#1", -0.4), ("plain", 0.1))
        ],
        *[("glad", "mine", 0.2), ("glad#2", "mine", 0.6), ("a/sad#1", "mine", 0.6), ("gone", "mine", -1.0)],
        ("sample/train/glad", "rocstories", 0.9),  # a story's id is no case's
    ]
    ids, groups, scores = zip(*rows, strict=True)
    zeros = [0.0] * len(rows)
    table = pa.table([ids, groups, scores, zeros, zeros, zeros], names=TABLES["sentiment"].schema.names)
    found = by_context(table.cast(TABLES["sentiment"].schema), cloze)
    assert [(row.group, row.context, row.n, round(row.mean, 4)) for row in found] == [
        ("right", "negative", 1, -0.4),
        ("right", "neutral", 1, 0.1),
        ("right", "positive", 1, 0.8),
        ("mine", "negative", 1, 0.6),
        ("mine", "positive", 2, 0.4),
    ]
    assert [row.distance for row in found[3:]] == pytest.approx([1.0, 0.4])  # each from right ones of such contexts


def test_endings_whose_cases_are_missing_are_counted(tmp_path):
    schema = TABLES["endings"].schema
    rows = [("a", "mine", "He ran.", -1.0, 3), ("z", "mine", "He fell.", -1.0, 3)]
    path = tmp_path / "mine.parquet"
    write_table(
        pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema), path, "endings"
    )
    endings = read_tables([path], "endings")
    cases = [{"case_id": "a", "context": ["B."], "endings": ["C.", "D."], "language": "en", "right_ending": 1}]
    cloze = pa.Table.from_pylist(
        [case | {"release": "v1.0", "split": "test"} for case in cases], TABLES["cloze"].schema
    )
    assert strays(endings, cloze)[0].startswith("1 of 2 endings of mine.parquet belong to cases that are not among")
    assert (
        strays(endings, pa.concat_tables([cloze, cloze.set_column(0, schema.field("case_id"), pa.array(["z"]))])) == []
    )


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
        "context": [["Tom ran.", f"He fell {place} times.", "He got up.", "He ran on."] for place in range(n)],
        "endings": [
            [f"He was happy to see {place} trees.", f"He hated all of the {place} trees."] for place in range(n)
        ],
        "right_ending": [1] * n,
        "question": [None] * n,
        "language": ["en"] * n,
        "release": ["v1.0"] * n,
        "split": ["validation"] * n,
    }
    path = folder / "cloze.parquet"
    write_table(pa.table(rows, schema=TABLES["cloze"].schema), path, "cloze")
    return path


def test_too_few_cases_for_the_bias_monitor_are_reported_and_all_else_is_measured(tmp_path):
    assert (fewest(10), fewest(2)) == (12, 20)  # 10 to fit to, once a fold is held out
    path = collection(tmp_path, 11)
    result = CliRunner().invoke(main, ["statistics", str(path), "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert "Not worked out: 11 labelled cases; 10 folds need 12 or more." in result.output
    stopped = CliRunner().invoke(main, ["statistics", str(path), "--max-accuracy", "0.6"])
    assert stopped.exit_code == 2, "a threshold that cannot be checked does not pass"
    assert "10 folds need 12 or more" in stopped.output


@pytest.mark.slow
def test_a_collection_that_gives_its_endings_away_is_stopped(tmp_path):
    path = collection(tmp_path, 40)
    command = ["statistics", str(path), "--folds", "2", "--out", str(tmp_path / "out"), "--max-accuracy", "0.6"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 1
    assert "exceeded: v1.0 validation: a model that sees only the endings is right in 100.0%" in result.output
    assert (tmp_path / "out" / "bias_monitor.md").is_file()


def test_without_right_endings_no_line_passes_for_theirs():
    def drawn(rows: list[GroupSpread]) -> list[Distribution]:
        return [Distribution(row.group, row.counts) for row in rows]

    rows = distributions(sentiment(mine=[0.1, 0.5], yours=[0.2, 0.3]))
    assert [row.distance for row in rows] == [None, None]
    assert "right endings" not in as_svg(sentiment_distributions(drawn(rows), None))
    with_right = distributions(sentiment(mine=[0.1, 0.5], right=[0.2, 0.3]))
    assert "right endings" in as_svg(sentiment_distributions(drawn(with_right), drawn(with_right)[-1]))


def test_each_set_is_measured_by_itself_whatever_its_split(tmp_path):
    """What marks right endings in one set marks wrong ones in the other: only within a set can it be learned."""

    def cases(split, right, wrong):
        rows = [
            {
                "case_id": f"{split}-{number}",
                "context": [f"Person {split} {number} came."],
                "endings": [right if number % 2 else wrong, wrong if number % 2 else right],
                "language": "en",
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
    found = bias_monitor(sets, tmp_path, folds=2)
    assert [of_set.variants[0].accuracy for of_set, _ in found.values()] == [1, 1]
