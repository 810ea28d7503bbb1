"""Statistics of as many stories as both ROCStories releases hold, and the page of a large run, against their budgets.

The parse of all stories, which takes minutes, is measured once, and on all stories: half of a corpus takes more than
half of the time, since new sentences become rare.
"""

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from benchmarks.results import made_study
from benchmarks.table import Row
from denouement.cloze.evaluation.evaluate import evaluate
from denouement.cloze.resources import Resources
from denouement.corpus import sample
from denouement.corpus.ingest import ingest
from denouement.documents import write_document
from denouement.errors import UserError
from denouement.schemas import TABLES, read_table, write_table
from denouement.stages.sentiment import SentimentPaths, SentimentSettings
from denouement.stages.sentiment import run as score_sentiment
from denouement.study.results.output import write_results
from denouement.text.syntax import parser_version
from denouement.text.wordnet import find_wordnet

STORIES = 98_161  # of spring 2016 and winter 2017 together
CONTEXTS, SYSTEMS = 1_871, ("one", "two", "three", "four")
SECONDS, GIB = 60, 2  # without a parse
SECONDS_PARSED, SECONDS_AGAIN = 12 * 60, 60
SECONDS_PAGE, MB_PAGE = 20, 5

_MEASURED = """
import resource, sys
from denouement.cli import main
try:
    main()
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, file=sys.stderr)
"""


def measure() -> list[Row]:
    """Each command in a process of its own; the parse is left out, with a message, where its packages are missing."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        stories = folder / "stories.parquet"
        write_table(_stories(), stories, "stories")
        command = ["statistics", str(stories), "--out", str(folder / "out"), "--cache", str(folder / "cache")]
        seconds, peak = _run(*command, "--no-events")
        rows = [
            _row(f"statistics of {STORIES:,} stories without a parse", seconds, SECONDS, "s"),
            _row("its peak memory", peak, GIB, "GiB"),
        ]
        if _can_parse():
            seconds, _ = _run(*command)
            rows.append(_row(f"statistics of {STORIES:,} stories with a parse", seconds, SECONDS_PARSED, "s"))
            seconds, _ = _run(*command)
            rows.append(_row("the same a second time", seconds, SECONDS_AGAIN, "s"))
        data = folder / "data"
        data.mkdir()
        (folder / "out").rename(data / "statistics")
        _write_run(data)
        seconds, _ = _run("report", "--data", str(data), "--lock", str(folder / "dvc.lock"), "--out", str(folder))
        size = (folder / "report.html").stat().st_size / 1e6
    what = f"page of {CONTEXTS:,} contexts and {len(SYSTEMS)} systems"
    return [*rows, _row(what, seconds, SECONDS_PAGE, "s"), _row("its size", size, MB_PAGE, "MB")]


def _row(what: str, ours: float, budget: float, unit: str) -> Row:
    return Row(what, "what it may take", ours, budget, unit, budget / ours, 1)


def _run(*arguments: str) -> tuple[float, float]:
    """Seconds and peak memory in GiB of a command."""
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", _MEASURED, *arguments], capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise UserError(f"denouement {' '.join(arguments)}: {done.stderr.strip()}")
    return seconds, float(done.stderr.split()[-1])


def _can_parse() -> bool:
    try:
        parser_version()
        find_wordnet()
    except UserError as error:  # of a parser or of WordNet
        print(f"statistics with a parse are not measured: {error}", file=sys.stderr)
        return False
    return True


def _stories() -> pa.Table:
    made = list(sample.stories(STORIES, seed=1))
    columns = {
        "story_id": [story.story_id for story in made],
        "title": [story.title for story in made],
        "sentences": [list(story.sentences) for story in made],
        "source": ["sample"] * STORIES,
        "split": ["train"] * STORIES,
    }
    return pa.table(columns, schema=TABLES["stories"].schema)


def _write_run(data: Path) -> None:
    """A run of `CONTEXTS` cases and `SYSTEMS`, whose endings are those of other stories, and a large study of these."""
    sample.write_sample(data / "sample", 2_000, CONTEXTS, seed=1)
    ingest(sorted((data / "sample").glob("*.csv")), data / "corpus")
    cloze = data / "corpus" / "cloze.parquet"
    cases = read_table(cloze, "cloze")
    ids, texts = cases["case_id"].to_pylist(), [endings[0] for endings in cases["endings"].to_pylist()]
    for seed, system in enumerate(SYSTEMS):
        endings = random.Random(seed).sample(texts, len(texts))  # noqa: S311 -- no secret
        rows = {"case_id": ids, "system": [system] * len(ids), "ending": endings}
        rows |= {"log_prob": [-20.0] * len(ids), "n_tokens": [10] * len(ids)}
        write_table(pa.table(rows, TABLES["endings"].schema), data / "endings" / f"{system}.parquet", "endings")
        curve = [{"epoch": epoch, "train_loss": 5 - epoch / 9} for epoch in range(10)]
        curve = [{**each, "validation_loss": 4.5, "validation_perplexity": 90.0 - each["epoch"]} for each in curve]
        history = {"generator": system, "vocabulary": 9000, "stories": {"train": 1900, "validation": 100}}
        _write_json(data / "models" / system / "history.json", {**history, "best_epoch": 9, "epochs": curve})
    endings = sorted((data / "endings").iterdir())
    paths = SentimentPaths(data / "corpus" / "stories.parquet", cloze, endings, data / "sentiment.parquet")
    score_sentiment(SentimentSettings(), paths)
    found = evaluate(["constant_first", "ngram_overlap", "sentiment_full", "sentiment_last"], cases, None, Resources())
    write_document(found.result, data / "cloze" / "evaluation.json")
    votes, items = made_study()
    write_results(data / "study", votes, items, {})
    for name, table in (("votes", votes), ("items", items)):
        write_table(table, data / "study" / f"{name}.parquet", name)


def _write_json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
