"""Files of scores and ratings as others published them, recognised by their layout.

Each layout has a module with a function that says whether a file is of it, and one that reads it.
"""

from pathlib import Path

from denouement.metrics.agreement.published import hanna, openmeva, storyer, union
from denouement.metrics.agreement.published.rows import PublishedFile

LAYOUTS = {"hanna": hanna, "openmeva": openmeva, "storyer": storyer, "union": union}
"""By name."""


def published_file(path: Path) -> PublishedFile | None:
    """The scores and ratings of a published file; None where it has none of the layouts.

    Raises:
        UserError: a file in one of the layouts that cannot be read.
    """
    for layout in LAYOUTS.values():
        if layout.is_of(path):
            found: PublishedFile = layout.read(path)
            return found
    return None
