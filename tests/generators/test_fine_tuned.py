"""Fine-tuning: what is learned, what a checkpoint holds, and that a broken run ends like an unbroken one."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import torch
from corpus_toy import Corpus

from denouement import schemas
from denouement.errors import UserError
from denouement.generators.causal import training
from denouement.generators.causal.data import BudgetBatches, TokenStories, read_token_stories
from denouement.generators.causal.settings import FineTuningSettings
from denouement.generators.causal.weights import make_trainable, trained_weights
from denouement.generators.checkpoints import load_generator, save_generator
from denouement.generators.fine_tuned import FineTunedModel
from denouement.generators.history import History
from denouement.generators.neural.data import Ragged
from denouement.generators.training import train
from denouement.language_models.model import load
from denouement.tensors import read_checkpoint
from tests.language_models.tiny import END, STORIES, save_tiny

FILES = ("best.parquet", "last.parquet", "history.json")
METHODS = ["full", pytest.param("lora", marks=pytest.mark.skipif(
    importlib.util.find_spec("peft") is None, reason="the package peft is missing (make lm)"))]  # fmt: skip


def _settings(model: Path, **changes) -> FineTuningSettings:
    return FineTuningSettings(**{"model": str(model), "batch_tokens": 700, "learning_rate": 0.01, **changes})


def _train(model: Path, corpus: Corpus, out: Path, on_epoch=None, stories: Path | None = None, **changes) -> History:
    settings = _settings(model, **changes)
    return train("fine_tuned", stories or corpus.stories, out, settings, work=out / "work", on_epoch=on_epoch)


def _table(stories: list[list[str]], splits: list[str]) -> pa.Table:
    columns = {
        "story_id": [str(n) for n in range(len(stories))],
        "title": [None] * len(stories),
        "sentences": stories,
        "source": ["test"] * len(stories),
        "split": splits,
    }
    return pa.table(columns, schema=schemas.TABLES["stories"].schema)


TOLD = [story.replace(". ", ".|").split("|") for story in STORIES]


@pytest.mark.parametrize("freeze", [False, True])
def test_gradients_are_those_of_a_plain_loop_with_the_context_left_out_of_its_labels(freeze, tiny_model):
    ours, plain = load(str(tiny_model)), load(str(tiny_model)).network
    make_trainable(ours.network, _settings(tiny_model, freeze_embeddings=freeze))
    batch = read_token_stories(_table(TOLD, ["train"] * 3), ours, END, "stories")[np.arange(3)]
    found = training.losses(ours.network, batch)
    found["loss"].backward()

    rows = []
    for story in TOLD:
        whole = ours.tokenizer(" ".join(story), add_special_tokens=False)["input_ids"] + [ours.start]
        context = ours.tokenizer(" ".join(story[:-1]), add_special_tokens=False)["input_ids"]
        rows.append((whole, [-100] * len(context) + whole[len(context) :]))
    longest = max(len(ids) for ids, _ in rows)
    plain(
        input_ids=torch.tensor([ids + [0] * (longest - len(ids)) for ids, _ in rows]),
        attention_mask=torch.tensor([[1] * len(ids) + [0] * (longest - len(ids)) for ids, _ in rows]),
        labels=torch.tensor([labels + [-100] * (longest - len(labels)) for _, labels in rows]),
    ).loss.backward()
    assert int(found["tokens"]) == sum(label != -100 for _, labels in rows for label in labels)
    expected = {name: weight.grad for name, weight in plain.named_parameters()}
    compared = {name: weight.grad for name, weight in ours.network.named_parameters() if weight.grad is not None}
    assert set(expected) - set(compared) == ({"model.embed_tokens.weight"} if freeze else set())
    for name, grad in compared.items():
        torch.testing.assert_close(grad, expected[name], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_it_learns_to_end_stories_and_its_losses_are_those_of_its_scores(method, tiny_model, corpus, tmp_path):
    told = []
    history = _train(tiny_model, corpus, tmp_path, lambda epoch, values: told.append(values), method=method, epochs=3)
    losses = [entry.train_loss for entry in history.epochs]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] - 0.5
    assert history.best_epoch == int(np.argmin([entry.validation_loss for entry in history.epochs]))
    assert (history.vocabulary, history.unknown_share) == (None, None)
    assert all(values["ending_tokens_per_second"] > 0 for values in told)

    generator = load_generator(tmp_path / "best.parquet")
    rows = schemas.read_table(corpus.stories, "stories").to_pylist()
    held_out = [row["sentences"] for row in rows if row["split"] == "validation"]
    log_prob, n_tokens = generator.score([story[:-1] for story in held_out], [story[-1] for story in held_out])
    assert n_tokens.sum() == history.tokens.validation
    assert -log_prob.sum() / n_tokens.sum() == pytest.approx(history.used.validation_loss, rel=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_a_checkpoint_holds_what_was_trained_and_gives_the_same_generator(method, tiny_model, corpus, tmp_path):
    before = load(str(tiny_model)).network.state_dict()
    _train(tiny_model, corpus, tmp_path, method=method, epochs=1)
    kept = read_checkpoint(tmp_path / "best.parquet")["state_dict"]
    if method == "lora":
        assert all(".lora_A." in name or ".lora_B." in name for name in kept)
    else:
        assert set(before) - set(kept) == {"model.embed_tokens.weight", "lm_head.weight"}
        assert all(not torch.equal(before[name], weight) for name, weight in kept.items())
    generator = load_generator(tmp_path / "best.parquet")
    weights = {name.replace(".base_layer", ""): weight for name, weight in generator.model.network.state_dict().items()}
    for name in set(before) - set(kept):
        assert torch.equal(weights[name], before[name])
    save_generator(generator, tmp_path / "again.parquet")
    assert read_checkpoint(tmp_path / "again.parquet").keys() == {"state_dict", "generator"}
    again = load_generator(tmp_path / "again.parquet")
    contexts = [story[:-1] for story in TOLD]
    assert again.write(contexts) == generator.write(contexts)


class BreakError(Exception):
    pass


@pytest.mark.parametrize("method", METHODS)
def test_a_run_broken_after_any_epoch_ends_with_the_same_bytes(method, tiny_model, corpus, tmp_path):
    torch.manual_seed(1)
    state = torch.get_rng_state()
    _train(tiny_model, corpus, tmp_path / "whole", method=method)
    assert torch.equal(torch.get_rng_state(), state)
    for broken in range(2):
        torch.manual_seed(2 + broken)

        def stop(epoch, values, broken=broken):
            if epoch == broken:
                raise BreakError

        out = tmp_path / str(broken)
        with pytest.raises(BreakError):
            _train(tiny_model, corpus, out, stop, method=method)
        _train(tiny_model, corpus, out, method=method)
        assert all((out / file).read_bytes() == (tmp_path / "whole" / file).read_bytes() for file in FILES)
    _train(tiny_model, corpus, tmp_path / "other", method=method, seed=2)
    assert (tmp_path / "other" / "best.parquet").read_bytes() != (tmp_path / "whole" / "best.parquet").read_bytes()


PROGRAM = """
import os, signal, sys
from pathlib import Path
from denouement.generators.causal import training
from denouement.generators.causal.settings import FineTuningSettings
from denouement.generators.training import train
model, stories, out, kill_at = sys.argv[1:]
given, asked = training.losses, []
def losses(network, batch):
    asked.append(batch)
    if len(asked) == int(kill_at):
        os.kill(os.getpid(), signal.SIGKILL)
    return given(network, batch)
