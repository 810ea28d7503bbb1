"""What is known of a running collection: its writers, what verifiers confirmed, and what its endings give away."""

from dataclasses import dataclass
from pathlib import Path

from denouement.collect.crowd import CollectedCrowd, crowd_of
from denouement.collect.description import Collection
from denouement.collect.exported import CollectedWork
from denouement.collect.exporting import filter_rules
from denouement.collect.filtering import FilterSummary, filter_cases
from denouement.collect.watching import EndingWatch, watch, watch_rules


@dataclass(frozen=True)
class Overview:
    """What is known of a collection so far.

    Attributes:
        crowd: its writers.
        filter: what fell where so far; None without a verified ending.
        watch: what all its endings give away; None without a step in which endings are written.
    """

    crowd: CollectedCrowd
    filter: FilterSummary | None
    watch: EndingWatch | None


def filtered_so_far(work: CollectedWork, collection: Collection) -> FilterSummary | None:
    """What fell where so far; None without a verified ending."""
    if work.endings is None or work.verifications is None or not work.verifications.num_rows:
        return None
    return filter_cases(work.endings, work.verifications, filter_rules(collection))[1]


def overview(work: CollectedWork, collection: Collection, cache: Path | None = None) -> Overview:
    """What is known of a collection so far.

    Args:
        work: what was handed in.
        collection: its rules.
        cache: see `watching.watch`.
    """
    filtered = filtered_so_far(work, collection)
    watched = None if work.endings is None else watch(work.endings, cache, watch_rules(collection))
    return Overview(crowd_of(work, collection, filtered), filtered, watched)
