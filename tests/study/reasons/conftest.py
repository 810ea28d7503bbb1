from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from denouement.schemas import TABLES


@pytest.fixture(scope="session")
def votes_of() -> Callable[..., pa.Table]:
    """A votes table of reasons: each a text, or (text, choice), or (text, choice, changes of columns)."""

    def make(*reasons: str | Sequence | None) -> pa.Table:
        rows = []
        for place, given in enumerate(reasons):
            text, choice, changes = (*((given, "ours", {}) if not isinstance(given, tuple) else (*given, {})),)[:3]
            answer = {"ours": "A", "theirs": "B"}.get(choice, choice)
            rows.append(
                {
                    "study": "test",
                    "item_id": f"item-{place}",
                    "case_id": f"case-{place}",
                    "annotator_id": f"person-{place % 3}",
                    "position_a": "ours",
                    "position_b": "theirs",
                    "answer": answer,
                    "choice": choice,
                    "reason": text,
                    "is_check": False,
                    "status": "accepted",
                    "started_at": None,
                    "submitted_at": None,
                    **changes,
                }
            )
        return pa.Table.from_pylist(rows, TABLES["votes"].schema)

    return make


@pytest.fixture(scope="session")
def published_votes(shared_data: Path) -> pa.Table:
    """The 250 answers that Mori et al. 2019 published."""
    path = shared_data / "human_evaluation" / "qualitative_evaluation_results.csv"
    if not path.is_file():
        pytest.skip(f"the published answers are absent: no file {path}")
    from denouement.study.importing import import_answers

    return import_answers([path]).tables["votes"]
