import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from denouement.analysis import bias_monitor as module
from denouement.analysis.bias_monitor import CERTAIN, VARIANTS, MonitoredSet, _by_case, bias_monitor
from denouement.analysis.case_findings import EndingFeatures, bias_finding
from denouement.analysis.drawing import pictures
from denouement.analysis.sections.statistics import statistics_sections
from denouement.analysis.statistics import Findings, Statistics
from denouement.analysis.statistics_files import read_findings, write_findings
from denouement.cloze.resources import Resources
from denouement.cloze.systems import ending_reg
from denouement.cloze.systems.ending_reg import EndingReg
from denouement.corpus.ingest import ingest
from denouement.present.markdown import render
from denouement.present.sections import Section, Table
from denouement.schemas import TABLES, read_table
from denouement.text import syntax
from denouement.text.syntax import NoParserError, Parse, Parses

SET = ("v1.0", "validation")
WORDS = [
    "happy",
    "glad",
    "great",
    "smiled",
    "loved",
    "found",
    "won",
    "time",
    "then",
    "more",
    "less",
    "never",
    "lost",
    "hated",
    "cried",
    "did",
    "failed",
    "broke",
    "sad",
    "no",
]


@pytest.fixture
def spaces(monkeypatch) -> None:
    """A parser that splits at spaces: all words depend on the first one, and each is its own part of speech."""

    def parse(sentences: Sequence[str], _: Path | None) -> Parses:
        def one(sentence: str) -> Parse:
            words = tuple(sentence.split())
            n = len(words)
            return Parse(words, words, words, words, (0,) * n, ("ROOT",) * n)

        return {sentence: one(sentence) for sentence in sentences}

    monkeypatch.setattr(syntax, "parse", parse)


def table_of(endings: Sequence[tuple[str, str]], labels: Sequence[int]) -> pa.Table:
    n = len(labels)
    columns = {
        "case_id": [f"c{place:04}" for place in range(n)],
        "context": [[f"Tom ran {place} miles."] for place in range(n)],
        "endings": endings,
        "right_ending": labels,
        "question": [None] * n,
        "language": ["en"] * n,
        "release": [SET[0]] * n,
        "split": [SET[1]] * n,
    }
    return pa.table(columns, schema=TABLES["cloze"].schema)


def drawn(n: int, bias: float) -> pa.Table:
    """Cases whose right endings have the first of `WORDS` more often than the wrong ones; 0: just as often."""
    random = np.random.default_rng(7)
    chances = np.exp(np.linspace(bias, -bias, len(WORDS)))

    def ending(is_right: bool) -> str:
        of_words = chances if is_right else chances[::-1]
        return " ".join(random.choice(WORDS, 6, p=of_words / of_words.sum()))

    labels = random.integers(1, 3, n).tolist()
    return table_of([(ending(label == 1), ending(label == 2)) for label in labels], labels)


def monitored(cases: pa.Table, folds: int = 5, cache: Path | None = None) -> tuple[MonitoredSet, pa.Table]:
    return bias_monitor({SET: cases}, cache, folds)[SET]


def section_of(cases: pa.Table, folds: int, cache: Path | None = None) -> tuple[Findings, Section]:
    """The bias monitor's finding on the cases, and its section with all charts."""
    features = EndingFeatures({"v1.0 validation": ()}, {}, "")
    finding, table = bias_finding({SET: cases}, features, cache, folds, module.ANYTHING)
    found = Findings(Statistics(bias_monitor=finding), {"bias_cases": table}, Counter())
    return found, statistics_sections(found, pictures(found))["bias_monitor"]


def only_all_features(monkeypatch, strength: float | None = None) -> None:
    """No variants, and no search for the strength of the penalty where one is given: much faster."""
    monkeypatch.setattr(ending_reg, "VARIANTS", {"": ending_reg.VARIANTS[""]})
    monkeypatch.setattr(module, "VARIANTS", {"": VARIANTS[""]})
    if strength:
        monkeypatch.setattr(ending_reg, "STRENGTHS", {"per_ending": (strength,)})


def test_cases_given_away_do_not_depend_on_the_penalty(spaces, monkeypatch):
    """A strong penalty keeps all scores near 0, a weak one makes them large; only their order counts."""
    cases = drawn(400, 0.35)
    certain, accuracies, spreads = [], [], []
    for strength in (3e-5, 3e-4, 3e-3):
        only_all_features(monkeypatch, strength)
        found, table = monitored(cases, 3)
        certain.append(found.certain)
        accuracies.append(found.variants[0].accuracy)
        kept = ending_reg.EndingReg()
        kept.fit(cases, module.Resources())
        spreads.append(kept._models[""].margins.std())
        assert sum(probability >= CERTAIN for probability in table["probability"].to_pylist()) == found.certain
    assert max(accuracies) - min(accuracies) < 0.03
    assert max(spreads) > 20 * min(spreads), "the scores themselves differ by far"
    assert max(certain) < 1.2 * min(certain)
    assert min(certain) > 60


