"""Small Story Cloze tables."""

from collections.abc import Callable, Sequence

import pyarrow as pa
import pytest

from denouement import schemas


@pytest.fixture
def make_cases() -> Callable[..., pa.Table]:
    """A table `cloze`: one case for each (right ending's number or None), with contexts and endings of its own."""

    def make(
        labels: Sequence[int | None], release: str = "v1.0", split: str = "validation", start: int = 0
    ) -> pa.Table:
        rows = [
            {
                "case_id": f"case-{start + number}",
                "context": [f"Person {start + number} did thing {sentence}." for sentence in "abcd"],
                "ending_1": f"One ending {start + number}.",
                "ending_2": f"Another, longer ending {start + number}.",
                "right_ending": label,
                "release": release,
                "split": split,
            }
            for number, label in enumerate(labels)
        ]
        return pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema)

    return make


@pytest.fixture
def make_case() -> Callable[..., pa.Table]:
    """A table `cloze` of the one case that is given."""

    def make(context: Sequence[str], ending_1: str, ending_2: str, right_ending: int | None = None) -> pa.Table:
        row = {
            "case_id": "case",
            "context": context,
            "ending_1": ending_1,
            "ending_2": ending_2,
            "right_ending": right_ending,
            "release": "v1.0",
            "split": "validation",
        }
        return pa.Table.from_pylist([row], schemas.TABLES["cloze"].schema)

    return make
