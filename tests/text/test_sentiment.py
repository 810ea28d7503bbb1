import csv
import math
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from denouement.text import sentiment
from denouement.text.sentiment import SCALES, compound, five_point, vader

ANALYZER = SentimentIntensityAnalyzer()
CHARGED = "happy Happy HAPPY sad great no not never so this without doubt kind of very least but badass bus stop"
ODD = "the The dog ate . , ! !!! ? ??? :) :D (ok) don't n't good... 'fun' \"hate\" well-being x é 💘 😁 € NA"
WORDS = [*CHARGED.split(), *ODD.split()]


def plain(texts):
    scores = [ANALYZER.polarity_scores(text) for text in texts]
    return np.array([[s["compound"], s["neg"], s["neu"], s["pos"]] for s in scores], dtype=np.float32).reshape(-1, 4)


def test_scores_of_a_sentence_worked_by_hand():
    # "good" has a valence of 1.9 in the lexicon: compound 1.9 / sqrt(1.9² + 15). It counts 1.9 + 1 towards the positive
    # share, "a" and "day" 1 each towards the neutral one.
    compound, negative, neutral, positive = vader(["a good day"])[0]
    assert compound == pytest.approx(1.9 / math.sqrt(1.9**2 + 15), abs=5e-5)
    assert positive == pytest.approx(2.9 / 4.9, abs=5e-4)
    assert neutral == pytest.approx(2 / 4.9, abs=5e-4)
    assert negative == 0


@settings(max_examples=300)
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), max_size=5))
def test_the_scores_are_those_of_vader_itself(texts):
    assert np.array_equal(vader(texts), plain(texts))


@given(st.text(max_size=40))
def test_any_text_has_the_scores_of_vader_itself(text):
    assert np.array_equal(vader([text]), plain([text]))


def test_no_emoji_is_ascii_since_ascii_texts_skip_their_replacement():
    assert ANALYZER.emojis
    assert not [emoji for emoji in ANALYZER.emojis if emoji.isascii()]


def test_real_endings_have_the_scores_of_vader_itself(shared_data: Path):
    texts = []
    for path in sorted(shared_data.glob("*/*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as opened:
            texts += [cell for row in csv.DictReader(opened) for cell in list(row.values())[-4:] if cell]
    assert len(texts) > 30_000
    assert np.array_equal(vader(texts, workers=2), plain(texts))


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_scores_stay_in_order_whatever_the_number_of_processes(workers, monkeypatch):
    monkeypatch.setattr(sentiment, "_FEWEST_TEXTS", 10)
    started = []
    elsewhere = sentiment._scores_elsewhere
    monkeypatch.setattr(sentiment, "_scores_elsewhere", lambda texts: started.append(len(texts)) or elsewhere(texts))
    texts = [f"{'happy ' * (number % 7)}{number}" for number in range(50)] + ["sad", "\ud800 good", "happy 1", "sad"]
    assert np.array_equal(vader(texts, workers), plain(texts))
    assert len(started) == workers - 1


def test_few_texts_stay_in_this_process(monkeypatch):
    monkeypatch.setattr(sentiment, "_scores_elsewhere", lambda texts: pytest.fail("started a process"))
    assert vader(["good"] * 100_000, workers=8).shape == (100_000, 4)


def test_no_texts_have_no_scores():
    assert vader([]).shape == (0, 4)
    assert vader([]).dtype == np.float32


def test_fewer_than_one_process_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        vader(["good"], workers=0)


def test_a_process_that_fails_is_an_error_not_a_gap(monkeypatch):
    monkeypatch.setattr(sentiment, "_FEWEST_TEXTS", 1)
    monkeypatch.setattr(sentiment.sys, "executable", "/bin/false")
    with pytest.raises(subprocess.CalledProcessError):
        vader(["good", "bad"], workers=2)


def test_it_works_inside_a_thread_as_a_prefect_task_runs_it(monkeypatch):
    monkeypatch.setattr(sentiment, "_FEWEST_TEXTS", 2)
    found = []
    thread = threading.Thread(target=lambda: found.append(vader(["good", "bad", "so", "no"], workers=2)))
    thread.start()
    thread.join()
    assert np.array_equal(found[0], plain(["good", "bad", "so", "no"]))


def test_a_script_without_a_main_guard_runs_once(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(
        "from denouement.text.sentiment import vader\n"
        "print(vader([f'good {number}' for number in range(9000)], workers=2).shape)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout == "(9000, 4)\n"
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("polarity", "expected"),
    [(-1, 1), (-0.6, 1), (-0.59, 2), (-0.2, 2), (-0.19, 3), (0, 3), (0.2, 3), (0.21, 4), (0.6, 4), (0.61, 5), (1, 5)],
)
def test_five_equal_parts_each_cut_belonging_to_the_class_below(monkeypatch, polarity, expected):
    class Fixed:
        def __init__(self, text):
            self.sentiment = type("Sentiment", (), {"polarity": polarity})

    monkeypatch.setattr("textblob.TextBlob", Fixed)
    assert five_point(["anything", "anything"]).tolist() == [expected, expected]


def test_five_point_of_real_sentences():
    texts = ["This was the worst day!", "It was a bad day.", "He went home.", "It was a good day.", "A perfect day!"]
    assert five_point(texts).tolist() == [1, 1, 3, 5, 5]


def test_scales_are_one_number_a_text_higher_where_it_is_more_positive():
    for scale in SCALES.values():
        sad, plain_text, happy = scale(["It was terrible.", "He went home.", "It was wonderful."])
        assert sad < plain_text < happy
    assert compound(["A good day."]) == pytest.approx(vader(["A good day."])[:, 0])
