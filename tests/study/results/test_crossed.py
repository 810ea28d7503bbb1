"""Variances over cases and annotators: by analysis of variance, by leaving out in earnest, and where there is none."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from statsmodels.stats.anova import anova_lm

from denouement.study.results.crossed import CASES, CASES_AND_ANNOTATORS, ClusteredEstimate, Clusters, variation


def of_mean(values, clusters: Clusters, weights=None) -> ClusteredEstimate:
    values = np.asarray(values, dtype=np.float64)
    weights = np.ones(len(values)) if weights is None else weights
    scores = weights * (values - np.average(values, weights=weights))
    one = np.ones((1, 1))
    return ClusteredEstimate(scores[:, None], np.zeros(len(values), np.int64), weights, one[None], one, clusters)


def everyone(n_cases: int, n_annotators: int) -> Clusters:
    return Clusters(np.repeat(np.arange(n_cases), n_annotators), np.tile(np.arange(n_annotators), n_cases))


def drawn(clusters: Clusters, seed: int = 0, case=1.0, annotator=1.0, noise=0.5):
    generator = np.random.default_rng(seed)
    own, taste = generator.normal(0, case, 1000)[clusters.cases], generator.normal(0, annotator, 1000)
    return own + taste[clusters.annotators] + generator.normal(0, noise, len(own))


def test_where_everyone_answers_everything_it_is_the_analysis_of_variance():
    n_cases, n_annotators = 12, 5
    clusters = everyone(n_cases, n_annotators)
    values = drawn(clusters)
    frame = pd.DataFrame({"value": values, "case": clusters.cases, "annotator": clusters.annotators})
    squares = anova_lm(smf.ols("value ~ C(case) + C(annotator)", frame).fit())["mean_sq"]
    of_case, of_annotator, noise = squares["C(case)"], squares["C(annotator)"], squares["Residual"]
    assert min(of_case, of_annotator) > noise
    found = variation(of_mean(values, clusters))
    assert found.over == CASES_AND_ANNOTATORS
    # The variance of the mean of a two-way layout with random effects, without replication.
    assert found.variances == pytest.approx([(of_case + of_annotator - noise) / len(values)])
    within = of_case**2 / (n_cases - 1) + of_annotator**2 / (n_annotators - 1)
    assert found.degrees == pytest.approx([(of_case + of_annotator - noise) ** 2 / within])


def test_with_cases_alone_it_is_the_mean_of_independent_cases():
    clusters = Clusters(np.repeat(np.arange(8), 3), None)
    values = np.random.default_rng(1).normal(size=24)
    means = values.reshape(8, 3).mean(axis=1)
    found = variation(of_mean(values, clusters))
    assert (found.over, found.degrees.tolist()) == (CASES, [7])
    assert found.variances == pytest.approx([means.var(ddof=1) / 8])


def test_unequal_clusters_are_left_out_in_earnest():
    generator = np.random.default_rng(2)
    cases = np.repeat(np.arange(6), [1, 2, 3, 5, 8, 13])
    values, weights = generator.normal(size=32), generator.uniform(0.5, 2, 32)
    mean = np.average(values, weights=weights)
    left_out = [np.average(values[cases != case], weights=weights[cases != case]) for case in range(6)]
    found = variation(of_mean(values, Clusters(cases, None), weights))
    assert found.variances == pytest.approx([5 / 6 * np.sum((np.array(left_out) - mean) ** 2)])
    totals = np.bincount(cases, weights)
    # The effective number of clusters whose effects are weighted so: (sum of squares)^2 / sum of fourth powers.
    assert found.degrees == pytest.approx([np.sum(totals**2) ** 2 / np.sum(totals**4) - 1])


def test_neither_names_nor_order_matter():
    clusters = everyone(7, 4)
    values = drawn(clusters)
    found = variation(of_mean(values, clusters))
    generator = np.random.default_rng(5)
    order, names = generator.permutation(28), generator.permutation(100)
    shuffled = Clusters(clusters.cases, clusters.annotators).of(order)
    again = variation(of_mean(values[order], Clusters(names[shuffled.cases], names[shuffled.annotators])))
    assert again.variances == pytest.approx(found.variances, rel=1e-9)
    assert variation(of_mean(values[order], shuffled)).variances.tolist() == found.variances.tolist()


def test_cases_and_annotators_count_alike():
    clusters = everyone(7, 4)
    values = drawn(clusters)
    found, turned = (variation(of_mean(values, each)) for each in (clusters, Clusters(*reversed(clusters))))
    assert found.variances == pytest.approx(turned.variances)
    assert found.degrees == pytest.approx(turned.degrees)


def test_a_person_for_each_answer_changes_nothing():
    cases = np.repeat(np.arange(40), 3)
    values = drawn(Clusters(cases, np.arange(120)), annotator=0)
    by_case = variation(of_mean(values, Clusters(cases, None)))
    by_both = variation(of_mean(values, Clusters(cases, np.arange(120))))
    assert by_both.variances == pytest.approx(by_case.variances, rel=0.02)
    one_each = Clusters(np.arange(5), np.arange(5)[::-1])
    assert variation(of_mean(values[:5], one_each)).variances == pytest.approx([values[:5].var(ddof=1) / 5])


def test_a_taste_that_all_cases_share_is_in_the_variance():
    clusters = everyone(100, 4)
    taste = np.array([1.0, -1.0, 2.0, -2.0])
    values = taste[clusters.annotators] + np.random.default_rng(3).normal(0, 0.1, 400)
    found = variation(of_mean(values, clusters))
    assert found.variances == pytest.approx([taste.var(ddof=1) / 4], rel=0.05)
    assert found.degrees == pytest.approx([3], rel=0.01)
    assert variation(of_mean(values, Clusters(clusters.cases, None))).variances < 0.001


def test_one_annotator_leaves_the_cases_and_one_case_leaves_nothing():
    values = np.array([1.0, 2.0, 4.0])
    alone = variation(of_mean(values, Clusters(np.arange(3), np.zeros(3, np.int64))))
    unknown = variation(of_mean(values, Clusters(np.arange(3), None)))
    assert (alone.over, alone.variances.tolist()) == (CASES, unknown.variances.tolist())
    nothing = variation(of_mean(values, Clusters(np.zeros(3, np.int64), np.arange(3))))
    assert (nothing.over, nothing.variances.tolist()) == (None, [np.inf])


@pytest.mark.parametrize("n", [2, 3, 4])
def test_few_annotators_have_no_more_degrees_of_freedom_than_they_are(n):
    clusters = everyone(30, n)
    assert variation(of_mean(drawn(clusters, annotator=0), clusters)).degrees == pytest.approx([n - 1])
    assert variation(of_mean(drawn(everyone(30, 5), annotator=0), everyone(30, 5))).degrees > 10


def test_what_only_one_cluster_shows_has_no_variance():
    # The second parameter is in the answers of the first case only.
    scores = np.array([[1.0, 0.5], [-1.0, -0.5], [0.3, 0.0], [-0.3, 0.0]])
    informations = np.array([np.eye(2), np.diag([1.0, 0.0])])
    estimate = ClusteredEstimate(
        scores, np.array([0, 0, 1, 1]), np.ones(4), informations, np.eye(2), Clusters(np.array([0, 0, 1, 2]), None)
    )
    assert np.isinf(variation(estimate).variances).all()
