"""Stories of the sample corpus with endings to score."""

import pyarrow as pa
import pytest

from denouement import schemas
from denouement.cloze.resources import Resources
from denouement.corpus import sample
from denouement.metrics.base import EndingRows


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
def resources() -> Resources:
    return Resources(stories=stories_table(60, seed=1))


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
