"""Scores with references against the packages whose values they are."""

import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF

from denouement.metrics.base import EndingRows
from denouement.metrics.scores.bleu import Bleu
from denouement.metrics.scores.chrf import Chrf
from denouement.metrics.scores.rouge_l import RougeL

ODD = EndingRows(
    ["a", "He ran. He ran.", "He won $5, they said.", "Fine!", "He ran home and he ran home again."],
    [["Tom ran."]] * 5,
    [
        ["b c d e f"],
        ["He ran."],
        ["He won $5,000.", "They won."],
        ["Fine!", "Fine."],
        ["He ran home.", "Again and again."],
    ],
)


@pytest.fixture(params=["sample", "odd"])
def texts(request, rows):
    return rows if request.param == "sample" else ODD


@pytest.mark.parametrize("order", [1, 2, 4])
def test_bleu_is_that_of_sacrebleu(order, texts, resources):
    theirs = BLEU(max_ngram_order=order, effective_order=True)
    expected = [
        theirs.sentence_score(ending, references).score
        for ending, references in zip(texts.endings, texts.references, strict=True)
    ]
    np.testing.assert_allclose(Bleu().score(texts, resources)[f"bleu_{order}_13a_exp"], expected, atol=1e-9)


def test_bleu_by_hand(resources):
    """4 of 5 words and 1 of 4 pairs; the reference is one word longer."""
    rows = EndingRows(["he was happy today ."], [["Tom ran."]], [["he was not happy at ."]])
    found = Bleu().score(rows, resources)
    brevity = np.exp(1 - 6 / 5)
    assert found["bleu_1_13a_exp"] == pytest.approx(100 * brevity * 4 / 5)
    assert found["bleu_2_13a_exp"] == pytest.approx(100 * brevity * np.sqrt(4 / 5 * 1 / 4))


def test_chrf_is_that_of_sacrebleu(texts, resources):
    theirs = CHRF()
    expected = [
        theirs.sentence_score(ending, references).score
        for ending, references in zip(texts.endings, texts.references, strict=True)
    ]
    np.testing.assert_allclose(Chrf().score(texts, resources)["chrf_2"], expected, atol=1e-9)


def test_rouge_l_is_that_of_rouge_score(texts, resources):
    theirs = RougeScorer(["rougeL"])
    expected = [
        max(theirs.score(reference, ending)["rougeL"].fmeasure for reference in references)
        for ending, references in zip(texts.endings, texts.references, strict=True)
    ]
    np.testing.assert_allclose(RougeL().score(texts, resources)["rouge_l"], expected, atol=1e-9)
