"""The stage `ingest` as a task."""

from dataclasses import asdict

from prefect import task

from denouement.corpus.ingest import IngestSettings
from denouement.corpus.sections import ingest_blocks
from denouement.documents import document
from denouement.schemas import read_table
from denouement.stages.ingest import IngestPaths, official_files, run
from tasks import LAYOUT, artifacts, tracking


@task
def ingest_files(settings: IngestSettings) -> None:
    """Read every official file under data/raw, or the sample corpus when there is none, into data/corpus."""
    files = official_files(LAYOUT.raw, LAYOUT.sample)
    is_official = any(path.is_relative_to(LAYOUT.raw) for path in files)
    if not is_official:
        print(f"no official file under {LAYOUT.raw}: the sample corpus is read instead")
    name = tracking.described("ingest", "official corpus" if is_official else "sample corpus")
    with tracking.run(name, "ingest", asdict(settings)):
        tracking.log_inputs(**{path.name: path for path in files})
        summary = run(settings, IngestPaths(files, LAYOUT.corpus))
        tracking.log_values({key: document(summary)[key] for key in ("stories", "cloze")})
        artifacts.show_tables("ingest", ingest_blocks(summary, read_table(LAYOUT.rejects, "rejects")))
