"""The stage `encode` as a task."""

from dataclasses import asdict

from prefect import task

from denouement.encoders.embeddings import EncodeSettings
from denouement.stages.encode import EncodePaths, run
from tasks import LAYOUT, tracking


@task
def embed_corpus(settings: EncodeSettings) -> None:
    """Write the vectors of all context sentences, with and without dropped words, to data/embeddings.parquet."""
    with tracking.run(tracking.described("encode", settings.encoder), "encode", asdict(settings)):
        tracking.log_inputs(stories=LAYOUT.stories, cloze=LAYOUT.cloze)
        encoded = run(settings, EncodePaths(LAYOUT.stories, LAYOUT.cloze, LAYOUT.embeddings))
        tracking.log_values({"vectors": encoded.rows, "dimension": encoded.dimension})
    print(f"{encoded.rows:,} vectors of {encoded.dimension} numbers by {encoded.encoder}: {LAYOUT.embeddings}")
