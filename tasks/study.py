"""What came out of human evaluations whose answers the user put under data/raw."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import mlflow
from prefect import task

from denouement.files import file_digest, write_text
from denouement.schemas import empty_table, write_table
from denouement.study.importing import SYSTEMS, find_answers, import_answers, imported_text
from denouement.study.reasons.files import write_reasons
from denouement.study.results.agreement import like_an_answer
from denouement.study.results.counted import SCALES
from denouement.study.results.output import write_results, write_scale_results
from denouement.study.results.scales import scale_results
from denouement.study.results.tables import results_text, scale_section, section_text
from tasks import LAYOUT, tracking

TABLES = ("votes", "items", "rejects")


@dataclass(frozen=True)
class StudySettings:
    """How files of answers are read.

    Attributes:
        systems: names for the generator and the human endings, where a file tells only which is which.
        columns: by role the column that has it, where its name does not tell: as `--column` of `study import`.
        values: by a text that stands for an answer, the answer: as `--value`.
        keep_ids: keep the annotators' ids of other tools; else they are hashed.
    """

    systems: tuple[str, ...] = SYSTEMS
    columns: dict[str, Any] = field(default_factory=dict)
    values: dict[Any, Any] = field(default_factory=dict)
    keep_ids: bool = False

    def __post_init__(self) -> None:
        if len(set(self.systems)) != 2 or len(self.systems) != 2:
            raise ValueError(f"systems: must be two names, not {', '.join(self.systems) or 'none'}")
        if problem := like_an_answer(self.systems):
            raise ValueError(f"systems: {problem}")
        for role, column in self.columns.items():
            if not isinstance(column, str):
                raise ValueError(f"columns: {role} must be a column's name, not {column!r}; put it in quotes")
        for text, answer in self.values.items():
            if isinstance(text, bool) or not isinstance(text, str | int) or not isinstance(answer, str):
                raise ValueError(f"values: {text!r}: {answer!r} must be a text and its answer; put the text in quotes")
        texts = {str(text): answer for text, answer in self.values.items()}
        if len(texts) < len(self.values):
            raise ValueError("values: a text stands twice, once as a number; give it once")
        object.__setattr__(self, "values", texts)


@task
def work_out_results(settings: StudySettings) -> None:
    """Import every file of answers under data/raw, and log the results; without any the tables are empty."""
    files = find_answers(LAYOUT.raw)
    tables = {name: empty_table(name) for name in TABLES}
    metadata: dict[str, str] = {}
    if files:
        generator, human = settings.systems
        found = import_answers(
            files,
            systems=(generator, human),
            columns=settings.columns,
            values=settings.values,
            keep_ids=settings.keep_ids,
        )
        tables |= {**found.tables, "rejects": found.rejects}
        tables.pop("participants", None)  # what a platform says about people stays out of the run's files and of MLflow
        metadata = found.metadata
        print(imported_text(found))
    else:
        print(f"no file of answers under {LAYOUT.raw}: the tables of the human evaluation are empty")
    with tracking.run("study", "study", asdict(settings)):
        for name, table in tables.items():
            write_table(table, LAYOUT.study / f"{name}.parquet", name, metadata if name == "votes" else None)
        read = {name: LAYOUT.study / f"{name}.parquet" for name in tables if name != "rejects"}
        tracking.log_inputs(**read)
        made_from = {name: file_digest(path) for name, path in read.items()}
        results = write_results(LAYOUT.study, tables["votes"], tables["items"], made_from)
        scales = {name: scale_results(name, tables[name], tables["items"]) for name in SCALES if name in tables}
        for name, of_scale in scales.items():
            write_scale_results(LAYOUT.study / name, of_scale, scale_section(of_scale), made_from)
        reasons = write_reasons(LAYOUT.study, tables["votes"], made_from, LAYOUT.work / "study" / "parses.parquet")
        figures = _figures(results) | {name: _means(of_scale) for name, of_scale in scales.items()}
        if reasons:
            figures["reasons"] = {row["element"]: row["share"] for row in reasons["elements"]["elements"]}
        write_text(LAYOUT.metrics("study"), json.dumps(figures, indent=2) + "\n")
        tracking.log_values(figures)
        mlflow.log_artifacts(str(LAYOUT.study), "study")
        if files:
            print(results_text(results))
            print(*(f"\n{section_text(scale_section(of_scale))}" for of_scale in scales.values()))


def _figures(results: Mapping[str, Any]) -> dict[str, Any]:
    """What is logged: by pair of systems the numbers of items by outcome, and how far annotators agree;
    by system its strength.
    """
    figures: dict[str, Any] = {"answers": results["answers"]}
    for row in results["pairs"]:
        outcomes = {name: found["n"] for name, found in row["agreement"].items()}
        measures = {"p": row["sign_test"]["p"], "kappa": row["kappa"]["kappa"], "alpha": row["alpha"]["alpha"]}
        figures[re.sub(r"\W", "_", f"{row['first']}_{row['second']}")] = {**outcomes, **measures}
    figures["strengths"] = {
        re.sub(r"\W", "_", row["system"]): {name: row[name] for name in ("strength", "low", "high", "share")}
        for row in results["strengths"]["systems"]
    }
    return figures


def _means(results: Mapping[str, Any]) -> dict[str, Any]:
    """What is logged of ratings or orders: the mean by question and system, or by system."""
    if "systems" in results:
        return {re.sub(r"\W", "_", row["system"]): row["mean"] for row in results["systems"]}
    return {re.sub(r"\W", "_", f"{row['question']}_{row['system']}"): row["mean"] for row in results["means"]}
