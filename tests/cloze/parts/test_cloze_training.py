"""The training loop on a loss worked out by hand, and what is kept of a training."""

import numpy as np
import pyarrow as pa
import pytest
import torch
from torch import nn

from denouement.cloze.parts.training import Learner, fit, kept_training, seeded
from denouement.errors import UserError


class OneNumber(Learner[float]):
    """Its loss is the squared distance of its number to the batch's."""

    def __init__(self) -> None:
        super().__init__()
        self.number = nn.Parameter(torch.zeros(()))

    def loss(self, batch: float) -> tuple[torch.Tensor, int]:
        return 2 * (self.number - batch) ** 2, 2


def fitted(validation: list[float], epochs: int = 20, target: float = 100.0) -> tuple[float, list[dict[str, float]]]:
    network = OneNumber()
    history = fit(
        network, lambda _: [target], validation, what="x", epochs=epochs, patience=3, learning_rate=0.5, seed=1
    )
    assert not network.training
    return network.number.item(), history


def test_training_stops_when_the_validation_loss_rises_and_goes_back_to_its_best():
    # While the gradient keeps its sign and its size, each step of Adam is the learning rate: 0.5, 1.0, 1.5, 2.0, 2.5.
    number, history = fitted([1.1])
    assert number == pytest.approx(1.0, abs=1e-3)
    assert [round(epoch["validation_loss"], 2) for epoch in history] == [0.36, 0.01, 0.16, 0.81, 1.96]
    assert history[0]["training_loss"] == 100.0**2


def test_without_validation_the_last_epoch_is_the_best():
    number, history = fitted([], epochs=4)
    assert number == pytest.approx(2.0, abs=1e-3)
    assert len(history) == 4


def test_a_loss_that_is_no_number_is_one_clear_line():
    with pytest.raises(UserError, match="x: training diverged in epoch 1: lower learning_rate"):
        fitted([1.0], target=float("nan"))


def test_every_epoch_has_another_order_that_the_seed_decides():
    def orders(seed: int) -> list[list[int]]:
        seen = []

        def batches(generator: torch.Generator) -> list[float]:
            seen.append(torch.randperm(20, generator=generator).tolist())
            return [1.0]

        fit(OneNumber(), batches, [], what="x", epochs=3, patience=1, learning_rate=0.1, seed=seed)
        return seen

    first = orders(1)
    assert len({tuple(order) for order in first}) == 3
    assert orders(1) == first != orders(2)


def test_global_randomness_is_left_alone():
    before = torch.get_rng_state()
    with seeded(7):
        drawn = torch.rand(3)
    fitted([1.0])
    assert torch.equal(torch.get_rng_state(), before)
    with seeded(7):
        assert torch.equal(torch.rand(3), drawn)


STORIES = pa.table({"sentences": [["A.", "B."]], "split": ["train"]})
OTHER = pa.table({"sentences": [["A.", "C."]], "split": ["train"]})


class Training:
    """Counts how often it was asked for."""

    def __init__(self, cache) -> None:
        self.times = 0
        self._cache = cache

    def __call__(self, stories=STORIES, seed=1, code=(__file__,), **settings):
        def train():
            self.times += 1
            return {"state_dict": {"w": torch.arange(3.0) + self.times}}

        return kept_training("dssm", train, settings=settings, stories=stories, seed=seed, code=code, cache=self._cache)


def test_what_was_trained_is_not_trained_again(tmp_path):
    ask = Training(tmp_path / "cache")
    first = ask(hidden=3)
    again = ask(hidden=3)
    assert ask.times == 1
    np.testing.assert_array_equal(first["state_dict"]["w"], again["state_dict"]["w"])
    code = tmp_path / "code.py"
    code.write_text("x = 1\n")
    for other in ({"hidden": 4}, {"hidden": 3, "seed": 2}, {"hidden": 3, "stories": OTHER}, {"code": [str(code)]}):
        ask(**other)
        ask(**other)
    assert ask.times == 5
    assert len(list((tmp_path / "cache").iterdir())) == 5
    assert all(path.name.startswith("dssm-") for path in (tmp_path / "cache").iterdir())


def test_nothing_is_kept_without_a_cache():
    ask = Training(None)
    ask()
    ask()
    assert ask.times == 2


def test_a_damaged_file_is_trained_anew(tmp_path, capsys):
    ask = Training(tmp_path)
    ask()
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:100])
    assert ask()["state_dict"]["w"][0] == 2
    assert f"{file}: not a Parquet file" in capsys.readouterr().err
    ask()
    assert ask.times == 2


def test_a_training_that_breaks_off_leaves_nothing(tmp_path):
    def broken():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept_training("dssm", broken, settings={}, stories=STORIES, seed=1, code=(), cache=tmp_path)
    assert not list(tmp_path.iterdir())
