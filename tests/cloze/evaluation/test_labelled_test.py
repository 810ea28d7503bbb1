"""A labelled v1.0 test beside v1.0 validation, read from files in the official layout, as a user has them.

The v1.0 test file is given out on request, so half of a set of cases is used instead, with ids of its own.
"""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from denouement.cloze.base import choices, load_system
from denouement.cloze.evaluation.evaluate import evaluate
from denouement.cloze.evaluation.results import Evaluation, FittedTo
from denouement.cloze.evaluation.sections import accuracy_blocks, evaluation_blocks
from denouement.cloze.resources import Resources
from denouement.corpus.ingest import IngestSettings, ingest
from denouement.corpus.sample import cloze_cases
from denouement.present.markdown import render
from denouement.schemas import read_table

HEADER = [
    "InputStoryid",
    *(f"InputSentence{number}" for number in range(1, 5)),
    *(f"RandomFifthSentenceQuiz{number}" for number in (1, 2)),
    "AnswerRightEnding",
]
VALIDATION = "cloze_test_val__spring2016 - cloze_test_ALL_val.csv"
TEST = "cloze_test_test__spring2016 - cloze_test_ALL_test.csv"
SYSTEMS = ["constant_first", "sentiment_last", "ngram_overlap", "ending_reg"]


def written(rows: Sequence[Sequence[str]], folder: Path) -> pa.Table:
    """The table that is read from two official files: every second case is one of the test."""
    renamed = [[f"test-{number}", *row[1:]] for number, row in enumerate(rows[1::2])]
    for name, of_file in ((VALIDATION, rows[0::2]), (TEST, renamed)):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file).writerows([HEADER, *of_file])
    ingest([folder / VALIDATION, folder / TEST], folder / "corpus", IngestSettings())
    return read_table(folder / "corpus/cloze.parquet", "cloze")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> pa.Table:
    rows = [[case.case_id, *case.context, *case.endings, str(case.right_ending)] for case in cloze_cases(160, seed=3)]
    return written(rows, tmp_path_factory.mktemp("sample"))


def of_split(cases: pa.Table, split: str) -> pa.Table:
    return cases.filter(pc.equal(cases["split"], split))


def check(cases: pa.Table, found: Evaluation, n: dict[str, int]) -> None:
    """Each system has a row of each set; learners are fitted to validation alone."""
    sets = {name: len(set(of["case_id"].to_pylist())) for name in n if (of := of_split(cases, name))}
    assert sets == n
    assert found.result.notes["cases to learn from"] == {
        "labelled cases of the split test, not learned from": n["test"]
    }
    for row in found.result.systems:
        if row.system == "human":
            continue
        assert (row.release, row.n, row.missing, row.failed) == ("v1.0", n[row.split], None, None)
        learned = FittedTo({"v1.0 validation": n["validation"]}, None if row.split == "test" else 10, 0)
        assert row.fitted_to == (learned if row.system == "ending_reg" else None)
    # What the systems chose, made once more without the machinery of evaluations.
    validation, test = of_split(cases, "validation"), of_split(cases, "test")
    system = load_system("ending_reg")
    resources = Resources()
    system.prepare(resources)
    system.fit(validation, resources)
    right = test["right_ending"].to_numpy()
    for variant, scores in system.score(test, resources).items():
        row = next(
            row
            for row in found.result.systems
            if (row.system, row.variant, row.split) == ("ending_reg", variant, "test")
        )
        assert row.correct == int((choices(scores) == right).sum())
    for name, of_set in (("validation", validation), ("test", test)):
        row = next(row for row in found.result.systems if (row.system, row.split) == ("constant_first", name))
        assert row.correct == int(np.sum(of_set["right_ending"].to_numpy() == 1))


def test_the_table_of_the_sample_corpus(sample):
    found = evaluate(SYSTEMS, sample, None, Resources())
    check(sample, found, {"validation": 80, "test": 80})
    lines = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in render(accuracy_blocks(found.result.systems)).splitlines()
    ]
    assert lines[0] == ["system", "v1.0 validation (n = 80)", "v1.0 test (n = 80)"]
    by_system = {(row.system, row.variant, row.split): row for row in found.result.systems}
    regression = next(line for line in lines if line[:1] == ["ending_reg"])
    assert regression == [
        "ending_reg",
        f"{by_system['ending_reg', '', 'validation'].accuracy:.3f}",
        f"{by_system['ending_reg', '', 'test'].accuracy:.3f} (0.715)",
    ]
    details = [line[-1] for line in lines if line[:1] == ["ending_reg"] and len(line) > 3]
    assert details == ["80 cases of v1.0 validation in 10 folds", "80 cases of v1.0 validation", *details[2:]]


@pytest.mark.slow
def test_the_table_of_the_official_validation_file(shared_data, tmp_path):
    path = shared_data / "story_cloze" / VALIDATION
    if not path.is_file():
        pytest.skip(f"real data absent: no file {path}")
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    assert rows[0] == HEADER
    cases = written(rows[1:], tmp_path)
    found = evaluate(SYSTEMS, cases, None, Resources())
    check(cases, found, {"validation": 936, "test": 935})
    print(render(evaluation_blocks(found.result)))
    accuracy = {(row.system, row.variant, row.split): row.accuracy for row in found.result.systems}
    # The endings alone give right ones away, on unseen cases too: Sharma et al. 2018, Table 3, has .715.
    assert accuracy["ending_reg", "", "test"] == pytest.approx(0.715, abs=0.05)
