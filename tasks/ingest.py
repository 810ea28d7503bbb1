"""From the official files to checked tables."""

from prefect import task

from denouement.corpus import ingest, readers
from denouement.schemas import read_table
from denouement.study.importing import find_answers
from tasks import paths


@task
def ingest_files(settings: ingest.IngestSettings) -> None:
    """Read every official file under data/raw, or the sample corpus when there is none, into data/corpus."""
    official, others = readers.find_files(paths.RAW)
    elsewhere = {paths.RAW / "README.md", *find_answers(paths.RAW)}  # answers are read by the stage study
    readers.warn_of_others([(path, reason) for path, reason in others if path not in elsewhere])
    if not official:
        print(f"no official file under {paths.RAW}: the sample corpus stands in")
        official, _ = readers.find_files(paths.SAMPLE)
    summary = ingest.ingest(official, paths.CORPUS, settings)
    print(ingest.summary_text(summary, read_table(paths.CORPUS / "rejects.parquet", "rejects")))
