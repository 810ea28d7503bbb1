"""Many people of a collection at once, and servers that die: nothing that was confirmed is lost or counted twice."""

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from collectors import NAME, check, come, described, work

from denouement.collect.store import open_store

PROGRAM = Path(__file__).with_name("collectors.py")
KILLS = 30


def test_many_threads_fill_a_collection_exactly(tmp_path):
    with closing(open_store(f"sqlite:///{tmp_path / 's.db'}")) as store:
        store.create_collection(described(stories={"qualification": False, "wanted": 12}))
        keys = [come(store, None if number % 4 else "review") for number in range(12)]
        confirmed: list[tuple[str, str, str]] = []
        for _ in range(30):  # who found nothing to do comes again: others have handed in meanwhile
            before = len(confirmed)
            threads = [
                threading.Thread(target=work, args=(store, key, 20, lambda *said: confirmed.append(said)))
                for key in keys
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if len(confirmed) == before:
                break
        check(store)
        stories, review, endings, verification = store.collection_progress(NAME).steps
        assert stories.statuses == {"approved": 12, "open": 0, "returned": 0, "rejected": stories.statuses["rejected"]}
        assert (endings.done, endings.wanted) == (12, 12)
        assert (verification.done, verification.wanted) == (72, 72)
        kept = Counter(status for _, _, status in confirmed)
        assert kept["accepted"] == stories.done + stories.statuses["rejected"] + review.done + 12 + 72 + _again(
            confirmed
        )


def _again(confirmed) -> int:
    """How often a returned story was handed in again: the same piece a second time."""
    return len(confirmed) - len({piece for _, piece, _ in confirmed})


@pytest.mark.slow
def test_thirty_kills_under_load_lose_no_confirmed_work(tmp_path):
    url = f"sqlite:///{tmp_path / 's.db'}"
    with closing(open_store(url)) as store:
        store.create_collection(described())
    confirmed: dict[str, str] = {}
    for number in range(KILLS):
        command = [sys.executable, str(PROGRAM), url, str(8 * number), "8"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ}) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline()]  # so that the kill does not come before the work
            time.sleep(0.05 + 0.01 * number)
            process.kill()
            lines += process.stdout.readlines()
        said = [line.split() for line in lines if line.endswith("\n")]
        assert said
        assert all(len(each) == 4 for each in said)
        for _, _, piece, status in said:
            assert status in ("accepted", "surplus", "refused")  # refused: a review that another one made needless
            if status != "refused":
                confirmed[piece] = status
        with closing(open_store(url)) as store:
            check(store)
            with store._reading() as connection:
                rows = connection.exec_driver_sql("SELECT token, status FROM assignments WHERE state = 'answered'")
                kept = {row.token for row in rows}
            lost = [piece for piece in confirmed if piece not in kept]
            assert not lost, (number, lost)
