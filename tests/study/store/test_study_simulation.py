"""Whole studies whose people leave; `python -m benchmarks leavers` simulates more of them."""

from pathlib import Path

import pytest

from benchmarks.leavers import SHAPES, Shape, Simulated, studies

# Of all four ways to leave only a late answer can be lost, and only where its item was filled meanwhile.
_WASTE = 0.05


def check(shape: Shape, found: list[Simulated]) -> None:
    """Each item has its k answers and no more, and little is paid in vain."""
    assert all(set(each.answers) == {shape.answers} for each in found)
    assert all(each.surplus <= shape.leavers for each in found)
    assert sum(each.surplus for each in found) <= _WASTE * shape.items * shape.answers * len(found)
    assert sum(each.agreed for each in found) <= (shape.people + shape.leavers) * len(found) * 1.05
    assert sum(each.in_vain for each in found) <= 0.02 * sum(each.agreed for each in found)


def test_some_studies_with_leavers_are_filled(tmp_path: Path):
    check(SHAPES[0], studies(tmp_path, SHAPES[0], 5))


@pytest.mark.slow
def test_many_studies_with_leavers_are_filled(tmp_path: Path):
    check(SHAPES[0], studies(tmp_path, SHAPES[0], 40))
