"""A labelled v1.0 test set beside v1.0 validation, through the whole graph.

The v1.0 test file is given out on request, so half of a set of cases is taken for it: under ids of their own, in the
official layout, and named like the official file. The other half is validation. The cases are the first of the
official validation file where it is at hand, else those of the sample corpus.
"""

import csv
import json
import os
from pathlib import Path

import pytest
from project import Project

from denouement.corpus.sample import cloze_cases, stories
from denouement.schemas import read_table

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

CASES = 96
ROOT = Path(__file__).parents[2]
VALIDATION = "cloze_test_val__spring2016 - cloze_test_ALL_val.csv"


def write_csv(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


@pytest.fixture
def rows() -> list[list[str]]:
    """Labelled cases as rows of the official layout: real ones where they are, else those of the sample corpus."""
    folder = Path(os.environ.get("DENOUEMENT_SHARED_DATA", ROOT.parent / "shared" / "data"))
    path = folder / "story_cloze" / VALIDATION
    if path.is_file():
        with path.open(newline="", encoding="utf-8-sig") as file:
            return list(csv.reader(file))[1 : 1 + CASES]
    cases = cloze_cases(CASES, seed=3)
    return [[each.case_id, *each.context, *each.endings, str(each.right_ending)] for each in cases]


def write_files(folder: Path, rows: list[list[str]]) -> None:
    """Stories, and every second case in the file of the validation set, the others in that of the test set."""
    folder.mkdir()
    of_stories = [[each.story_id, each.title, *each.sentences] for each in stories(60, seed=5)]
    sentences = [f"sentence{place}" for place in range(1, 6)]
    write_csv(
        folder / "ROCStories_winter2017 - ROCStories_winter2017.csv", ["storyid", "storytitle", *sentences], of_stories
    )
    header = ["InputStoryid", *(f"InputSentence{place}" for place in range(1, 5))]
    header += [f"RandomFifthSentenceQuiz{place}" for place in (1, 2)] + ["AnswerRightEnding"]
    write_csv(folder / VALIDATION, header, rows[0::2])
    test = [[f"test-{number}", *row[1:]] for number, row in enumerate(rows[1::2])]
    write_csv(folder / "cloze_test_test__spring2016 - cloze_test_ALL_test.csv", header, test)


def test_both_sets_stand_in_the_tables_and_learners_never_learn_from_the_test(
    new_project: Project, rows: list[list[str]], tmp_path: Path
):
    n = {"validation": len(rows[0::2]), "test": len(rows[1::2])}
    project = new_project.copy(tmp_path / "denouement")

    def make_official_small(params: dict) -> None:
        for generator in ("seq2seq", "h_seq2seq"):
            params["train"][generator]["paper"] = {"epochs": 1, "units": 8}
        params["cloze"]["systems"]["official"] = params["cloze"]["systems"]["sample"]
        params["statistics"]["events"] = True  # once in a whole graph

    project.set(make_official_small)
    write_files(tmp_path / "files", rows)
    done = project.reproduce("--corpus", str(tmp_path / "files"))
    assert done.returncode == 0, done.stdout + done.stderr
    data = project.folder / "data"

    evaluation = json.loads((data / "cloze/evaluation.json").read_text())
    found = {(row["system"], row["variant"], row["split"]): row for row in evaluation["systems"]}
    systems = {system for system, *_ in found} - {"human"}
    assert systems == {"constant_first", "ngram_overlap", "ending_reg", "likelihood"}
    for (system, variant, split), row in found.items():
        if system != "human":
            assert (row["release"], row["n"], row["missing"], row["failed"]) == ("v1.0", n[split], None, None)
            assert (system, variant, {"validation": "test", "test": "validation"}[split]) in found
    fitted = {"cases": {"v1.0 validation": n["validation"]}, "folds": None, "left_out": 0}
    assert found["ending_reg", "", "test"]["fitted_to"] == fitted
    assert found["ending_reg", "", "validation"]["fitted_to"] == {**fitted, "folds": 2}
    assert found["ending_reg", "", "test"]["paper"] == 0.715
    with_labels = "labelled cases of the split test, not learned from"
    assert evaluation["notes"]["cases to learn from"] == {with_labels: n["test"]}

    for page in ("summary.md", "report.html"):
        text = (project.folder / "reports" / page).read_text()
        for split, size in n.items():
            assert f"v1.0 {split} (n = {size:,})" in text, page
    groups = read_table(data / "sentiment.parquet", "sentiment")["group"].to_pylist()
    assert (groups.count("right"), groups.count("wrong")) == (len(rows), len(rows))  # validation and test together
    statistics = json.loads((data / "statistics/statistics.json").read_text())
    pooled = statistics["ending_features"]["values"]["pooled"]["v1.0 validation and test"]
    assert {row["n"] for row in pooled} == {len(rows)}
    endings = read_table(data / "endings/seq2seq.parquet", "endings")
    assert endings.num_rows == n["validation"]  # of the validation cases: a test set is asked for by name
