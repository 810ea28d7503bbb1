"""The table of settings of decoding, on generators of random weights."""

import json

import pyarrow as pa
import pytest
import torch

from benchmarks.decoding_settings import (
    CANDIDATES,
    DECODINGS,
    PEOPLE,
    PEOPLE_WRONG,
    RERANKED,
    Yardstick,
    as_markdown,
    measure_settings,
    people_rows,
    run,
)
from denouement import schemas
from denouement.encoders.base import load_encoder
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
            "endings": [right, "He cried."],
            "language": "en",
            "right_ending": None if blind else 1,
            "release": release,
            "split": "validation",
        }
        for release in ("v1.0", "v1.5")
        for number, right in enumerate(RIGHT)
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema)


@pytest.fixture(scope="module")
def encoder():
    return load_encoder("glove")


def test_a_row_holds_what_its_endings_are_like(encoder):
    cases = _cloze().slice(0, 4)
    settings = [Decoding(max_length=6), Decoding("sample", seed=3, max_length=6)]
    rows = measure_settings({"mine": _generator()}, cases, Yardstick(cases, {}, encoder), settings, [])
    for row, decoding in zip(rows, settings, strict=True):
        endings = [ending for [ending] in decode(_generator().eval(), cases["context"].to_pylist(), decoding)]
        assert (row.model, row.decoding, row.n) == ("mine", str(decoding), 4)
        assert row.distinct_share == len({ending.text for ending in endings}) / 4
        tokens = sum(ending.n_tokens for ending in endings)
        assert row.nats_per_token == pytest.approx(-sum(ending.log_prob for ending in endings) / tokens, rel=1e-5)
        assert row.at_max_length == sum(len(ending.words) == 6 for ending in endings)
        assert (row.human_overlap, row.sentiment_gap) == (None, None)


def test_of_reranked_samples_the_likeliest_is_kept(encoder):
    cases, decoding = _cloze().slice(0, 4), Decoding("sample", max_length=6)
    [row] = measure_settings({"mine": _generator()}, cases, Yardstick(cases, {}, encoder), [], [decoding])
    drawn = decode(_generator().eval(), cases["context"].to_pylist(), decoding, CANDIDATES)
    best = [max(of_case, key=lambda ending: ending.log_prob / ending.n_tokens) for of_case in drawn]
    expected = -sum(ending.log_prob for ending in best) / sum(ending.n_tokens for ending in best)
    assert row.nats_per_token == pytest.approx(expected, rel=1e-5)
    assert row.decoding == f"sample, max_length 6, seed 1, likeliest of {CANDIDATES}"


def test_endings_are_compared_with_the_context_and_with_the_right_ending(encoder):
    cases = pa.table({"case_id": ["a", "b"], "context": [["He ran home."], ["She ate cake.", "She ate more cake."]]})
    row = Yardstick(cases, {"b": "She loved it."}, encoder).row(
        "mine", None, ["He ran home.", "She ran and she ran home."]
    )
    assert row.human_overlap == pytest.approx(2 * 2 / (4 + 7))  # "she" and "."
    assert row.sentiment_gap == pytest.approx(0.5994)  # "loved" in VADER's scale, against no valued word
    assert row.repeating_share == 0.5  # she ran, she ran
    other = Yardstick(cases.slice(1), {}, encoder).row("mine", None, ["She ran and she ran home."])
    assert row.context_similarity == pytest.approx((1 + other.context_similarity) / 2, abs=1e-5)
    assert 0 < other.context_similarity < 1


def test_people_s_endings_stand_above(encoder):
    right, wrong = people_rows(_cloze().slice(0, 4), encoder)
    assert (right.model, right.n, right.distinct_share, right.mean_words) == (PEOPLE, 4, 0.75, 3.0)
    assert (right.positive_share, right.negative_share) == (0.5, 0.25)  # loved, loved, terrible, and neither
    assert (right.human_overlap, wrong.model, wrong.mean_words) == (None, PEOPLE_WRONG, 2.0)
    assert "| people (right endings) |   4 |            75.0% |" in as_markdown([right])
    assert people_rows(_cloze(blind=True).slice(0, 4), encoder) == []


def test_a_column_without_values_is_left_out(encoder):
    [row, _] = people_rows(_cloze().slice(0, 4), encoder)
    assert "nats per token" not in as_markdown([row])
    assert "repeating" in as_markdown([row])


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
    reranked = [f"{decoding}, likeliest of {CANDIDATES}" for decoding in RERANKED]
    assert [row["decoding"] for row in told["rows"]] == [None, None, *map(str, DECODINGS), *reranked]
    assert told["made_from"]["cases"]["n"] == 4
    assert printed.count("\n") == 2 + len(told["rows"])
    assert command("--first", "2")[0] == 0
    told = json.loads(out.read_text())
    assert (told["made_from"]["cases"]["n"], {row["n"] for row in told["rows"]}) == (2, {2})
    status, _, error = command("--release", "v2.0")
    assert (status, error.count("\n")) == (2, 1)
