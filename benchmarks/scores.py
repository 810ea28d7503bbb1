"""Automatic scores of endings, scaled to 100,000: all that ask no language model; and n-grams against plain loops.

On real stories and Story Cloze v1.0 validation cases where they are at hand, else on as many of the sample corpus. Some
systems each write an ending for the first cases. Their endings are those of the other cases and of half of the stories,
each given once, so that nothing is saved by equal endings; scores learn from the other stories. Contexts and references
are shared by the systems, as they are in a comparison. Where rouge-score is not installed, its row is left out.
"""

import importlib.util
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import torch
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

ENDINGS, MEASURED, SECONDS, CORES = 100_000, 6_000, 300, 2
RUNS = (("bfloat16", 50, SECONDS), ("bfloat16", 10, None), ("float32", 50, None))  # of MiniLM; systems; allowed seconds


def measure() -> list[Row]:
    """All scores together, what they learn included; then n-grams against the packages that define them."""
    with TemporaryDirectory() as name:
        stories, cases = tables(Path(name))
    torch.set_num_threads(CORES)
    half = stories.num_rows // 2
    further = [sentences[-1] for sentences in stories["sentences"][half:].to_pylist()]
    rows = []
    for precision, n_systems, allowed in RUNS:
        few, many = (endings_to_score(cases, further, n_systems, n) for n in (MEASURED // 2, MEASURED))
        rows.append(_all_scores(stories[:half], few, many, precision, n_systems, allowed))
    return [*rows, *_against_packages(endings_to_score(cases, further, RUNS[0][1], MEASURED).rows)]


def endings_to_score(cases: pa.Table, further: Sequence[str], n_systems: int, measured: int) -> EndingsToScore:
    """About as many endings as are `measured`, fewer where there are not so many different ones: one a system and case.

    Args:
        cases: of which the first get endings.
        further: endings beside those of the other cases.
        n_systems: how many systems there are.
        measured: how many endings.
    """
    right, wrong = (texts.to_pylist() for texts in right_and_wrong(cases))
    for n in range(min(len(right), measured // n_systems), 0, -1):
        texts = list(dict.fromkeys([*right[n:], *wrong[n:], *further]))[: n_systems * n]
        if len(texts) == n_systems * n:
            break
    contexts = cases["context"].to_pylist()[:n]
    rows = EndingRows(texts, contexts * n_systems, [[text] for text in right[:n]] * n_systems)
    systems = [f"system {place}" for place in range(n_systems) for _ in range(n)]
    return EndingsToScore(cases["case_id"].to_pylist()[:n] * n_systems, systems, rows, cases.slice(0, n), [])


def _all_scores(
    stories: pa.Table,
    few: EndingsToScore,
    many: EndingsToScore,
    precision: str,
    n_systems: int,
    allowed: int | None,
) -> Row:
    """All scores of 100,000 endings: what a start takes once, such as that of the parser, is not scaled."""
    metrics = [load_metric(name) for name in METRICS]  # those that ask a model lack it, and are left out
    for metric in metrics:
        if isinstance(metric, OfEncoder) and metric.encoder == "minilm":
            metric.encoder_options = {"precision": precision}
    resources = Resources(stories=stories)
    n = len(many.rows)
    first = EndingsToScore(few.case_ids[:1], few.systems[:1], few.rows.take([0]), few.cases, [])
    learning = _seconds(lambda: score_endings(metrics, first, resources))
    of_few = _seconds(lambda: score_endings(metrics, few, resources))
    start = time.perf_counter()
    _, found = score_endings(metrics, many, resources)
    of_many = time.perf_counter() - start
    seconds = learning + of_many + (of_many - of_few) / (n - len(few.rows)) * (ENDINGS - n)
    scored = len({score.metric for score in found.scores})
    what = (
        f"the {scored} scores that ask no language model, MiniLM in {precision}: "
        f"{ENDINGS:,} different endings, {n_systems} a case ({n:,} and half as many measured; {learning:.0f} s of it "
        "learn from stories)"
    )
    if allowed is None:
        return Row(what, "measured for information", seconds, None, "s", None)
    return Row(what, "what it may take", seconds, allowed, "s", allowed / seconds, 1.0)


def _against_packages(rows: EndingRows) -> list[Row]:
    bleu = [BLEU(effective_order=True, smooth_method="exp", max_ngram_order=order) for order in (1, 2, 4)]
    chrf = CHRF()
    pairs = list(zip(rows.endings, rows.references, strict=True))

    def of_bleu() -> None:
        for ending, references in pairs:
            for each in bleu:
                each.sentence_score(ending, references)

    def of_chrf() -> None:
        for ending, references in pairs:
            chrf.sentence_score(ending, references)

    return [
        _against(Bleu(), rows, "a loop over sacrebleu", of_bleu, 2),
        _against(Chrf(), rows, "a loop over sacrebleu", of_chrf, 1),
        *(_against_rouge(rows) if importlib.util.find_spec("rouge_score") else []),
    ]


def _against_rouge(rows: EndingRows) -> list[Row]:
    from rouge_score.rouge_scorer import RougeScorer

    rouge = RougeScorer(["rougeL"])

    def of_rouge() -> None:
        for ending, references in zip(rows.endings, rows.references, strict=True):
            rouge.score_multi(references, ending)

    return [_against(RougeL(), rows, "a loop over rouge-score", of_rouge, 2)]


def _against(metric: EndingMetric, rows: EndingRows, against: str, loop: Callable[[], object], at_least: float) -> Row:
    ours, theirs = best_of_three(lambda: metric.score(rows, Resources()), loop)
    what = f"{', '.join(metric.measures)} of {len(rows):,} endings"
    return Row(what, against, ours, theirs, "s", theirs / ours, at_least)


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
