"""Options that are given as NAME=VALUE."""

import pytest

from denouement.cli.options import named_values
from denouement.errors import UserError


def test_values_by_name():
    assert named_values("--o", ["a=1", "b=x=y", "a=1"], "a=1") == {"a": "1", "b": "x=y"}
    assert named_values("--o", ["x=y=A"], "1=A", last_sign=True) == {"x=y": "A"}
    assert named_values("--o", [], "a=1") == {}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a"], "--o a: must be like a=1; names are a, b"),
        (["=1"], "--o =1: must be like a=1; names are a, b"),
        (["a="], "--o a=: must be like a=1; names are a, b"),
        (["a= "], "--o a= : must be like a=1; names are a, b"),
        (["c=1"], "--o c=1: must be like a=1; names are a, b"),
        (["a=1", "a=2"], "--o a=2: a is given twice"),
    ],
)
def test_words_that_give_no_value(words, message):
    with pytest.raises(UserError) as raised:
        named_values("--o", words, "a=1", names=("a", "b"))
    assert str(raised.value) == message
