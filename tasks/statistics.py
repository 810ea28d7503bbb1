"""What the corpus is like, and what gives endings away."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import mlflow
from prefect import task

from denouement.analysis.sections import Section, write_sections
from denouement.analysis.statistics import Inputs, find_statistics
from denouement.files import write_text
from tasks import LAYOUT, tracking


@dataclass(frozen=True)
class StatisticsSettings:
    """What statistics are worked out.

    Attributes:
        events: whether events are counted, which parses all stories.
        wordnet: the folder of WordNet's database; None: where it is usually found.
        folds: of the bias monitor's cross-validation.
    """

    events: bool = True
    wordnet: str | None = None
    folds: int = 10

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise ValueError(f"folds: must be at least 2, not {self.folds}")


@task
def work_out_statistics(settings: StatisticsSettings, generators: Sequence[str]) -> None:
    """Measure stories, cases and endings, and log the figures."""
    endings = tuple(LAYOUT.endings(name) for name in generators)
    inputs = Inputs(stories=LAYOUT.stories, cloze=LAYOUT.cloze, endings=endings)
    with tracking.run("statistics", "statistics", asdict(settings)):
        tracking.log_inputs(stories=LAYOUT.stories, cloze=LAYOUT.cloze, **{path.stem: path for path in endings})
        sections, _ = find_statistics(
            inputs,
            wordnet=Path(settings.wordnet) if settings.wordnet else None,
            cache=LAYOUT.work / "statistics",
            with_events=settings.events,
            folds=settings.folds,
        )
        write_sections(sections, LAYOUT.statistics, inputs.made_from())
        figures = _figures(sections)
        write_text(LAYOUT.metrics("statistics"), json.dumps(figures, indent=2) + "\n")
        tracking.log_values(figures)
        mlflow.log_artifacts(str(LAYOUT.statistics), "statistics")
        print(f"{len(sections)} findings on stories and endings: {LAYOUT.statistics}")


def _figures(sections: Mapping[str, Section]) -> dict[str, Any]:
    """What is logged: size and vocabulary of the corpus, and how often a model that sees only endings is right."""
    vocabulary = sections["vocabulary"].values
    figures: dict[str, Any] = {"tokens": vocabulary["tokens"], "types": vocabulary["types"]}
    if "bias_monitor" in sections:
        for name, of_set in sections["bias_monitor"].values["sets"].items():
            found = {row["variant"] or "all": row["accuracy"] for row in of_set["variants"]}
            if found:
                figures["_".join(name.split())] = found
    return figures
