"""What is pulled from a DVC remote and pushed to it, with folders for the remote and for git's origin."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

DVC_YAML = "stages: {copy: {cmd: cp source.txt copy.txt, deps: [source.txt], outs: [copy.txt]}}\n"
GIT = ("git", "-c", "user.name=t", "-c", "user.email=t@example.org")


def run(folder: Path, *command: str, **variables: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PATH": path, **variables}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A clone of a repository with the scripts and a graph of one stage that ran, and nothing pushed anywhere."""
    folder = tmp_path / "checkout"
    run(tmp_path, "git", "init", "-q", "--bare", "-b", "main", "origin.git")
    run(tmp_path, "git", "clone", "-q", "origin.git", "checkout")
    shutil.copytree(ROOT / ".ci", folder / ".ci")
    (folder / "source.txt").write_text("one")
    (folder / "dvc.yaml").write_text(DVC_YAML)
    (folder / ".gitignore").write_text("/copy.txt\n")
    run(folder, "dvc", "init", "-q")
    run(folder, "git", "checkout", "-q", "-b", "main")
    run(folder, *GIT, "add", "-A")
    run(folder, *GIT, "commit", "-q", "-m", "first")
    run(folder, "git", "push", "-q", "origin", "main")
    run(folder, "dvc", "repro", "-q")
    return folder


@pytest.mark.slow
def test_what_one_run_made_and_pushed_another_clone_pulls(checkout: Path, tmp_path: Path):
    remote = {"DVC_REMOTE_URL": str(tmp_path / "remote")}
    assert "PUSH_BRANCH names no branch" in run(checkout, ".ci/push", **remote)
    assert run(checkout, "git", "rev-list", "--count", "HEAD").strip() == "1"
    assert "dvc.lock is committed to main" in run(checkout, ".ci/push", **remote, PUSH_BRANCH="main")
    assert "nothing to record" in run(checkout, ".ci/push", **remote, PUSH_BRANCH="main")
    assert run(checkout, "git", "status", "--porcelain") == ""  # the address of the remote is not committed

    run(tmp_path, "git", "clone", "-q", "origin.git", "other")
    other = tmp_path / "other"
    run(other, ".ci/pull", **remote)
    assert (other / "copy.txt").read_text() == "one"
    assert "up to date" in run(other, "dvc", "status")


@pytest.mark.slow
def test_what_the_remote_does_not_have_is_left_to_be_made_again(checkout: Path, tmp_path: Path):
    run(checkout, *GIT, "add", "dvc.lock")
    run(checkout, *GIT, "commit", "-q", "-m", "second")
    run(tmp_path, "git", "clone", "-q", "checkout", "other")
    (tmp_path / "remote").mkdir()
    run(tmp_path / "other", ".ci/pull", DVC_REMOTE_URL=str(tmp_path / "remote"))
    assert not (tmp_path / "other/copy.txt").exists()
    run(tmp_path / "other", "dvc", "repro", "-q")
    assert (tmp_path / "other/copy.txt").read_text() == "one"
