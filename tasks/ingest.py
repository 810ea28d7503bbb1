"""From the official files to checked tables."""

from prefect import task

from denouement.corpus.ingest import IngestSettings
from denouement.corpus.sections import ingest_section
from denouement.present.terminal import show
from denouement.schemas import read_table
from denouement.stages.ingest import IngestPaths, official_files, run
from tasks import LAYOUT


@task
def ingest_files(settings: IngestSettings) -> None:
    """Read every official file under data/raw, or the sample corpus when there is none, into data/corpus."""
    files = official_files(LAYOUT.raw, LAYOUT.sample)
    if not any(path.is_relative_to(LAYOUT.raw) for path in files):
        print(f"no official file under {LAYOUT.raw}: the sample corpus is read instead")
    summary = run(settings, IngestPaths(files, LAYOUT.corpus))
    show(ingest_section(summary, read_table(LAYOUT.rejects, "rejects")))
