"""Writes what people would say of all items to files."""

from pathlib import Path

from denouement.metrics.estimates.estimates import Estimates
from denouement.metrics.estimates.sections import estimate_blocks, warnings
from denouement.present.output import write_result
from denouement.present.sections import Bullets

FILES = ("estimates.html", "estimates.json")


def write_estimates(out: Path, found: Estimates) -> None:
    """Write it as `present.output.write_result` does, without a chart; the warnings are on the page too."""
    said = warnings(found)
    blocks = [*([Bullets("Before you believe it:", said)] if said else []), *estimate_blocks(found)]
    write_result(out, "estimates", "What people would say of all items", found, blocks)