def test_probabilities_come_true(spaces, monkeypatch):
    only_all_features(monkeypatch, 0.01)
    found, _ = monitored(drawn(600, 0.35), 3)
    reliability = found.reliability
    assert sum(row.n for row in reliability.bins) == 600
    for row in reliability.bins:
        assert row.low - 0.03 < row.predicted < row.high + 0.03
    assert reliability.error < 0.06
    assert reliability.brier < 0.2


def test_endings_that_give_nothing_away_give_no_case_away(spaces, monkeypatch):
    only_all_features(monkeypatch, 0.01)
    found, table = monitored(drawn(300, 0), 3)
    assert 0.4 < found.variants[0].accuracy < 0.6
    assert found.certain + found.misled <= 15
    assert found.reliability.brier == pytest.approx(0.25, abs=0.01)
    assert np.abs(table["probability"].to_numpy() - 0.5).mean() < 0.1


def test_a_case_plays_no_part_in_its_own_probability(spaces, monkeypatch):
    only_all_features(monkeypatch, 0.03)
    cases = drawn(60, 0.5)
    labels = cases["right_ending"].to_pylist()
    turned = cases.set_column(
        cases.schema.get_field_index("right_ending"),
        cases.schema.field("right_ending"),
        pa.array([3 - labels[0], *labels[1:]], pa.int8()),
    )

    def probabilities(of_cases: pa.Table) -> dict[str, float]:
        _, table = monitored(of_cases, 3)
        return dict(zip(table["case_id"].to_pylist(), table["probability"].to_pylist(), strict=True))

    before, after = probabilities(cases), probabilities(turned)
    assert after["c0000"] == pytest.approx(1 - before["c0000"], rel=1e-9)
    assert any(after[name] != before[name] for name in before if name != "c0000")


def test_the_table_of_cases_has_the_surest_first():
    cases = table_of([("right", "wrong"), ("wrong", "right"), ("right", "wrong"), ("right", "wrong")], [1, 2, 1, 1])
    found = _by_case(cases, np.array([0.5, 0.75, 0.0, 0.5]), np.array([1, 0, 1, 1]))
    assert found.select(["case_id", "right", "wrong", "probability"]).to_pylist() == [
        {"case_id": case_id, "right": "right", "wrong": "wrong", "probability": probability}
        for case_id, probability in (("c0001", 0.75), ("c0000", 0.5), ("c0003", 0.5), ("c0002", 0.0))
    ]


def test_each_release_and_split_is_cross_validated_by_itself(spaces, monkeypatch):
    """Whatever else is in the table: nothing of one set is learned for the other."""
    monkeypatch.setattr(ending_reg, "STRENGTHS", {"per_ending": (0.03,)})
    biased, fair = drawn(60, 0.6), drawn(60, 0)
    fair = fair.set_column(
        fair.schema.get_field_index("split"), fair.schema.field("split"), pa.array(["test"] * 60, pa.string())
    )
    both = bias_monitor({SET: biased, ("v1.0", "test"): fair}, None, 3)
    for of_set, cases in ((SET, biased), (("v1.0", "test"), fair)):
        alone, table = bias_monitor({of_set: cases}, None, 3)[of_set]
        assert both[of_set][0] == alone
        assert both[of_set][1].equals(table)
        assert [row.variant for row in alone.variants] == list(VARIANTS)
        assert {row.n for row in alone.variants} == {60}


