import math
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from denouement import schemas
from denouement.cloze.base import choices, load_system
from denouement.cloze.parts.corpora import Document
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.cloze.systems.frequency import VerbEvent, VerbEventCounts, count_events, main_event
from denouement.text.syntax import Parse, parse


def counts(*events: tuple[VerbEvent, int]) -> VerbEventCounts:
    counted = VerbEventCounts()
    for event, count in events:
        counted.add(event, count)
    return counted


def cases(*endings: tuple[str, str]) -> pa.Table:
    rows = [
        {"case_id": str(n), "context": ["It was late."] * 4, "endings": [one, other], "right_ending": 1,
         "language": "en", "release": "v1.0", "split": "validation"}
        for n, (one, other) in enumerate(endings)
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema)


def stories(*texts: list[str]) -> pa.Table:
    rows = [
        {"story_id": str(n), "title": None, "sentences": text, "source": "x", "split": "train"}
        for n, text in enumerate(texts)
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema)


EATEN = counts(
    (VerbEvent("he", "eat", "cake"), 3), (VerbEvent("she", "eat", "pie"), 1), (VerbEvent("he", "see", "pie"), 1)
)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        # n = 5 + 1. Met: 3; as pairs: he eat 3 * eat cake 3 / eat 4; as words: (4 + 1) * (4 + 1) * (3 + 1).
        (VerbEvent("he", "eat", "cake"), 0.6 * 3 / 6 + 0.3 * (3 * 3 / 4) / 6 + 0.1 * 5 * 5 * 4 / 6**3),
        # Never met as a whole: she eat 1 * eat cake 3 / eat 4.
        (VerbEvent("she", "eat", "cake"), 0.3 * (1 * 3 / 4) / 6 + 0.1 * 2 * 5 * 4 / 6**3),
        # An unknown object: only the frequencies of words differ.
        (VerbEvent("he", "eat", "soup"), 0.1 * 5 * 5 * 1 / 6**3),
        (VerbEvent("it", "melt", ""), 0.1 * 1 * 1 * 1 / 6**3),
    ],
)
def test_frequencies_worked_by_hand(event: VerbEvent, expected: float):
    assert EATEN.log_frequency(event) == pytest.approx(math.log(expected))


def test_without_any_count_all_events_are_equal():
    assert VerbEventCounts().log_frequency(VerbEvent("a", "b", "c")) == VerbEventCounts().log_frequency(
        VerbEvent("", "", "")
    )


@pytest.mark.parametrize(
    ("sentence", "event"),
    [
        ("I poisoned the flowers.", VerbEvent("i", "poison", "flower")),
        ("He was mad after he won.", VerbEvent("he", "be", "mad")),
        ("She went to the beach.", VerbEvent("she", "go", "beach")),
        ("The cake was eaten.", VerbEvent("", "eat", "cake")),
        ("He slept.", VerbEvent("he", "sleep", "")),
        ("What a day!", None),
    ],
)
def test_the_main_event(sentence: str, event: VerbEvent | None):
    assert main_event(parse([sentence], None)[sentence]) == event


def test_every_verb_counts_as_often_as_its_document():
    sentence = "He smiled because he won the race."
    counted = count_events([Document([parse([sentence], None)[sentence], Parse()], 4)])
    assert counted.events == {VerbEvent("he", "smile", ""): 4, VerbEvent("he", "win", "race"): 4}
    assert counted.total == 8


def test_the_more_frequent_event_is_chosen_in_stories_and_in_corpora(tmp_path: Path):
    (tmp_path / "counts.tsv").write_text("I poisoned the flowers\t90\nI watered the flowers\t2\n")
    resources = Resources(
        stories=stories(["I watered the flowers.", "They grew."], ["She watered a plant.", "He slept."]),
        corpora=[tmp_path / "counts.tsv"],
    )
    system = load_system("frequency")
    system.prepare(resources)
    table = cases(("I poisoned the flowers.", "I watered the flowers."), ("", "He slept."))
    scored = system.score(table, resources)
    assert choices(scored["stories"]).tolist() == [2, 2]
    assert choices(scored["corpora"])[0] == 1
    assert resources.notes["frequency: endings without a verb"] == 1


def test_without_texts_it_says_what_is_missing():
    with pytest.raises(MissingResourceError, match="--stories"):
        load_system("frequency").prepare(Resources())


def test_the_context_and_the_label_do_not_matter(make_cases: Callable[..., pa.Table]):
    resources = Resources(stories=stories(["I watered the flowers.", "They grew."]))
    system = load_system("frequency")
    system.prepare(resources)
    one, other = make_cases([1, 2]), make_cases([2, None])
    context = other.schema.field("context")
    other = other.set_column(1, context, pa.array([["No."] * 4] * 2, context.type))
    assert (system.score(one, resources)["stories"] == system.score(other, resources)["stories"]).all()
