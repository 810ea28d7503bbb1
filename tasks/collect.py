"""A collection of the store of studies, exported into the graph's folder of official files."""

import os
from pathlib import Path
from typing import Any

from prefect import task

from denouement.collect.exported import ExportSummary
from denouement.collect.exporting import export
from denouement.collect.sections import export_blocks
from denouement.collect.store import open_store
from denouement.corpus.layouts import own_files
from denouement.files import atomic_write
from tasks import LAYOUT, artifacts, tracking

STORE = "DENOUEMENT_STUDY_STORE"  # the variable that names the store; its URL may hold a password


@task
def export_collection(name: str) -> None:
    """Export a collection to data/collected/NAME, and copy the files of its corpus to data/raw/collected/NAME.

    The first folder keeps ids, splits and sides, and who did what. Files of the second whose content stays the same are
    not touched, so that the graph runs again only on what is new.

    Raises:
        UserError: no such store or collection, or one without an approved story or a confirmed case so far.
    """
    store = open_store(os.environ.get(STORE, "sqlite:///studies.db"), make=False)
    try:
        collection, work = store.collection(name), store.collected(name)
    finally:
        store.close()
    with tracking.run(f"collect {name}", "collect", {"collection": name, "release": collection.release}):
        out = LAYOUT.exports / name
        found = export(work, collection, out)
        changed = renewed(out / "public", LAYOUT.collected / name, collection.release)
        tracking.log_values(_values(found))
        artifacts.show_tables("collect", export_blocks(found))
        print(f"{LAYOUT.collected / name}: {', '.join(changed) or 'nothing is new'}")


def renewed(public: Path, raw: Path, release: str) -> list[str]:
    """Make `raw` hold the official files of an export, and nothing else; return those that changed."""
    names = own_files(release)
    exported = (public / name for name in (names.stories, names.validation, names.test))
    files = {path.name: path.read_bytes() for path in exported if path.exists()}
    changed = [name for name, content in files.items() if not _holds(raw / name, content)]
    for name in changed:
        with atomic_write(raw / name) as beside:
            beside.write_bytes(files[name])
    for old in [path for path in raw.iterdir() if path.name not in files]:
        old.unlink()
        changed.append(f"{old.name} (removed)")
    return changed


def _holds(path: Path, content: bytes) -> bool:
    return path.exists() and path.read_bytes() == content


def _values(found: ExportSummary) -> dict[str, Any]:
    """The counts of an export, and how often a model that never sees the story is right."""
    values: dict[str, Any] = {"stories": found.stories, "stories_used": found.stories_used}
    if found.filter:
        values |= {"cases": found.filter.outcomes, "alpha": found.filter.alpha}
    if found.watch and found.watch.curve:
        last = found.watch.curve[-1]
        values["bias"] = {"pairs": last.pairs, "accuracy": last.accuracy, "low": last.low, "high": last.high}
    return values
