"""From files of endings to the table of scores: what belongs together, what is left out, and what is said."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from denouement import provenance, schemas
from denouement.cli import main
from denouement.errors import UserError
from denouement.files import file_digest
from denouement.metrics.reading import read_endings_to_score
from denouement.metrics.scoring import chief_values
from denouement.stages.metrics import MetricsPaths, MetricsSettings, endings_with_scores, run

CONTEXT = ["Tom had a dog.", "Rex ran away."]


def case(case_id: str, **changes: object) -> dict[str, object]:
    row = {"case_id": case_id, "context": CONTEXT, "endings": ["Rex came home.", "It rained."], "right_ending": 1}
    return {**row, "question": None, "language": "en", "release": "v1.0", "split": "test", **changes}


def cases_file(folder: Path, *rows: dict[str, object]) -> Path:
    path = folder / "cloze.parquet"
    schemas.write_table(pa.Table.from_pylist(list(rows), schemas.TABLES["cloze"].schema), path, "cloze")
    return path


def csv_file(folder: Path, name: str, *rows: str) -> Path:
    path = folder / name
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def cases(tmp_path) -> Path:
    return cases_file(tmp_path, case("1"), case("2", endings=["He wept.", "Ice melts."], right_ending=2))


@pytest.fixture
def endings(tmp_path) -> Path:
    rows = ["1,a,Rex came back.", "2,a,He cried.", "1,a,A second one.", "9,a,Strange.", "1,b,...", "2,b,Ice melts."]
    return csv_file(tmp_path, "ends.csv", "case_id,system,ending", *rows)


def test_the_table_says_each_value_once_and_what_it_was_made_from(cases, endings, tmp_path):
    out = tmp_path / "out.parquet"
    settings = MetricsSettings(("length", "repetition", "rouge_l"))
    result = run(settings, MetricsPaths(cases, [endings], out=out))
    table = schemas.read_table(out, "ending_scores")
    values = {(row["case_id"], row["system"], row["score"]): row["value"] for row in table.to_pylist()}
    assert values["1", "a", "length"] == 3
    assert ("1", "b", "length") not in values  # it has no word
    assert values["1", "a", "rouge_l"] == pytest.approx(2 * 2 / 6)
    assert values["2", "b", "rouge_l"] == 1
    assert values[None, "a", "distinct_1"] == 1  # of the set: without a case
    assert provenance.of_table(out) == {"cloze": file_digest(cases), "endings/ends": file_digest(endings)}
    assert result.endings == {"a": 2, "b": 1}
    assert set(result.left_out) == {
        "ends.csv: 1 endings of other cases are left out",
        "ends.csv: 1 further endings of a case are left out: the first one counts",
        "1 endings of b without a word are not scored",
    }
    [length] = [score for score in result.scores if score.score == "length"]
    assert [(row.system, row.n, row.value) for row in length.systems] == [("a", 2, 2.5), ("b", 1, 2)]
    assert length.systems[0].high == pytest.approx(2.5 + 12.7062 * 0.5, abs=1e-3)  # t with one degree of freedom


def test_the_order_of_rows_changes_nothing_that_is_shown(cases, tmp_path):
    rows = ["1,a,Rex came back.", "2,a,He cried."]
    names = MetricsSettings(("bleu", "length", "self_bleu"))
    found = [
        run(names, MetricsPaths(cases, [csv_file(tmp_path, "e.csv", "case_id,system,ending", *order)]))
        for order in (rows, rows[::-1])
    ]
    assert found[0] == found[1]


def test_human_endings_are_no_references_of_themselves(cases, tmp_path):
    references = csv_file(
        tmp_path, "refs.csv", "case_id,ending", "1,Rex came home.", "1,Rex was found.", "2,Ice melts."
    )
    read = read_endings_to_score([], cases, references, human=True)
    by = dict(zip(zip(read.systems, read.case_ids, strict=True), read.rows.references, strict=True))
    assert by["human_right", "1"] == ["Rex was found."]
    assert by["human_right", "2"] == []
    assert by["human_wrong", "1"] == ["Rex came home.", "Rex was found."]
    result = run(MetricsSettings(("rouge_l", "chrf"), human=True), MetricsPaths(cases, references=references))
    assert result.missing == ["rouge_l, chrf_2: 1 endings of human_right (those without a reference)"]


def test_scores_that_share_an_encoder_read_each_text_once_in_whatever_order(cases, endings, monkeypatch):
    from denouement.encoders.minilm import MiniLM

    read: list[str] = []
    one_pass = MiniLM._read
    monkeypatch.setattr(MiniLM, "_read", lambda self, texts: (read.extend(texts), one_pass(self, texts))[1])
    names = ("reference_similarity", "context_similarity", "token_matching")
    found = run(MetricsSettings(names), MetricsPaths(cases, [endings]))
    assert sorted(read) == sorted(
        ["Rex came back.", "He cried.", "Ice melts.", "Rex came home.", " ".join(CONTEXT), CONTEXT[1]]
    )
    assert [score.metric for score in found.scores] == [names[0], names[1], names[1], names[2]]
    alone = run(MetricsSettings(names[:1]), MetricsPaths(cases, [endings]))
    for ours, theirs in zip(found.scores[0].systems, alone.scores[0].systems, strict=True):
        assert ours.value == pytest.approx(theirs.value, abs=1e-6)


def test_endings_with_scores_are_a_table_of_a_few_and_first_ones_alone_have_values(cases, tmp_path):
    rows = [("1", "a", "Rex came back."), ("1", "a", "A second one."), ("2", "a", "!")]
    names = schemas.TABLES["endings"].schema.names[:3]
    table = pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows], schemas.TABLES["endings"].schema)
    path, out = tmp_path / "a.parquet", tmp_path / "out.parquet"
    schemas.write_table(table, path, "endings")
    result = run(MetricsSettings(("length", "rouge_l", "repetition")), MetricsPaths(cases, [path], out=out))
    assert endings_with_scores([path], out) == {
        "case_id": ["1", "1", "2"],
        "system": ["a", "a", "a"],
        "ending": ["Rex came back.", "A second one.", "!"],
        "rouge_l": [pytest.approx(2 / 3), None, None],
    }
    assert chief_values(result) == {"rouge_l": {"a": pytest.approx(2 / 3)}}


def test_at_most_a_dozen_values_are_logged(cases, tmp_path):
    rows = [f"1,system{place},Rex came back." for place in range(20)]
    path = csv_file(tmp_path, "e.csv", "case_id,system,ending", *rows)
    logged = chief_values(run(MetricsSettings(("bleu", "rouge_l")), MetricsPaths(cases, [path])))
    assert list(logged) == ["rouge_l"]
    assert len(logged["rouge_l"]) == 12
    logged = chief_values(run(MetricsSettings(("length",)), MetricsPaths(cases, [path])))
    assert list(logged) == ["length"]  # where there is no chief score


def test_intervals_end_where_values_can(cases, endings):
    rouge, length = (
        run(MetricsSettings((name,)), MetricsPaths(cases, [endings])).scores[0].systems[0]
        for name in ("rouge_l", "length")
    )
    assert rouge.value == pytest.approx(1 / 3)  # of 2 / 3 and 0: Student's t goes from -3.9 to 4.6
    assert (rouge.low, rouge.high) == (0, 1)
    assert (length.low, length.high) == (1, pytest.approx(2.5 + 12.7062 / 2, abs=1e-3))  # of 3 and 2 words


def test_references_that_do_not_count_are_counted(cases, endings, tmp_path):
    rows = ["1,Rex came home.", "1,Rex came home.", "7,It rained.", "2,!"]
    read = read_endings_to_score([endings], cases, csv_file(tmp_path, "refs.csv", "case_id,ending", *rows))
    assert {line for line in read.left_out if "refs" in line} == {
        "refs.csv: 1 references repeat another one of their case, and count once",
        "refs.csv: 1 references of cases that are not scored are left out",
        "refs.csv: 1 references without a word are left out",
    }


def test_scores_are_kept_until_what_they_depend_on_changes(cases, endings, tmp_path, monkeypatch):
    from denouement.metrics.scores.length import Length

    calls = []
    score = Length.score
    monkeypatch.setattr(Length, "score", lambda self, *given: (calls.append(1), score(self, *given))[1])

    def work_out(path):
        return run(MetricsSettings(("length",)), MetricsPaths(cases, [path], cache=tmp_path / "cache"))

    assert work_out(endings) == work_out(endings)
    assert len(calls) == 1
    other = csv_file(tmp_path, "other.csv", "case_id,system,ending", "1,a,Rex came back today.", "2,a,He cried.")
    assert work_out(other).scores[0].systems[0].value == 3
    assert len(calls) == 2


def test_a_score_that_lacks_something_does_not_stop_the_others(cases, endings):
    result = run(MetricsSettings(("length", "novelty")), MetricsPaths(cases, [endings]))
    assert [score.score for score in result.scores] == ["length"]
    assert "--stories" in result.not_scored["novelty"]
    with pytest.raises(UserError, match="--stories"):
        run(MetricsSettings(("novelty",)), MetricsPaths(cases, [endings]))


def test_blind_cases_have_no_reference(endings, tmp_path):
    cases = cases_file(tmp_path, case("1", right_ending=None), case("2"))
    result = run(MetricsSettings(("rouge_l",)), MetricsPaths(cases, [endings]))
    assert result.missing == ["rouge_l: 1 endings of a (those without a reference)"]
    cases = cases_file(tmp_path, case("1", right_ending=None), case("2", right_ending=None))
    with pytest.raises(UserError, match="--references"):
        run(MetricsSettings(("rouge_l",)), MetricsPaths(cases, [endings]))


def test_cases_of_two_releases_count_once_and_different_ones_are_refused(endings, tmp_path):
    same = cases_file(tmp_path, case("1", release="v1.5", right_ending=2), case("2"), case("1"))
    read = read_endings_to_score([endings], same)
    assert read.cases["release"].to_pylist() == ["v1.0", "v1.0"]
    assert read.rows.references[0] == ["Rex came home."]
    other = cases_file(tmp_path, case("1"), case("2"), case("1", release="v1.5", context=["Ann slept."]))
    with pytest.raises(UserError, match="the same id 1: choose by --release"):
        read_endings_to_score([endings], other)
    assert read_endings_to_score([endings], other, only={"release": ["v1.5"]}).rows.contexts == [["Ann slept."]]


def item(number, systems, endings, **columns):
    row = {
        "study": "pilot", "item_id": f"i{number}", "case_id": "1", "kind": "pair", "context": ["Tom lost Rex."],
        "systems": systems, "endings": endings, "is_check": False, "is_training": False, "expected": None,
    }  # fmt: skip
    return row | columns


def items_file(tmp_path, *rows):
    path = tmp_path / "items.parquet"
    table = pa.Table.from_pylist([*rows], schemas.TABLES["items"].schema)
    schemas.write_table(table, path, "items")
    return path


def test_the_items_of_a_study_are_cases_and_endings(tmp_path):
    items = items_file(
        tmp_path,
        item(1, ["a", "human_right"], ["Rex ran.", "Rex came home."]),
        item(2, ["b", "human_right"], ["Tom sang.", "Rex came home."]),
        item(3, ["a", "b"], ["Ann ran.", "Ann sat."], case_id="2", context=["Ann got up."]),
        item(4, ["a", "b"], ["Yes.", "No."], case_id="check", is_check=True),
    )
    read = read_endings_to_score([], items)
    found = zip(read.case_ids, read.systems, read.rows.endings, read.rows.references, strict=True)
    assert sorted(found) == [
        ("1", "a", "Rex ran.", ["Rex came home."]),
        ("1", "b", "Tom sang.", ["Rex came home."]),
        ("1", "human_right", "Rex came home.", []),
        ("2", "a", "Ann ran.", []),
        ("2", "b", "Ann sat.", []),
    ]
    assert read.rows.contexts[0] == ["Tom lost Rex."]
    assert read.left_out == ["items.parquet: 1 attention checks and practice items are left out"]
    with pytest.raises(UserError, match="all its items are scored"):
        read_endings_to_score([], items, human=True)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (item(2, ["a", "b"], ["Rex sat.", "So."]), "items of the story 1 have different endings of a"),
        (
            item(2, ["a", "b"], ["Rex ran.", "So."], context=["Ann got up."]),
            "items with other stories have",
        ),
        (item(2, ["a"], ["Rex ran."], kind="order"), "of the kind order, in which no endings are judged"),
    ],
)
def test_items_that_do_not_belong_together_are_refused(second, message, tmp_path):
    items = items_file(tmp_path, item(1, ["a", "human_right"], ["Rex ran.", "Rex came home."]), second)
    with pytest.raises(UserError, match=message):
        read_endings_to_score([], items)


def test_nothing_to_score_is_refused(cases):
    with pytest.raises(UserError, match="nothing to score"):
        read_endings_to_score([], cases)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["8,a,Tom left."], "no ending of a is of one of the cases"),
        (["1,human_wrong,Tom left."], "which --human adds"),
        (["1,a,!"], "no ending to score"),
    ],
)
def test_what_does_not_belong_together_is_refused(rows, message, cases, tmp_path):
    path = csv_file(tmp_path, "e.csv", "case_id,system,ending", *rows)
    with pytest.raises(UserError, match=message):
        read_endings_to_score([path], cases, human="human" in rows[0])


def test_endings_of_other_contexts_and_systems_twice_are_refused(cases, endings, tmp_path):
    with pytest.raises(UserError, match="system a is in an earlier file too"):
        read_endings_to_score([endings, endings], cases)
    table = pa.Table.from_pylist(
        [{"case_id": "1", "system": "c", "ending": "Tom left.", "log_prob": None, "n_tokens": None}],
        schemas.TABLES["endings"].schema,
    )
    path = tmp_path / "endings.parquet"
    schemas.write_table(table, path, "endings", provenance.as_metadata({provenance.CONTEXTS: "0" * 64}))
    with pytest.raises(UserError, match="written for other contexts"):
        read_endings_to_score([path], cases)


def test_values_that_are_no_finite_numbers_are_refused(tmp_path):
    table = pa.table(
        {"case_id": ["1"], "system": ["a"], "score": ["length"], "value": [float("nan")]},
        schemas.TABLES["ending_scores"].schema,
    )
    with pytest.raises(ValueError, match="no finite number"):
        schemas.write_table(table, tmp_path / "t.parquet", "ending_scores")


def test_the_commands(cases, endings):
    printed = CliRunner().invoke(main, ["metrics", "score", str(endings), "--cases", str(cases), "--score", "length"])
    assert printed.exit_code == 0, printed.output
    assert "| length |" in printed.stdout
    document = CliRunner().invoke(
        main, ["metrics", "score", str(endings), "--cases", str(cases), "--score", "bleu", "--json"]
    )
    assert json.loads(document.stdout)["scores"][0]["better"] == "higher"
    listed = CliRunner().invoke(main, ["metrics", "list", "--json"])
    assert {"score": "rouge_l", "better": "higher"}.items() <= json.loads(listed.stdout)["scores"][3].items()


def test_options_of_scores_are_those_of_params_yaml(cases, endings):
    words = ["metrics", "score", str(endings), "--cases", str(cases), "--score", "token_matching", "--json"]
    printed = CliRunner().invoke(main, [*words, "--option", "token_matching.encoder=glove"])
    assert printed.exit_code == 0, printed.output
    assert json.loads(printed.stdout)["scores"][0]["score"] == "token_match_f1 glove"
    settings = MetricsSettings(("token_matching",), options={"token_matching": {"encoder": "glove"}})
    same = run(settings, MetricsPaths(cases, [endings]))
    assert json.loads(printed.stdout)["scores"][0]["systems"][0]["value"] == same.scores[0].systems[0].value


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cases", "no.parquet"], "no.parquet: no such file"),
        (["--human", "--cases", "no.parquet", "--option", "stories=5"], "must be like coherence.stories=1000"),
        (
            ["--human", "--cases", "no.parquet", "--score", "bleu", "--option", "coherence.stories=5"],
            "'coherence' is not scored; name it with --score",
        ),
        (["--human", "--cases", "no.parquet"], "no.parquet: no such file"),
        (["--human", "--cases", "no.parquet", "--score", "blue"], "no score 'blue'"),
    ],
)
def test_mistakes_are_one_line(words, message):
    result = CliRunner().invoke(main, ["metrics", "score", *words])
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
