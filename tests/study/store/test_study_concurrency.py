"""Exactly k answers an item, whoever asks at once, and nothing that was confirmed is lost."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from crowd import crowd, design, pairs, ready

from denouement.study.store import open_store

CROWD = Path(__file__).parents[1] / "crowd.py"


def start(url: str, first: int, count: int, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(CROWD), url, str(first), str(count), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ})


def check_answers(store, told, n_items: int, k: int) -> None:
    """Each item has k answers by k people, and they are the ones that people were told of."""
    answers = store.answers("crowd")
    per_item = Counter(answer.item.id for answer in answers if answer.status == "accepted")
    assert per_item == {f"item-{number}": k for number in range(n_items)}
    assert len({(answer.item.id, answer.annotator_id) for answer in answers}) == len(answers) == n_items * k
    confirmed = Counter((store.annotator_id("crowd", name), item) for name, item, status in told)
    assert confirmed == Counter((answer.annotator_id, answer.item.id) for answer in answers)
    assert {status for *_, status in told} == {"accepted"}
    progress = store.progress("crowd")
    assert (progress.accepted, progress.complete, progress.open, progress.surplus) == (n_items * k, n_items, 0, 0)


def test_many_threads_give_each_item_exactly_k_answers(store):
    store.create(design(answers_per_item=3), pairs(20))
    check_answers(store, crowd(store, [f"p{n}" for n in range(40)]), 20, 3)


@pytest.mark.slow
def test_several_processes_of_many_threads_give_each_item_exactly_k_answers(store_url):
    with closing(open_store(store_url)) as store:
        store.create(design(), pairs(40))
        processes = [start(store_url, 25 * number, 25) for number in range(4)]
        told = []
        for process in processes:
            output, errors = process.communicate(timeout=200)
            assert process.returncode == 0, errors
            told += [tuple(line.split("\t")) for line in output.splitlines()]
        check_answers(store, told, 40, 5)


@pytest.mark.slow
def test_processes_that_make_the_same_store_at_once_all_find_it(store_url):
    code = "import sys; from denouement.study.store import open_store; print(open_store(sys.argv[1]).studies())"
    command = [sys.executable, "-c", code, store_url]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    for process in processes:
        output, errors = process.communicate(timeout=100)
        assert (output, process.returncode) == ("[]\n", 0), errors


def test_one_person_in_many_tabs_holds_one_item_and_answers_it_once(store):
    import threading

    store.create(design(), pairs(5))
    key = ready(store, "p0")
    held, outcomes = [], []
    threads = [threading.Thread(target=lambda: held.append(store.next(key).id)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(held) == 20
    assert len(set(held)) == 1
    submits = [
        threading.Thread(target=lambda answer=answer: outcomes.append(store.submit(key, held[0], answer).status))
        for answer in ("A", "B") * 10
    ]
    for thread in submits:
        thread.start()
    for thread in submits:
        thread.join()
    assert Counter(outcomes) == {"accepted": 1, "duplicate": 19}
    assert len(store.answers("crowd")) == 1


@pytest.mark.slow
def test_kill_9_under_load_loses_no_confirmed_answer(store_url, tmp_path):
    with closing(open_store(store_url)) as store:
        store.create(design(), pairs(2000))
    told = tmp_path / "told"
    for first in (0, 100, 200):  # three times, so that a kill meets the store in different states
        told_before = told.stat().st_size if told.exists() else 0
        process = start(store_url, first, 30, str(told))
        deadline = time.monotonic() + 60
        try:
            while (told.stat().st_size if told.exists() else 0) < told_before + 3000:
                assert process.poll() is None, process.stderr.read()
                assert time.monotonic() < deadline
                time.sleep(0.01)
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
    lines = told.read_text().splitlines(keepends=True)
    confirmed = [tuple(line.strip().split("\t")) for line in lines if line.endswith("\n")]
    assert len(confirmed) > 300
    with closing(open_store(store_url)) as store:
        answers = {(answer.annotator_id, answer.item.id) for answer in store.answers("crowd")}
        for name, item, status in confirmed:
            assert status == "accepted"
            assert (store.annotator_id("crowd", name), item) in answers
        assert len(answers) - len(confirmed) <= 3 * 30  # what was written and not told yet: one a person at most
        # the study goes on: leases of the dead are still theirs
        [key] = [store.enter("crowd", "p0").key]
        assert store.next(key) is not None
