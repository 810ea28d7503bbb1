"""A section of settings becomes a dataclass, or an error that names the key."""

from dataclasses import dataclass
from typing import Any, Literal

import pytest

from denouement.errors import UserError
from denouement.settings import build


@dataclass(frozen=True)
class Inner:
    width: int = 3


@dataclass(frozen=True)
class Sample:
    rate: float
    name: str | None = None
    method: Literal["greedy", "beam"] = "greedy"
    sizes: tuple[int, ...] = (1, 2)
    inner: Inner = Inner()
    exact: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.rate <= 1:
            raise ValueError("rate: must be between 0 and 1")


def test_values_are_taken_and_defaults_kept() -> None:
    made = build(Sample, {"rate": 1, "sizes": [4, 5], "inner": {"width": 7}}, "params.yaml: sample")
    assert made == Sample(rate=1.0, sizes=(4, 5), inner=Inner(7))
    assert isinstance(made.rate, float)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"rate": 0.5, "rat": 1}, "s: unknown key rat (known keys are rate, name"),
        ({}, "s: missing key rate"),
        ({"rate": "half"}, "s.rate: must be a number, not 'half'"),
        ({"rate": True}, "s.rate: must be a number, not True"),
        ({"rate": 2}, "s.rate: must be between 0 and 1"),
        ({"rate": None}, "s.rate: must be a number, not None"),
        ({"rate": 0.5, "name": 3}, "s.name: must be text, not 3"),
        ({"rate": 0.5, "method": "best"}, "s.method: must be one of greedy, beam, not 'best'"),
        ({"rate": 0.5, "sizes": [1, "b"]}, "s.sizes: must be a whole number, not 'b'"),
        ({"rate": 0.5, "inner": {"height": 1}}, "s.inner: unknown key height"),
        ({"rate": 0.5, "sizes": "12"}, "s.sizes: must be a list, not '12'"),
        ({"rate": 0.5, "exact": 1}, "s.exact: must be true or false, not 1"),
        ([1], "s: must be a section"),
        (0, "s: must be a section"),
        ("", "s: must be a section"),
        ({"rate": float("nan")}, "s.rate: must be a finite number, not nan"),
        ({"rate": float("-inf")}, "s.rate: must be a finite number, not -inf"),
        ({"rate": 10**400}, "s.rate: must be below 2^63 in size"),
        ({"rate": 0.5, "sizes": [2**63]}, "s.sizes: must be below 2^63 in size"),
    ],
)
def test_mistakes_are_named(section: Any, message: str) -> None:
    with pytest.raises(UserError) as caught:
        build(Sample, section, "s")
    assert str(caught.value).startswith(message)


def test_a_section_without_keys_says_so() -> None:
    @dataclass(frozen=True)
    class Empty:
        pass

    with pytest.raises(UserError, match=r"s: unknown key rate \(it has no keys\)"):
        build(Empty, {"rate": 1}, "s")
