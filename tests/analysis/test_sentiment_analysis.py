import csv
import json
import math
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from click.testing import CliRunner
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from denouement.analysis.named_tables import read_tables
from denouement.analysis.sentiment import (
    groups_made_from,
    read_sentiment,
    right_against_wrong,
    score_groups,
    sentiment_table,
)
from denouement.cli import main
from denouement.corpus.cases import labelled_cases, labelled_sets
from denouement.errors import UserError
from denouement.provenance import as_metadata
from denouement.schemas import TABLES, read_table, write_table


def write(path: Path, name: str, rows: list[dict]) -> Path:
    write_table(pa.Table.from_pylist(rows, schema=TABLES[name].schema), path, name)
    return path


def case(case_id, right, wrong, label=1, release="v1.0", split="validation"):
    endings = [wrong, right] if label == 2 else [right, wrong]
    context = ["One.", "Two.", "Three.", "Four."]
    row = (case_id, context, endings, label, None, "en", release, split)
    return dict(zip(TABLES["cloze"].schema.names, row, strict=True))


def story(story_id, *sentences, split="train"):
    return {"story_id": story_id, "title": None, "sentences": sentences, "source": "rocstories", "split": split}


def ending(case_id, text, system="seq2seq"):
    return {"case_id": case_id, "system": system, "ending": text, "log_prob": -4.0, "n_tokens": 4}


def score_files(stories: Path | None, cloze: Path | None, endings: list[Path]) -> pa.Table:
    """`score_groups` of tables in files."""
    read = [read_table(path, name) if path else None for path, name in ((stories, "stories"), (cloze, "cloze"))]
    return score_groups(*read, read_tables(endings, "endings"))


def scored(**groups: list[float]) -> pa.Table:
    """A sentiment table with the given compound scores by group."""
    rows = [
        {"text_id": f"v1.0/test/{i}", "group": group, "compound": score, "negative": 0, "neutral": 1, "positive": 0}
        for group, scores in groups.items()
        for i, score in enumerate(scores)
    ]
    return pa.Table.from_pylist(rows, schema=TABLES["sentiment"].schema)


@pytest.fixture
def cloze(tmp_path: Path) -> Path:
    rows = [case("a", "He was happy.", "He was sad."), case("b", "She won.", "She hated it.", label=2, split="test")]
    return write(tmp_path / "cloze.parquet", "cloze", rows)


def test_several_wrong_endings_of_a_case_have_ids_of_their_own_and_count_by_their_mean(tmp_path):
    rows = [case("a", "He was happy.", "He was sad."), case("b", "She won.", "She hated it.", label=2, split="test")]
    rows[0]["endings"].append("He cried.")
    path = write(tmp_path / "cloze.parquet", "cloze", rows)
    scores = score_groups(None, read_table(path, "cloze"), workers=1)
    wrong = scores.filter(pc.equal(scores["group"], "wrong"))
    assert wrong["text_id"].to_pylist() == ["v1.0/validation/a", "v1.0/validation/a#2", "v1.0/test/b"]
    write_table(scores, tmp_path / "sentiment.parquet", "sentiment")
    found = right_against_wrong(read_sentiment(tmp_path / "sentiment.parquet"))
    compound = dict(zip(scores["text_id"].to_pylist()[2:], scores["compound"].to_pylist()[2:], strict=True))
    of_a = (compound["v1.0/validation/a"] + compound["v1.0/validation/a#2"]) / 2
    right = scores["compound"].to_pylist()[:2]
    difference = (right[0] - of_a + right[1] - compound["v1.0/test/b"]) / 2
    assert (found.n, found.df, found.paired_df) == (2, 3, 1)
    assert found.mean_difference == pytest.approx(difference)


def test_cases_in_other_languages_are_counted_and_left_out(tmp_path):
    rows = [case("a", "He was happy.", "He was sad."), case("a", "Era feliz.", "Era triste.") | {"language": "es"}]
    path = write(tmp_path / "cloze.parquet", "cloze", rows)
    cases, left_out = labelled_cases(read_table(path, "cloze"))
    assert cases["language"].to_pylist() == ["en"]
    assert left_out == ["1 cloze cases in es are left out: endings are measured by tools for English"]
    assert [*labelled_sets(read_table(path, "cloze"))] == [("v1.0", "validation")]


