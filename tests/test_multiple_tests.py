"""Corrected p-values, by hand and by another library."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from denouement.multiple_tests import holm


def test_by_hand():
    # Sorted: .01 x 4, .02 x 3, .03 x 2 (no less than the one before), .5 x 1.
    assert holm([0.03, 0.5, 0.01, 0.02]) == pytest.approx([0.06, 0.5, 0.04, 0.06])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([0.03]) == [0.03]
    assert holm([]) == []


@pytest.mark.parametrize("seed", range(20))
def test_by_another_library(seed):
    generator = np.random.default_rng(seed)
    p = generator.choice([0.0, 0.001, 0.01, 0.02, 0.5, 1.0, *generator.uniform(size=5)], generator.integers(1, 12))
    assert holm(p.tolist()) == pytest.approx(multipletests(p, method="holm")[1])
