"""Nothing half-written is ever left."""

from pathlib import Path

import pytest

from denouement.errors import UserError
from denouement.files import atomic_write, write_text


def test_a_failure_keeps_the_old_file_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "a" / "file.txt"
    write_text(path, "old\n")

    def fail_midway() -> None:
        with atomic_write(path) as beside:
            beside.write_text("half")
            assert path.read_text() == "old\n"
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_midway()
    assert path.read_text() == "old\n"
    assert [entry.name for entry in path.parent.iterdir()] == ["file.txt"]


def test_places_that_cannot_be_written_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is a folder"):
        write_text(tmp_path, "x")
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match="cannot write"):
        write_text(tmp_path / "file" / "below.txt", "x")