def test_the_thresholds_belong_to_positive_and_negative():
    [row] = sentiment_table(scored(right=[0.05, 0.0499, 0.0, -0.0499, -0.05, -0.05, 0.9, 0.0501]))
    assert (row.n, row.positive, row.negative) == (8, 3, 2)
    assert (row.positive_share, row.negative_share) == (3 / 8, 2 / 8)


def test_one_sample_test_worked_by_hand():
    # mean 0.2, standard deviation 0.1: t = 0.2 / (0.1 / sqrt(3)). With 2 degrees of freedom p = 1 - t / sqrt(t² + 2).
    [row] = sentiment_table(scored(h_seq2seq=[0.1, 0.2, 0.3]))
    t = 2 * math.sqrt(3)
    assert row.mean == pytest.approx(0.2, abs=1e-12)
    assert row.t == pytest.approx(t)
    assert row.p == pytest.approx(1 - t / math.sqrt(t**2 + 2))


def test_right_against_wrong_worked_by_hand():
    # Pooled variance (0.02 + 0.005) / 2; 2 degrees of freedom. Paired: differences 0.4 and 0.5, mean 0.45, standard
    # error 0.05, t = 9; with 1 degree of freedom p = 1 - 2 / pi * atan(t).
    found = right_against_wrong(scored(right=[0.5, 0.7], wrong=[0.1, 0.2]))
    t = 0.45 / math.sqrt(0.0125)
    assert (found.n, found.df, found.paired_df) == (2, 2, 1)
    assert found.mean_difference == pytest.approx(0.45)
    assert found.t == pytest.approx(t)
    assert found.p == pytest.approx(1 - t / math.sqrt(t**2 + 2))
    assert found.paired_t == pytest.approx(9)
    assert found.paired_p == pytest.approx(1 - 2 / math.pi * math.atan(9))


def test_pairs_are_found_by_case_not_by_row():
    table = scored(right=[0.5, 0.7, 0.1], wrong=[0.1, 0.2, 0.4])
    turned = table.take([2, 0, 1, 3, 4, 5])
    assert vars(right_against_wrong(turned)) == pytest.approx(vars(right_against_wrong(table)))


@pytest.mark.parametrize("scores", [[0.3], [0.3, 0.3, 0.3], [0.0, 0.0]])
def test_where_nothing_varies_there_is_no_t(scores):
    table = scored(right=scores, wrong=[score - 0.1 for score in scores])
    assert [(row.t, row.p) for row in sentiment_table(table)] == [(None, None), (None, None)]
    found = right_against_wrong(table)
    assert (found.t, found.p, found.paired_t, found.paired_p) == (None, None, None, None)


def test_groups_their_order_and_what_they_are_of(tmp_path: Path, cloze: Path):
    stories = write(
        tmp_path / "stories.parquet",
        "stories",
        [story("s1", "Bad.", "It was good."), story("s2", "1.", "2.", "3.", "4.", "5.", "Awful.", split="validation")],
    )
    endings = write(
        tmp_path / "endings.parquet",
        "endings",
        [ending("a", "Fine."), ending("a", "Good."), ending("b", "Bad.", "h_seq2seq"), ending("b", "So.")],
    )
    table = score_files(stories, cloze, [endings])
    assert list(zip(table["group"].to_pylist(), table["text_id"].to_pylist(), strict=True)) == [
        ("right", "v1.0/validation/a"),
        ("right", "v1.0/test/b"),
        ("wrong", "v1.0/validation/a"),
        ("wrong", "v1.0/test/b"),
        ("rocstories", "rocstories/train/s1"),
        ("rocstories", "rocstories/validation/s2"),
        ("seq2seq", "a"),
        ("seq2seq", "a#2"),
        ("seq2seq", "b"),
        ("h_seq2seq", "b"),
    ]
    texts = ["He was happy.", "She won.", "He was sad.", "She hated it.", "It was good.", "Awful.", "Fine.", "Good."]
    plain = [SentimentIntensityAnalyzer().polarity_scores(text)["compound"] for text in [*texts, "So.", "Bad."]]
    assert table["compound"].to_pylist() == pytest.approx(plain, abs=1e-7)
    rows = sentiment_table(table)
    story_splits, case_splits = "rocstories train and validation", "v1.0 validation and test"
    assert [row.of for row in rows] == [case_splits, case_splits, story_splits, "", ""]
    assert [row.paper and row.paper.positive for row in rows] == [1652, 997, 39368, None, 1337]


