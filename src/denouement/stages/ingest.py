"""Stage ingest: reads official files, or the sample corpus, into checked tables."""

from dataclasses import dataclass
from pathlib import Path

from denouement.corpus.ingest import IngestSettings, IngestSummary, ingest
from denouement.corpus.readers import find_files, warn_of_others


@dataclass(frozen=True)
class IngestPaths:
    """The files to read, in the order in which the first of two equal rows is kept, and the folder to write to."""

    files: tuple[Path, ...]
    out: Path


def official_files(raw: Path, sample: Path) -> tuple[Path, ...]:
    """The official files under `raw`, or where there are none, those of the sample corpus.

    Warns of other files under `raw`, except its README and files of answers, which the stage study reads.

    Raises:
        UserError: no such folder.
    """
    from denouement.study.importing import find_answers  # `denouement ingest` does not need it

    official, others = find_files(raw)
    elsewhere = {raw / "README.md", *find_answers(raw)}
    warn_of_others([(path, reason) for path, reason in others if path not in elsewhere])
    return tuple(official or find_files(sample)[0])


def run(settings: IngestSettings, paths: IngestPaths) -> IngestSummary:
    """Write the tables and the summary.

    Raises:
        UserError: as `ingest`.
    """
    return ingest(paths.files, paths.out, settings)
