"""What is shown while `.venv` is made; and that a second call makes nothing."""

import os
import subprocess
from pathlib import Path

import pytest

from tasks import set_up

ROOT = Path(__file__).parents[2]


def test_the_packages_of_the_lock_are_counted(tmp_path):
    lock = tmp_path / "lock"
    lock.write_text("# made on ==\na==1\nb-c[extra]==2.0\n\nd_e.f==3\n")
    assert set_up.packages(lock) == 3
    assert set_up.packages(ROOT / "requirements.lock") > 200


def test_progress_counts_what_is_fetched_and_then_what_is_installed():
    log = "Collecting a==1 (from -r lock)\n  Downloading a.whl\nCollecting b==2\n"
    assert set_up.progress("", 2, 3) == "0 of 3 packages fetched"
    assert set_up.progress(log, 2, 3) == "2 of 3 packages fetched"
    assert set_up.progress(log + "Collecting c\nCollecting d\n", 2, 3) == "3 of 3 packages fetched"
    assert set_up.progress(log + "Installing collected packages: a, b\n", 1, 3) == "1 of 3 packages installed"


@pytest.mark.slow
def test_an_environment_is_made_and_what_fails_is_shown(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(ROOT)
    lock = tmp_path / "lock"
    lock.write_text("no-such-package-of-anybody==1.0\n")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(SystemExit) as stopped:
        set_up.make(tmp_path / "env", lock)
    assert "No matching distribution found for no-such-package-of-anybody" in str(stopped.value)
    assert f"error: pip could not install all of {lock}" in str(stopped.value).splitlines()[-1]
    told = capfd.readouterr().out
    assert told.startswith(f"Setting up {tmp_path / 'env'}: 1 packages from {lock} (about 3 GB")


def test_a_second_set_up_says_that_nothing_is_to_do(tmp_path):
    (tmp_path / "requirements.lock").write_text("a==1\n")
    (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text())
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv/.made-from-lock").touch()
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(["make", "ready"], cwd=tmp_path, capture_output=True, text=True, env=alone, check=False)
    assert (done.returncode, done.stdout) == (0, ".venv has all of requirements.lock: nothing to install\n")