def test_the_sample_corpus_is_shown_without_published_values():
    def of(corpus):
        table = scored(right=[0.1, 0.2], wrong=[0.1, 0.3], h_seq2seq=[0.2, 0.2])
        ids = [name.replace("v1.0", corpus) for name in table["text_id"].to_pylist()]
        return table.set_column(0, table.schema.field("text_id"), pa.array(ids))

    for corpus, is_compared in (("v1.0", True), ("sample", False)):
        rows, comparison = sentiment_table(of(corpus)), right_against_wrong(of(corpus))
        assert [row.paper is not None for row in rows] == [is_compared] * 3
        assert (comparison.paper_p is not None) == is_compared


def test_published_shares_are_those_printed_in_the_paper():
    rows = sentiment_table(scored(right=[0.1], wrong=[0.1], rocstories=[0.1], h_seq2seq=[0.1]))
    shares = [(f"{row.paper.positive_share:.2%}", f"{row.paper.negative_share:.2%}") for row in rows]
    assert [(p[:4], n[:4]) for p, n in shares] == [
        ("44.1", "19.1"),
        ("26.6", "27.1"),
        ("40.1", "20.9"),
        ("71.4", "4.33"),
    ]


@pytest.mark.parametrize(
    ("release", "stories", "beside"),
    [
        ("v1.0", "rocstories", ["right", "wrong", "rocstories", "h_seq2seq"]),
        ("v1.5", "rocstories", ["rocstories", "h_seq2seq"]),  # the paper's right and wrong endings are of v1.0
        ("sample", "sample", []),
        ("v1.0", "sample", ["right", "wrong"]),  # whose stories the generator learned from
    ],
)
def test_published_values_are_shown_only_for_the_same_texts(release, stories, beside):
    table = scored(right=[0.1], wrong=[0.2], rocstories=[0.1], h_seq2seq=[0.1])
    ids = [f"{release}/test/1", f"{release}/test/1", f"{stories}/train/1", "1"]
    table = table.set_column(0, "text_id", pa.array(ids))
    assert [row.group for row in sentiment_table(table) if row.paper] == beside
    assert (right_against_wrong(table).paper_p is not None) == (release == "v1.0")


def test_a_case_of_validation_and_test_counts_once(tmp_path: Path, capsys):
    rows = [case("a", "Good.", "Bad."), case("a", "Good.", "Bad.", split="test"), case("b", "So.", "No.", split="test")]
    table = score_files(None, write(tmp_path / "cloze.parquet", "cloze", rows), [])
    assert table["text_id"].to_pylist() == ["v1.0/validation/a", "v1.0/test/b"] * 2
    assert "1 cloze cases repeat an earlier one: only the first counts" in capsys.readouterr().err


def test_blind_cases_and_a_second_release_are_counted_and_left_out(tmp_path: Path, capsys):
    cloze = write(
        tmp_path / "cloze.parquet",
        "cloze",
        [
            case("a", "Good.", "Bad.", release="v1.5"),
            case("a", "Good.", "Bad."),
            case("b", "Good.", "Bad.", label=None, release="v1.5", split="test"),
        ],
    )
    table = score_files(None, cloze, [])
    assert table["text_id"].to_pylist() == ["v1.0/validation/a"] * 2
    said = capsys.readouterr().err
    assert "1 blind cloze cases" in said
    assert "1 cloze cases of v1.5" in said


