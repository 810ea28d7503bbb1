"""Where the graph keeps what it makes, relative to the project's root, from which every command is run."""

from pathlib import Path

DATA = Path("data")
LOCK = Path("dvc.lock")  # DVC's record of what made what
RAW = Path("data/raw")  # the user's files
BROUGHT = RAW / "brought"  # copies that `make run CORPUS=folder` makes, and removes again
SAMPLE = Path("data/sample")
CORPUS = Path("data/corpus")
STORIES = CORPUS / "stories.parquet"
CLOZE = CORPUS / "cloze.parquet"
EMBEDDINGS = Path("data/embeddings.parquet")
MODELS = Path("data/models")
ENDINGS = Path("data/endings")
SENTIMENT = Path("data/sentiment.parquet")
STORY_CLOZE = Path("data/cloze")  # what Story Cloze systems chose
STATISTICS = Path("data/statistics")  # what stories are like, what gives endings away
STUDY = Path("data/study")  # what people answered
METRICS = Path("data/metrics")
REPORTS = Path("reports")
WORK = Path("data/work")  # what an interrupted training goes on from, and what is kept between evaluations


def checkpoint(generator: str) -> Path:
    """A trained generator: the epoch that is used."""
    return MODELS / generator / "best.parquet"


def metrics(stage: str) -> Path:
    """The figures of a stage, by its name in the graph such as `train@seq2seq`."""
    return METRICS / f"{stage.replace('@', '_')}.json"


def endings(generator: str) -> Path:
    """What a generator wrote."""
    return ENDINGS / f"{generator}.parquet"
