import json

import numpy as np
import pytest

from denouement.documents import document, read_document
from denouement.metrics.agreement.output import FILES, write_agreement
from denouement.metrics.agreement.people import HumanAnswers
from denouement.metrics.agreement.sections import agreement_sections, can_show
from denouement.metrics.agreement.values import Scores, gathered_ratings, gathered_scores
from denouement.metrics.agreement.with_people import Agreement, AgreementSettings, agreement_with_people
from denouement.present import html, markdown

SETTINGS = AgreementSettings(draws=200, permutations=50)


def made(systems: int = 4, items: int = 15) -> tuple[Scores, HumanAnswers]:
    generator = np.random.default_rng(1)
    endings = [(f"i{item}", f"s{system}" if systems > 1 else "") for item in range(items) for system in range(systems)]
    quality = generator.normal(size=len(endings))
    ratings = gathered_ratings(
        "people.csv",
        (
            (ending, rater, float(np.clip(np.round(3 + value + generator.normal()), 1, 5)))
            for rater in ("ann", "bob")
            for ending, value in zip(endings, quality, strict=True)
        ),
    )
    columns = {
        "<b>bad</b>": generator.normal(size=len(endings)),
        "good": quality,
        "constant": np.ones(len(endings)),
        "two": np.where(np.arange(len(endings)) < 2, quality, np.nan),
    }
    rows = ((ending, name, float(x)) for name, of in columns.items() for ending, x in zip(endings, of, strict=True))
    return gathered_scores("scores.csv", rows), HumanAnswers(ratings)


@pytest.fixture(scope="module")
def found() -> Agreement:
    return agreement_with_people(*made(), SETTINGS)


def test_scores_that_agree_best_come_first_and_those_without_a_value_last(found):
    assert [row.score for row in found.of("global", "kendall")] == ["good", "<b>bad</b>", "constant", "two"]
    good = found.of("global", "kendall")[0]
    assert good.low < good.value < good.high
    assert good.n == 60
    assert {row.score: row.n for row in found.of("system", "pearson")}["good"] == 4


def test_what_is_not_defined_is_named_and_is_no_number(found):
    why = {(row.level, row.score): row.why_not for row in found.correlations if row.coefficient == "kendall"}
    assert why["global", "constant"] == "all scores are the same"
    assert why["global", "two"] == "2 endings, fewer than 3"
    assert why["item", "two"] == "no item has this score for 3 systems"
    assert why["system", "good"] == "4 systems, no interval of fewer than 5"
    assert found.without_score == {"two": 58}
    json.dumps(document(found), allow_nan=False)


def test_one_system_has_no_other_levels_and_no_pairs():
    found = agreement_with_people(*made(1, 30), SETTINGS)
    assert set(found.levels_left_out) == {"item", "system"}
    assert {row.level for row in found.correlations} == {"global"}
    assert found.picked == []
    assert "No item has two endings" in markdown.render(agreement_sections(found))


def test_many_scores_are_compared_only_if_they_are_named():
    scores, people = made()
    names = [f"copy {place}" for place in range(11)]
    many = Scores(scores.source, scores.endings, names, np.repeat(scores.values[1:2], 11, axis=0))
    found = agreement_with_people(many, people, SETTINGS)
    assert found.differences == []
    assert found.not_compared == "11 scores make 55 pairs; name those to compare"
    named = AgreementSettings(draws=200, permutations=20, compare=("copy 1", "copy 5"))
    rows = agreement_with_people(many, people, named).differences
    assert {(row.first, row.second, row.p) for row in rows} == {("copy 1", "copy 5", 1)}


def test_a_score_of_which_a_lower_one_is_better_is_turned():
    scores, people = made()
    turned = agreement_with_people(scores.turned(["good"]), people, SETTINGS)
    straight = agreement_with_people(scores, people, SETTINGS)
    values = [{row.score: row.value for row in each.of("global", "pearson")}["good"] for each in (turned, straight)]
    assert values[0] == pytest.approx(-values[1])


def test_the_same_seed_gives_the_same_bytes_and_they_are_read_back(found, tmp_path):
    for name in ("one", "two"):
        write_agreement(tmp_path / name, agreement_with_people(*made(), SETTINGS))
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert read_document(tmp_path / "one/agreement.json", Agreement) == found


def test_what_is_shown_says_how_wide_intervals_are_and_escapes_names(found):
    widths = [row.high - row.low for row in found.of("global", "kendall") if row.low is not None]
    assert f"wider than {np.median(widths):.2f} (60 endings)" in can_show(found)
    shown = str(html.render(agreement_sections(found)))
    assert "&lt;b&gt;bad&lt;/b&gt;" in shown
    assert "<b>bad" not in shown
    assert "<svg" in shown
    text = markdown.render(agreement_sections(found))
    for heading in ("Scores and people", "Which scores differ", "Picking what people picked", "How well people agree"):
        assert heading in text
