"""What every registered generator keeps to, however it makes its endings: the rows of the registry are all visited."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from corpus_toy import Corpus, small

from denouement import schemas
from denouement.documents import document, read_document
from denouement.errors import UserError
from denouement.generators import GENERATORS
from denouement.generators.base import Generator, generator_class
from denouement.generators.checkpoints import class_of, load_generator, save_generator
from denouement.generators.decoding import Decoding
from denouement.generators.endings import generate_endings
from denouement.generators.history import History, best_values, logged_values
from denouement.generators.language_model import PromptedModel, PromptedSettings
from denouement.generators.training import train
from denouement.language_models.model import load
from tests.language_models.tiny import save_tiny
from tests.toy_endpoint import Toy, served

CONTEXTS = [  # the longest first, as they are written in batches
    ["Kelly went to the shop.", "She bought bread and a bag of red apples.", "It was cold."],
    ["The car broke down.", "He called a friend."],
    ["Tom had a dog."],
]
NAMES = sorted(GENERATORS)
LANGUAGE_MODELS = {"language_model", "fine_tuned"}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Toy]:
    with served() as toy:
        yield toy


@pytest.fixture(scope="module", params=NAMES)
def trained(
    request: pytest.FixtureRequest, corpus: Corpus, endpoint: Toy, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder that training a generator leaves."""
    out = tmp_path_factory.mktemp(request.param)
    settings = small(request.param, **needed(request.param, tmp_path_factory.mktemp("needed"), endpoint))
    train(request.param, corpus.stories, out, settings, embeddings=corpus.embeddings, work=out / "work")
    return out


def needed(name: str, folder: Path, endpoint: Toy) -> dict[str, Any]:
    """The settings without which a generator cannot be, and the files that they name."""
    if name == "endings_file":
        rows = [{"context": context, "ending": f"They went home {n}."} for context in CONTEXTS for n in range(3)]
        (folder / "endings.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        return {"file": str(folder / "endings.jsonl")}
    if name in LANGUAGE_MODELS:
        return {"model": str(save_tiny(folder / "model"))}
    if name == "reranked":
        model = str(save_tiny(folder / "model"))
        of = PromptedModel(PromptedSettings(model), load(model), [])
        save_generator(of, folder / "of.parquet")
        return {"of": str(folder / "of.parquet"), "chooser": model}
    if name == "served":
        return {"base_url": endpoint.base_url, "model": "toy", "cache": str(folder / "answers.db")}
    return {}


@pytest.fixture(scope="module")
def generator(trained: Path, corpus: Corpus) -> Generator:
    return load_generator(trained / "best.parquet", embeddings=corpus.embeddings)


def test_every_row_of_the_registry_is_a_generator(capsys):
    for name in NAMES:
        kind = generator_class(name)
        assert issubclass(kind, Generator)
        assert kind.name == name
    with capsys.disabled():
        print(f"\n{len(NAMES)} generators visited")


def test_training_writes_two_checkpoints_and_its_history(trained):
    assert sorted(path.name for path in trained.iterdir()) == ["best.parquet", "history.json", "last.parquet", "work"]
    assert not list((trained / "work").iterdir())
    history = read_document(trained / "history.json", History, "train")
    kind = class_of(trained / "best.parquet")
    assert history.generator == kind.name == class_of(trained / "last.parquet").name
    # what is made elsewhere has learned from no story
    expected = {"endings_file": (0, 0), "reranked": (0, 0), "language_model": (0, 12)}.get(kind.kind, (60, 12))
    assert (history.stories.train, history.stories.validation) == expected
    assert [entry.epoch for entry in history.epochs] == list(range(len(history.epochs)))
    assert (history.used is None) == (not history.epochs)
    assert all(isinstance(value, int | float) for value in best_values(history).values())
    assert logged_values(history)["best"] == best_values(history)
    if history.used is not None:
        assert best_values(history) == document(history.used)


def test_a_table_of_endings(generator, corpus, tmp_path):
    cases = pa.table({"case_id": ["a", "b", "c"], "context": CONTEXTS})
    table = generate_endings(generator, cases)
    schemas.write_table(table, tmp_path / "endings.parquet", "endings")
    rows = schemas.read_table(tmp_path / "endings.parquet", "endings").to_pylist()
    assert [(row["case_id"], row["system"]) for row in rows] == [(case, generator.name) for case in "abc"]
    for row in rows:
        assert row["ending"]
        assert (row["log_prob"] is None) == (row["n_tokens"] is None) == (not generator.can_score)
    assert generate_endings(generator, cases) == table
    assert [row["ending"] for row in rows] == [endings[0].text for endings in generator.write(CONTEXTS)]


def test_several_endings_differ_where_the_generator_has_several(generator):
    method = "beam" if generator.takes(Decoding("beam")) else "sample"
    decoding = Decoding(method) if generator.decodes else Decoding()
    for endings in generator.write(CONTEXTS, decoding, 3):
        assert len({ending.text for ending in endings}) == 3


def test_what_it_does_not_take_is_refused(generator):
    with pytest.raises(UserError, match="n: must be"):
        generator.write(CONTEXTS, n=0)
    with pytest.raises(UserError, match="context 2 of 2"):
        generator.write([CONTEXTS[0], []])
    if not generator.decodes:
        with pytest.raises(UserError, match=f"{generator.name} .*: leave out method, min_length"):
            generator.write(CONTEXTS, Decoding("beam", min_length=3))


def test_it_scores_endings_or_says_that_it_cannot(generator):
    endings = ["He was happy."] * 3
    if generator.can_score:
        log_prob, n_tokens = generator.score(CONTEXTS, endings)
        assert (log_prob < 0).all()
        base = getattr(generator, "base", generator)
        n = 5 if base.vocabulary is not None else len(base.model.tokens(f" {endings[0]}{base.end}"))
        assert n_tokens.tolist() == [n] * 3
    else:
        with pytest.raises(UserError, match=f"{generator.name} gives no probabilities"):
            generator.score(CONTEXTS, endings)


def test_writing_imports_nothing_that_only_training_needs():
    code = f"""
import sys
from denouement.generators.base import generator_class
assert "torch" not in sys.modules
heavy = {{"pytorch_lightning", "transformers", "matplotlib", "pandas"}}
for name in {NAMES!r}:
    generator_class(name)
    assert not heavy & set(sys.modules), name
import denouement.generators.checkpoints, denouement.generators.endings, denouement.stages.generate
assert not heavy & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
