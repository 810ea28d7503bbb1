"""Bringing official files into data/raw/brought."""

from pathlib import Path

import pytest

from denouement.errors import UserError
from tasks import LAYOUT
from tasks.brought import bring

STORIES = "storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5\r\n1,t,A.,B.,C.,D.,E.\r\n"


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a file of the user's own under data/raw."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data/raw/mine").mkdir(parents=True)
    (tmp_path / "data/raw/mine/stories.csv").write_text(STORIES)
    return tmp_path


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder elsewhere, of which one file is official."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "deep").mkdir()
    (folder / "deep/roc.csv").write_bytes(STORIES.encode())
    (folder / "notes.csv").write_text("a,b\n1,2\n")
    return folder


def raw_files() -> list[str]:
    return sorted(path.relative_to(LAYOUT.raw).as_posix() for path in LAYOUT.raw.rglob("*") if path.is_file())


def test_only_official_files_are_taken_as_they_are_and_the_rest_is_named(folder, capfd):
    bring(folder)
    assert raw_files() == ["brought/roc.csv", "mine/stories.csv"]
    assert (LAYOUT.brought / "roc.csv").read_bytes() == STORIES.encode()
    printed = capfd.readouterr()
    assert "roc.csv" in printed.out
    assert "notes.csv is left out: " in printed.err


ANSWERS = "InputStoryid,context,optionA,optionB,answer,reason,RightEnding,model1,answer_correspondence\n"


def test_files_of_answers_are_taken_too_and_alone_they_are_enough(folder, tmp_path_factory, capfd):
    (folder / "renamed.txt").write_text(ANSWERS)
    bring(folder)
    assert raw_files() == ["brought/renamed.txt", "brought/roc.csv", "mine/stories.csv"]
    assert "renamed.txt is left out" not in capfd.readouterr().err
    answers_alone = tmp_path_factory.mktemp("answers")
    (answers_alone / "answers.csv").write_text(ANSWERS)
    bring(answers_alone)
    assert raw_files() == ["brought/answers.csv", "mine/stories.csv"]


def test_the_next_folder_replaces_what_was_brought(folder, tmp_path_factory):
    bring(folder)
    other = tmp_path_factory.mktemp("other")
    (other / "other.csv").write_text(STORIES)
    bring(other)
    assert raw_files() == ["brought/other.csv", "mine/stories.csv"]


def test_without_a_folder_only_what_was_brought_goes(folder):
    bring(folder)
    bring(None)
    assert raw_files() == ["mine/stories.csv"]
    bring(None)
    assert raw_files() == ["mine/stories.csv"]


def test_a_folder_without_an_official_file_is_an_error_that_touches_nothing(folder, tmp_path_factory):
    bring(folder)
    empty = tmp_path_factory.mktemp("empty")
    (empty / "notes.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match="no official ROCStories or Story Cloze file"):
        bring(empty)
    with pytest.raises(UserError, match="no such folder"):
        bring(empty / "absent")
    assert raw_files() == ["brought/roc.csv", "mine/stories.csv"]


def test_two_files_of_one_name_are_an_error(folder):
    (folder / "roc.csv").write_bytes(STORIES.encode())
    with pytest.raises(UserError, match="same name"):
        bring(folder)
    assert raw_files() == ["mine/stories.csv"]


@pytest.mark.parametrize("where", [".", "data", "data/raw", "data/raw/mine"])
def test_a_folder_that_is_read_anyway_is_refused(where):
    with pytest.raises(UserError, match="data/raw"):
        bring(Path(where))
    assert raw_files() == ["mine/stories.csv"]


def test_of_thousands_of_other_files_the_first_are_named_and_the_rest_counted(folder, capfd):
    for number in range(1000):
        (folder / f"note\n{number}.txt").write_text("x")
    bring(folder)
    told = capfd.readouterr().err.splitlines()
    assert len(told) == 21
    assert all(line.startswith("warning: ") for line in told)
    assert "981 more files are left out" in told[-1]
    assert raw_files() == ["brought/roc.csv", "mine/stories.csv"]


def test_what_is_no_folder_is_refused(folder):
    (folder / "loop").symlink_to(folder / "loop")
    for name in ("loop", "absent", "notes.csv"):
        with pytest.raises(UserError, match="folder"):
            bring(folder / name)
    assert raw_files() == ["mine/stories.csv"]
