"""Which Story Cloze cases count, and which of their endings is right."""

import csv

import pyarrow as pa
import pytest

from denouement import schemas
from denouement.corpus.cases import labelled_cases, labelled_sets, pooled, right_and_wrong, with_human_endings
from denouement.errors import UserError
from denouement.schemas import TABLES


def cloze(*cases: tuple[str, str, int | None]) -> pa.Table:
    """Cases of (id, release, number of the right ending)."""
    rows = [
        {
            "case_id": case_id,
            "context": ["A."],
            "endings": [f"{case_id}: first.", f"{case_id}: second."],
            "language": "en",
            "right_ending": right,
            "release": release,
            "split": "validation",
        }
        for case_id, release, right in cases
    ]
    return pa.Table.from_pylist(rows, TABLES["cloze"].schema)


@pytest.mark.parametrize(
    ("releases", "counted"),
    [
        (["v1.5", "v1.0", "sample"], "v1.0"),
        (["sample", "v1.5"], "v1.5"),
        (["sample"], "sample"),
    ],
)
def test_one_release_counts_the_paper_s_before_others(releases, counted):
    cases, left_out = labelled_cases(cloze(*((release, release, 1) for release in releases)))
    assert cases["case_id"].to_pylist() == [counted]
    assert len(left_out) == (len(releases) > 1)
    for sentence in left_out:
        assert f"{len(releases) - 1} cloze cases of" in sentence
        assert f"only {counted} is counted" in sentence


def test_a_release_of_blind_cases_alone_does_not_count():
    cases, left_out = labelled_cases(cloze(("a", "v1.0", None), ("b", "v1.5", 2), ("c", "v1.0", None)))
    assert cases["case_id"].to_pylist() == ["b"]
    assert left_out == ["2 blind cloze cases are not in right and wrong: no label names their right ending"]


def test_without_a_case_nothing_counts_and_nothing_is_left_out():
    cases, left_out = labelled_cases(cloze())
    assert (cases.num_rows, left_out) == (0, [])


def test_the_label_says_which_ending_is_right():
    right, wrong = right_and_wrong(cloze(("a", "v1.0", 1), ("b", "v1.0", 2)))
    assert right.to_pylist() == ["a: first.", "b: second."]
    assert wrong.to_pylist() == ["a: second.", "b: first."]


def case(case_id: str, split: str, context: str, first: str, second: str, right: int = 1) -> pa.Table:
    row = [case_id, [context], [first, second], right, None, "en", "v1.0", split]
    names = TABLES["cloze"].schema.names
    return pa.Table.from_pylist([dict(zip(names, row, strict=True))], TABLES["cloze"].schema)


def test_validation_and_test_are_taken_together_and_each_case_counts_once():
    sets = labelled_sets(
        pa.concat_tables(
            [
                case("a", "test", "He ran.", "He won.", "He slept."),
                case("b", "test", "It rained.", "We got wet.", "We flew."),
                case("c", "test", "he RAN", "He slept.", "He won", right=2),  # d's story under another id
                case("d", "validation", "He ran.", "He won.", "He slept."),
                case("e", "validation", "He ran.", "He fell.", "He slept."),  # other endings: another case
                case("b", "validation", "It rained.", "We flew.", "We got wet."),  # b, with another right ending
                case("f", "train", "She sang.", "All clapped.", "All left."),
            ]
        )
    )
    found = pooled(sets, "v1.0")
    assert found is not None
    assert found.cases["case_id"].to_pylist() == ["d", "e", "b"]
    assert set(found.cases["split"].to_pylist()) == {"validation"}
    assert (found.repeated, found.contradicting) == (3, 1)
    assert found.note == (
        "3 cloze cases repeat an earlier one, 1 of them with another right ending: only the first counts"
    )


@pytest.mark.parametrize("only", ["validation", "test"])
def test_one_split_alone_is_no_pool(only):
    sets = labelled_sets(pa.concat_tables([case("a", only, "A.", "B.", "C."), case("b", "train", "D.", "E.", "F.")]))
    assert pooled(sets, "v1.0") is None
    assert pooled(sets, "v1.5") is None


def test_a_case_in_two_splits_counts_once_among_the_labelled_cases():
    once = case("a", "validation", "A.", "B.", "C.")
    cases, left_out = labelled_cases(pa.concat_tables([once, case("x", "test", "A.", "C.", "B.", right=2)]))
    assert cases.equals(once)
    assert left_out == ["1 cloze cases repeat an earlier one: only the first counts"]
    assert labelled_cases(once) == (once, [])


def test_a_stand_in_for_the_test_set_pools_to_the_cases_it_was_made_of(shared_data):
    """Half of v1.0 validation under new ids as a test set, with some cases in both halves."""
    path = shared_data / "story_cloze/cloze_test_val__spring2016 - cloze_test_ALL_val.csv"
    with path.open(newline="") as opened:
        rows = list(csv.reader(opened))[1:]
    tables = []
    for place, (case_id, *context, first, second, right) in enumerate(rows):
        halves = ["validation", "test"] if place < 20 else ["test" if place % 2 else "validation"]
        tables += [
            {
                "case_id": case_id if half == "validation" else f"stand-in-{place}",
                "context": context,
                "endings": [first, second],
                "language": "en",
                "right_ending": int(right),
                "release": "v1.0",
                "split": half,
            }
            for half in halves
        ]
    found = pooled(labelled_sets(pa.Table.from_pylist(tables, TABLES["cloze"].schema)), "v1.0")
    assert (found.cases.num_rows, found.repeated, found.contradicting) == (1871, 20, 0)
    endings = [row[4 + int(row[-1])] for row in rows]
    assert sorted(right_and_wrong(found.cases)[0].to_pylist()) == sorted(endings)


def test_stories_are_cases_whose_only_ending_is_the_human_one(tmp_path):
    rows = [
        {"story_id": "1", "title": "", "sentences": ["A.", "B.", "C."], "source": "sample", "split": "validation"},
        {"story_id": "2", "title": "", "sentences": ["D.", "E."], "source": "sample", "split": "train"},
    ]
    path = tmp_path / "stories.parquet"
    schemas.write_table(pa.Table.from_pylist(rows, TABLES["stories"].schema), path, "stories")
    found = with_human_endings(path)
    assert found.schema.equals(TABLES["cloze"].schema)
    assert found.select(["case_id", "context", "endings", "right_ending", "release", "split"]).to_pylist() == [
        {
            "case_id": "1",
            "context": ["A.", "B."],
            "endings": ["C."],
            "right_ending": 1,
            "release": "sample",
            "split": "validation",
        },
        {
            "case_id": "2",
            "context": ["D."],
            "endings": ["E."],
            "right_ending": 1,
            "release": "sample",
            "split": "train",
        },
    ]
    with pytest.raises(UserError, match=r"gone\.parquet"):
        with_human_endings(tmp_path / "gone.parquet")
