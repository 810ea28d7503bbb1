"""A copy of the project in a git repository of its own, small enough to be reproduced within a minute or two."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from project import Project

ROOT = Path(__file__).parents[2]


def make_small(params: dict[str, Any]) -> None:
    """One epoch of tiny generators on 60 stories."""
    params["sample"].update(stories=60, cases=12)
    params["encode"].update(encoder="glove", views=1)
    params["train"]["seq2seq"]["small"] = {"epochs": 1, "units": 8}
    params["train"]["h_seq2seq"]["small"] = {"epochs": 1, "units": 8}
    params["generate"]["decoding"]["max_length"] = 8
    params["cloze"]["systems"]["sample"] = ["constant_first", "ngram_overlap", "ending_reg", "likelihood"]
    params["cloze"].update(encoders={"glove": {}}, folds=2, options={"ending_reg": {"n_folds": 2}})
    params["metrics"].update(scores=["rouge_l", "likelihood", "length", "repetition"], options={})
    params["statistics"].update(folds=2, events=False)


@pytest.fixture(scope="session")
def new_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project as a fresh clone would be, with small settings; nothing ran in it yet."""
    folder = tmp_path_factory.mktemp("project") / "denouement"
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, files.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    (folder / "dvc.lock").unlink(missing_ok=True)  # of the real settings
    project = Project(folder)
    project.set(make_small)
    for command in (
        ["git", "init", "-q", "."],
        ["git", "add", "-A"],
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "small"],
    ):
        done = project.run(*command)
        assert done.returncode == 0, done.stderr
    return project


@pytest.fixture(scope="session")
def prefect_api() -> Iterator[str]:
    """One Prefect server for all tests, as one serves a whole reproduction."""
    from tasks.servers import prefect_server

    with prefect_server() as url:
        yield url


@pytest.fixture(scope="session")
def first_run(
    new_project: Project, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Project, subprocess.CompletedProcess[str]]:
    """A project reproduced once, with a Prefect server of its own, and what that printed. For reading only.

    One process of several makes it; the others wait for it and read the same folder.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    project, printed = folder / "reproduced" / "denouement", folder / "reproduced.json"
    own_server = {"PREFECT_HOME": str(project / ".prefect"), "PREFECT_API_URL": None}
    with FileLock(folder / "reproduced.lock"):
        if not printed.exists():
            new_project.copy(project)
            done = Project(project, own_server).reproduce()
            printed.write_text(json.dumps([done.args, done.returncode, done.stdout, done.stderr]))
    return Project(project, own_server), subprocess.CompletedProcess(*json.loads(printed.read_text()))


@pytest.fixture
def reproduced(
    first_run: tuple[Project, subprocess.CompletedProcess[str]], prefect_api: str, tmp_path: Path
) -> Project:
    """A project reproduced once, to do with as one likes; it uses the Prefect server of all tests."""
    project, done = first_run
    assert done.returncode == 0, done.stdout + done.stderr
    return project.copy(tmp_path / "denouement")
