"""Tensors and nested values in Parquet: what is written comes back, and what is damaged is refused in one line."""

import contextlib
import json
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from denouement import schemas
from denouement.errors import UserError
from denouement.tensors import read_checkpoint, write_checkpoint

STATE = {
    "epoch": 3,
    "state_dict": {
        "a": torch.arange(6.0).reshape(2, 3),
        "b": torch.tensor([1.5, -2.25], dtype=torch.bfloat16),
        "scalar": torch.tensor(7),
        "empty": torch.empty(0, 4),
        "mask": torch.tensor([True, False]),
        "strided": torch.arange(6).reshape(2, 3).T,
    },
    "optimizer": {"state": {0: {"betas": (0.9, 0.999), "m": torch.tensor([1.0])}}, "none": None, "name": "é"},
    "floats": [math.inf, -math.inf, 0.1, True],
    "$dollar": {"$tensor": "no tensor"},
}


def _equal(one, other) -> bool:
    if isinstance(one, torch.Tensor):
        return isinstance(other, torch.Tensor) and one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, dict):
        return list(one) == list(other) and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(_equal, one, other))
    return type(one) is type(other) and (one == other or (one != one and other != other))


def test_what_is_written_is_read_with_its_types_and_the_same_bytes_come_again(tmp_path):
    write_checkpoint(STATE, tmp_path / "a.parquet")
    write_checkpoint(STATE, tmp_path / "b.parquet")
    assert _equal(read_checkpoint(tmp_path / "a.parquet"), STATE)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers() | st.tuples(st.integers()), inner, max_size=3)
        | st.dictionaries(st.sampled_from(["$tensor", "$dict", "$tuple", "$float"]), inner, max_size=1)
    ),
    max_leaves=10,
)


@given(values)
def test_any_nested_value_comes_back(tmp_path_factory, value):
    path = tmp_path_factory.mktemp("any") / "c.parquet"
    write_checkpoint({"value": value}, path)
    assert _equal(read_checkpoint(path), {"value": value})


def test_what_a_checkpoint_cannot_hold_is_named(tmp_path):
    with pytest.raises(TypeError, match="loops/bad: object"):
        write_checkpoint({"loops": {"bad": object()}}, tmp_path / "c.parquet")
    assert not list(tmp_path.iterdir())


def _rows(state: object, **columns: list) -> pa.Table:
    row = {"name": ["w"], "dtype": ["float32"], "shape": [[2]], "data": [bytes(8)], **columns}
    kind = schemas.TABLES["checkpoint"]
    metadata = {"denouement.state": json.dumps(state)}
    schema = schemas.stamp(kind.schema, "checkpoint", kind.version, metadata)
    if isinstance(row["shape"][0][0], str):
        schema = schema.set(2, pa.field("shape", pa.list_(pa.string())))
    return pa.table(row, schema=schema)


def _stated(state: str | bytes) -> pa.Table:
    table = _rows({})
    return table.replace_schema_metadata({**table.schema.metadata, b"denouement.state": state})


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (_rows({"w": {"$tensor": "w"}}, data=[bytes(7)]), "7 bytes for a tensor float32"),
        (_rows({"w": {"$tensor": "w"}}, shape=[[-2]]), "8 bytes for a tensor"),
        (_rows({"w": {"$tensor": "w"}}, dtype=["quaternion"]), "unknown dtype quaternion"),
        (_rows({"w": {"$tensor": "other"}}), "other"),
        (_rows([1]), "no state"),
        (_rows({"w": {"$tensor": "w"}}, shape=[["2"]]), "columns are"),
        (_rows({"w": {"$tensor": "w"}}, shape=[[0, 2**62, 2**62]], data=[b""]), "damaged checkpoint"),
        (_rows({"w": {"$tensor": ["w"]}}), "damaged checkpoint"),
        (_rows({"w": {"$float": "much"}}), "damaged checkpoint"),
        (_rows({"w": {"$dict": [[{}, 1]]}}), "damaged checkpoint"),
        (_rows({"w": {"$dict": 7}}), "damaged checkpoint"),
        (_rows({"w": {"$tuple": 7}}), "damaged checkpoint"),
        (_stated("[" * 100_000), "nested too deeply"),
        (_stated('{"a":' * 500 + "[" * 500 + "]" * 500 + "}" * 500), "nested too deeply"),
        (_stated('{"a": ' + "9" * 5000 + "}"), "Exceeds the limit"),
        (_stated(b'{"a": "\xff"}'), "damaged checkpoint"),
        (_stated(""), "damaged checkpoint"),
        (_rows({}).replace_schema_metadata(schemas.stamp(pa.schema([]), "checkpoint", 1).metadata), "damaged"),
    ],
)
def test_a_damaged_checkpoint_is_one_clear_line(tmp_path, table, problem):
    path = tmp_path / "c.parquet"
    pq.write_table(table, path)
    with pytest.raises(UserError, match=problem) as caught:
        read_checkpoint(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kept", [0, 4, 100, 0.5, 0.99])
def test_a_truncated_checkpoint_is_one_clear_line(tmp_path, kept):
    path = tmp_path / "c.parquet"
    write_checkpoint(STATE, path)
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content)) if isinstance(kept, float) else kept])
    with pytest.raises(UserError, match="not a Parquet file") as caught:
        read_checkpoint(path)
    assert "\n" not in str(caught.value)


def test_a_checkpoint_with_any_flipped_byte_is_refused_or_read_as_it_was(tmp_path):
    path = tmp_path / "c.parquet"
    write_checkpoint(STATE, path)
    whole = path.read_bytes()
    refused = []
    for place in [*range(0, len(whole), 3), *range(len(whole) - 600, len(whole))]:
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        path.write_bytes(bytes(flipped))
        try:
            assert _equal(read_checkpoint(path), STATE), place
        except UserError as error:
            refused.append(str(error))
    assert len(refused) > len(whole) // 3 // 2
    assert not [message for message in refused if "\n" in message]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["w", "x", "1.5", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "$tensor", "$dict", "$tuple", "$float"]), inner, max_size=2)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["a", "b", "$tensor", "$dict", "$tuple", "$float"]), json_values, max_size=2))
def test_any_state_made_by_hand_is_read_or_refused(tmp_path_factory, state):
    path = tmp_path_factory.mktemp("any") / "c.parquet"
    pq.write_table(_rows(state), path)
    with contextlib.suppress(UserError):
        read_checkpoint(path)
