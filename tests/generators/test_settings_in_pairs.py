"""Documented settings in pairs: every two values of two settings train, and decode, together."""

import json
import math
import os
import subprocess
import sys
from dataclasses import fields
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
import torch
from corpus_toy import Corpus, perplexity, small
from markov_toy import MarkovToy
from pairwise import covering_rows, pairs_of

from denouement import schemas
from denouement.generators.base import generator_class
from denouement.generators.checkpoints import load_generator
from denouement.generators.decoding import Decoding
from denouement.generators.history import History
from denouement.generators.neural.search import decode
from denouement.generators.training import train

# A generator with settings of its own; what only goes together, stands together.
MODELS = {
    "seq2seq of one layer": ("seq2seq", {"layers": 1}),
    "seq2seq of two layers": ("seq2seq", {"layers": 2}),
    "h_seq2seq without dropout": ("h_seq2seq", {"sentence_dropout": 0.0}),
    "h_seq2seq with dropout": ("h_seq2seq", {"sentence_dropout": 0.5}),
}
# Without validation stories, patience is refused: tests/generators/test_training.py.
HELD_OUT: dict[str, dict[str, Any]] = {"none": {}, "some": {}, "some, with patience": {"patience": 1}}
TRAINING: dict[str, list[Any]] = {
    "model": list(MODELS),
    "held_out": list(HELD_OUT),
    "softmax": ["full", "adaptive"],
    "precision": ["32-true", "bf16-mixed"],
    "batch_size": [2, 7, 1000],  # of 60 stories
    "min_count": [1, 2],
    "max_size": [6, 100, None],
    "units": [1, 12],
    "best_epoch": ["last", "validation"],
    "max_time": [None, "01:00:00"],
    "accelerator": ["auto", "cpu"],
    "seed": [0, 5],
    "broken": [False, True],  # after its first epoch, and gone on from there
}
# Numbers that change the arithmetic and not the way through the code.
NUMBERS = {"epochs", "learning_rate", "beta_1", "beta_2", "epsilon"}


def test_rows_hold_every_pair():
    for values in (TRAINING, {"a": [1, 2, 3], "b": [None, 4], "c": [5]}, {"a": [1, 2], "b": [1, 2]}):
        rows = covering_rows(values)
        every = set()
        for one, other in combinations(values, 2):
            every |= {((one, first), (other, second)) for first, second in product(values[one], values[other])}
        assert set().union(*map(pairs_of, rows)) == every
        assert len(rows) < 2 * math.prod(sorted(map(len, values.values()))[-2:])


def test_every_setting_is_among_them():
    own = {key for _, changes in MODELS.values() for key in changes} | {"patience"}
    for name in {name for name, _ in MODELS.values()}:
        known = {field.name for field in fields(generator_class(name).settings_class)}
        assert known - NUMBERS - set(TRAINING) - own == {"devices"}  # below, since it takes longer


def _settings(row: dict[str, Any], **changes: Any):
    name, own = MODELS[row["model"]]
    rest = {key: value for key, value in row.items() if key not in ("model", "held_out", "broken")}
    return name, small(name, **{**rest, **own, **HELD_OUT[row["held_out"]], "epochs": 2, **changes})


class BreakError(Exception):
    pass


@pytest.mark.filterwarnings("error:Initializing zero-element tensors")  # a layer without any width
@pytest.mark.parametrize("row", covering_rows(TRAINING), ids=lambda row: ", ".join(map(str, row.values())))
def test_settings_train_together(row, corpus: Corpus, tmp_path: Path):
    name, settings = _settings(row)
    stories = corpus.stories
    if row["held_out"] == "none":
        stories = tmp_path / "stories.parquet"
        schemas.write_table(schemas.read_table(corpus.stories, "stories").slice(0, 60), stories, "stories")

    def trained(out: Path, on_epoch=None) -> History:
        return train(name, stories, out, settings, embeddings=corpus.embeddings, work=out / "work", on_epoch=on_epoch)

    history = trained(tmp_path / "out")
    if row["broken"]:

        def stop(epoch, figures):
            raise BreakError

        with pytest.raises(BreakError):
            trained(tmp_path / "broken", stop)
        assert trained(tmp_path / "broken") == history
    losses = [entry.validation_loss for entry in history.epochs]
    last = len(losses) - 1
    by_validation = row["best_epoch"] == "validation" and row["held_out"] != "none"
    assert history.best_epoch == (losses.index(min(losses)) if by_validation else last)
    assert all(math.isfinite(entry.train_loss) for entry in history.epochs)

    best = tmp_path / "out" / "best.parquet"
    if row["held_out"] != "none":
        # What is read back works in float32; bfloat16 has 8 bits of precision.
        exact = 0.03 if row["precision"] == "bf16-mixed" else 1e-3
        told = math.exp(losses[history.best_epoch])
        assert perplexity(best, corpus) == pytest.approx(told, rel=exact)
    generator = load_generator(best, embeddings=corpus.embeddings)
    with torch.inference_mode():
        log_probs, _ = generator.step(torch.tensor([2]), generator.start(generator.prepare([["Tom had a dog."]])))
    assert log_probs.dtype == torch.float32
    assert log_probs.exp().sum().item() == pytest.approx(1, abs=1e-5)
    [[ending]] = generator.write([["Tom had a dog."]], Decoding(max_length=5))
    assert 2 <= ending.n_tokens <= 6


