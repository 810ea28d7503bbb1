"""Scores that count words, by hand and against a package."""

import numpy as np
import pyarrow as pa
import pytest
from sacrebleu.metrics import BLEU

from denouement.cloze.resources import MissingResourceError, Resources
from denouement.metrics.base import EndingRows
from denouement.metrics.scores.copying import Copying
from denouement.metrics.scores.length import Length
from denouement.metrics.scores.novelty import Novelty
from denouement.metrics.scores.repetition import RepeatedWords
from denouement.metrics.scores.self_bleu import SelfBleu

ROWS = EndingRows(
    ["Rex ran away again.", "Tom's dog was home!", "Nothing."],
    [["Tom had a dog.", "Rex ran away."], ["Tom had a dog.", "It was home."], ["It rained."]],
    [[], [], []],
)


def test_length_counts_words(resources):
    assert Length().score(ROWS, resources)["length"].tolist() == [4, 4, 1]


def test_copied_is_the_longest_run_of_the_own_context(resources):
    """3 of 4 words ("rex ran away"); 2 of 4 ("was home"); none."""
    assert Copying().score(ROWS, resources)["copied"].tolist() == [0.75, 0.5, 0]


def test_novelty_reads_training_stories_alone():
    sentences = [["Ann slept.", "Rex ran."], ["Tom's dog", "was ill."], ["Nothing.", "It was so."]]
    stories = pa.table({"sentences": sentences, "split": ["train", "train", "validation"]})
    found = Novelty().score(ROWS, Resources(stories=stories))
    assert found["longest_known"].tolist() == [2, 3, 0]
    assert found["novelty"].tolist() == [0.5, 0.25, 1]


def test_novelty_says_that_it_lacks_stories():
    assert "--stories" in Novelty().lacks(Resources())[0]
    held_out = pa.table({"sentences": [["A.", "B."]], "split": ["validation"]})
    with pytest.raises(MissingResourceError, match="split train"):
        Novelty().score(ROWS, Resources(stories=held_out))


def test_self_bleu_is_the_mean_against_all_others(rows):
    endings = [*rows.endings, rows.endings[3], "It rained. It rained. It rained."]
    theirs = BLEU(effective_order=True)
    expected = [
        theirs.sentence_score(ending, endings[:at] + endings[at + 1 :]).score for at, ending in enumerate(endings)
    ]
    assert SelfBleu().score_set(endings)["self_bleu_4_13a_exp"] == pytest.approx(np.mean(expected))


def test_a_single_ending_has_no_self_bleu():
    assert SelfBleu().score_set(["It rained."]) == {"self_bleu_4_13a_exp": None}


def test_repetition_by_hand():
    """Words: it rained it rained ann ran, 4 different ones of 6; pairs: 2 of 3."""
    found = RepeatedWords().score_set(["It rained.", "It rained.", "Ann ran."])
    assert found == pytest.approx({"distinct_1": 4 / 6, "distinct_2": 2 / 3, "repeated": 1 / 3})
    assert RepeatedWords().score_set(["Yes."])["distinct_2"] is None
