"""A chooser that was trained on cases of v1.0 validation."""

from pathlib import Path

import pytest

from tests.reranking.known_cases import CASES


@pytest.fixture(scope="session")
def trained_chooser(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkpoint of a chooser that learned from the cases of `CASES`, and from one story."""
    from denouement.cloze.parts.chooser_settings import ChooserTraining, Example
    from denouement.cloze.parts.chooser_training import train
    from denouement.language_models.model import load

    path = tmp_path_factory.mktemp("chooser") / "chooser.parquet"
    examples = [Example(context, ["It was day.", "He passed it."], 0, of="v1.0 validation") for context in CASES]
    told = Example(["Ann had a dog."], ["It ran off.", "It sang."], 0)
    train(load(str(tiny_model)), [*examples, told], ChooserTraining(epochs=1), seed=1, what="chooser").save(path)
    return path
