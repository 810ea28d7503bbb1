"""Many studies at once give what the results of each single one give."""

import numpy as np
import pytest

from denouement.study.planning.assumed import AssumedAnswers, assigned, drawn_answers
from denouement.study.planning.drawn_studies import drawn_studies
from denouement.study.results.clustered import preference
from denouement.study.results.crossed import Clusters


@pytest.mark.parametrize(
    ("items", "per_item", "people", "kept"),
    [
        (12, 3, 7, 1.0),
        (30, 1, 6, 1.0),
        (20, 5, 5, 1.0),
        (25, 4, 30, 0.7),
        (6, 2, 3, 1.0),
        (15, 1, 15, 1.0),
        (40, 1, 1, 1.0),
    ],
)
def test_each_study_is_as_its_results_are(items, per_item, people, kept):
    generator = np.random.default_rng(3)
    by = assigned(items, per_item, people, generator)
    by = by.of(generator.random(len(by.cases)) < kept)
    answers = drawn_answers(AssumedAnswers(0.7), by, 20, generator)
    answers[0] = True
    found = drawn_studies(answers, by)
    assert (found.low[0], found.high[0], found.p[0]) == (0, 1, 1)
    for place in range(1, 20):
        wanted = preference(answers[place], by)
        assert found.share[place] == pytest.approx(wanted.share)
        assert (found.low[place], found.high[place]) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
        assert found.p[place] == pytest.approx(wanted.p, abs=1e-9)


def test_groups_that_share_no_annotator_are_right_too():
    by = Clusters(np.repeat(np.arange(12), 3), np.array([[0, 1, 2], [3, 4, 5]] * 6).ravel())
    answers = np.random.default_rng(1).random((5, 36)) < 0.6
    found = drawn_studies(answers, by)
    wanted = [preference(each, by) for each in answers]
    assert found.width == pytest.approx([each.high - each.low for each in wanted], abs=1e-9)