training.losses = losses
settings = FineTuningSettings(model=model, batch_tokens=700, learning_rate=0.01)
train("fine_tuned", Path(stories), Path(out), settings, work=Path(out) / "work")
"""


@pytest.mark.slow
def test_a_run_killed_in_the_middle_of_an_epoch_ends_with_the_same_bytes(tiny_model, corpus, tmp_path):
    n_training = len(BudgetBatches(_widths(tiny_model, corpus, "train"), 700))
    n_validation = len(BudgetBatches(_widths(tiny_model, corpus, "validation"), 700))
    _train(tiny_model, corpus, tmp_path / "whole")
    kill_at = n_training + n_validation + n_training // 2
    arguments = [str(each) for each in (tiny_model, corpus.stories, tmp_path / "killed", kill_at)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    killed = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], env=environment)
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "killed" / "best.parquet").exists()
    _train(tiny_model, corpus, tmp_path / "killed")
    assert all((tmp_path / "killed" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes() for file in FILES)


def _widths(model: Path, corpus: Corpus, split: str) -> np.ndarray:
    rows = schemas.read_table(corpus.stories, "stories")
    return read_token_stories(rows.filter(pc.equal(rows["split"], split)), load(str(model)), END, split).widths


def test_a_broken_run_does_not_go_on_with_another_model(tiny_model, corpus, tmp_path, capsys):
    def stop(epoch, values):
        raise BreakError

    model = shutil.copytree(tiny_model, tmp_path / "model")
    with pytest.raises(BreakError):
        _train(model, corpus, tmp_path / "out", stop)
    save_tiny(model, seed=2)
    told = []
    _train(model, corpus, tmp_path / "out", lambda epoch, values: told.append(values))
    assert "of another language model; the training begins anew" in capsys.readouterr().err
    assert all("ending_tokens_per_second" in values for values in told)
    _train(model, corpus, tmp_path / "fresh")
    assert (tmp_path / "fresh/best.parquet").read_bytes() == (tmp_path / "out/best.parquet").read_bytes()


def test_another_base_model_and_other_weights_are_refused(tiny_model, corpus, tmp_path):
    model = shutil.copytree(tiny_model, tmp_path / "model")
    _train(model, corpus, tmp_path, epochs=1)
    checkpoint = read_checkpoint(tmp_path / "best.parquet")
    with pytest.raises(ValueError, match="are not those of its model and settings"):
        FineTunedModel.restore({**checkpoint, "state_dict": {}}, "cpu")
    save_tiny(model, seed=2)
    with pytest.raises(UserError, match=r"best.parquet: made with other weights .* than .*model has now"):
        load_generator(tmp_path / "best.parquet")
    shutil.rmtree(model)
    with pytest.raises(UserError, match="no such folder or file"):
        load_generator(tmp_path / "best.parquet")


def test_bfloat16_learns_what_float32_learns(tiny_model, corpus, tmp_path):
    exact, rough = (
        _train(tiny_model, corpus, tmp_path / precision, precision=precision, epochs=2).epochs[-1].train_loss
        for precision in ("32-true", "bf16-mixed")
    )
    assert rough != exact
    assert rough == pytest.approx(exact, rel=0.02)


def test_without_validation_stories(tiny_model, corpus, tmp_path, capsys):
    stories = tmp_path / "stories.parquet"
    schemas.write_table(_table(TOLD, ["train"] * 3), stories, "stories")
    history = _train(tiny_model, corpus, tmp_path / "out", stories=stories)
    assert (history.best_epoch, history.epochs[-1].validation_loss) == (2, None)
    assert "no validation stories, so the last epoch counts as the best" in capsys.readouterr().err
    with pytest.raises(UserError, match="patience has nothing to watch"):
        _train(tiny_model, corpus, tmp_path / "out", stories=stories, patience=1)
    schemas.write_table(_table(TOLD, ["validation"] * 3), stories, "stories")
    with pytest.raises(UserError, match="no training stories"):
        _train(tiny_model, corpus, tmp_path / "out", stories=stories)


def test_a_story_longer_than_the_model_reads_loses_its_beginning(tiny_model, capsys):
    model = load(str(tiny_model))
    long = [*["Tom had a test."] * 100, "He passed it."]
    read = read_token_stories(_table([long, TOLD[0]], ["train"] * 2), model, END, "stories")
    assert read.ids.lengths.max() == 256
    assert "1 stories are longer than the 256 tokens" in capsys.readouterr().err
    batch = read[np.array([0])]
    assert model.tokenizer.decode(batch.ids[batch.learned]) == f" He passed it.{END}"
    batch = read[np.array([1])]
    assert model.tokenizer.decode(batch.ids[batch.learned]) == f" He passed it.{END}"
    assert model.tokenizer.decode(batch.ids[0, : read.n_context[1]]) == " ".join(TOLD[0][:-1])
    assert not batch.learned[0, : read.n_context[1]].any()


@pytest.mark.parametrize("tokens", [1, 100, 10**6])
def test_batches_hold_each_story_once_within_their_budget(tokens):
    lengths = np.random.default_rng(1).integers(5, 60, 300)
    sampler = BudgetBatches(lengths, tokens, seed=3)
    epochs = []
    for epoch in (0, 1, 1):
        sampler.set_epoch(epoch)
        epochs.append([batch.tolist() for batch in sampler])
        assert len(epochs[-1]) == len(sampler)
        assert sorted(row for batch in epochs[-1] for row in batch) == list(range(300))
        for batch in epochs[-1]:
            assert len(batch) == 1 or lengths[batch].max() * len(batch) <= tokens
    assert epochs[1] == epochs[2]
    assert epochs[0] != epochs[1]
    ordered = [batch.tolist() for batch in BudgetBatches(lengths, tokens)]
    assert [lengths[row] for batch in ordered for row in batch] == sorted(lengths)


def test_batches_have_few_shapes():
    draw = np.random.default_rng(1)
    lengths = np.clip(draw.normal(51, 10, 4000), 20, 100).astype(int)  # as ROCStories are
    stories = TokenStories(Ragged.from_rows([draw.integers(1, 9, length) for length in lengths]), lengths - 12)
    batches = [stories[rows] for rows in BudgetBatches(stories.widths, 1024, seed=1)]
    shapes = Counter(tuple(batch.ids.shape) for batch in batches)
    assert len(batches) > 190
    assert len(shapes) <= 2 * (100 - 20) // 4
    assert {width % 4 for _, width in shapes} == {0}
    assert sum(int(batch.learned.sum()) for batch in batches) == 12 * 4000
    assert TokenStories(Ragged.from_rows([[1, 2, 3]]), np.array([1]), window=3)[np.array([0])].ids.shape == (1, 3)


def test_the_learning_rate_rises_and_falls():
    shares = [training._share_of_rate(done, 0.2) for done in (0.0, 0.1, 0.2, 0.6, 1.0)]
    assert shares == pytest.approx([0, 0.5, 1, 0.5, 0])
    assert [training._share_of_rate(done, 0) for done in (0.0, 0.5)] == [1, 0.5]


def test_the_time_that_a_training_takes_is_said(tiny_model, corpus, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(training, "_MEASURED", 0.0)
    _train(tiny_model, corpus, tmp_path, epochs=2)
    assert "tokens an epoch, " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"rank": 4}, "rank: does not belong to method full"),
        ({"method": "lora", "freeze_embeddings": False}, "freeze_embeddings: does not belong to method lora"),
        ({"warmup": 1.0}, "warmup: must be at least 0 and below 1"),
        ({"batch_tokens": 0}, "batch_tokens: must be at least 1"),
        ({"max_time": "soon"}, "max_time: must be like"),
    ],
)
def test_a_wrong_setting_is_named(changes, problem):
    with pytest.raises(ValueError, match=problem):
        FineTuningSettings(**changes)


def test_layers_that_are_not_there_are_refused(tiny_model):
    pytest.importorskip("peft", reason="the package peft is missing (make lm)")
    with pytest.raises(UserError, match="targets: 'nothing' fits no layer"):
        make_trainable(load(str(tiny_model)).network, _settings(tiny_model, method="lora", targets="nothing"))
    network = load(str(tiny_model)).network
    make_trainable(network, _settings(tiny_model, method="lora", targets=".*q_proj", rank=3))
    assert {tuple(weight.shape) for weight in trained_weights(network).values()} == {(3, 32), (32, 3)}
