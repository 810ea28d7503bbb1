"""The Story Cloze system `word_vectors`."""

import numpy as np
import pyarrow as pa
import pytest

from denouement.cloze.base import choices, load_system
from denouement.cloze.resources import Resources
from denouement.corpus import sample
from denouement.errors import UserError


def prepared(resources, **options):
    system = load_system("word_vectors", options)
    system.prepare(resources)
    return system


@pytest.fixture
def vectors_file(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("dog 1 0\nran 0 1\nTom 3 0\ntom 0 0.5\n. 0 3\n")
    return path


@pytest.fixture(scope="module")
def stories():
    return pa.table({"sentences": [list(story.sentences) for story in sample.stories(60, seed=1)]})


def test_vectors_of_a_file_by_hand(make_case, vectors_file):
    # Context: Tom (3, 0), ran (0, 1), tom, the first sentence's stop and that of the second, both (0, 3): mean
    # (3, 7.5) / 5, since Zxq is unknown. Endings: the dog (1, 0) though it is written Dog; ran and a stop (0, 4) / 2.
    cases = make_case(["Tom ran.", "Zxq tom."], "Dog", "ran.")
    scores = prepared(Resources(word_vectors=vectors_file)).score(cases, Resources())["file"]
    assert scores == pytest.approx(np.array([[3, 7.5]]) / np.hypot(3, 7.5))


def test_texts_without_a_known_word_score_nothing_and_are_counted(make_case, vectors_file):
    system, resources = prepared(Resources(word_vectors=vectors_file)), Resources()
    cases = pa.concat_tables([make_case(["Tom ran"], "zxq", "ran"), make_case(["zxq", "zxqq"], "dog", "ran")])
    scores = system.score(cases, resources)["file"]
    assert (scores == 0).tolist() == [[True, False], [True, True]]
    assert resources.notes["word_vectors file: endings without a known word"] == 1
    assert resources.notes["word_vectors file: contexts without a known word"] == 1


def test_glove_knows_what_belongs_together(make_case):
    context = ["Ann went to the bakery.", "She bought flour and sugar."]
    cases = make_case(context, "The senate passed the budget.", "She baked a cake.")
    scores = prepared(Resources()).score(cases, Resources())
    assert set(scores) == {"glove"}
    assert choices(scores["glove"]).tolist() == [2]


def test_words_of_the_same_stories_come_close_to_each_other(make_case):
    texts = [["We sail the sea.", "Waves rock the boat."], ["They cook the soup.", "Salt in the pot."]] * 100
    system = prepared(Resources(stories=pa.table({"sentences": texts})), dimension=10, min_count=1)
    scores = system.score(make_case(["We sail the boat."], "Salt the soup.", "Waves rock."), Resources())
    assert choices(scores["stories"]).tolist() == [2]


def test_too_few_stories_leave_all_words_unknown(make_case):
    resources = Resources(stories=pa.table({"sentences": [["A dog ran.", "It hid."]]}))
    scores = prepared(resources).score(make_case(["A dog ran."], "It hid.", "It ran."), resources)
    assert scores["stories"].tolist() == [[0, 0]]
    assert resources.notes["word_vectors stories: endings without a known word"] == 2


def test_training_again_gives_the_same_scores(make_case, stories):
    cases = make_case(stories["sentences"][0].as_py()[:4], *stories["sentences"][1].as_py()[:2])

    def scores(seed):
        system = prepared(Resources(stories=stories, seed=seed), dimension=8)
        return system.score(cases, Resources())["stories"].tolist()

    assert scores(1) == scores(1)
    assert scores(1) != scores(2)


@pytest.mark.parametrize("option", ["dimension", "window", "min_count", "epochs"])
def test_options_below_one_are_refused(option):
    with pytest.raises(UserError, match=f"{option}: must be at least 1"):
        load_system("word_vectors", {option: 0})
