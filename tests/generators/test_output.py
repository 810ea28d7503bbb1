import pytest
import torch
from torch.nn import functional

from denouement.generators.neural.output import AdaptiveSoftmax, FullSoftmax, _SummedLoss

LAYERS = [FullSoftmax, AdaptiveSoftmax]


@pytest.fixture
def noise() -> torch.Generator:
    return torch.Generator().manual_seed(3)


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("words", [7, 40, 9000])
def test_probabilities_sum_to_one_and_targets_are_picked_from_them(layer, words, noise):
    output = layer(16, words)
    hidden = torch.randn(5, 16, generator=noise)
    targets = torch.randint(words, (5,), generator=noise)
    log_probs = output.log_probs(hidden)
    assert log_probs.shape == (5, words)
    torch.testing.assert_close(log_probs.exp().sum(1), torch.ones(5))
    torch.testing.assert_close(output.target_log_probs(hidden, targets), log_probs[range(5), targets])
    torch.testing.assert_close(output.loss(hidden, targets), -log_probs[range(5), targets].mean())


@pytest.mark.parametrize("rows", [1, _SummedLoss.ROWS - 1, _SummedLoss.ROWS, 3 * _SummedLoss.ROWS + 5])
def test_gradients_are_those_of_cross_entropy(rows, noise):
    output = FullSoftmax(6, 50)
    hidden = torch.randn(rows, 6, generator=noise, requires_grad=True)
    targets = torch.randint(50, (rows,), generator=noise)

    def gradients(loss):
        return torch.autograd.grad(3 * loss, [hidden, *output.parameters()])

    theirs = functional.cross_entropy(functional.linear(hidden, output.weight, output.bias), targets)
    torch.testing.assert_close(output.loss(hidden, targets), theirs)
    torch.testing.assert_close(gradients(output.loss(hidden, targets)), gradients(theirs), rtol=1e-4, atol=1e-6)


def test_an_improbable_target_has_a_finite_loss():
    output = FullSoftmax(1, 2)
    with torch.no_grad():
        output.weight.copy_(torch.tensor([[0.0], [500.0]]))
        output.bias.zero_()
    hidden = torch.ones(1, 1, requires_grad=True)
    loss = output.loss(hidden, torch.tensor([0]))
    assert loss.item() == pytest.approx(500)
    assert torch.autograd.grad(loss, hidden)[0].item() == pytest.approx(500)


def test_under_autocast_gradients_are_near_those_of_float32(noise):
    output = FullSoftmax(32, 300)
    hidden = torch.randn(200, 32, generator=noise, requires_grad=True)
    targets = torch.randint(300, (200,), generator=noise)
    exact = torch.autograd.grad(output.loss(hidden, targets), [hidden, *output.parameters()])
    with torch.autocast("cpu", torch.bfloat16):
        rough = torch.autograd.grad(output.loss(hidden, targets), [hidden, *output.parameters()])
    for one, other in zip(exact, rough, strict=True):
        assert one.dtype == other.dtype == torch.float32
        assert (one - other).norm() / one.norm() < 0.01


def test_frequent_words_are_cheaper_under_the_adaptive_softmax():
    full, adaptive = (sum(weight.numel() for weight in layer(256, 12_000).parameters()) for layer in LAYERS)
    assert adaptive < full / 3


@pytest.mark.parametrize(("units", "widths"), [(1, [1, 1]), (12, [4, 1]), (63, [9, 1]), (64, [8, 1]), (256, [32, 4])])
def test_every_group_of_the_adaptive_softmax_has_a_width(units, widths):
    assert [tail[0].out_features for tail in AdaptiveSoftmax(units, 9000).tail] == widths


@pytest.mark.parametrize("layer", LAYERS)
def test_under_autocast_the_softmax_is_worked_out_in_float32(layer, noise):
    output = layer(64, 9000)
    hidden = torch.randn(300, 64, generator=noise)
    targets = torch.randint(9000, (300,), generator=noise)
    exact = output.target_log_probs(hidden, targets)
    with torch.autocast("cpu", torch.bfloat16):
        for given in (hidden, hidden.bfloat16()):
            rough = output.target_log_probs(given, targets)
            whole = output.log_probs(given)
            assert rough.dtype == whole.dtype == output.loss(given, targets).dtype == torch.float32
            torch.testing.assert_close(whole.exp().sum(1), torch.ones(300), atol=1e-4, rtol=0)
            torch.testing.assert_close(rough, whole[range(300), targets])
            torch.testing.assert_close(rough, exact, atol=0.05, rtol=0)  # a log-probability of -9 in bfloat16: 0.03
            assert len(rough.unique()) > 250  # in bfloat16 the 300 would share a hundred values
