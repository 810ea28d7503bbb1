import ctypes
import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from corpus_toy import Corpus, neural, perplexity, small

from denouement import schemas
from denouement.documents import document
from denouement.errors import UserError
from denouement.generators.checkpoints import load_generator
from denouement.generators.h_seq2seq import HSeq2SeqSettings
from denouement.generators.history import Counts
from denouement.generators.seq2seq import Seq2SeqSettings
from denouement.generators.training import settings_for, train
from denouement.tensors import read_checkpoint
from denouement.text.vocabulary import END, PAD
from denouement.yaml_files import read_yaml

NAMES = neural()
FILES = ("best.parquet", "last.parquet", "history.json")


def _train(name: str, corpus: Corpus, out: Path, on_epoch=None, stories: Path | None = None, **changes):
    settings = small(name, **changes)
    embeddings = corpus.embeddings
    return train(
        name, stories or corpus.stories, out, settings, embeddings=embeddings, work=out / "work", on_epoch=on_epoch
    )


@pytest.mark.parametrize("name", NAMES)
def test_training_learns_and_keeps_the_best_and_the_last_epoch(name, corpus, tmp_path):
    told = []
    history = _train(name, corpus, tmp_path, lambda epoch, figures: told.append((epoch, figures)), epochs=4)
    assert json.loads((tmp_path / "history.json").read_text()) == document(history)
    assert history.stories == Counts(60, 12)
    losses = [entry.train_loss for entry in history.epochs]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] < math.log(history.vocabulary) * 1.1
    perplexities = [entry.validation_perplexity for entry in history.epochs]
    assert history.best_epoch == int(np.argmin(perplexities))
    assert perplexity(tmp_path / "best.parquet", corpus) == pytest.approx(min(perplexities), rel=1e-3)
    assert perplexity(tmp_path / "last.parquet", corpus) == pytest.approx(perplexities[-1], rel=1e-3)
    assert [epoch for epoch, _ in told] == [0, 1, 2, 3]
    assert [figures["validation_perplexity"] for _, figures in told] == perplexities
    assert all(figures["words_per_second"] > 0 for _, figures in told)
    assert sorted(path.name for path in tmp_path.iterdir()) == [*sorted(FILES), "work"]
    assert not list((tmp_path / "work").iterdir())


def test_the_last_checkpoint_holds_the_optimizer_and_the_best_only_the_generator(corpus, tmp_path):
    _train("h_seq2seq", corpus, tmp_path, epochs=1)
    last, best = (read_checkpoint(tmp_path / file) for file in ("last.parquet", "best.parquet"))
    assert {"generator", "state_dict", "optimizer_states", "loops", "training"} <= set(last)
    assert "optimizer_states" not in best
    assert (tmp_path / "best.parquet").stat().st_size < (tmp_path / "last.parquet").stat().st_size / 2


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_gives_the_same_bytes_whatever_the_global_random_state(name, corpus, tmp_path):
    torch.manual_seed(1)
    before = torch.get_rng_state()
    _train(name, corpus, tmp_path / "one")
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    _train(name, corpus, tmp_path / "two")
    _train(name, corpus, tmp_path / "other", seed=2)
    for file in FILES:
        one, two, other = ((tmp_path / folder / file).read_bytes() for folder in ("one", "two", "other"))
        assert one == two
        assert one != other


class BreakError(Exception):
    pass


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("changes", [{}, {"learning_rate": 0.5, "patience": 1}])
def test_a_run_broken_after_any_epoch_ends_like_an_unbroken_one(name, changes, corpus, tmp_path):
    whole = _train(name, corpus, tmp_path / "whole", **changes)
    for broken in range(len(whole.epochs)):
        told = []

        def stop(epoch, figures, broken=broken):
            if epoch == broken:
                raise BreakError

        out = tmp_path / str(broken)
        with pytest.raises(BreakError):
            _train(name, corpus, out, stop, **changes)
        assert not (out / "history.json").exists()
        _train(name, corpus, out, lambda epoch, figures, told=told: told.append(epoch), **changes)
        assert all((out / file).read_bytes() == (tmp_path / "whole" / file).read_bytes() for file in FILES)
        assert told == [entry.epoch for entry in whole.epochs]


