"""Copies the files of another folder to data/raw/brought; all else under data/raw is the user's."""

import shutil
from pathlib import Path

from denouement.corpus.readers import find_files, warn_of_others
from denouement.errors import UserError
from denouement.files import atomic_write
from denouement.study.importing import find_answers
from tasks import LAYOUT


def bring(folder: Path | None) -> None:
    """Make data/raw/brought hold copies of the official files and the files of answers in `folder`, and nothing else.

    None removes the copies. Prints which files were taken, and warns of those left out, with the reason.

    Raises:
        UserError: no such folder, one without any such file, one that holds data/raw or is in it, or two such
            files of one name. Nothing is touched then.
    """
    if folder is None:
        if LAYOUT.brought.is_dir():
            shutil.rmtree(LAYOUT.brought)
            print(
                f"no CORPUS is given: the copies in {LAYOUT.brought} are removed; other files in {LAYOUT.raw} are read"
            )
        return
    taken, others = files_in(folder)
    warn_of_others(others)
    for path in taken:
        copy = LAYOUT.brought / path.name
        with atomic_write(copy) as beside:
            shutil.copyfile(path, beside)
        print(f"{path} is taken: {copy}")
    names = {path.name for path in taken}
    for old in LAYOUT.brought.iterdir():
        if old.name not in names:
            old.unlink()


def files_in(folder: Path) -> tuple[list[Path], list[tuple[Path, str]]]:
    """The files that `bring` takes from `folder`, and those it leaves out, each with the reason.

    Raises:
        UserError: as `bring`.
    """
    if not folder.is_dir():
        raise UserError(
            f"{folder}: {'not a folder' if folder.exists() else 'no such folder'}; name one with official files"
        )
    raw, named_folder = LAYOUT.raw.resolve(), folder.resolve()
    if raw.is_relative_to(named_folder) or named_folder.is_relative_to(raw):
        raise UserError(f"{folder}: files under {LAYOUT.raw} are read anyway; name a folder elsewhere, or none")
    official, others = find_files(folder)
    answers = find_answers(folder)
    taken = [*official, *answers]
    if not taken:
        raise UserError(
            f"{folder}: no official ROCStories or Story Cloze file in it, and no file of answers; docs/data.md and "
            "docs/study_results.md show their headers"
        )
    named = {path.name: path for path in taken}
    if len(named) != len(taken):
        twice = sorted(path for path in taken if named[path.name] != path)
        raise UserError(f"{twice[0]}: {named[twice[0].name]} has the same name; rename one of them")
    return taken, [(path, reason) for path, reason in others if path not in answers]