SCRIPT = """
import json, sys
from pathlib import Path
from corpus_toy import small
from denouement.generators.training import train

if __name__ == "__main__":
    stories, embeddings, out = map(Path, sys.argv[1:])
    for number, (name, settings) in enumerate(json.load(sys.stdin)):
        folder = out / str(number)
        train(name, stories, folder, small(name, **settings), embeddings=embeddings, work=folder / "work")
"""


@pytest.mark.slow
@pytest.mark.timeout(900)  # eight processes that import torch and Lightning, on a busy machine
def test_settings_train_together_on_two_devices(corpus, tmp_path):
    """Each value of each setting with two devices; a row a model is enough for that."""
    together: dict[str, list[Any]] = {name: values for name, values in TRAINING.items() if name != "broken"}
    together["held_out"] = ["some", "some, with patience"]  # what is measured below
    together["accelerator"] = ["cpu"]
    rows = [{name: values[number % len(values)] for name, values in together.items()} for number in range(len(MODELS))]
    # Else the three settings of two values each would only stand together as (first, first, first) and its opposite.
    for number, row in enumerate(rows):
        row["precision"] = together["precision"][number // 2]
    asked = []
    for row in rows:
        name, settings = _settings(row)
        changes = {field.name: getattr(settings, field.name) for field in fields(settings)}
        asked.append((name, {**changes, "devices": 2}))
    (tmp_path / "two.py").write_text(SCRIPT)
    subprocess.run(
        [sys.executable, tmp_path / "two.py", corpus.stories, corpus.embeddings, tmp_path],
        input=json.dumps(asked),
        check=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent), "OMP_NUM_THREADS": "1"},
    )
    for number, row in enumerate(rows):
        history = json.loads((tmp_path / str(number) / "history.json").read_text())
        losses = [entry["validation_loss"] for entry in history["epochs"]]
        exact = 0.03 if row["precision"] == "bf16-mixed" else 1e-3
        measured = perplexity(tmp_path / str(number) / "best.parquet", corpus)
        assert measured == pytest.approx(math.exp(losses[history["best_epoch"]]), rel=exact)


COMMON: dict[str, list[Any]] = {"no_repeat_ngram": [None, 1, 2, 3], "min_length": [0, 1, 3], "max_length": [3, 9]}
DECODING: dict[str, dict[str, list[Any]]] = {
    "greedy": {},
    "beam": {"beam_width": [1, 2, 5], "length_penalty": [0.0, 1.5]},
    "sample": {"temperature": [0.3, 1.0, 5.0], "top_p": [0.5, 1.0], "top_k": [1, 3, None], "seed": [1, 2]},
}
ROWS = [
    {"method": method, **row}
    for method, own in DECODING.items()
    for row in covering_rows({**COMMON, **own, "n": [1] if method == "greedy" else [1, 2]})
    if row["n"] <= row.get("beam_width", 2)  # a beam of one gives one
]


def test_every_setting_of_decoding_is_among_them():
    own = {key for settings in DECODING.values() for key in settings}
    assert {field.name for field in fields(Decoding)} == {"method", *COMMON, *own}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: ", ".join(map(str, row.values())))
def test_settings_decode_together(row):
    n = row["n"]
    decoding = Decoding(**{key: value for key, value in row.items() if key != "n"})
    contexts = [[str(chain)] for chain in range(3)]
    for seed in range(5):
        toy = MarkovToy.random(words=4, seed=seed)
        decoded = decode(toy, contexts, decoding, n)
        assert [decode(toy, [context], decoding, n)[0] for context in contexts] == decoded
        for chain, endings in enumerate(decoded):
            assert len(endings) == n
            for ending in endings:
                words = ending.words
                assert decoding.min_length <= len(words) <= decoding.max_length  # four words: one is always left
                assert ending.n_tokens == len(words) + 1
                assert ending.log_prob == pytest.approx(toy.log_prob(chain, words), abs=1e-4)
                size = decoding.no_repeat_ngram
                if size is not None:
                    ngrams = [words[place : place + size] for place in range(len(words) - size + 1)]
                    assert len(set(ngrams)) == len(ngrams)
            if decoding.method == "beam":
                ranks = [e.log_prob / ((5 + e.n_tokens) / 6) ** decoding.length_penalty for e in endings]
                assert ranks == sorted(ranks, reverse=True)
                assert len({ending.words for ending in endings}) == n
            if decoding.top_k == 1 or decoding.beam_width == 1:
                common = {key: row[key] for key in COMMON}
                [[likeliest]] = decode(toy, [contexts[chain]], Decoding(**common))
                assert {ending.words for ending in endings} == {likeliest.words}
