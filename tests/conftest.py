"""Fixtures that every test may use."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Prefect reads it when it is imported; the records of tests are not those of the project.
os.environ["PREFECT_HOME"] = tempfile.mkdtemp(prefix="denouement-prefect-")
atexit.register(shutil.rmtree, os.environ["PREFECT_HOME"], ignore_errors=True)
os.environ.pop("PREFECT_API_URL", None)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data; tests that need it are skipped, with the reason, where it is absent."""
    folder = Path(os.environ.get("DENOUEMENT_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data absent: no folder {folder} (name one with DENOUEMENT_SHARED_DATA)")
    return folder
