from pathlib import Path

import pyarrow as pa
import pytest


@pytest.fixture(scope="session")
def published_votes(shared_data: Path) -> pa.Table:
    """The 250 answers that Mori et al. 2019 published."""
    path = shared_data / "human_evaluation" / "qualitative_evaluation_results.csv"
    if not path.is_file():
        pytest.skip(f"the published answers are absent: no file {path}")
    from denouement.study.importing import import_answers

    return import_answers([path]).tables["votes"]
