import pytest

from denouement.present.cells import CountAndShare, Number, PValue, written


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (None, "-"),
        (0.0, "<1e-300"),
        (3.48e-54, "3.48e-54"),
        (0.00099, "9.90e-04"),
        (0.001, "0.001"),
        (0.5264, "0.526"),
        (1, "1.000"),
    ],
)
def test_p_values(p, text):
    assert written(PValue(p)) == text


def test_numbers():
    assert written(CountAndShare(1652, 1652 / 3742)) == "1,652 (44.1%)"
    assert written(Number(None, 2)) == "-"
    assert written(Number(-1.666, 2)) == "-1.67"
    assert written(3742) == "3,742"