def test_blind_cases_alone_give_no_groups(tmp_path: Path, capsys):
    cloze = write(tmp_path / "cloze.parquet", "cloze", [case("a", "Good.", "Bad.", label=None)])
    assert score_files(None, cloze, []).num_rows == 0
    assert "1 blind" in capsys.readouterr().err


def test_tables_without_rows_are_no_groups(tmp_path: Path, capsys):
    paths = [write(tmp_path / name, name, []) for name in ("stories", "cloze", "endings")]
    table = score_files(paths[0], paths[1], [paths[2]])
    assert table.num_rows == 0
    assert sentiment_table(table) == []
    assert right_against_wrong(table) is None
    assert "holds no endings" in capsys.readouterr().err


def test_a_case_in_two_tables_of_one_system_is_refused(tmp_path: Path):
    greedy = write(tmp_path / "greedy.parquet", "endings", [ending("a", "Good.")])
    beam = write(tmp_path / "beam.parquet", "endings", [ending("a", "Bad.")])
    with pytest.raises(UserError, match=r"beam\.parquet: case a of system 'seq2seq' is in .*greedy\.parquet too"):
        score_files(None, None, [greedy, beam])
    with pytest.raises(UserError, match="is in"):
        score_files(None, None, [greedy, greedy])


def test_a_system_cannot_pass_for_a_group(tmp_path: Path):
    endings = write(tmp_path / "endings.parquet", "endings", [ending("a", "Good.", system="right")])
    with pytest.raises(UserError, match="'right'"):
        score_files(None, None, [endings])


def test_a_table_with_one_ending_of_a_case_alone_is_refused(tmp_path: Path, cloze: Path):
    table = score_files(None, cloze, [])
    write_table(table, tmp_path / "whole.parquet", "sentiment")
    assert read_sentiment(tmp_path / "whole.parquet").num_rows == 4
    write_table(table.slice(1), tmp_path / "part.parquet", "sentiment")
    with pytest.raises(UserError, match=r"part\.parquet: 1 cases have scores of right or of wrong endings alone"):
        read_sentiment(tmp_path / "part.parquet")


def test_kept_scores_are_used_for_their_own_texts_in_the_order_of_the_texts(tmp_path: Path, cloze: Path, capsys):
    table = score_files(None, cloze, [])
    cases, kept = read_table(cloze, "cloze"), tmp_path / "sentiment.parquet"
    changed = table.set_column(2, table.schema.field("compound"), pa.array([0.1, 0.2, 0.3, 0.4], pa.float32()))
    write_table(changed.take([3, 1, 0, 2]), kept, "sentiment", as_metadata(groups_made_from(None, cases)))
    assert score_groups(None, cases, kept=kept).equals(changed)
    assert capsys.readouterr().err == ""
    write_table(changed, kept, "sentiment")  # which does not say what it was made from
    assert score_groups(None, cases, kept=kept).equals(table)
    write_table(changed, kept, "sentiment", as_metadata(groups_made_from(None, cases)))
    assert (
        score_groups(None, cases.slice(1), kept=kept)["compound"].to_pylist()
        == table["compound"].take([1, 3]).to_pylist()
    )
    assert capsys.readouterr().err.count("has the scores of other texts than those that are given") == 2


def test_the_table_is_written_the_same_twice(tmp_path: Path, cloze: Path):
    for name in ("one", "two"):
        write_table(score_files(None, cloze, []), tmp_path / name, "sentiment")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.fixture
def official(shared_data: Path, tmp_path: Path) -> tuple[Path, list[str], list[str]]:
    """v1.0 validation as a cloze table, and its right and wrong endings read plainly."""
    with (shared_data / "story_cloze/cloze_test_val__spring2016 - cloze_test_ALL_val.csv").open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    pairs = [(row["RandomFifthSentenceQuiz1"], row["RandomFifthSentenceQuiz2"]) for row in rows]
    labels = [int(row["AnswerRightEnding"]) for row in rows]
    right = [pair[label - 1] for pair, label in zip(pairs, labels, strict=True)]
    wrong = [pair[2 - label] for pair, label in zip(pairs, labels, strict=True)]
    cases = [
        case(row["InputStoryid"], good, bad, label)
        for row, good, bad, label in zip(rows, right, wrong, labels, strict=True)
    ]
    return write(tmp_path / "official.parquet", "cloze", cases), right, wrong


