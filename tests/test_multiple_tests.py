"""Corrections against values worked out by hand and independent libraries."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from denouement.multiple_tests import benjamini_hochberg, holm


def test_false_discoveries_by_hand():
    # In order .01, .02, .03, .5 times 4, 4/2, 4/3, 1: all of the first three are .04
    assert benjamini_hochberg([0.03, 0.01, 0.5, 0.02]) == pytest.approx([0.04, 0.04, 0.5, 0.04])
    assert benjamini_hochberg([]) == []


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_false_discoveries_as_scipy_does(n):
    p = np.random.default_rng(n).beta(0.4, 2, n)
    p[: n // 3] = p[0]
    assert benjamini_hochberg(p.tolist()) == pytest.approx(false_discovery_control(p))


def test_by_hand():
    # In order .01, .02, .03, .04 times 4, 3, 2, 1: .04, .06, .06, .04; none may be below the one before it.
    assert holm([0.03, 0.01, 0.04, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.7, 0.9]) == [1, 1]
    assert holm([]) == []


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_as_statsmodels_does(n):
    p = np.random.default_rng(n).beta(0.4, 2, n)
    p[: n // 3] = p[0]  # equal ones too
    assert holm(p.tolist()) == pytest.approx(multipletests(p, method="holm")[1])


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(p):
    with pytest.raises(ValueError, match="not between 0 and 1"):
        holm([0.5, p])
    with pytest.raises(ValueError, match="not between 0 and 1"):
        benjamini_hochberg([0.5, p])
