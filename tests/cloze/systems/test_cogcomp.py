import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from denouement import schemas
from denouement.cloze.base import choices, load_system
from denouement.cloze.parts.pairwise import group
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.cloze.systems.cogcomp import VARIANTS, EventModel, TopicModel, TrajectoryModel
from denouement.encoders.word_vectors import open_vectors
from denouement.errors import UserError
from denouement.text.syntax import Parse, Parses

VERBS = {"won": "win", "lost": "lose", "cheered": "cheer", "wept": "weep", "ran": "run"}


class Simple(Resources):
    """Sentences are split at spaces; a verb is the head of all its sentence, any other word a name or a noun."""

    def parse(self, sentences: Sequence[str]) -> Parses:
        def one(sentence: str) -> Parse:
            words = tuple(sentence.split())
            verb = next((at for at, word in enumerate(words) if word in VERBS), 0)
            pos = tuple("VERB" if word in VERBS else "PROPN" if word.istitle() else "NOUN" for word in words)
            relations = tuple("ROOT" if at == verb else "nsubj" if at < verb else "dobj" for at in range(len(words)))
            lemmas = tuple(VERBS.get(word, word) for word in words)
            return Parse(words, lemmas, pos, pos, (verb,) * len(words), relations)

        return {sentence: one(sentence) for sentence in sentences}


def stories(*texts: Sequence[str]) -> pa.Table:
    rows = [
        {"story_id": str(number), "title": None, "sentences": text, "source": "rocstories", "split": "train"}
        for number, text in enumerate(texts)
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema)


STORIES = stories(
    *[["Tom ran", "Tom ran", "Tom ran", "Tom won", "Tom cheered"]] * 4,
    *[["Ann ran", "Ann ran", "Ann ran", "Ann lost", "Ann wept"]] * 4,
)


def cases(n: int, labels: Sequence[int] | None = None) -> pa.Table:
    """Winners cheer and losers weep; right endings are first and second by turns."""
    rows = []
    for number in range(n):
        won, first_is_right = number % 2 == 0, number % 3 == 0
        right, wrong = ("Bob cheered", "Bob wept") if won else ("Bob wept", "Bob cheered")
        rows.append(
            {
                "case_id": str(number),
                "context": ["Bob ran", "Bob ran", f"Bob ran {number}", "Bob won" if won else "Bob lost"],
                "endings": [right if first_is_right else wrong, wrong if first_is_right else right],
                "language": "en",
                "right_ending": labels[number] if labels else 1 if first_is_right else 2,
                "release": "v1.0",
                "split": "validation",
            }
        )
    return pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema)


def test_learns_which_ending_follows_from_what_happened() -> None:
    resources = Simple(stories=STORIES)
    system = load_system("cogcomp")
    system.prepare(resources)
    system.fit(cases(40), resources)
    unseen = cases(60).slice(40)
    scores = system.score(unseen, resources)
    assert list(scores) == list(VARIANTS)
    right = unseen["right_ending"].to_numpy()
    for variant in ("", "events"):
        assert (choices(scores[variant]) == right).all()


def test_every_group_of_features_is_there_and_belongs_to_a_variant() -> None:
    resources = Simple(stories=STORIES)
    system = load_system("cogcomp")
    system.prepare(resources)
    groups = {group(name) for row in system.features(cases(2), resources) for name in row}
    assert groups == set(VARIANTS[""]) == {each for variant in VARIANTS if variant for each in VARIANTS[variant]}


def test_the_parts_of_a_whole_table_have_the_same_features() -> None:
    whole, parts = Simple(stories=STORIES), Simple(stories=STORIES)
    one, other = load_system("cogcomp"), load_system("cogcomp")
    one.prepare(whole)
    other.prepare(parts)
    table = cases(5)
    last, first = other.features(table.slice(3), parts), other.features(table.slice(0, 3), parts)
    assert one.features(table, whole) == first + last
    assert other.features(table, parts) == first + last  # now all are remembered


def test_what_cannot_be_read_is_counted() -> None:
    resources = Simple(stories=STORIES)
    system = load_system("cogcomp")
    system.prepare(resources)
    table = cases(12).to_pylist()
    table[0] |= {"endings": ["", table[0]["endings"][1]], "context": ["Nothing here", "Bob ran", "Bob ran", "Bob ran"]}
    table = pa.Table.from_pylist(table, schemas.TABLES["cloze"].schema)
    system.fit(table, resources)
    assert np.isfinite(system.score(table, resources)[""]).all()
    assert resources.notes == {
        "cogcomp: endings without an event": 1,
        "cogcomp: context sentences without an event": 1,
    }


