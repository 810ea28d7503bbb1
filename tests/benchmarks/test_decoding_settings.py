"""The table of settings of decoding, on generators of random weights."""

import json

import pyarrow as pa
import pytest
import torch

from benchmarks.decoding_settings import DECODINGS, PEOPLE, as_markdown, measure_settings, people_row, run
from denouement import schemas
from denouement.generators.base import generator_class
from denouement.generators.checkpoints import save_generator
from denouement.generators.decoding import Decoding
from denouement.generators.neural.search import decode
from denouement.text.vocabulary import Vocabulary

STORY = ["Tom bought a red car.", "He drove it to the hill."]
RIGHT = ["He loved it.", "He loved it.", "It was terrible.", "Tom went home."]


def _generator():
    kind = generator_class("seq2seq")
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return kind(kind.settings_class(units=8), Vocabulary.build([*STORY, "The car was great and horrible."]))


def _cloze(blind: bool = False) -> pa.Table:
    rows = [
        {
            "case_id": str(number),
            "context": [*STORY, f"It was {number}."],
            "ending_1": right,
            "ending_2": "He cried.",
            "right_ending": None if blind else 1,
            "release": release,
            "split": "validation",
        }
        for release in ("v1.0", "v1.5")
        for number, right in enumerate(RIGHT)
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema)


def test_a_row_holds_what_its_endings_are_like():
    cases = _cloze().slice(0, 4)
    settings = [Decoding(max_length=6), Decoding("sample", seed=3, max_length=6)]
    rows = measure_settings({"mine": _generator()}, cases, settings)
    for row, decoding in zip(rows, settings, strict=True):
        endings = [ending for [ending] in decode(_generator().eval(), cases["context"].to_pylist(), decoding)]
        assert (row.model, row.decoding, row.n) == ("mine", str(decoding), 4)
        assert row.distinct_share == len({ending.text for ending in endings}) / 4
        tokens = sum(ending.n_tokens for ending in endings)
        assert row.nats_per_token == pytest.approx(-sum(ending.log_prob for ending in endings) / tokens, rel=1e-5)
        assert row.at_max_length == sum(len(ending.words) == 6 for ending in endings)


def test_people_s_right_endings_stand_above():
    row = people_row(_cloze().slice(0, 4))
    assert (row.model, row.n, row.distinct_share, row.mean_words) == (PEOPLE, 4, 0.75, 3.0)
    assert (row.positive_share, row.negative_share) == (0.5, 0.25)  # loved, loved, terrible, and neither
    assert "| people (right endings) |   4 |            75.0% |" in as_markdown([row])
    assert people_row(_cloze(blind=True).slice(0, 4)) is None


def test_one_command_measures_the_checkpoints_of_a_run(tmp_path, capsys):
    data, out = tmp_path / "data", tmp_path / "settings.json"

    def command(*more: str) -> tuple[int, str, str]:
        status = run(["--data", str(data), "--out", str(out), *more])
        return status, *capsys.readouterr()

    status, printed, error = command()
    assert (status, printed) == (2, "")
    assert error.startswith("error: ")
    assert "no trained generator" in error
    assert not out.exists()

    generator = _generator()
    for folder in ("corpus", "models/seq2seq"):
        (data / folder).mkdir(parents=True)
    save_generator(generator, data / "models" / "seq2seq" / "best.parquet")
    schemas.write_table(_cloze(), data / "corpus" / "cloze.parquet", "cloze")
    status, printed, _ = command()
    assert status == 0
    told = json.loads(out.read_text())
    assert [row["decoding"] for row in told["rows"]] == [None, *map(str, DECODINGS)]
    assert told["made_from"]["cases"]["n"] == 4
    assert printed.count("\n") == 2 + len(told["rows"])
    status, _, error = command("--release", "v2.0")
    assert (status, error.count("\n")) == (2, 1)
