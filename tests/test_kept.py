"""What is kept, when it is used again and when it is made again."""

import pytest

from denouement.errors import UserError
from denouement.files import write_text
from denouement.kept import kept


class Work:
    """Counts how often it was done."""

    def __init__(self, path) -> None:
        self.times = 0
        self._path = path

    def __call__(self, depends_on) -> str:
        def make() -> str:
            self.times += 1
            return f"made {self.times}"

        return kept(self._path, depends_on, make, read, lambda made, path: write_text(path, made))


def read(path) -> str:
    text = path.read_text()
    if not text.startswith("made"):
        raise UserError(f"{path}: damaged")
    return text


def test_the_same_is_made_once_and_anything_else_has_a_file_of_its_own(tmp_path):
    work = Work(tmp_path / "cache/work.txt")
    assert [work({"a": 1, "b": [2.0]}), work({"b": [2.0], "a": 1}), work({"a": 1, "b": [2.5]})] == [
        "made 1",
        "made 1",
        "made 2",
    ]
    assert len(list((tmp_path / "cache").glob("work-*.txt"))) == 2


def test_a_damaged_or_deleted_file_is_made_again(tmp_path, capsys):
    work = Work(tmp_path / "work.txt")
    work(1)
    [path] = tmp_path.iterdir()
    path.write_text("half")
    assert work(1) == "made 2"
    assert f"{path}: damaged: it is made again now" in capsys.readouterr().err
    path.unlink()
    assert work(1) == work(1) == "made 3"


def test_nothing_is_kept_without_a_place_and_of_work_that_ends(tmp_path):
    work = Work(None)
    assert [work(1), work(1)] == ["made 1", "made 2"]

    def ends() -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept(tmp_path / "work.txt", 1, ends, read, lambda made, path: write_text(path, made))
    assert not list(tmp_path.iterdir())


def test_the_oldest_files_of_a_name_are_removed(tmp_path):
    work = Work(tmp_path / "work.txt")
    (tmp_path / "other-1.txt").write_text("of another name")
    for number in range(10):
        work(number)
    assert len(list(tmp_path.glob("work-*.txt"))) == 8
    assert (tmp_path / "other-1.txt").exists()
    assert work(9) == "made 10"
    assert work(0) == "made 11"
