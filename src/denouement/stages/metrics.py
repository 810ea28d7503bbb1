"""The stage metrics: automatic scores of endings."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from denouement import provenance
from denouement.cloze.resources import Resources
from denouement.documents import write_document
from denouement.files import check_output, existing_file, file_digest
from denouement.metrics import METRICS
from denouement.metrics.base import load_metric
from denouement.metrics.beside import few_by_ending
from denouement.metrics.preference.model import digest_of_language_model, read_preference
from denouement.metrics.reading import read_endings_to_score
from denouement.metrics.scoring import EndingScores, score_endings
from denouement.schemas import read_table, write_table


@dataclass(frozen=True)
class MetricsSettings:
    """Which scores are worked out.

    Attributes:
        scores: names of the registry; empty: all.
        options: by name of the registry the options of a score.
        human: whether the right and wrong endings of the cases are scored, too.
        language_model: the folder, GGUF file or name of a language model that some scores ask; null: none.
        releases: only endings of cases of these; empty: of all.
        splits: only endings of cases of these; empty: of all.
        languages: only endings of cases of these; empty: of all.
        seed: of everything random.
    """

    scores: tuple[str, ...] = ()
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    human: bool = False
    language_model: str | None = None
    releases: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    seed: int = 1

    def __post_init__(self) -> None:
        for key, names in (("scores", self.scores), ("options", self.options)):
            if unknown := [str(name) for name in names if name not in METRICS]:
                raise ValueError(f"{key}: no score {', '.join(unknown)}; there are {', '.join(METRICS)}")


@dataclass(frozen=True)
class MetricsPaths:
    """What is read, and what is written; None: not given, or not written.

    Attributes:
        cases: table `cloze` that the endings are of.
        endings: files of endings.
        references: human endings of the cases; None: the right ending of each.
        stories: table `stories` to learn from.
        embeddings: table of sentence vectors, looked in before a sentence is encoded.
        models: checkpoints of generators.
        choosers: checkpoints of choosers.
        preferences: preference models.
        cache: folder of what is kept between runs.
        out: where the table `ending_scores` is written.
        result: where the summary is written as JSON; the record of what it was made from is written to the same folder.
    """

    cases: Path
    endings: Sequence[Path] = ()
    references: Path | None = None
    stories: Path | None = None
    embeddings: Path | None = None
    models: tuple[Path, ...] = ()
    choosers: tuple[Path, ...] = ()
    preferences: tuple[Path, ...] = ()
    cache: Path | None = None
    out: Path | None = None
    result: Path | None = None

    def sources(self) -> dict[str, Path]:
        """The files that are read, by the names that records of them use."""
        named = {"cloze": self.cases, "references": self.references, "stories": self.stories}
        named |= {"embeddings": self.embeddings}
        named |= {f"models/{path.parent.name}": path for path in self.models}
        named |= {f"choosers/{path.stem}": path for path in self.choosers}
        named |= {f"preferences/{path.stem}": path for path in self.preferences}
        named |= {f"endings/{path.stem}": path for path in self.endings}
        return {name: path for name, path in named.items() if path}

    def check(self) -> None:
        """Make sure, before long work, that all files to read are there, and that all files can be written.

        Raises:
            UserError: it names the first file that is missing or cannot be written.
        """
        read = [existing_file(path) for path in self.sources().values()]
        for path in filter(None, (self.out, self.result, self.cache and self.cache / "file")):
            check_output(path, read)


def run(settings: MetricsSettings, paths: MetricsPaths) -> EndingScores:
    """Score endings, and write the table and the summary.

    Raises:
        UserError: a file that cannot be read or written, a wrong option, no ending or no score.
    """
    paths.check()
    metrics = [load_metric(name, settings.options.get(name)) for name in settings.scores or METRICS]
    only = {"release": settings.releases, "split": settings.splits, "language": settings.languages}
    read = read_endings_to_score(paths.endings, paths.cases, paths.references, settings.human, only)
    resources = Resources(
        stories=read_table(paths.stories, "stories") if paths.stories else None,
        embeddings=paths.embeddings,
        generators=paths.models,
        choosers=paths.choosers,
        preferences=paths.preferences,
        language_model=settings.language_model,
        cache=paths.cache,
        seed=settings.seed,
    )
    made_from = {name: file_digest(path) for name, path in paths.sources().items()}
    scored_with = made_from | digest_of_language_model(settings.language_model)
    for path in paths.preferences:
        read_preference(path).refuse_other_sources(path, scored_with)
    table, result = score_endings(metrics, read, resources)
    if paths.result:
        provenance.write_record(paths.result.parent, made_from)
        write_document(result, paths.result)
    if paths.out:
        write_table(table, paths.out, "ending_scores", provenance.as_metadata(scored_with))
    return result


def endings_with_scores(endings: Sequence[Path], scores: Path) -> dict[str, list[Any]]:
    """Columns of a table of generated endings with a few scores of each; None where an ending has no value.

    Args:
        endings: tables `endings`. Of several endings of a system for a case the first has values: it was scored.
        scores: the table `ending_scores` of them.
    """
    few = dict(few_by_ending(read_table(scores, "ending_scores")))
    columns: dict[str, list[Any]] = {"case_id": [], "system": [], "ending": []}
    columns |= {score: [] for score in dict.fromkeys(score for values in few.values() for score in values)}
    for row in (row for path in endings for row in read_table(path, "endings").to_pylist()):
        values = few.pop((row["case_id"], row["system"]), {})
        for name, column in columns.items():
            column.append(row[name] if name in row else values.get(name))
    return columns
