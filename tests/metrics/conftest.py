"""Stories of the sample corpus with endings to score."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch

from denouement import schemas
from denouement.cloze.resources import Resources
from denouement.corpus import sample
from denouement.generators.base import generator_class
from denouement.generators.checkpoints import save_generator
from denouement.metrics.base import EndingRows
from denouement.metrics.preference.model import PreferenceModel
from denouement.text.vocabulary import Vocabulary


def stories_table(n: int, seed: int) -> pa.Table:
    rows = [
        {
            "story_id": story.story_id,
            "title": story.title,
            "sentences": list(story.sentences),
            "source": "sample",
            "split": "train" if number % 8 else "validation",
        }
        for number, story in enumerate(sample.stories(n, seed))
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema)


@pytest.fixture(scope="session")
def resources(tiny_model: Path, chooser: Path, preference: Path, tmp_path_factory: pytest.TempPathFactory) -> Resources:
    """All that scores need: stories, a small generator and a small language model, both of random weights."""
    stories = stories_table(60, seed=1)
    kind = generator_class("seq2seq")
    with torch.random.fork_rng():
        torch.manual_seed(1)
        words = [sentence for story in stories["sentences"].to_pylist() for sentence in story]
        generator = kind(kind.settings_class(units=8), Vocabulary.build(words))
    path = tmp_path_factory.mktemp("generator") / "best.parquet"
    save_generator(generator, path)
    return Resources(
        stories=stories,
        generators=[path],
        choosers=[chooser],
        preferences=[preference],
        language_model=str(tiny_model),
    )


@pytest.fixture(scope="session")
def rows() -> EndingRows:
    """Endings of other stories, partly with the first words of the right one; one or two references."""
    stories = list(sample.stories(80, seed=2))[60:]
    endings, references = [], []
    for number, (story, other) in enumerate(zip(stories, stories[1:] + stories[:1], strict=True)):
        right, wrong = story.sentences[-1].split(), other.sentences[-1].split()
        endings.append(" ".join(right[: number % 5] + wrong[number % 3 :]))
        references.append([story.sentences[-1], other.sentences[-2]][: 1 + number % 2])
    endings[0], endings[1] = "Yes.", "He paid $1,000.50 - and that's it!"
    return EndingRows(endings, [list(story.sentences[:-1]) for story in stories], references)


@pytest.fixture(scope="session")
def chooser(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chooser of random weights that learned from one story."""
    from denouement.cloze.parts.chooser_settings import ChooserTraining, Example
    from denouement.cloze.parts.chooser_training import train
    from denouement.language_models.model import load

    path = tmp_path_factory.mktemp("chooser") / "first.parquet"
    known = Example(["Ann had a dog."], ["It ran off.", "It sang."], 0, of="v1.0 validation")
    train(load(str(tiny_model)), [known], ChooserTraining(epochs=1), seed=1, what="chooser").save(path)
    return path


@pytest.fixture(scope="session")
def preference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A preference model for endings that copy less of their context."""
    path = tmp_path_factory.mktemp("preference") / "of_readers.parquet"
    weights = np.array([0.1, -5.0])
    PreferenceModel(["length", "copied"], None, None, weights, 0.5, frozenset(), {}, {}).save(path)
    return path