def test_what_is_kept_is_used_again_and_made_again_for_other_cases_and_folds(spaces, monkeypatch, tmp_path):
    only_all_features(monkeypatch, 0.03)
    monkeypatch.setattr(module, "inputs_digest", lambda sets, _: str(sets[0].cases.to_pylist()))  # hashing code is slow
    cases = drawn(30, 0.5)
    first = monitored(cases, 3, tmp_path)
    (path,) = tmp_path.glob("bias-*.json")
    text = path.read_text()
    fits = []
    fit = ending_reg.EndingReg.fit
    monkeypatch.setattr(ending_reg.EndingReg, "fit", lambda *args: fits.append(1) or fit(*args))
    again = monitored(cases, 3, tmp_path)
    assert fits == []
    assert again[0] == first[0]
    assert again[1].equals(first[1])
    for other, folds in ((cases.take(pa.array([1, 0, *range(2, 30)])), 3), (cases, 2)):
        fits.clear()
        monitored(other, folds, tmp_path)
        assert len(fits) == folds + 1
    of_fewer_cases = json.loads(text)
    del of_fewer_cases["scores"][""][0]
    for damaged in (
        "",
        "[1]",
        "{}",
        text.replace('"weight"', '"w"', 1),
        text[: len(text) // 2],
        json.dumps(of_fewer_cases),
    ):
        path.write_text(damaged)
        fits.clear()
        assert monitored(cases, 3, tmp_path)[0] == first[0]
        assert len(fits) == 4
        assert path.read_text() == text


def test_without_a_parser_the_section_says_so(monkeypatch, tmp_path):
    def missing(*_: object) -> Parses:
        raise NoParserError("no English parser: pip install it")

    monkeypatch.setattr(syntax, "parse", missing)
    for cache in (None, tmp_path):
        found, section = section_of(drawn(30, 0.5), 2, cache)
        assert found.statistics.above == ()
        assert [block.note for block in section.blocks] == ["Not worked out: no English parser: pip install it."]


def test_the_section_shows_whether_probabilities_come_true(spaces, monkeypatch, tmp_path):
    only_all_features(monkeypatch, 0.03)
    cases = drawn(60, 0.6)
    found, section = section_of(cases, 3)
    reliability = found.statistics.bias_monitor.values.sets["v1.0 validation"].reliability
    text = render([section], charts=True)
    assert "### v1.0 validation: whether its probabilities come true" in text
    assert f"Expected calibration error {reliability.error:.3f}" in text
    rows = next(block.rows for block in section.blocks if isinstance(block, Table) and "come true" in block.title)
    assert sum(row[1] for row in rows) == 60
    assert "![How often the ending that the model takes for likelier is right" in text
    write_findings(found, tmp_path, {})
    assert "<svg" in (tmp_path / "bias_reliability.svg").read_text()
    assert read_table(tmp_path / "bias_cases.parquet", "bias_cases").num_rows == 60
    again = read_findings(tmp_path)
    assert again.statistics == found.statistics
    assert statistics_sections(again)["bias_monitor"].blocks == [
        block for block in section.blocks if isinstance(block, Table)
    ]


@pytest.mark.slow
def test_a_bias_between_chance_and_certainty_shows_case_by_case():
    n, marked = 48, 36  # in the first 36 the right ending is the happy one, in the others the wrong one
    endings = [(f"He was happy to see {place} trees.", f"He hated all of the {place} trees.") for place in range(n)]
    found, table = monitored(table_of(endings, [1 if place < marked else 2 for place in range(n)]), 4)
    accuracy = found.variants[0]
    assert accuracy.variant == ""
    assert 0.6 < accuracy.accuracy < 0.9
    by_case = dict(zip(table["case_id"].to_pylist(), table["probability"].to_pylist(), strict=True))
    surest = list(by_case.values())
    assert surest == sorted(surest, reverse=True)
    assert sum(probability > 0.5 for probability in surest) == accuracy.correct
    means = [
        np.mean([by_case[case] for case in by_case if (case < f"c{marked:04}") == is_marked]) for is_marked in (1, 0)
    ]
    assert means[0] > 0.5 > means[1]  # what marks most right endings marks the wrong ones of the others


@pytest.mark.slow
def test_cases_given_away_on_v1_0_validation_do_not_depend_on_the_penalty(shared_data, monkeypatch, tmp_path):
    """Penalties 100 times apart. Without calibration the counts are 59 times apart: 15 cases and 886."""
    (path,) = (shared_data / "story_cloze").glob("cloze_test_val__spring2016*.csv")
    ingest([path], tmp_path)
    cases = read_table(tmp_path / "cloze.parquet", "cloze")
    certain = []
    for strength in (0.003, 0.03, 0.3):
        only_all_features(monkeypatch, strength)
        found, _ = monitored(cases, 10, tmp_path)
        certain.append(found.certain)
        assert found.reliability.error < 0.03
        assert found.certain > 5 * found.misled
    assert max(certain) < 1.4 * min(certain)


def with_story_of(cases: pa.Table, places: Sequence[int]) -> pa.Table:
    """The cases, each with the context of the one at its place."""
    contexts = cases["context"].take(pa.array(places))
    return cases.set_column(1, cases.schema.field("context"), contexts)


def test_too_few_cases_beside_a_fold_of_one_story_are_no_crash(spaces):
    cases = with_story_of(drawn(12, 1), [0, 0, 0, *range(3, 12)])  # one fold holds three cases, which leaves nine
    found, table = monitored(cases, folds=10)
    assert found.missing == "ending_reg needs at least 10 labelled cases for 5 folds, not 9"
    assert not table.num_rows
    _, section = section_of(cases, 10)
    assert "Not worked out: ending_reg needs at least 10 labelled cases" in section.blocks[0].note
    cases = with_story_of(drawn(12, 1), [place // 2 for place in range(12)])
    found, _ = monitored(cases, folds=10)
    assert found.missing.startswith("12 labelled cases of 6 stories cannot be parted into 10 folds")


def test_probabilities_are_not_calibrated_on_stories_that_were_learned(spaces, monkeypatch):
    # Nothing gives these endings away, but each is there twice: where one of the two is held out, the other is learned.
    only_all_features(monkeypatch)
    once = drawn(60, 0)
    twice = pa.concat_tables([once, once])
    system = EndingReg()
    system.fit(twice, Resources())
    assert system.slope < 0.5
    found, _ = monitored(twice)
    assert found.certain + found.misled < 12
