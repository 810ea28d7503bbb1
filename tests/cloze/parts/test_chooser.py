"""Fine-tuning and keeping a chooser, on the small language model of the tests."""

import copy
import shutil

import numpy as np
import pytest
import torch

from denouement.cloze.parts.chooser import Chooser, ChooserNetwork, context_digests, load_chooser
from denouement.cloze.parts.chooser_settings import ChooserTraining, Example
from denouement.cloze.parts.chooser_training import train
from denouement.errors import UserError
from denouement.language_models.model import load
from denouement.language_models.rows import Inputs, make_rows

CONTEXT = ["Tom had a test.", "He studied all night."]
ENDINGS = ["He passed it.", "The dog came back.", "It was cold."]


@pytest.fixture(scope="module")
def model(tiny_model):
    return load(str(tiny_model))


def examples(n=24):
    words = ["day", "dog", "test", "bus"]
    found = []
    for number in range(n):
        right, wrong = words[number % 4], words[(number + 1 + number // 4 % 3) % 4]
        endings = [f"It was {right}.", f"It was {wrong}."]
        place = number % 2
        found.append(Example([f"Story {number}.", f"{right} {right}."], endings[:: -1 if place else 1], place))
    return found


def trained(model, seed=1, **settings):
    settings = {"epochs": 2, "learning_rate": 0.003, "batch_size": 4, "layers": 2} | settings
    return train(model, examples(), ChooserTraining(**settings), seed=seed, what="chooser")


def scores(chooser, given=None):
    given = given or examples()
    return np.stack(chooser.scores([" ".join(of.context) for of in given], [of.endings for of in given]))


def test_scores_are_the_head_on_the_last_state_of_each_ending_read_alone(model):
    torch.manual_seed(1)
    network = ChooserNetwork(model, 1).eval()
    chooser = Chooser(model, 1, [network])
    [found] = chooser.scores([" ".join(CONTEXT)], [ENDINGS])
    for ending, score in zip(ENDINGS, found, strict=True):
        ids = torch.tensor([model.tokens(f"{' '.join(CONTEXT)} {ending}")])
        with torch.inference_mode():
            below = model.network(input_ids=ids, output_hidden_states=True).hidden_states[1][0, -1]
            expected = model.network.base_model.norm(below) @ network.head.weight[0]
        assert score == pytest.approx(float(expected), abs=1e-4)


def test_gradients_are_those_of_reading_each_ending_with_its_context(model):
    torch.manual_seed(1)
    network = ChooserNetwork(model, 2)
    alone = copy.deepcopy(network)
    [of] = network(Inputs.of(make_rows(model, [" ".join(CONTEXT)], [[f" {ending}" for ending in ENDINGS]]), model))
    (-torch.log_softmax(of, 0)[1]).backward()
    each = []
    for ending in ENDINGS:
        ids = torch.tensor([model.tokens(f"{' '.join(CONTEXT)} {ending}")])
        each.append(alone.head(alone.body(input_ids=ids).last_hidden_state[0, -1])[0])
    (-torch.log_softmax(torch.stack(each), 0)[1]).backward()
    embeddings = network.body.get_input_embeddings().weight
    for (name, weight), expected in zip(network.named_parameters(), alone.parameters(), strict=True):
        if weight is not embeddings:
            assert torch.allclose(weight.grad, expected.grad, atol=1e-5), name


def test_it_learns_and_leaves_the_language_model_as_it_is(model):
    before = {name: weight.clone() for name, weight in model.network.named_parameters()}
    chooser = trained(model, epochs=12)
    [history] = chooser.history
    assert history["losses"][-1] < 0.3 < history["losses"][0]
    right = [of.right for of in examples()]
    assert (scores(chooser).argmax(1) == right).all()
    assert all(torch.equal(weight, before[name]) for name, weight in model.network.named_parameters())
    [network] = chooser.networks
    embeddings = model.network.get_input_embeddings().weight
    assert network.body.get_input_embeddings().weight is embeddings


def test_the_same_seed_gives_the_same_scores_and_another_one_others(model):
    one, again, other = (scores(trained(model, seed)) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.allclose(one, other)


def test_the_order_of_endings_has_no_effect(model):
    chooser = trained(model)
    turned = [of._replace(endings=of.endings[::-1]) for of in examples()]
    assert scores(chooser, turned)[:, ::-1] == pytest.approx(scores(chooser), abs=1e-4)


def test_the_scores_of_several_seeds_are_averaged(model):
    both = trained(model, seeds=2)
    single = [scores(trained(model, seed)) for seed in (1, 2)]
    assert scores(both) == pytest.approx(np.mean(single, axis=0), abs=1e-5)


def test_a_chooser_is_kept_without_embeddings_and_scores_as_before(model, tmp_path):
    chooser = trained(model, seeds=2, layers=1)
    chooser.save(tmp_path / "chooser.parquet")
    loaded = load_chooser(tmp_path / "chooser.parquet")
    assert np.array_equal(scores(loaded), scores(chooser))
    assert loaded.trained_on == chooser.trained_on
    assert loaded.history == chooser.history
    n_embedded = model.network.get_input_embeddings().weight.numel()
    kept = sum(weight.numel() for weight in loaded.networks[0].learned().values())
    assert kept == sum(weight.numel() for weight in loaded.networks[0].parameters()) - n_embedded


def test_it_knows_what_it_was_trained_on(model):
    """By context without case and marks; of a part of a story the whole one counts, and what it began with stays."""
    start = trained(model, epochs=1)
    part = Example(["A."], ["B. C.", "C. B."], 0, story=["A.", "B."])
    case = Example(["Story 3.", "bus bus."], ["It was bus.", "It was day."], 0, of="v1.0 validation")
    chooser = train(model, [part, case], ChooserTraining(2, epochs=1), seed=1, what="chooser", start=start)
    known = context_digests([["a", "B!"], ["story 3 !", "BUS bus"], ["Story 4.", "day day."], ["A."], CONTEXT])
    assert [chooser.trained_on.get(digest) for digest in known] == ["stories", "v1.0 validation", "stories", None, None]


def test_another_language_model_is_refused(model, taught_model, tiny_model, tmp_path):
    path = tmp_path / "chooser.parquet"
    trained(model, epochs=1).save(path)
    with pytest.raises(UserError, match="was made of another language model"):
        load_chooser(path, str(taught_model))
    moved = tmp_path / "moved"
    shutil.copytree(tiny_model, moved)
    load_chooser(path, str(moved)).save(other := tmp_path / "other.parquet")
    moved.rename(tmp_path / "elsewhere")
    with pytest.raises(UserError, match=r"other\.parquet: made of the language model .*moved: .*moved: no such .*if"):
        load_chooser(other)
    moved.symlink_to(tiny_model)
    assert np.isfinite(scores(load_chooser(path, str(moved)))).all()


def test_files_that_hold_no_chooser(tmp_path):
    from denouement.tensors import write_checkpoint

    path = tmp_path / "other.parquet"
    write_checkpoint({"generator": {}}, path)
    with pytest.raises(UserError, match="not a checkpoint of a chooser"):
        load_chooser(path)
    with pytest.raises(UserError, match="no such file"):
        load_chooser(tmp_path / "none.parquet")


def test_training_ends_when_its_time_is_over(model, capsys):
    chooser = trained(model, max_minutes=1e-9)
    assert len(chooser.history[0]["losses"]) == 1
    assert "ended after 1 of 12 steps, as max_minutes says" in capsys.readouterr().err


def test_a_training_goes_on_from_another_one(model):
    first = trained(model)
    second = train(model, examples(4), ChooserTraining(2, epochs=1), seed=1, what="chooser", start=first)
    assert second.trained_on == first.trained_on
    assert len(second.history) == 2
    [begun], [ended] = first.networks, second.networks
    assert torch.allclose(begun.head.weight, ended.head.weight, atol=1e-3)


def test_more_layers_than_there_are(model):
    with pytest.raises(UserError, match="layers: 3 of a language model that has 2"):
        trained(model, layers=3)


@pytest.mark.parametrize("option", ["layers", "epochs", "learning_rate", "batch_size", "seeds", "max_minutes"])
def test_settings_out_of_range(option):
    with pytest.raises(ValueError, match=option):
        ChooserTraining(**{option: 0})
