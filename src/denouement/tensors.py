"""Trained models as Parquet: a row for each tensor, and all else as JSON in the metadata. Reading one runs no code.

JSON has no tuples, no keys other than text, no NaN and no infinity. These are written as objects with one key that
begins with `$`. So is a tensor, as the name of its row.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch

from denouement import schemas
from denouement.errors import UserError, first_line

_DTYPES: dict[str, torch.dtype] = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.float32,
        torch.float64,
        torch.float16,
        torch.bfloat16,
        torch.int64,
        torch.int32,
        torch.int16,
        torch.int8,
        torch.uint8,
        torch.bool,
    )
}
UNBUILDABLE = (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RuntimeError)
"""The errors of building a network from a wrong checkpoint: a missing key, text for a size, other weights."""

_STATE_KEY = "denouement.state"
_DIGEST_KEY = "denouement.digest"


def write_checkpoint(checkpoint: Mapping[str, Any], path: Path) -> None:
    """Write nested dicts, lists and tuples of tensors, numbers, text, booleans and None; the same bytes each time.

    Raises:
        TypeError: `checkpoint` holds something else.
    """
    tensors: dict[str, torch.Tensor] = {}
    state = _to_json(checkpoint, "", tensors)
    columns = {
        "name": list(tensors),
        "dtype": [str(tensor.dtype).removeprefix("torch.") for tensor in tensors.values()],
        "shape": [list(tensor.shape) for tensor in tensors.values()],
        "data": [_to_bytes(tensor) for tensor in tensors.values()],
    }
    text = json.dumps(state, allow_nan=False, separators=(",", ":"))
    table = pa.table(columns, schema=schemas.TABLES["checkpoint"].schema)
    schemas.write_table(table, path, "checkpoint", {_STATE_KEY: text, _DIGEST_KEY: _digest(text.encode(), table)})


def read_checkpoint(path: Path) -> dict[str, Any]:
    """The checkpoint that `write_checkpoint` wrote; its tensors are on the CPU.

    Raises:
        UserError: no such file, not a checkpoint, or a damaged one.
    """
    table = schemas.read_table(path, "checkpoint")
    state = table.schema.metadata.get(_STATE_KEY.encode(), b"")
    digest = table.schema.metadata.get(_DIGEST_KEY.encode())
    try:
        if digest is not None and digest.decode(errors="replace") != _digest(state, table):
            raise ValueError("not what was written")
        tensors = {
            row["name"]: _to_tensor(row["dtype"], row["shape"], row["data"])
            for batch in table.to_batches(max_chunksize=1)  # one tensor at a time: a model is large enough once
            for row in batch.to_pylist()
        }
        checkpoint = _from_json(json.loads(state), tensors)
        if not isinstance(checkpoint, dict):
            raise ValueError("no state in it")
    except RecursionError as error:
        raise UserError(f"{path}: damaged checkpoint (nested too deeply); train again to make it") from error
    except (ValueError, KeyError, TypeError, RuntimeError) as error:  # RuntimeError: a size that PyTorch refuses
        raise UserError(f"{path}: damaged checkpoint ({first_line(error)}); train again to make it") from error
    return checkpoint


def read_state(path: Path) -> dict[str, Any]:
    """A checkpoint with None in place of each tensor; it reads no tensor and checks no digest.

    Raises:
        UserError: no such file, or not a checkpoint.
    """
    state = (schemas.read_schema(path, "checkpoint").metadata or {}).get(_STATE_KEY.encode(), b"")
    try:
        content = _from_json(json.loads(state), defaultdict(lambda: None))
        if not isinstance(content, dict):
            raise ValueError("no state in it")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(f"{path}: damaged checkpoint ({first_line(error)}); train again to make it") from error
    return content


def _to_json(value: Any, name: str, tensors: dict[str, torch.Tensor]) -> Any:
    """`value` as JSON can hold it; its tensors are added to `tensors`, each under the path to its place."""
    if isinstance(value, torch.Tensor):
        tensors[name] = value
        return {"$tensor": name}
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": str(value)}
    if isinstance(value, Mapping):
        items = [(key, _to_json(item, f"{name}/{key}" if name else str(key), tensors)) for key, item in value.items()]
        if all(isinstance(key, str) and not key.startswith("$") for key in value):
            return dict(items)
        return {"$dict": [[_to_json(key, name, tensors), item] for key, item in items]}
    if isinstance(value, list | tuple):
        elements = [_to_json(item, f"{name}/{place}", tensors) for place, item in enumerate(value)]
        return elements if isinstance(value, list) else {"$tuple": elements}
    raise TypeError(f"a checkpoint cannot hold {name}: {type(value).__name__}")


def _from_json(value: Any, tensors: Mapping[str, torch.Tensor | None]) -> Any:
    if isinstance(value, list):
        return [_from_json(item, tensors) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"$tensor": name}:
            return tensors[name]
        case {"$float": text}:
            return float(text)
        case {"$tuple": elements}:
            return tuple(_from_json(element, tensors) for element in elements)
        case {"$dict": items}:
            return {_from_json(key, tensors): _from_json(item, tensors) for key, item in items}
    return {key: _from_json(item, tensors) for key, item in value.items()}


def _digest(state: bytes, table: pa.Table) -> str:
    """A digest of everything in a checkpoint, by which a damaged weight or word is noticed."""
    digest = hashlib.sha256(state)
    for name in ("name", "dtype", "shape"):
        digest.update(json.dumps(table[name].to_pylist()).encode())
    for chunk in table["data"].chunks:
        for data in chunk:
            digest.update(data.as_buffer())
    return digest.hexdigest()


def _to_bytes(tensor: torch.Tensor) -> bytes:
    """Elements in row-major order, little-endian as on all platforms of PyTorch."""
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""


def _to_tensor(dtype: str, shape: list[int], data: bytes) -> torch.Tensor:
    if dtype not in _DTYPES:
        raise ValueError(f"unknown dtype {dtype}")
    kind = _DTYPES[dtype]
    if min(shape, default=0) < 0 or math.prod(shape) * kind.itemsize != len(data):
        raise ValueError(f"{len(data)} bytes for a tensor {dtype} of shape {shape}")
    if not data:
        return torch.empty(shape, dtype=kind)
    return torch.from_numpy(np.frombuffer(data, dtype=np.uint8).copy()).view(kind).reshape(shape)
