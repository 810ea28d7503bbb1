"""Stories of the sample corpus with endings to score."""

from pathlib import Path

import pyarrow as pa
import pytest
import torch

from denouement import schemas
from denouement.cloze.resources import Resources
from denouement.corpus import sample
from denouement.generators.base import generator_class
from denouement.generators.checkpoints import save_generator
from denouement.metrics.base import EndingRows
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
def resources(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Resources:
    """All that scores need: stories, a small generator and a small language model, both of random weights."""
    stories = stories_table(60, seed=1)
    kind = generator_class("seq2seq")
    with torch.random.fork_rng():
        torch.manual_seed(1)
        words = [sentence for story in stories["sentences"].to_pylist() for sentence in story]
        generator = kind(kind.settings_class(units=8), Vocabulary.build(words))
    path = tmp_path_factory.mktemp("generator") / "best.parquet"
    save_generator(generator, path)
    return Resources(stories=stories, generators=[path], language_model=str(tiny_model))


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
