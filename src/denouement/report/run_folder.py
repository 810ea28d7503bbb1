"""What a run has, and where it came from."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from denouement.analysis.endings import SystemEndings, endings_table
from denouement.analysis.named_tables import NamedTable, read_tables
from denouement.analysis.sentiment import SentimentResult, read_sentiment, sentiment_result
from denouement.analysis.statistics import Findings
from denouement.analysis.statistics_files import read_findings
from denouement.answers import SCALES
from denouement.cloze.evaluation.results import ClozeResult, read_result
from denouement.corpus.cases import labelled_cases
from denouement.corpus.ingest import IngestSummary
from denouement.documents import flattened, read_document
from denouement.errors import UserError, printable
from denouement.files import existing_file, file_digest
from denouement.generators.history import History
from denouement.layout import Layout
from denouement.metrics.scoring import EndingScores
from denouement.schemas import empty_table, read_table
from denouement.study.reasons.files import ReasonsSummary
from denouement.study.results.output import DOCUMENT
from denouement.study.results.preferences import StudyResults
from denouement.study.results.scales import RESULTS_OF, ScaleResults
from denouement.yaml_files import read_yaml

_DIGITS = 12  # of a digest: enough to distinguish files, and short enough to compare by eye


@dataclass(frozen=True)
class Origin:
    """Where the numbers of a section came from.

    Attributes:
        commands: what made the files; empty where there is no record.
        parameters: the settings of these commands, such as `ingest.release = null`.
        files: by name within the run the first digits of the SHA-256 of each file that was read.
    """

    commands: Sequence[str]
    parameters: Sequence[str]
    files: Mapping[str, str]


@dataclass(frozen=True)
class RunFolder:
    """The folder of a run, any part of which may be missing; each of its tables and documents is read once.

    Attributes:
        layout: its files.
        lock: DVC's record (`dvc.lock`) of the commands and parameters that made the files; may be missing.
        generators: whose models and endings count; None: those of every file in the folder.
    """

    layout: Layout
    lock: Path
    generators: Sequence[str] | None = None

    @property
    def histories(self) -> list[Path]:
        """The course of training of each generator."""
        names = sorted(path.parent.name for path in self.layout.models.glob("*/history.json"))
        return [self.layout.history(name) for name in names if self._counts(name)]

    @property
    def endings(self) -> list[Path]:
        """Tables of generated endings, each named after its generator."""
        return [path for path in sorted(self.layout.written.glob("*.parquet")) if self._counts(path.stem)]

    @property
    def scales(self) -> list[Path]:
        """Results of ratings, orders and rankings, where there are any."""
        return [path for name in SCALES if (path := self.layout.study / name / "results.json").exists()]

    @cached_property
    def read_histories(self) -> dict[str, History]:
        """By generator the course of its training."""
        return {path.parent.name: read_document(path, History, "train") for path in self.histories}

    @cached_property
    def read_endings(self) -> list[NamedTable]:
        """Each table `endings` with its file."""
        return read_tables(self.endings, "endings")

    @cached_property
    def stories(self) -> pa.Table:
        """The table `stories`."""
        return read_table(self.layout.stories, "stories")

    @cached_property
    def cases(self) -> pa.Table:
        """The table `cloze`."""
        return read_table(self.layout.cloze, "cloze")

    @cached_property
    def labelled(self) -> tuple[pa.Table, list[str]]:
        """The cases that count, and a sentence for each kind of case left out (`corpus.cases.labelled_cases`)."""
        return labelled_cases(self.cases)

    @cached_property
    def sentiment(self) -> pa.Table:
        """The table `sentiment`, checked."""
        return read_sentiment(self.layout.sentiment)

    @cached_property
    def sentiment_result(self) -> SentimentResult:
        """The sentiment of each group of endings."""
        return sentiment_result(self.sentiment)

    @cached_property
    def repetition(self) -> list[SystemEndings]:
        """How far the endings of each system repeat themselves."""
        return endings_table(self.read_endings, self.cases if self.layout.cloze.exists() else None)

    @cached_property
    def scores(self) -> EndingScores:
        """The automatic scores of endings."""
        return read_document(self.layout.score_summary, EndingScores, "metrics")

    @cached_property
    def ending_scores(self) -> pa.Table:
        """The table `ending_scores`; empty where there is none."""
        path = self.layout.ending_scores
        return read_table(path, "ending_scores") if path.exists() else empty_table("ending_scores")

    @cached_property
    def ingest(self) -> IngestSummary:
        """What went into the corpus."""
        return read_document(self.layout.ingest, IngestSummary, "ingest")

    @cached_property
    def day(self) -> str | None:
        """The day (UTC) on which the newest result was written, such as `28 November 2026`; None without any."""
        layout = self.layout
        results = [
            layout.ingest,
            layout.sentiment,
            layout.score_summary,
            layout.evaluation,
            layout.study / DOCUMENT,
        ]
        written = [path.stat().st_mtime for path in (*results, *self.histories, *self.endings) if path.exists()]
        if not written:
            return None
        newest = datetime.fromtimestamp(max(written), UTC)
        return f"{newest.day} {newest:%B %Y}"

    @property
    def is_official(self) -> bool:
        """Whether the stories are known to be those of the official files, for which papers have values."""
        return self.layout.ingest.exists() and self.ingest.corpus == "official"

    @cached_property
    def statistics(self) -> Findings:
        """What stories are like and what gives endings away."""
        return read_findings(self.layout.statistics)

    @cached_property
    def evaluation(self) -> ClozeResult:
        """How often Story Cloze systems are right."""
        return read_result(self.layout.evaluation)

    @cached_property
    def study(self) -> StudyResults:
        """What people preferred."""
        return read_document(self.layout.study / DOCUMENT, StudyResults, "study")

    @cached_property
    def has_votes(self) -> bool:
        """Whether people answered which of two endings is better."""
        return (self.layout.study / DOCUMENT).exists() and self.study.answers > 0

    @cached_property
    def judged(self) -> pa.Table:
        """The table `table_3`: stories with the endings that people judged; empty where the items are not known."""
        path = self.layout.study / "table_3.parquet"
        return read_table(path, "table_3") if path.exists() else empty_table("table_3")

    @cached_property
    def scale_results(self) -> list[ScaleResults]:
        """What people rated, how they ordered sentences and ranked endings, where there are such answers."""
        return [read_document(path, RESULTS_OF[path.parent.name], "study") for path in self.scales]

    @cached_property
    def reasons(self) -> ReasonsSummary:
        """What people gave as reasons."""
        return read_document(self.layout.study / "reasons.json", ReasonsSummary, "study")

    def _counts(self, generator: str) -> bool:
        return self.generators is None or generator in self.generators

    def name(self, path: Path) -> str:
        """`path` as the page names it: relative to the folder that holds the run's folder."""
        return (Path(self.layout.folder.name) / path.relative_to(self.layout.folder)).as_posix()

    def origin(self, stages: Sequence[str], files: Sequence[Path]) -> Origin:
        """Where `files` came from: made by `stages`; the name `train` means `train@seq2seq` too."""
        entries = [entry for name, entry in self._stages.items() if name.partition("@")[0] in stages]
        parameters: dict[str, None] = {}
        for entry in entries:
            for file, section in entry.params.items():
                if file != "dvc.yaml":  # which generators there are: the tables show it
                    parameters |= dict.fromkeys(
                        f"{name} = {json.dumps(value, ensure_ascii=False)}"
                        for name, value in flattened(section).items()
                    )
        return Origin(
            [entry.cmd for entry in entries],
            list(parameters),
            {self.name(path): file_digest(existing_file(path))[:_DIGITS] for path in files},
        )

    def parameter(self, stage: str, name: str) -> Any:
        """A parameter that a stage ran with, or None where there is no record of it."""
        params = self._stages[stage].params if stage in self._stages else {}
        return next((section[stage][name] for section in params.values() if name in section.get(stage, {})), None)

    @cached_property
    def _stages(self) -> Mapping[str, "LockedStage"]:
        return _locked_stages(self.lock) if self.lock.exists() else {}


@dataclass(frozen=True)
class LockedStage:
    """A stage in DVC's record: its command, and by file the parameters that it ran with."""

    cmd: str
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def _locked_stages(lock: Path) -> Mapping[str, LockedStage]:
    from pydantic import TypeAdapter, ValidationError

    content = read_yaml(lock)
    try:
        return TypeAdapter(dict[str, LockedStage]).validate_python(content["stages"])
    except (KeyError, TypeError, ValidationError) as error:
        raise UserError(f"{lock}: is not a record of DVC; restore it with git checkout {lock.name}") from error


def read_beside(path: Path, name: object) -> str:
    """The text of a file that a document names; it must be in the document's folder.

    Args:
        path: the document.
        name: of the file.

    Raises:
        UserError: a path instead of a name, no such file, or a file that is not text in UTF-8.
    """
    if not isinstance(name, str) or name != Path(name).name:
        raise UserError(f"{path}: file {printable(repr(name))} is no plain name of a file beside it; make it again")
    beside = existing_file(path.parent / name)
    try:
        return beside.read_text(encoding="utf-8")
    except ValueError as error:
        raise UserError(f"{beside}: not text in UTF-8; make it again") from error
