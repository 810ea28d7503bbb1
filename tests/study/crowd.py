"""People who answer a study as fast as they can, in threads of a process: `python crowd.py URL FIRST COUNT [TOLD]`."""

import sys
import threading
from pathlib import Path

from denouement.study.design.description import Design
from denouement.study.design.entry import Entry
from denouement.study.design.items import Item
from denouement.study.store import Store, open_store


def design(**keys: object) -> Design:
    """A study of one pair, open to all, five answers an item."""
    return Design(**{"name": "crowd", "systems": ("one", "two"), "entry": Entry("open"), **keys})


def pairs(n: int) -> list[Item]:
    """`n` items of one pair."""
    return [
        Item(f"item-{i}", f"case-{i}", "pair", (f"Story {i}.", "Goes on."), ("one", "two"), (f"End {i}.", f"Fin {i}."))
        for i in range(n)
    ]


def ready(store: Store, name: str, study: str = "crowd") -> str:
    """The key of a person who came in and consented."""
    annotator = store.enter(study, name)
    assert annotator
    return store.consent(annotator.key).key


def answer_all(store: Store, key: str, told: list[tuple[str, str, str]], name: str) -> None:
    """Answer until there is nothing left; what the store confirmed is put into `told`."""
    while assignment := store.next(key):
        outcome = store.submit(key, assignment.id, "A")
        told.append((name, assignment.item.id, outcome.status))


def crowd(store: Store, names: list[str]) -> list[tuple[str, str, str]]:
    """All of these people at once, a thread each. What they were told: name, item, status."""
    told: list[tuple[str, str, str]] = []
    keys = [(ready(store, name), name) for name in names]
    threads = [threading.Thread(target=answer_all, args=(store, key, told, name)) for key, name in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


class Written(list):
    """A list that writes each entry to a file at once, so that what was told outlives the process."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", buffering=1)

    def append(self, entry: tuple[str, str, str]) -> None:
        self._file.write("\t".join(entry) + "\n")


if __name__ == "__main__":
    url, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    opened = open_store(url)
    if len(sys.argv) > 4:
        told_so_far = Written(Path(sys.argv[4]))
        people = [(ready(opened, f"p{n}"), f"p{n}") for n in range(first, first + count)]
        for key, name in people:
            threading.Thread(target=answer_all, args=(opened, key, told_so_far, name)).start()
    else:
        for entry in crowd(opened, [f"p{n}" for n in range(first, first + count)]):
            print("\t".join(entry))
