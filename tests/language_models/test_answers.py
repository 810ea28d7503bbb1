"""Answers on disk."""

import multiprocessing
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from denouement.errors import UserError
from denouement.language_models.answers import opened, usual_place
from denouement.language_models.endpoint import ServedAnswer

URL = "http://localhost/v1/completions"
BODY = {"model": "m", "prompt": "Tom ran.", "n": 1, "temperature": 0.0}
ANSWER = ServedAnswer(["He won."], 10, 3)


def test_an_answer_is_found_by_all_that_determines_it(tmp_path):
    with opened(tmp_path / "new" / "a.db") as answers:
        assert answers.get(URL, BODY) is None
        answers.keep(URL, BODY, ANSWER)
    with opened(tmp_path / "new" / "a.db") as answers:
        assert answers.get(URL, dict(reversed(BODY.items()))) == ANSWER
        assert answers.get(f"{URL}2", BODY) is None
        for name in BODY:
            assert answers.get(URL, {**BODY, name: "other"}) is None
        answers.keep(URL, BODY, ServedAnswer(["Another."], 1, 1))
        assert answers.get(URL, BODY) == ANSWER


def test_neither_prompts_nor_addresses_are_in_the_file(tmp_path):
    with opened(tmp_path / "a.db") as answers:
        answers.keep(URL, BODY, ANSWER)
    content = (tmp_path / "a.db").read_bytes()
    assert b"He won." in content
    assert b"Tom ran." not in content
    assert b"localhost" not in content


def keep_many(path: Path, first: int) -> None:
    with opened(path) as answers, ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda n: answers.keep(URL, {"n": n}, ServedAnswer([str(n)], 0, 0)), range(first, first + 50)))


def test_threads_and_processes_write_one_file(tmp_path):
    path = tmp_path / "a.db"
    processes = [multiprocessing.get_context("spawn").Process(target=keep_many, args=(path, n)) for n in (0, 30)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    with opened(path) as answers:
        assert [answers.get(URL, {"n": n}) for n in range(80)] == [ServedAnswer([str(n)], 0, 0) for n in range(80)]


def test_another_file_and_a_damaged_one_are_one_line(tmp_path):
    (tmp_path / "text").write_text("no database, but long enough to be read as one" * 30)
    with pytest.raises(UserError, match="cannot keep answers there"), opened(tmp_path / "text"):
        pass
    with pytest.raises(UserError, match="cannot keep answers there"), opened(tmp_path / "text" / "below"):
        pass
    path = tmp_path / "a.db"
    with opened(path) as answers:
        answers.keep(URL, BODY, ANSWER)
        connection = sqlite3.connect(path)
        with connection:
            connection.execute("UPDATE answers SET answer = '{\"texts\": 7}'")
        connection.close()
        with pytest.raises(UserError, match="holds a damaged answer"):
            answers.get(URL, BODY)


def test_the_usual_place_is_the_folder_of_caches(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert usual_place() == tmp_path / "denouement" / "served.db"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert usual_place() == Path.home() / ".cache" / "denouement" / "served.db"
