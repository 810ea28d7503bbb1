"""What holds for every score, row by row of the registry."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from denouement.cloze.resources import Resources
from denouement.metrics import METRICS
from denouement.metrics.base import EndingMetric, EndingRows, Metric, SetMetric, load_metric, measure_of

# An ending that each score with a direction should find better than another one, after the same context.
CONTEXT = ["Tom had a dog named Rex.", "Rex ran away on Monday.", "Tom looked for him all day.", "He cried at night."]
REFERENCE = "In the morning Rex was at the door."
BETTER = "In the morning Rex was back."
WORSE = {
    "bleu": "Pasta is good.",
    "rouge_l": "Pasta is good.",
    "chrf": "Pasta is good.",
    "meteor": "Pasta is good.",
    "reference_similarity": "Pasta is good.",
    "token_matching": "Pasta is good.",
    "no_mention": "Pasta is good.",
    "coherence": "Rex ran away on Monday.",
    "preference": "Rex ran away on Monday.",
    "sentiment_drift": "Everybody hated the awful murder, a terrible disaster.",
    "grammar": "The the of back in was.",
    "copying": "Rex ran away on Monday.",
    "novelty": None,  # the ending of a training story
}
SETS = {"repetition": (["Ann ran home.", "It rained."], ["It rained.", "It rained."])}
SETS["self_bleu"] = SETS["repetition"]
NO_DIRECTION = {"length", "context_similarity"}
OF_RANDOM_WEIGHTS = {
    "likelihood",
    "language_model",
    "chooser",
    "preference",
}  # which here know nothing of what is better

visited: Counter[str] = Counter()


def values(metric: Metric, rows: EndingRows, resources: Resources) -> dict[str, np.ndarray]:
    if isinstance(metric, EndingMetric):
        return metric.score(rows, resources)
    assert isinstance(metric, SetMetric)
    return {score: np.array([value]) for score, value in metric.score_set(rows.endings).items()}


@pytest.fixture(params=METRICS)
def metric(request: pytest.FixtureRequest, resources: Resources) -> Metric:
    metric = load_metric(request.param)
    if lacks := metric.lacks(resources):
        pytest.skip("; ".join(lacks))
    visited[request.param] += 1
    return metric


def test_values_are_in_the_range_and_the_same_each_time(metric, rows, resources):
    assert metric.name in METRICS
    found = values(metric, rows, resources)
    again = values(load_metric(metric.name), rows, resources.of_another_system())
    for score, of_score in found.items():
        measure = measure_of(metric, score)
        assert of_score.dtype == np.float64
        assert metric.unscorable or not np.isnan(of_score).any()
        there = of_score[~np.isnan(of_score)]
        assert len(there)
        assert np.isfinite(there).all()
        assert measure.low is None or (there >= measure.low - 1e-9).all()
        assert measure.high is None or (there <= measure.high + 1e-9).all()
        np.testing.assert_array_equal(of_score, again[score])


def test_neither_other_endings_nor_their_order_change_a_value(metric, rows, resources):
    found = values(metric, rows, resources)
    backwards = values(metric, rows.take(range(len(rows))[::-1]), resources)
    for score, of_score in found.items():
        np.testing.assert_allclose(backwards[score][::-1], of_score, rtol=1e-4, atol=1e-5)
    if isinstance(metric, EndingMetric):
        for row in (0, 1, 7):
            for score, of_score in metric.score(rows.take([row]), resources).items():
                np.testing.assert_allclose(of_score, found[score][[row]], rtol=1e-4, atol=1e-5)


def test_the_better_ending_has_the_better_value(metric, resources):
    if metric.name in NO_DIRECTION:
        assert {measure.better for measure in metric.measures.values()} == {"neither"}
        return
    if metric.name in OF_RANDOM_WEIGHTS:
        return
    if isinstance(metric, SetMetric):
        better, worse = (metric.score_set(endings) for endings in SETS[metric.name])
        found = {score: (value, worse[score]) for score, value in better.items()}
    else:
        assert isinstance(metric, EndingMetric)
        assert resources.stories is not None
        worse_ending = WORSE[metric.name] or resources.stories["sentences"][1].as_py()[-1]
        pair = EndingRows([BETTER, worse_ending], [CONTEXT] * 2, [[REFERENCE]] * 2)
        found = {score: tuple(of) for score, of in metric.score(pair, resources).items()}
    for score, (of_better, of_worse) in found.items():
        match measure_of(metric, score).better:
            case "higher":
                assert of_better > of_worse, score
            case "lower":
                assert of_better < of_worse, score


def test_the_page_describes_every_score():
    page = (Path(__file__).parents[2] / "docs/metrics.md").read_text(encoding="utf-8")
    for name in METRICS:
        for score in load_metric(name).measures:
            assert f"`{score}`" in page or f"`{score} " in page, score


def test_every_row_was_visited_or_skipped_with_its_reason(capsys):
    with capsys.disabled():
        print(f"\n{len(visited)} of {len(METRICS)} scores visited")
