"""A small corpus with its sentence vectors, made once."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
import torch
from corpus_toy import Corpus

from denouement import schemas
from denouement.corpus import sample
from denouement.encoders.embeddings import EncodeSettings, embed_corpus


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Several threads only wait for each other on nets so small, above all on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """60 training and 12 validation stories of the sample grammar, with GloVe vectors in two views."""
    folder: Path = tmp_path_factory.mktemp("corpus")
    told = list(sample.stories(72, seed=5))
    columns = {
        "story_id": [story.story_id for story in told],
        "title": [story.title for story in told],
        "sentences": [list(story.sentences) for story in told],
        "source": ["sample"] * 72,
        "split": ["train"] * 60 + ["validation"] * 12,
    }
    found = Corpus(folder / "stories.parquet", folder / "embeddings.parquet")
    schemas.write_table(pa.table(columns, schema=schemas.TABLES["stories"].schema), found.stories, "stories")
    schemas.write_table(schemas.empty_table("cloze"), folder / "cloze.parquet", "cloze")
    embed_corpus(found.stories, folder / "cloze.parquet", found.embeddings, EncodeSettings("glove", views=2))
    return found
