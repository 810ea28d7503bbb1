"""The stage `sentiment`: how positive the endings of people and of generators are."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from denouement import provenance
from denouement.analysis.named_tables import read_tables
from denouement.analysis.sentiment import SentimentResult, groups_made_from, score_groups, sentiment_result
from denouement.errors import UserError
from denouement.schemas import read_table, write_table
from denouement.settings import at_least


@dataclass(frozen=True)
class SentimentSettings:
    """How many processes score (None: one a core)."""

    workers: int | None = None

    def __post_init__(self) -> None:
        at_least(self, 1, "workers")


@dataclass(frozen=True)
class SentimentPaths:
    """What is scored, and where the table `sentiment` is written (None: nowhere)."""

    stories: Path | None = None
    cloze: Path | None = None
    endings: Sequence[Path] = ()
    out: Path | None = None


def run(settings: SentimentSettings, paths: SentimentPaths) -> SentimentResult:
    """Score every ending and measure each group: Mori et al. 2019, Table 4.

    Raises:
        UserError: an unreadable table, no ending in any of them, or as `score_groups`.
    """
    stories = read_table(paths.stories, "stories") if paths.stories else None
    cloze = read_table(paths.cloze, "cloze") if paths.cloze else None
    endings = read_tables(paths.endings, "endings")
    scores = score_groups(stories, cloze, endings, settings.workers)
    if not scores.num_rows:
        read = [str(path) for path in (paths.stories, paths.cloze, *paths.endings) if path]
        raise UserError(f"{', '.join(read)}: no ending to measure")
    if paths.out:
        made_from = provenance.as_metadata(groups_made_from(stories, cloze, endings))
        write_table(scores, paths.out, "sentiment", made_from)
    return sentiment_result(scores)
