import pyarrow as pa
import pytest

from denouement import schemas
from denouement.cloze.parts.chooser_settings import Example
from denouement.cloze.parts.wrong_endings import MadeUp, made_up, negated, renamed
from denouement.errors import UserError
from denouement.settings import build

TEST = ["Tom had a test.", "He studied all night with Ann.", "He slept on the bus.", "Tom passed it."]
EXAM = ["Bob had a test.", "He studied all night.", "He slept on the bus.", "He was not glad."]
DOG = ["A dog ran off.", "It was cold.", "It could see a cat.", "It came back."]


def stories(*sentences):
    rows = [
        {"story_id": f"story-{row}", "title": None, "sentences": each, "source": "sample", "split": "train"}
        for row, each in enumerate(sentences)
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema)


@pytest.mark.parametrize(
    ("sentence", "opposite"),
    [
        ("He was not glad.", "He was glad."),
        ("They were happy.", "They were not happy."),
        ("She didn't come.", "She did come."),
        ("I can't sleep.", "I can sleep."),
        ("He won't go.", "He will go."),
        ("She never came.", "She came."),
        ("He passed it.", None),
        ("Willy passed it.", None),
    ],
)
def test_negated(sentence, opposite):
    assert negated(sentence) == opposite


@pytest.mark.parametrize(
    ("story", "ending"),
    [
        (TEST, "Ann passed it."),
        (["Ann saw Tom.", "Ann gave Tom's dog to Tom."], "Tom gave Ann's dog to Ann."),
        (["Tom saw a dog.", "Tom ran."], None),
        (["Tom saw Ann.", "They ran."], None),
    ],
)
def test_renamed(story, ending):
    assert renamed(story) == ending


def test_the_ending_of_a_near_story_is_that_of_the_one_with_most_rare_words_in_common():
    found = made_up(stories(TEST, EXAM, DOG), MadeUp(("near",)), seed=1)
    assert found[0] == Example(TEST[:-1], ["Tom passed it.", "He was not glad."], 0)
    assert found[1] == Example(EXAM[:-1], ["He was not glad.", "Tom passed it."], 0)
    assert found[2].endings[0] == "It came back."


def test_a_near_story_with_the_same_ending_is_passed_over():
    twin = [*EXAM[:-1], TEST[-1]]
    [first, *_] = made_up(stories(TEST, twin, EXAM), MadeUp(("near",)), seed=1)
    assert first.endings == ["Tom passed it.", "He was not glad."]


def test_a_random_ending_is_that_of_another_story():
    for seed in range(5):
        found = made_up(stories(TEST, EXAM, DOG), MadeUp(("random",)), seed)
        own = [TEST[-1], EXAM[-1], DOG[-1]]
        assert [each.endings[0] for each in found] == own
        assert all(each.endings[1] in own and each.endings[1] != each.endings[0] for each in found)


def test_the_last_two_sentences_in_the_wrong_order():
    [found] = made_up(stories(TEST), MadeUp(("order",)), seed=1)
    right, wrong = "He slept on the bus. Tom passed it.", "Tom passed it. He slept on the bus."
    assert found == Example(TEST[:2], [right, wrong], 0, story=TEST[:-1])


def test_kinds_that_cannot_be_made_are_left_out_and_equal_endings_are_there_once():
    found = made_up(stories(TEST, EXAM), MadeUp(("random", "near", "negated", "renamed")), seed=1)
    assert found == [
        Example(TEST[:-1], ["Tom passed it.", "He was not glad.", "Ann passed it."], 0),
        Example(EXAM[:-1], ["He was not glad.", "Tom passed it.", "He was glad."], 0),
    ]
    assert made_up(stories(DOG), MadeUp(("random", "near", "negated", "renamed")), seed=1) == []
    assert made_up(stories(TEST[:2]), MadeUp(("order",)), seed=1) == []


def test_what_a_model_wrote_for_a_story(tmp_path):
    rows = [
        {"case_id": "story-0", "system": "lm", "ending": "He failed.", "log_prob": None, "n_tokens": None},
        {"case_id": "story-9", "system": "lm", "ending": "No.", "log_prob": None, "n_tokens": None},
    ]
    path = tmp_path / "endings.parquet"
    schemas.write_table(pa.Table.from_pylist(rows, schemas.TABLES["endings"].schema), path, "endings")
    [found] = made_up(stories(TEST, DOG), MadeUp(("samples",), endings=str(path)), seed=1)
    assert found == Example(TEST[:-1], ["Tom passed it.", "He failed."], 0)
    with pytest.raises(UserError, match="no such file"):
        made_up(stories(TEST), MadeUp(("samples",), endings=str(tmp_path / "none.parquet")), seed=1)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"kinds": ["nearest"]}, "kinds"),
        ({"kinds": []}, "kinds: name at least one"),
        ({"kinds": ["samples"]}, "endings: name a table"),
        ({"endings": "endings.parquet"}, "endings: name a table"),
        ({"stories": 0}, "stories"),
    ],
)
def test_settings_that_are_refused(section, message):
    with pytest.raises(UserError, match=message):
        build(MadeUp, section, "pretrain")
