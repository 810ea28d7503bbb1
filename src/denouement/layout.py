"""Where the graph keeps what it makes: the one place that names these folders and files, beside `dvc.yaml` itself."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Layout:
    """The files of a run, any of which may be missing.

    Attributes:
        folder: such as `data`.
    """

    folder: Path = Path("data")

    @property
    def raw(self) -> Path:
        """The user's files; nothing is written here, but for `brought`."""
        return self.folder / "raw"

    @property
    def brought(self) -> Path:
        """Copies that `make run CORPUS=folder` makes, and removes again."""
        return self.raw / "brought"

    @property
    def sample(self) -> Path:
        """The sample corpus, as files in the layout of the official ones."""
        return self.folder / "sample"

    @property
    def corpus(self) -> Path:
        """The folder of stories, cases and the summary of both."""
        return self.folder / "corpus"

    @property
    def stories(self) -> Path:
        """The table `stories`."""
        return self.corpus / "stories.parquet"

    @property
    def cloze(self) -> Path:
        """The table `cloze`."""
        return self.corpus / "cloze.parquet"

    @property
    def rejects(self) -> Path:
        """The table `rejects`: rows of the user's files that could not be used, and why."""
        return self.corpus / "rejects.parquet"

    @property
    def ingest(self) -> Path:
        """What went into the corpus, as JSON."""
        return self.corpus / "ingest.json"

    @property
    def embeddings(self) -> Path:
        """The table `embeddings` of context sentences."""
        return self.folder / "embeddings.parquet"

    @property
    def models(self) -> Path:
        """A folder a generator."""
        return self.folder / "models"

    def model(self, generator: str) -> Path:
        """The checkpoint that a generator writes endings from."""
        return self.models / generator / "best.parquet"

    def last_model(self, generator: str) -> Path:
        """The checkpoint of a generator's last epoch, which training goes on from."""
        return self.models / generator / "last.parquet"

    def history(self, generator: str) -> Path:
        """The course of a generator's training, as JSON."""
        return self.models / generator / "history.json"

    @property
    def written(self) -> Path:
        """The folder of the tables of generated endings."""
        return self.folder / "endings"

    def endings(self, generator: str) -> Path:
        """The table of the endings that a generator wrote."""
        return self.written / f"{generator}.parquet"

    @property
    def sentiment(self) -> Path:
        """The table `sentiment`: the sentiment of each ending."""
        return self.folder / "sentiment.parquet"

    @property
    def story_cloze(self) -> Path:
        """The folder of what Story Cloze systems chose."""
        return self.folder / "cloze"

    @property
    def evaluation(self) -> Path:
        """How often Story Cloze systems are right, as JSON."""
        return self.story_cloze / "evaluation.json"

    @property
    def statistics(self) -> Path:
        """The folder of what stories are like and what gives endings away."""
        return self.folder / "statistics"

    @property
    def study(self) -> Path:
        """The folder of what people answered."""
        return self.folder / "study"

    @property
    def work(self) -> Path:
        """What an interrupted training goes on from, and what is kept between evaluations; not under DVC."""
        return self.folder / "work"

    @property
    def reports(self) -> Path:
        """The folder of the report, beside that of the run."""
        return self.folder.parent / "reports"

    @property
    def lock(self) -> Path:
        """DVC's record of the commands and parameters that made the files, beside the folder of the run."""
        return self.folder.parent / "dvc.lock"

    def metrics(self, stage: str) -> Path:
        """The values that a stage logs, as JSON, by the stage's name in the graph, such as `train@seq2seq`."""
        return self.folder / "metrics" / f"{stage.replace('@', '_')}.json"
