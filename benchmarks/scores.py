"""Automatic scores of endings: all that need no language model, scaled to 100,000 endings; and n-grams against plain loops.

On real stories and Story Cloze v1.0 validation cases where they are at hand, else on as many of the sample corpus. Ten
systems each write an ending for the first cases. Their endings are those of the other cases, each given once, so that
nothing is saved by equal endings; contexts and references are shared by the systems, as they are in a comparison.
"""

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import torch
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from benchmarks.cloze import tables
from benchmarks.table import Row, best_of_three
from denouement.cloze.resources import Resources
from denouement.corpus.cases import right_and_wrong
from denouement.metrics import METRICS
from denouement.metrics.base import EndingMetric, EndingRows, load_metric
from denouement.metrics.looking_up import OfEncoder
from denouement.metrics.reading import EndingsToScore
from denouement.metrics.scores.bleu import Bleu
from denouement.metrics.scores.chrf import Chrf
from denouement.metrics.scores.rouge_l import RougeL
from denouement.metrics.scoring import score_endings

ENDINGS, SYSTEMS, SECONDS = 100_000, 10, 300
ASK_MODELS = ("likelihood", "language_model")  # a trained generator is a language model, too
CORES = 2


def measure() -> list[Row]:
    """All scores with MiniLM in either precision, what they learn included; then n-grams against their packages."""
    with TemporaryDirectory() as name:
        stories, cases = tables(Path(name))
    read = endings_to_score(cases)
    torch.set_num_threads(CORES)
    rows = []
    for precision, allowed in (("bfloat16", SECONDS), ("float32", None)):
        metrics = [load_metric(name) for name in METRICS if name not in ASK_MODELS]
        for metric in metrics:
            if isinstance(metric, OfEncoder):
                metric.encoder_options = {"precision": precision}
        resources = Resources(stories=stories)
        learning = _seconds(lambda: score_endings(metrics, _first(read, SYSTEMS), resources))  # noqa: B023 -- called here
        scoring = _seconds(lambda: score_endings(metrics, read, resources))  # noqa: B023
        n = len(read.rows)
        seconds = learning + scoring * ENDINGS / n
        what = (
            f"all {len(metrics)} scores that ask no language model, MiniLM in {precision}, of {ENDINGS:,} different "
            f"endings of {SYSTEMS} systems ({n:,} measured; {learning:.0f} s of it to learn from stories)"
        )
        against = "what it may take" if allowed else "not measured"
        rows.append(Row(what, against, seconds, allowed, "s", allowed and allowed / seconds, allowed and 1.0))
    return [*rows, *_against_packages(read.rows)]


def endings_to_score(cases: pa.Table) -> EndingsToScore:
    """As many endings as there are different ones for `SYSTEMS` systems, of the first cases."""
    right, wrong = (texts.to_pylist() for texts in right_and_wrong(cases))
    n = next(n for n in range(len(right), 0, -1) if len({*right[n:], *wrong[n:]}) >= SYSTEMS * n)
    texts = list(dict.fromkeys([*right[n:], *wrong[n:]]))[: SYSTEMS * n]
    contexts = cases["context"].to_pylist()[:n]
    rows = EndingRows(texts, contexts * SYSTEMS, [[text] for text in right[:n]] * SYSTEMS)
    systems = [f"system {place}" for place in range(SYSTEMS) for _ in range(n)]
    return EndingsToScore(cases["case_id"].to_pylist()[:n] * SYSTEMS, systems, rows, cases.slice(0, n), [])


def _first(read: EndingsToScore, n: int) -> EndingsToScore:
    """The first `n` endings, by which what is learned and loaded is measured."""
    return EndingsToScore(read.case_ids[:n], read.systems[:n], read.rows.take(range(n)), read.cases, [])


def _against_packages(rows: EndingRows) -> list[Row]:
    bleu = {order: BLEU(effective_order=True, smooth_method="exp", max_ngram_order=order) for order in (1, 2, 4)}
    chrf, rouge = CHRF(), RougeScorer(["rougeL"])
    pairs = [(ending, references) for ending, references in zip(rows.endings, rows.references, strict=True)]
    loops: list[tuple[EndingMetric, str, Callable[[], object]]] = [
        (
            Bleu(),
            "a loop over sacrebleu",
            lambda: [each.sentence_score(*pair).score for pair in pairs for each in bleu.values()],
        ),
        (Chrf(), "a loop over sacrebleu", lambda: [chrf.sentence_score(*pair).score for pair in pairs]),
        (RougeL(), "a loop over rouge-score", lambda: [rouge.score_multi(of, ending) for ending, of in pairs]),
    ]
    return [_against(metric, rows, against, loop) for metric, against, loop in loops]


def _against(metric: EndingMetric, rows: EndingRows, against: str, loop: Callable[[], object]) -> Row:
    ours, theirs = best_of_three(lambda: metric.score(rows, Resources()), loop)
    return Row(f"{', '.join(metric.measures)} of {len(rows):,} endings", against, ours, theirs, "s", theirs / ours, 2)


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
