"""Refuse commit subjects of more than 72 characters: `subjects.py [FILE]`.

FILE holds the message of a commit that is being made, as git gives it to a hook. Without one, all commits since the
rule was made are checked; in a shallow clone, which lacks that commit, only the last.
"""

import subprocess
import sys
from pathlib import Path

MOST = 72
RULE_MADE = "591202da62be6909177482bf53b8977e5e2f67d9"


def too_long(subjects: list[str]) -> list[str]:
    """One line for each subject that is too long."""
    return [f"{len(subject)} characters, {MOST} at most: {subject}" for subject in subjects if len(subject) > MOST]


def written(message: str) -> list[str]:
    """The subject of a message as git hands it to a hook: its first line that is neither blank nor a comment."""
    lines = (line.strip() for line in message.splitlines())
    return [line for line in lines if line and not line.startswith("#")][:1]


def committed() -> list[str]:
    """The subjects of the commits up to HEAD that are checked."""
    known = subprocess.run(["git", "cat-file", "-e", f"{RULE_MADE}^{{commit}}"], capture_output=True).returncode == 0
    command = ["git", "log", "--format=%s", f"{RULE_MADE}..HEAD" if known else "-1"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


if __name__ == "__main__":
    problems = too_long(written(Path(sys.argv[1]).read_text(encoding="utf-8")) if len(sys.argv) > 1 else committed())
    for problem in problems:
        print(f"commit subject: {problem}", file=sys.stderr)
    sys.exit(bool(problems))
