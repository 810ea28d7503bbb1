"""The folders and files of the graph. Only this module and `dvc.yaml` name them."""

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
        """The user's files; only `brought` and `collected` are written here."""
        return self.folder / "raw"

    @property
    def brought(self) -> Path:
        """Copies that `make run CORPUS=folder` makes, and removes again later."""
        return self.raw / "brought"

    @property
    def collected(self) -> Path:
        """A folder for each collection that is exported from the store of studies, with its official files alone."""
        return self.raw / "collected"

    @property
    def exports(self) -> Path:
        """A folder for each of these collections with all of its export, also with what is not for others."""
        return self.folder / "collected"

    @property
    def sample(self) -> Path:
        """The sample corpus, as files in the layout of the official ones."""
        return self.folder / "sample"

    @property
    def corpus(self) -> Path:
        """The folder of stories, cases and their summary."""
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
        """The table `rejects`: rows of the user's files that were rejected, and why."""
        return self.corpus / "rejects.parquet"

    @property
    def ingest(self) -> Path:
        """The summary of stories, cases and rejected rows, as JSON."""
        return self.corpus / "ingest.json"

    @property
    def embeddings(self) -> Path:
        """The table `embeddings` of context sentences."""
        return self.folder / "embeddings.parquet"

    @property
    def models(self) -> Path:
        """The folder that has a folder for each generator."""
        return self.folder / "models"

    def model(self, generator: str) -> Path:
        """The checkpoint with which a generator writes endings."""
        return self.models / generator / "best.parquet"

    def last_model(self, generator: str) -> Path:
        """The checkpoint of a generator's last epoch, from which training can continue."""
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
        """The folder of the choices of Story Cloze systems."""
        return self.folder / "cloze"

    @property
    def evaluation(self) -> Path:
        """The accuracies of Story Cloze systems, as JSON."""
        return self.story_cloze / "evaluation.json"

    @property
    def scores(self) -> Path:
        """The folder of automatic scores of endings."""
        return self.folder / "scores"

    @property
    def ending_scores(self) -> Path:
        """The table `ending_scores`."""
        return self.scores / "ending_scores.parquet"

    @property
    def score_summary(self) -> Path:
        """The mean of each score and system, as JSON."""
        return self.scores / "scores.json"

    @property
    def statistics(self) -> Path:
        """The folder of statistics of stories and endings."""
        return self.folder / "statistics"

    @property
    def study(self) -> Path:
        """The folder of people's answers and their results."""
        return self.folder / "study"

    @property
    def work(self) -> Path:
        """States of interrupted trainings, and results that are kept between evaluations; not under DVC."""
        return self.folder / "work"

    @property
    def reports(self) -> Path:
        """The folder of the report, next to that of the run."""
        return self.folder.parent / "reports"

    @property
    def lock(self) -> Path:
        """DVC's record of the commands and parameters that made the files, next to the folder of the run."""
        return self.folder.parent / "dvc.lock"

    def metrics(self, stage: str) -> Path:
        """The chief values of a stage, as JSON, by the stage's name in the graph, such as `train@seq2seq`."""
        return self.folder / "metrics" / f"{stage.replace('@', '_')}.json"

    def plot(self, stage: str) -> Path:
        """The rows of a stage's plot, as JSON."""
        return self.folder / "plots" / f"{stage}.json"
