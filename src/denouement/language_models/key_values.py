"""What a network keeps of the tokens that it has read, so that the next ones are read without them."""

from __future__ import annotations

from typing import Any

import torch
from transformers.cache_utils import Cache, DynamicLayer


class KeysAndValues(Cache):
    """The keys and values of all layers, written in place into tensors with room for what is still to come.

    A layer of transformers' own copies all of them for each token, and its static one reads the whole room each time.
    """

    def __init__(self, n_layers: int, room: int) -> None:
        """Make an empty one.

        Args:
            n_layers: of the network.
            room: the most tokens of a row.
        """
        self.of_layers = [_RoomyLayer(room) for _ in range(n_layers)]
        super().__init__(layers=list(self.of_layers))

    def begin_with(self, other: KeysAndValues, n_rows: int) -> None:
        """Let each of `n_rows` rows begin with the one row of `other`."""
        for mine, theirs in zip(self.of_layers, other.of_layers, strict=True):
            keys, values = theirs.read()
            mine.update(keys.expand(n_rows, -1, -1, -1), values.expand(n_rows, -1, -1, -1))

    def select(self, rows: torch.Tensor) -> None:
        """Keep these rows, in this order; the same one may come several times."""
        for layer in self.of_layers:
            layer.batch_select_indices(rows)


class _RoomyLayer(DynamicLayer):  # type: ignore[no-untyped-call]
    def __init__(self, room: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.room, self.used = room, 0

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
            # in bfloat16 rotated keys come in float32, but are read in the precision of the values
            self._keys = self._roomy(key_states.to(value_states.dtype))
            self._values = self._roomy(value_states)
        end = self.used + key_states.shape[-2]
        self._keys[:, :, self.used : end], self._values[:, :, self.used : end] = key_states, value_states
        self._show(end)
        return self.read()

    def read(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The keys and values of the tokens read so far, [rows, heads, tokens, width] each."""
        return self._keys[:, :, : self.used], self._values[:, :, : self.used]

    def batch_select_indices(self, indices: torch.Tensor) -> None:
        keys, values = (each[indices] for each in self.read())
        self._keys, self._values = self._roomy(keys), self._roomy(values)
        self._keys[:, :, : self.used], self._values[:, :, : self.used] = keys, values
        self._show(self.used)

    def _roomy(self, like: torch.Tensor) -> torch.Tensor:
        return like.new_empty((*like.shape[:2], self.room, like.shape[-1]))

    def _show(self, used: int) -> None:
        self.used = used
        self.keys, self.values = self.read()
