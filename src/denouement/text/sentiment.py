"""Sentiment of many texts: VADER, on several cores, and a scale of five classes.

VADER (Hutto and Gilbert 2014; vaderSentiment 3.3.2) scores one text at a time in pure Python. The scores here are its
own, bit for bit, but take less time: equal texts are scored once, texts without a word of its lexicon are neutral
without calling it, and large inputs are divided among processes.

The further processes are new interpreters that run `python -m denouement.text.sentiment`. A forked process could
inherit a held lock from a parent with threads (torch, Prefect). One spawned by multiprocessing imports the caller's
`__main__` again, which is slow under Prefect and runs a script without a `__main__` guard a second time.
"""

import json
import os
import string
import subprocess
import sys
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # numpy takes longer to import than a further process needs to be ready
    import numpy as np

COLUMNS = ("compound", "negative", "neutral", "positive")

POSITIVE = 0.05
NEGATIVE = -0.05
"""A text is positive from a compound of 0.05 upwards, negative from -0.05 downwards, both included (Mori et al. 2019,
A.3, after Hutto and Gilbert 2014)."""

_CLASS_CUTS = (-0.6, -0.2, 0.2, 0.6)
_NEUTRAL = {"compound": 0.0, "neg": 0.0, "neu": 1.0, "pos": 0.0}
_FEWEST_TEXTS = 4000  # a process: so many take as long to score as an interpreter takes to start


def vader(texts: Sequence[str], workers: int | None = None) -> "np.ndarray":
    """VADER's scores of each text; `workers` does not change them.

    >>> [round(score, 2) for score in vader(["She was so happy.", "He went home."])[:, 0].tolist()]
    [0.69, 0.0]

    Args:
        texts: n texts, one sentence each as a rule.
        workers: how many processes at most, this one included; None: one for each core. Few texts are scored in this
            process alone.

    Returns:
        float32 [n, 4]: compound (-1 to 1), and the shares of the text that are negative, neutral and positive (0 to 1,
        summing to 1, or all 0 for a text without words), as VADER rounds them.

    Raises:
        ValueError: `workers` below 1.
    """
    import numpy as np

    if workers is not None and workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")
    place = {text: index for index, text in enumerate(dict.fromkeys(texts))}
    distinct = list(place)
    shares = max(1, min(workers or _cores(), len(distinct) // _FEWEST_TEXTS))
    scores = np.empty((len(distinct), len(COLUMNS)), dtype=np.float32)
    with ThreadPoolExecutor(max_workers=shares) as threads:  # each thread only waits for its process
        elsewhere = [threads.submit(_scores_elsewhere, distinct[share::shares]) for share in range(1, shares)]
        scores[::shares] = np.frombuffer(_scores(distinct[::shares]), dtype=np.float32).reshape(-1, len(COLUMNS))
        for share, future in enumerate(elsewhere, start=1):
            scores[share::shares] = np.frombuffer(future.result(), dtype=np.float32).reshape(-1, len(COLUMNS))
    return scores[np.fromiter((place[text] for text in texts), dtype=np.int64, count=len(texts))]


def compound(texts: Sequence[str]) -> "np.ndarray":
    """VADER's compound of each text, float64 [n], from -1 to 1."""
    return vader(texts)[:, COLUMNS.index("compound")].astype(float)


def five_point(texts: Sequence[str]) -> "np.ndarray":
    """The class of each text, float64 [n]: 1 very negative, 2 negative, 3 neutral, 4 positive, 5 very positive.

    TextBlob's polarity (the lexicon of Pattern: De Smedt and Daelemans 2012), from -1 to 1, is cut into five equal
    parts; a boundary belongs to the class below it. The Stanford Sentiment Treebank (Socher et al. 2013) divides
    people's scores in the same way into the classes that the sentiment model of Stanford CoreNLP learned.
    """
    import numpy as np
    from textblob import TextBlob

    polarity_of = {text: TextBlob(text).sentiment.polarity for text in dict.fromkeys(texts)}
    polarity = np.fromiter((polarity_of[text] for text in texts), dtype=float, count=len(texts))
    classes: np.ndarray = 1.0 + np.digitize(polarity, _CLASS_CUTS, right=True)
    return classes


SCALES: dict[str, "Callable[[Sequence[str]], np.ndarray]"] = {"vader": compound, "five_point": five_point}
"""Scales by name: from n texts to float64 [n], the higher the more positive."""


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _analyzer() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


def _scores(texts: Sequence[str]) -> "array[float]":
    """The four scores of each text, one text after the other."""
    analyzer = _analyzer()
    valued = analyzer.lexicon.keys()
    scores = array("f")
    for text in texts:
        words = text.lower().split()
        bare = [word.strip(string.punctuation) for word in words]
        # VADER looks up a word with and without its punctuation, and reads emoji (none is ASCII) as words; its rules do
        # not change a valence of 0.
        if words and text.isascii() and valued.isdisjoint(words) and valued.isdisjoint(bare):
            score = _NEUTRAL
        else:
            score = analyzer.polarity_scores(text)
        scores.extend((score["compound"], score["neg"], score["neu"], score["pos"]))
    return scores


def _scores_elsewhere(texts: Sequence[str]) -> bytes:
    """The bytes of `_scores(texts)`, computed by another process.

    The process reads a file. A pipe would be filled in small pieces, each of which would wait for this interpreter,
    which is busy scoring.
    """
    command = [sys.executable, "-P", "-m", "denouement.text.sentiment"]
    with TemporaryFile() as sent:
        sent.write(json.dumps(texts).encode())
        sent.seek(0)
        return subprocess.run(command, stdin=sent, stdout=subprocess.PIPE, check=True).stdout  # noqa: S603 - our own module


def _serve() -> None:
    """The other process: read a JSON list of texts from standard input, and write their scores to standard output."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches both processes; the first one reports it
    sys.stdout.buffer.write(_scores(json.load(sys.stdin.buffer)).tobytes())


if __name__ == "__main__":
    _serve()
