"""The endings that the scores are timed on."""

import pyarrow as pa

from benchmarks.scores import endings_to_score
from denouement.schemas import TABLES


def test_each_system_has_an_ending_of_another_case_and_no_ending_comes_twice():
    rows = [
        {
            **{"case_id": str(place), "context": [f"Context {place}."], "right_ending": 2, "question": None},
            **{"endings": ["Wrong.", f"Right {place}."], "language": "en", "release": "v1.0", "split": "test"},
        }
        for place in range(12)
    ]
    read = endings_to_score(pa.Table.from_pylist(rows, TABLES["cloze"].schema), ["Right 11."], 5, 6_000)
    # of n cases the other 12 - n have as many right endings, and one wrong one that all share: 13 - n >= 5 n
    assert sorted(set(read.case_ids)) == ["0", "1"]
    assert len(set(zip(read.systems, read.case_ids, strict=True))) == 10
    assert len(set(read.rows.endings)) == 10
    assert not {"Right 0.", "Right 1."} & set(read.rows.endings)
    assert read.rows.contexts[:3] == [["Context 0."], ["Context 1."], ["Context 0."]]
    assert read.rows.references[:2] == [["Right 0."], ["Right 1."]]