def test_needs_stories_and_enough_cases() -> None:
    with pytest.raises(MissingResourceError, match="--stories"):
        load_system("cogcomp").prepare(Resources())
    resources = Simple(stories=STORIES)
    system = load_system("cogcomp", {"n_folds": 3})
    system.prepare(resources)
    with pytest.raises(UserError, match="at least 6 labelled cases for 3 folds, not 5"):
        system.fit(cases(5), resources)


@pytest.mark.parametrize("option", ["order", "min_count", "n_folds"])
def test_options_out_of_range(option: str) -> None:
    with pytest.raises(UserError, match=option):
        load_system("cogcomp", {option: 0})


def test_pmi_of_events_by_hand() -> None:
    """Three stories of two sentences: of three ordered pairs two are "win, cheer"."""
    model = EventModel([[["win"], ["cheer"]], [["win"], ["cheer"]], [["lose"], ["weep"]]], order=2)
    assert model.pmi("win", "cheer") == pytest.approx(math.log(2 * 3 / (2 * 2)) * 2 / 3)
    assert model.pmi("cheer", "win") == 0  # never in this order
    assert model.pmi("lose", "weep") == 0  # seen once


def test_event_features_learn_what_follows() -> None:
    model = EventModel([[["run"], ["win"], ["cheer"]], [["run"], ["lose"], ["weep"]]] * 3, order=3)
    fits, does_not = (model.features([["run"], ["win"]], [ending]) for ending in ("cheer", "weep"))
    for name in (
        "log-prob after the context",
        "gain by the context",
        "mean pmi",
        "greatest pmi with the last sentence",
    ):
        assert fits[name] > does_not[name], name
    assert fits["log-prob as last sentence"] == pytest.approx(does_not["log-prob as last sentence"])


def test_trajectories_by_hand() -> None:
    """After a positive climax two endings are positive and one negative; all in all two and two."""
    story = {"+": 0.9, "-": -0.9, "0": 0.0}
    model = TrajectoryModel([np.array([story[each] for each in text]) for text in ("0+-", "0++", "00-", "+++")])
    overall = (2 + 1) / (4 + 3)
    assert model.prob({"climax": 1}, 1) == pytest.approx((2 + 3 * overall) / (3 + 3))
    assert model.prob({"climax": -1}, 1) == pytest.approx(overall)  # never seen: as all stories
    assert sum(model.prob({"beginning": 1, "body": 0, "climax": 1}, ending) for ending in (-1, 0, 1)) == pytest.approx(
        1
    )


def test_a_body_is_the_mean_of_its_sentences() -> None:
    model = TrajectoryModel([])
    features = model.features(np.array([0.5, 0.2, 0.6, -0.4]), np.array([-0.5, 0.6, 0.4, 0.0]))
    assert features["sentiment with beginning"] == pytest.approx(-0.25)
    assert features["sentiment with body"] == pytest.approx(-0.2)
    assert features["sentiment with climax"] == pytest.approx(0.2)
    assert features["sentiment far from climax"] == pytest.approx(0.1)


def test_topic_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text("dog 3 0\ncat 0 2\npet 1 1\n")
    sentences = [{"nouns": ["dog"], "verbs": [], "modifiers": []}, {"nouns": ["pet"], "verbs": [], "modifiers": []}]
    model = TopicModel([sentences, sentences], open_vectors(str(file)))

    def nouns(*words: str) -> Parse:
        n = len(words)
        return Parse(words, words, ("NN",) * n, ("NOUN",) * n, (0,) * n, ("ROOT",) * n)

    context, ending = [nouns("dog", "unknown"), nouns("cat")], nouns("pet", "cat")
    model.learn({str(number): parse for number, parse in enumerate([*context, ending])})
    features = model.features(context, ending)
    half = math.sqrt(0.5)
    assert features["topic nouns closest in context"] == pytest.approx((half + 1) / 2)
    assert features["topic nouns least close in context"] == pytest.approx(half)
    assert features["topic nouns mean in context"] == pytest.approx((half + half + 0 + 1) / 4)
    assert features["topic nouns closest in last sentence"] == pytest.approx((half + 1) / 2)
    assert features["topic verbs closest in context"] == 0
    assert features["topic shared words"] == 1
    # Of the ending only "pet" was seen in endings, and of the context only "dog" in contexts.
    assert features["topic greatest pmi"] == pytest.approx(math.log(2.1 * 2 / (3 * 3)) if 2.1 * 2 > 9 else 0)
    assert model.pmi("dog", "pet") == pytest.approx(math.log(2.1 * 2 / (3 * 3)))
