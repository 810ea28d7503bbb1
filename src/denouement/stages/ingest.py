"""Stage ingest: reads official files, or the sample corpus, into checked tables."""

from dataclasses import dataclass
from pathlib import Path

from denouement.corpus.ingest import IngestSettings, IngestSummary, ingest
from denouement.corpus.readers import find_files, warn_of_others

_BESIDE_ANSWERS = ("log.json", "replies.parquet", "highlights.parquet", "flags.parquet", "corrections.parquet")


@dataclass(frozen=True)
class IngestPaths:
    """The files to read, in the order in which the first of two equal rows is kept, and the folder to write to."""

    files: tuple[Path, ...]
    out: Path


def official_files(raw: Path, sample: Path) -> tuple[Path, ...]:
    """The official files under `raw`, or where there are none, those of the sample corpus.

    Warns of other files under `raw`, except its README, files of answers, which the stage study reads, and what
    `denouement study export` writes beside these.

    Raises:
        UserError: no such folder.
    """
    from denouement.study.importing import find_answers  # `denouement ingest` does not need it

    official, others = find_files(raw)
    answers = find_answers(raw)
    elsewhere = {raw / "README.md", *answers, *(path.parent / name for path in answers for name in _BESIDE_ANSWERS)}
    warn_of_others([(path, reason) for path, reason in others if path not in elsewhere])
    return tuple(official or find_files(sample)[0])


def run(settings: IngestSettings, paths: IngestPaths) -> IngestSummary:
    """Write the tables and the summary.

    Raises:
        UserError: as `ingest`.
    """
    return ingest(paths.files, paths.out, settings)
