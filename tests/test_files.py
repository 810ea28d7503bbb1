"""Nothing half-written is ever left."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from denouement.errors import UserError
from denouement.files import alone_in, atomic_write, check_output, existing_file, visible_files, write_text


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


NAMES_OF_NO_FILE = ["absent", "folder", "pipe", "/dev/null", "loop", "dangling", "file/below", "x" * 300, "bad\udcff"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "dangling").symlink_to(tmp_path / "absent")
    return tmp_path


@pytest.mark.parametrize("name", NAMES_OF_NO_FILE)
def test_what_is_no_file_is_never_opened_for_reading(name: str, folder: Path) -> None:
    with pytest.raises(UserError, match=r"no such file|cannot be read|name a file|rename the file"):
        existing_file(folder / name)


@pytest.mark.parametrize("name", ["folder", "pipe", "/dev/null", "file/below", "x" * 250, "x" * 300, "bad\udcff"])
def test_what_is_no_place_for_a_file_is_not_written_to(name: str, folder: Path) -> None:
    before = sorted(folder.iterdir())
    with pytest.raises(UserError, match=r"name a file|name another"):
        write_text(folder / name, "x")
    assert sorted(folder.iterdir()) == before
    assert not Path("/dev/null").is_file()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write anything")
def test_what_may_not_be_read_or_written_is_said(folder: Path) -> None:
    (folder / "file").chmod(0)
    (folder / "folder").chmod(0)
    try:
        for path in (folder / "file", folder / "folder" / "x"):
            with pytest.raises(UserError, match="Permission denied"):
                existing_file(path)
        with pytest.raises(UserError, match="cannot write"):
            write_text(folder / "folder" / "x", "x")
    finally:
        (folder / "folder").chmod(0o700)


def test_an_output_that_is_read_too_is_refused_under_any_name(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "file")
    for path in (folder / "file", folder / "link", folder / "folder" / ".." / "file"):
        with pytest.raises(UserError, match="is read too"):
            check_output(path, [folder / "absent", folder / "file"])
    check_output(folder / "new" / "deep" / "file", [folder / "file"])


def test_a_full_disk_is_one_line_that_names_the_file(folder: Path) -> None:
    path = folder / "file"

    def fill() -> None:
        with atomic_write(path) as beside:
            beside.write_text("half")
            raise OSError(errno.ENOSPC, "told by the library in its own way")

    with pytest.raises(UserError, match=f"cannot write {path}: No space left on device"):
        fill()
    assert path.read_text() == "x"
    assert not list(folder.glob(".*"))


def test_an_error_of_another_file_is_not_blamed_on_the_one_written(folder: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic_write(folder / "new") as beside:
        shutil.copyfile(folder / "absent", beside)


def test_what_a_kill_left_is_swept_up_a_day_later_and_nothing_else(tmp_path: Path) -> None:
    names = [".a[1].txt.0123abcd.part", ".a[1].txt.89abcdef.part", ".a1.txt.0123abcd.part", "a[1].txt.part"]
    for name in names:
        (tmp_path / name).write_text("half")
        if name != names[1]:  # which is being written to
            os.utime(tmp_path / name, (0, 0))
    write_text(tmp_path / "a[1].txt", "x")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*names[1:], "a[1].txt"])


def test_visible_files_are_those_below_a_folder_that_are_not_hidden(tmp_path):
    for name in ("b.csv", "a/c.csv", ".hidden.csv", ".git/d.csv", "a/.e.csv"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    assert list(visible_files(tmp_path)) == [tmp_path / "a" / "c.csv", tmp_path / "b.csv"]


def test_a_folder_is_locked_for_one_and_goes_with_its_parents_when_it_stays_empty(tmp_path):
    folder = tmp_path / "a" / "b"
    with alone_in(folder), pytest.raises(UserError, match="another process writes into it"), alone_in(folder):
        pass
    assert list(tmp_path.iterdir()) == []
    with alone_in(folder):
        (folder / "kept").touch()
    assert (folder / "kept").exists()
    with pytest.raises(UserError, match="cannot write"), alone_in(folder / "kept"):
        pass
