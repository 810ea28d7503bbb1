"""Small Story Cloze tables."""

from collections.abc import Callable, Sequence

import pyarrow as pa
import pytest

from denouement import schemas


@pytest.fixture
def make_case() -> Callable[..., pa.Table]:
    """A table `cloze` of the one case that is given."""

    def make(context: Sequence[str], ending_1: str, ending_2: str, right_ending: int | None = None) -> pa.Table:
        row = {
            "case_id": "case",
            "context": context,
            "endings": [ending_1, ending_2],
            "language": "en",
            "right_ending": right_ending,
            "release": "v1.0",
            "split": "validation",
        }
        return pa.Table.from_pylist([row], schemas.TABLES["cloze"].schema)

    return make
