import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from denouement.multiple_tests import holm


def test_worked_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])  # 3 x .01; 2 x .03; .04, raised to .06
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([0.02]) == [0.02]
    assert holm([]) == []


@pytest.mark.parametrize("seed", range(5))
def test_as_statsmodels_has_it(seed):
    p = np.random.default_rng(seed).uniform(0, 0.2, 9).round(2).tolist()  # ties among them
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1].tolist())
