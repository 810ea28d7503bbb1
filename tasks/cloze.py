"""How often Story Cloze systems choose the right ending."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import mlflow
from prefect import task

from denouement import provenance
from denouement.cloze import SYSTEMS
from denouement.cloze.evaluation.evaluate import evaluate, predictions
from denouement.cloze.resources import Resources
from denouement.corpus.kind import corpus_kind
from denouement.files import file_digest, write_text
from denouement.report.tables import cloze_text
from denouement.schemas import read_table, write_table
from tasks import LAYOUT, tracking

_BY_CORPUS = ("sample", "official")


@dataclass(frozen=True)
class ClozeSettings:
    """Which systems are evaluated.

    Attributes:
        systems: names of systems on each kind of corpus: `sample` and `official`.
        options: by system its options.
        encoders: by sentence encoder its options.
        folds: of the cross-validation.
        seed: of everything random.
    """

    systems: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)
    encoders: dict[str, Any] = field(default_factory=lambda: {"minilm": {}, "glove": {}})
    folds: int = 10
    seed: int = 1

    def __post_init__(self) -> None:
        if set(self.systems) != set(_BY_CORPUS):
            raise ValueError(f"systems: must have the keys {' and '.join(_BY_CORPUS)}, not {', '.join(self.systems)}")
        for kind, names in self.systems.items():
            if not isinstance(names, list) or (unknown := [str(name) for name in names if name not in SYSTEMS]):
                raise ValueError(
                    f"systems.{kind}: must be a list of names from {', '.join(SYSTEMS)}"
                    + (f"; not {', '.join(unknown)}" if isinstance(names, list) else "")
                )
        if unknown := [str(name) for name in self.options if name not in SYSTEMS]:
            raise ValueError(f"options: no Story Cloze system {', '.join(unknown)}")
        if self.folds < 2:
            raise ValueError(f"folds: must be at least 2, not {self.folds}")


@task
def evaluate_systems(settings: ClozeSettings, generators: Sequence[str]) -> None:
    """Score all cases with each system, and log a row a system, release and split."""
    stories, cases = read_table(LAYOUT.stories, "stories"), read_table(LAYOUT.cloze, "cloze")
    models = [LAYOUT.model(name) for name in generators]
    reads = {"stories": LAYOUT.stories, "cloze": LAYOUT.cloze, "embeddings": LAYOUT.embeddings}
    reads |= {f"models/{path.parent.name}": path for path in models}
    with tracking.run("cloze", "cloze", asdict(settings)):
        tracking.log_inputs(**reads)
        evaluation = evaluate(
            settings.systems[corpus_kind(stories)],
            cases,
            None,
            Resources(
                stories=stories,
                encoders=settings.encoders,
                embeddings=LAYOUT.embeddings,
                generators=models,
                cache=LAYOUT.work / "cloze",
                seed=settings.seed,
            ),
            settings.options,
            settings.folds,
        )
        made_from = {name: file_digest(path) for name, path in reads.items()}
        provenance.write_record(LAYOUT.story_cloze, made_from)
        scores = LAYOUT.story_cloze / "scores.parquet"
        write_table(evaluation.scores, scores, "scores", provenance.as_metadata(made_from))
        for name, text in predictions(evaluation.scores).items():
            write_text(LAYOUT.story_cloze / "predictions" / f"{name}.csv", text)
        found = json.dumps(evaluation.document(), indent=2, ensure_ascii=False) + "\n"
        write_text(LAYOUT.story_cloze / "evaluation.json", found)
        figures: dict[str, dict[str, float]] = {}
        for row in evaluation.rows:
            if row["accuracy"] is not None:
                of_set = figures.setdefault(f"{row['release']}_{row['split']}", {})
                of_set["_".join(f"{row['system']} {row['variant']}".split())] = row["accuracy"]
        write_text(LAYOUT.metrics("cloze"), json.dumps(figures, indent=2) + "\n")
        tracking.log_values(figures)
        mlflow.log_artifacts(str(LAYOUT.story_cloze), "cloze")
        print(cloze_text(evaluation.rows, evaluation.notes))
        evaluation.raise_failures()  # a stage that ended well would not be run again; scores of the others are kept
