"""The same story in two places."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from denouement import schemas
from denouement.corpus import overlap
from denouement.corpus.readers import read_file


def case(
    case_id: str,
    context: str,
    endings: Sequence[str] = ("Yes.", "No."),
    release: str = "v1.0",
    split: str = "validation",
) -> dict[str, Any]:
    return {
        "case_id": case_id,
        "context": [f"{context} {number}." for number in range(4)],
        "endings": list(endings),
        "language": "en",
        "right_ending": None,
        "release": release,
        "split": split,
    }


def story(story_id: str, context: str, last: str, source: str = "rocstories") -> dict[str, Any]:
    sentences = [*(f"{context} {number}." for number in range(4)), last]
    return {"story_id": story_id, "title": None, "sentences": sentences, "source": source, "split": "train"}


def cases(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=schemas.TABLES["cloze"].schema)


def stories(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=schemas.TABLES["stories"].schema)


TRAIN = cases(case("a", "Ann"), case("b", "Bob"), case("c", "Cat"))
TEST = cases(
    case("a", "Other text"),  # the same id
    case("x", "BOB!"),  # the same context in other case and punctuation
    case("c", "Cat"),  # both
    case("y", "New"),
)


def test_cases_leak_by_id_or_by_context() -> None:
    assert overlap.leaks(TRAIN, TEST) == ["a", "x", "c"]
    assert overlap.leaks(TEST, TEST) == ["a", "x", "c", "y"]
    assert overlap.leaks(TRAIN, TEST.slice(3)) == []
    assert overlap.leaks(schemas.empty_table("cloze"), TEST) == []
    assert overlap.leaks(TRAIN, schemas.empty_table("cloze")) == []


def test_stories_leak_into_cases_by_their_first_four_sentences() -> None:
    train = stories(story("s", "Bob", "Anything."), story("t", "Never", "Told."))
    assert overlap.leaks(train, TRAIN) == ["b"]
    assert overlap.without(train, TRAIN)["story_id"].to_pylist() == ["t"]


def test_what_leaks_is_taken_from_the_training_side() -> None:
    left = overlap.without(TRAIN, TEST)
    assert left.num_rows == 0
    assert overlap.without(TEST, TRAIN)["case_id"].to_pylist() == ["y"]
    assert overlap.without(TRAIN, TEST.slice(3)).equals(TRAIN)


def test_pairs_tell_the_same_endings_from_others() -> None:
    table = cases(
        case("a", "Ann", ("Yes.", "No.")),
        case("b", "Bob", ("Yes.", "No.")),
        case("c", "Cat", ("Yes.", "No.")),
        case("a", "Ann", ("no", "YES!"), "v1.5"),  # in the other order
        case("b", "Bob", ("Yes.", "Never."), "v1.5"),
        case("d", "Dan", release="v1.5"),
        case("e", "Cat", ("Yes.", "Yes."), "v1.5", "test"),
    )
    report = overlap.find_overlap(schemas.empty_table("stories"), table)
    pairs = {(pair.first, pair.second): pair for pair in report.pairs}
    assert list(pairs) == [
        ("v1.0 validation", "v1.5 validation"),
        ("v1.0 validation", "v1.5 test"),
        ("v1.5 validation", "v1.5 test"),
    ]
    assert pairs["v1.0 validation", "v1.5 validation"] == overlap.SharedStories(
        first="v1.0 validation",
        second="v1.5 validation",
        first_rows=3,
        second_rows=3,
        same_id=2,
        same_context=2,
        same_story=2,
        same_endings=1,
        other_endings=1,
    )
    test = pairs["v1.0 validation", "v1.5 test"]
    assert (test.same_id, test.same_context, test.same_endings, test.other_endings) == (0, 1, 0, 1)
    assert pairs["v1.5 validation", "v1.5 test"].same_story == 0


def test_stories_are_compared_with_cases_and_with_other_sources() -> None:
    told = stories(
        story("1", "Ann", "Yes."),
        story("2", "Bob", "Perhaps."),
        story("3", "Ann", "Perhaps.", "rocstories_winter_2017"),
    )
    report = overlap.find_overlap(told, TRAIN)
    pairs = {(pair.first, pair.second): pair for pair in report.pairs}
    with_cases = pairs["rocstories", "v1.0 validation"]
    assert (with_cases.same_story, with_cases.same_endings, with_cases.other_endings) == (2, 1, 1)
    between = pairs["rocstories", "rocstories_winter_2017"]
    assert (between.same_context, between.same_endings, between.other_endings) == (1, 0, 1)


def test_contexts_that_stand_twice_in_a_group_are_counted() -> None:
    table = cases(case("a", "Ann"), case("b", "ann"), case("c", "Ann"), case("d", "Dan"))
    assert overlap.find_overlap(schemas.empty_table("stories"), table).repeated == {"v1.0 validation": 2}


def test_nothing_overlaps_where_nothing_is() -> None:
    empty = overlap.find_overlap(schemas.empty_table("stories"), schemas.empty_table("cloze"))
    assert empty == overlap.Overlap((), {})


def test_the_released_v15_validation_repeats_v10(shared_data: Path) -> None:
    files = {
        "v1.0 validation": "cloze_test_val__spring2016 - cloze_test_ALL_val.csv",
        "v1.5 validation": "cloze_test_val__winter2018-cloze_test_ALL_val.csv",
        "v1.5 test": "cloze_test_test__winter2018-cloze_test_ALL_test.csv",
    }
    folder = shared_data / "story_cloze"
    tables = {name: read_file(folder / file).table for name, file in files.items()}
    report = overlap.find_overlap(schemas.empty_table("stories"), pa.concat_tables(tables.values()))
    found = {(pair.first, pair.second): pair for pair in report.pairs}
    pair = found["v1.0 validation", "v1.5 validation"]
    assert (pair.second_rows, pair.same_id, pair.same_story, pair.same_endings) == (1571, 1556, 1556, 1556)
    assert len(overlap.leaks(tables["v1.0 validation"], tables["v1.5 validation"])) == 1556
    assert overlap.without(tables["v1.5 validation"], tables["v1.0 validation"]).num_rows == 15

    # Contexts shared under other ids, counted again in plain Python from the files.
    contexts = {}
    for name, file in files.items():
        with (folder / file).open(encoding="utf-8", newline="") as opened:
            contexts[name] = [re.sub(r"[\W_]", "", "".join(row[1:5])).lower() for row in list(csv.reader(opened))[1:]]
    for (first, second), pair in found.items():
        seen = set(contexts[first])
        assert pair.same_context == sum(context in seen for context in contexts[second])


def test_cases_with_more_endings_are_the_same_in_any_order_of_these() -> None:
    rows = cases(
        case("a", "Ann", ("Yes.", "No.", "Maybe.")),
        case("b", "ann", ("maybe", "YES", "no")),
        case("c", "Ann", ("Yes.", "No.")),
        case("d", "Ann", ("Yes.", "No.", "Maybe.")) | {"question": "Who is sad?"},
        case("a", "Other text", ("A.", "B.")) | {"language": "es"},
    )
    assert overlap.firsts(rows).tolist() == [0, 0, 2, 3, 4], "another question, or language, is another case"
    [pair] = overlap.find_overlap(stories(story("s", "Ann", "Maybe!")), rows).pairs
    assert (pair.same_story, pair.same_endings) == (4, 3)
