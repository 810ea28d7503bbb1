"""What an export is made from, and what it says of itself."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

import pyarrow as pa

from denouement.collect.filtering import FilterSummary
from denouement.collect.watching import EndingWatch
from denouement.errors import UserError
from denouement.spreadsheets import csv_bytes


@dataclass(frozen=True)
class CollectedReview:
    """A review of a story.

    Attributes:
        version: which form of the story it is of, 1 the first that was handed in.
        decision: approve, return or reject.
        bonus: whether the story is marked for a bonus.
        remark: what the writer reads.
    """

    story_id: str
    version: int
    reviewer: str
    decision: str
    bonus: bool
    remark: str


@dataclass(frozen=True)
class CollectedWork:
    """What is exported: stories, or pairs of endings with the answers of verifiers, or all three.

    Attributes:
        stories: the table `collected_stories`.
        endings, verifications: the tables of these names; both or neither.
        reviews: of the stories, in the order in which they came in.
    """

    stories: pa.Table | None = None
    endings: pa.Table | None = None
    verifications: pa.Table | None = None
    reviews: tuple[CollectedReview, ...] = ()

    def __post_init__(self) -> None:
        if (self.endings is None) != (self.verifications is None):
            raise UserError("endings and the answers of their verifiers belong together: give both files, or neither")
        if self.stories is None and self.endings is None:
            raise UserError("nothing to export: give stories, or endings with the answers of their verifiers")


def reviews_csv(reviews: Iterable[CollectedReview]) -> bytes:
    """Reviews as CSV for a spreadsheet."""
    return csv_bytes([field.name for field in fields(CollectedReview)], map(vars, reviews))


@dataclass(frozen=True)
class ExportSummary:
    """What was exported.

    Attributes:
        release: its name.
        stories: approved stories that no case uses, for training.
        stories_used: approved stories that are not exported, since a case has their first sentences.
        other_stories: by status those that were not approved.
        filter: of the cases; None without any.
        watch: what the endings that were kept give away; None without any.
        writers, ending_writers, verifiers: how many people; those who are not known count as nobody.
        files: below the folder.
    """

    release: str
    stories: int
    stories_used: int
    other_stories: dict[str, int]
    filter: FilterSummary | None
    watch: EndingWatch | None
    writers: int
    ending_writers: int
    verifiers: int
    files: tuple[str, ...]