PROGRAM = """
import sys
from pathlib import Path
from corpus_toy import small
from denouement.generators.training import train
name, stories, embeddings, out = sys.argv[1:]
train(name, Path(stories), Path(out), small(name), embeddings=Path(embeddings), work=Path(out) / "work",
      on_epoch=lambda epoch, figures: print(epoch, flush=True))
"""
ENDLESS_BATCH = """
import time
from denouement.generators.neural.data import StorySet
given = StorySet.__getitem__
def halt_in_epoch_2(self, key):
    if key[0] == 2 and len(self) == 60:
        halt_in_epoch_2.asked += 1
        if halt_in_epoch_2.asked == 4:
            print("halted", flush=True)
            time.sleep(600)
    return given(self, key)
halt_in_epoch_2.asked = 0
StorySet.__getitem__ = halt_in_epoch_2
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("name", NAMES)
def test_a_run_broken_in_the_middle_of_an_epoch_ends_like_an_unbroken_one(name, how, corpus, tmp_path):
    _train(name, corpus, tmp_path / "whole")
    arguments = [name, str(corpus.stories), str(corpus.embeddings), str(tmp_path / "killed")]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS_BATCH + PROGRAM, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        for line in process.stdout:
            if line == "halted\n":
                process.send_signal(how)
    assert process.returncode
    assert not (tmp_path / "killed" / "history.json").exists()
    _train(name, corpus, tmp_path / "killed")
    assert all((tmp_path / "killed" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes() for file in FILES)


def test_patience_stops_training(corpus, tmp_path):
    history = _train("h_seq2seq", corpus, tmp_path, epochs=30, learning_rate=0.5, patience=2)
    assert len(history.epochs) == history.best_epoch + 3 < 30


def test_the_time_limit_stops_training_and_leaves_a_generator(corpus, tmp_path):
    history = _train("h_seq2seq", corpus, tmp_path, epochs=100_000, max_time="00:00:02")
    assert len(history.epochs) < 100_000
    assert load_generator(tmp_path / "best.parquet").vocabulary


def test_other_settings_do_not_go_on_from_a_broken_run(corpus, tmp_path):
    def stop(epoch, figures):
        raise BreakError

    with pytest.raises(BreakError):
        _train("seq2seq", corpus, tmp_path / "a", stop)
    told = []
    _train("seq2seq", corpus, tmp_path / "a", lambda epoch, figures: told.append("words_per_second" in figures), seed=9)
    assert told == [True] * 3


def test_a_damaged_state_of_a_broken_run_is_not_gone_on_from(corpus, tmp_path, capsys):
    def stop(epoch, figures):
        raise BreakError

    whole = _train("seq2seq", corpus, tmp_path / "whole")
    with pytest.raises(BreakError):
        _train("seq2seq", corpus, tmp_path / "a", stop)
    [state] = (tmp_path / "a" / "work").rglob("last.parquet")
    content = bytearray(state.read_bytes())
    content[len(content) // 2] ^= 1
    state.write_bytes(bytes(content))
    assert _train("seq2seq", corpus, tmp_path / "a") == whole
    assert "it does so now, from the start" in capsys.readouterr().err


def _only_training(corpus: Corpus, path: Path, n: int = 60) -> Path:
    rows = schemas.read_table(corpus.stories, "stories").slice(0, n)
    schemas.write_table(rows, path, "stories")
    return path


def test_without_validation_stories_the_last_epoch_is_the_best(corpus, tmp_path, capsys):
    stories = _only_training(corpus, tmp_path / "stories.parquet")
    history = _train("h_seq2seq", corpus, tmp_path / "out", stories=stories)
    assert history.best_epoch == 2
    assert [entry.validation_perplexity for entry in history.epochs] == [None] * 3
    assert "no validation stories" in capsys.readouterr().err
    best, last = (read_checkpoint(tmp_path / "out" / file)["state_dict"] for file in FILES[:2])
    assert all(torch.equal(best[key], last[key]) for key in last)


def test_bad_inputs_are_one_clear_line(corpus, tmp_path):
    stories = _only_training(corpus, tmp_path / "stories.parquet")
    one = _only_training(corpus, tmp_path / "one.parquet", 1)
    for expected, changes in {
        "patience has nothing to watch": {"stories": stories, "patience": 1},
        "1 training stories": {"stories": one},
        "no such file": {"stories": tmp_path / "none.parquet"},
        "accelerator tpu": {"accelerator": "tpu"},
        "training diverged in epoch": {"learning_rate": 1e39},
        "devices 13, but 12 validation stories": {"devices": 13, "accelerator": "cpu"},
        "units: 10000000, layers: 2: does not fit in memory": {"units": 10**7},
        "it takes more than can be counted": {"units": 2**62},
    }.items():
        with pytest.raises(UserError, match=expected) as caught:
            _train("seq2seq", corpus, tmp_path / "out", **changes)
        assert "\n" not in str(caught.value)
        assert not (tmp_path / "out" / "best.parquet").exists()
    with pytest.raises(UserError, match="name an embeddings table"):
        train("h_seq2seq", corpus.stories, tmp_path, small("h_seq2seq"), work=tmp_path / "work")


@pytest.mark.parametrize("name", NAMES)
def test_bfloat16_learns_what_float32_learns(name, corpus, tmp_path):
    exact, rough = (
        _train(name, corpus, tmp_path / precision, precision=precision, units=32).epochs[-1].train_loss
        for precision in ("32-true", "bf16-mixed")
    )
    assert rough != exact
    assert rough == pytest.approx(exact, rel=0.02)


@pytest.mark.slow
def test_two_devices_learn_the_same_weights_and_measure_every_validation_story_once(corpus, tmp_path):
    """With batches larger than the validation set: tests/generators/test_settings_in_pairs.py."""
    settings = "small(name, devices=2, accelerator='cpu')"
    program = PROGRAM.replace("small(name)", settings).split("train(name,")
    script = tmp_path / "two.py"
    script.write_text(f"{program[0]}if __name__ == '__main__':\n    train(name,{program[1]}")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "OMP_NUM_THREADS": "1"}
    arguments = ["h_seq2seq", str(corpus.stories), str(corpus.embeddings), str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, str(script), *arguments], check=True, env=environment, capture_output=True, text=True
    )
    assert [int(line) for line in done.stdout.split()] == [0, 1, 2]
    history = json.loads((tmp_path / "out" / "history.json").read_text())
    perplexities = [entry["validation_perplexity"] for entry in history["epochs"]]
    assert perplexity(tmp_path / "out" / "best.parquet", corpus) == pytest.approx(min(perplexities), rel=1e-3)


SHIPPED = read_yaml(Path(__file__).parents[2] / "params.yaml")["train"]


@pytest.mark.parametrize("kind", ["sample", "official"])
@pytest.mark.parametrize(("name", "cls"), [("seq2seq", Seq2SeqSettings), ("h_seq2seq", HSeq2SeqSettings)])
def test_the_shipped_presets_are_settings(name, cls, kind):
    for preset in SHIPPED[name]:
        assert isinstance(settings_for(name, {**SHIPPED, "preset": {kind: preset}}, kind), cls)


@pytest.mark.parametrize("name", [name for name in NAMES if name in SHIPPED])
def test_official_files_are_trained_on_as_the_paper_did(name):
    settings = settings_for(name, SHIPPED, "official")
    assert settings == type(settings)()
    # Mori et al. 2019, A.1: the results from 15 epochs, so neither an early stop nor a choice among them.
    assert (settings.epochs, settings.best_epoch, settings.patience) == (15, "last", None)


@pytest.mark.parametrize("name", NAMES)
def test_the_last_epoch_is_used_where_that_is_asked_for(name, corpus, tmp_path, capsys):
    rates = {"learning_rate": 0.5, "epochs": 4}  # so high that the last epoch is not the best
    history = _train(name, corpus, tmp_path / "last", best_epoch="last", **rates)
    losses = [entry.validation_loss for entry in history.epochs]
    assert min(losses) < losses[-1]
    assert history.best_epoch == 3
    best, last = (read_checkpoint(tmp_path / "last" / file)["state_dict"] for file in FILES[:2])
    assert all(torch.equal(best[key], last[key]) for key in last)
    # Patience watches the validation perplexity all the same.
    early = _train(name, corpus, tmp_path / "early", best_epoch="last", patience=1, **rates)
    stopped = 1 + next(epoch for epoch in range(1, 4) if losses[epoch] >= min(losses[:epoch]))
    assert early.epochs == history.epochs[:stopped]
    assert early.best_epoch == stopped - 1


def test_without_validation_stories_nothing_is_warned_of_where_the_last_epoch_is_used(corpus, tmp_path, capsys):
    stories = _only_training(corpus, tmp_path / "stories.parquet")
    assert _train("h_seq2seq", corpus, tmp_path / "out", stories=stories, best_epoch="last").best_epoch == 2
    assert capsys.readouterr().err == ""


def test_a_preset_goes_before_what_is_common():
    section = {
        "preset": {"sample": "small", "official": "paper"},
        "common": {"seed": 7, "epochs": 9},
        "seq2seq": {"small": {"epochs": 2}, "paper": None},
    }
    small_settings, paper = (settings_for("seq2seq", section, kind) for kind in ("sample", "official"))
    assert (small_settings.seed, small_settings.epochs) == (7, 2)
    assert (paper.seed, paper.epochs) == (7, 9)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"comon": {}}, "unknown key comon"),
        ({"preset": {"sample": "tiny"}}, "preset.sample: is 'tiny', but params.yaml: train.seq2seq has small"),
        ({"common": {"sed": 1}}, "unknown key sed"),
        ({"common": {"epochs": 0}}, "epochs: must be at least 1"),
        ({"common": {"max_time": "soon"}}, "max_time: must be like"),
        ({"common": {"max_time": 7200}}, "max_time: must be text"),
        ({"common": {"best_epoch": "lowest"}}, "best_epoch: must be one of last, validation"),
        ({"common": {"softmax": "sparse"}}, "softmax: must be one of full, adaptive"),
        ({"common": {"max_time": "99999999999999:0:0"}}, "max_time: is longer than can be counted"),
        ({"common": {"learning_rate": float("nan")}}, "learning_rate: must be a finite number"),
        ({"common": 5}, "train.common: must be a section"),
        ({"preset": "small"}, "train.preset: must be a section"),
        ({"preset": {"sample": ["small"]}}, r"preset.sample: is \['small'\], but"),
        ({"preset": {"sample": "small", "offical": "small"}}, "train.preset: unknown key offical"),
        ({"seq2seq": "small"}, "train.seq2seq: must be a section"),
        ({"seq2seq": {"small": [1]}}, "train.seq2seq.small: must be a section"),
    ],
)
def test_a_wrong_setting_is_named(change, problem):
    section = {"preset": {"sample": "small"}, "common": {}, "seq2seq": {"small": {}}, **change}
    with pytest.raises(UserError, match=problem):
        settings_for("seq2seq", section, "sample")


def test_padding_is_worth_nothing(corpus, tmp_path):
    _train("seq2seq", corpus, tmp_path, epochs=1)
    generator = load_generator(tmp_path / "best.parquet")
    inputs = generator.prepare([["Tom ran."]])
    with torch.inference_mode():
        short = generator.token_log_probs(inputs, torch.tensor([[5, END]]))
        long = generator.token_log_probs(inputs, torch.tensor([[5, END, PAD, PAD]]))
    torch.testing.assert_close(long, torch.nn.functional.pad(short, (0, 2)))


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="needs glibc")
def test_memory_that_is_freed_is_not_asked_of_the_system_again():
    code = """
import resource, torch
from denouement.generators.neural.training import keep_memory
keep_memory()
for _ in range(8):  # until what else lies on the heap has found its place
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    torch.ones(10_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""  # in a process of its own, as a training: what else is in this one's heap is chance
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 1000  # of 9,766 pages
