"""`python -m denouement` is the command."""

import subprocess
import sys


def test_the_package_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "denouement", "cloze", "evaluate", "--system", "bert"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    helped = subprocess.run([sys.executable, "-m", "denouement", "--help"], capture_output=True, text=True, check=True)
    assert helped.stdout.startswith("Usage: denouement ")
