"""A copy of the project in a git repository of its own, small enough to be reproduced within a minute or two."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Project:
    """A copy of the project, used as a person at a terminal would."""

    folder: Path

    def run(self, *command: str, timeout: float = 280) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.folder, env=self.environment(), capture_output=True, text=True, timeout=timeout
        )

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, *arguments)

    def reproduce(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.python("-m", "flows.reproduce", *arguments)

    def environment(self) -> dict[str, str]:
        # the library of the copy, not the one installed from the project itself
        paths = {"PYTHONPATH": str(self.folder / "src"), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        return {**os.environ, **paths, "MLFLOW_TRACKING_URI": self.tracking_uri}

    @property
    def tracking_uri(self) -> str:
        return f"sqlite:///{self.folder / 'mlflow.db'}"

    def set(self, change: Callable[[dict[str, Any]], None]) -> None:
        path = self.folder / "params.yaml"
        params = yaml.safe_load(path.read_text())
        change(params)
        path.write_text(yaml.safe_dump(params, sort_keys=False))

    def locked(self) -> dict[str, Any]:
        return yaml.safe_load((self.folder / "dvc.lock").read_text())["stages"]

    def copy(self, folder: Path) -> "Project":
        shutil.copytree(self.folder, folder, symlinks=True)
        return Project(folder)


def make_small(params: dict[str, Any]) -> None:
    """One epoch of tiny generators on 60 stories."""
    params["sample"].update(stories=60, cases=12)
    params["encode"].update(encoder="glove", views=1)
    params["train"]["seq2seq"]["small"] = {"epochs": 1, "units": 8}
    params["train"]["h_seq2seq"]["small"] = {"epochs": 1, "units": 8}
    params["generate"]["decoding"]["max_length"] = 8
    params["cloze"]["systems"]["sample"] = ["constant_first", "ngram_overlap", "ending_reg", "likelihood"]
    params["cloze"].update(encoders={"glove": {}}, folds=2, options={"ending_reg": {"n_folds": 2}})


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
    new_project: Project, prefect_api: str, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Project, subprocess.CompletedProcess[str]]:
    """A project reproduced once, and what that printed. For reading only."""
    project = new_project.copy(tmp_path_factory.mktemp("reproduced") / "denouement")
    return project, project.reproduce()


@pytest.fixture
def reproduced(first_run: tuple[Project, subprocess.CompletedProcess[str]], tmp_path: Path) -> Project:
    """A project reproduced once, to do with as one likes."""
    project, done = first_run
    assert done.returncode == 0, done.stdout + done.stderr
    return project.copy(tmp_path / "denouement")
