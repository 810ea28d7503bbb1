"""Subjects of commits are at most 72 characters."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*arguments, folder=ROOT):
    command = [sys.executable, ROOT / ".ci/subjects.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


@pytest.mark.parametrize(("length", "status"), [(72, 0), (73, 1)])
def test_a_message_is_refused_from_73_characters_on(tmp_path, length, status):
    (tmp_path / "message").write_text(
        f"# a comment\n\n{'é' * length}\n\n{'b' * 100}\n# {'c' * 100}\n", encoding="utf-8"
    )
    done = run(tmp_path / "message")
    assert done.returncode == status
    assert done.stderr == ("" if not status else f"commit subject: 73 characters, 72 at most: {'é' * 73}\n")


def test_in_a_clone_without_the_rule_s_commit_the_last_one_is_checked(tmp_path):
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run([*git, "init", "-q", tmp_path], check=True)
    for subject in ("a" * 80, "b" * 72):
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", subject], check=True, cwd=tmp_path)
    assert run(folder=tmp_path).returncode == 0
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "c" * 73], check=True, cwd=tmp_path)
    assert "c" * 73 in run(folder=tmp_path).stderr