def test_v1_0_validation_against_plain_vader_and_the_formula_of_t(official):
    cloze, *endings = official
    analyzer = SentimentIntensityAnalyzer()
    compounds = [[analyzer.polarity_scores(text)["compound"] for text in texts] for texts in endings]
    table = score_files(None, cloze, [])
    rows = sentiment_table(table)
    sums_of_squares = []
    for row, compound in zip(rows, compounds, strict=True):
        n, mean = len(compound), math.fsum(compound) / len(compound)
        sums_of_squares.append(math.fsum((score - mean) ** 2 for score in compound))
        assert row.n == n == 1871
        assert row.positive == sum(score >= 0.05 for score in compound)
        assert row.negative == sum(score <= -0.05 for score in compound)
        assert row.mean == pytest.approx(mean, rel=1e-12)
        assert row.t == pytest.approx(mean / math.sqrt(sums_of_squares[-1] / (n - 1) / n), rel=1e-9)
    assert [(row.positive, row.negative) for row in rows] == [(831, 352), (518, 542)]
    pooled = sum(sums_of_squares) / (2 * 1871 - 2)
    found = right_against_wrong(table)
    assert found.t == pytest.approx((rows[0].mean - rows[1].mean) / math.sqrt(2 * pooled / 1871), rel=1e-9)
    assert found.p == pytest.approx(1.79e-28, rel=0.01)


def run(*arguments: object):
    return CliRunner().invoke(main, ["sentiment", *map(str, arguments)])


def test_command_prints_the_table_beside_the_paper(cloze: Path):
    done = run(cloze)
    assert done.exit_code == 0
    assert "v1.0 validation and test" in done.stdout
    assert "1,652 (44.1%)" in done.stdout
    assert "p = 3.48e-54" in done.stdout


def test_command_json_holds_numbers_and_nothing_else_is_printed(tmp_path: Path, cloze: Path):
    endings = write(tmp_path / "endings.parquet", "endings", [ending("a", "Fine."), ending("b", "He was sad.")])
    done = run(endings, cloze, "--json", "--out", tmp_path / "out.parquet")
    document = json.loads(done.stdout)
    groups = {row["group"]: row for row in document["groups"]}
    assert list(groups) == ["right", "wrong", "seq2seq"]
    assert (groups["seq2seq"]["positive"], groups["seq2seq"]["positive_share"]) == (1, 0.5)
    assert isinstance(groups["wrong"]["negative"], int)
    assert document["right_against_wrong"]["n"] == 2
    assert read_table(tmp_path / "out.parquet", "sentiment").num_rows == 6


def test_command_errors_are_one_line_and_status_2(tmp_path: Path, cloze: Path):
    csv_file = tmp_path / "cloze.csv"
    csv_file.write_text("a,b\n")
    blind = write(tmp_path / "blind.parquet", "cloze", [case("a", "Good.", "Bad.", label=None)])
    write_table(score_files(None, cloze, []), tmp_path / "sentiment.parquet", "sentiment")
    wrong = {
        "no such file": [tmp_path / "absent.parquet"],
        "a folder": [tmp_path],
        "not a table of cloze cases": [csv_file],
        "sentiment.parquet: not a table": [tmp_path / "sentiment.parquet"],
        "a second cloze table": [cloze, blind],
        "no ending to measure": [blind],
    }
    for message, arguments in wrong.items():
        done = run(*arguments, "--out", tmp_path / "out.parquet")
        assert done.exit_code == 2, message
        [line] = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
        assert message in line
        assert done.stdout == ""
        assert not (tmp_path / "out.parquet").exists()
