"""What came out of human evaluations whose answers the user put under data/raw."""

from dataclasses import asdict

import mlflow
from prefect import task

from denouement.stages.study import StudyPaths, StudySettings, chief_values, logged_values, plotted, run
from denouement.study.importing import find_answers, imported_text
from denouement.study.results.sections import scale_section, study_sections
from tasks import LAYOUT, artifacts, tracking


@task
def work_out_results(settings: StudySettings) -> None:
    """Import every file of answers under data/raw, and log the results; without any the tables are empty."""
    answers = find_answers(LAYOUT.raw)
    if not answers:
        print(f"no file of answers under {LAYOUT.raw}: the tables of the human evaluation are empty")
    with tracking.run("study", "study", asdict(settings)):
        stage = run(settings, StudyPaths(answers, LAYOUT.study, LAYOUT.work / "study" / "parses.parquet"))
        tracking.log_inputs(**stage.tables)
        tracking.keep_values("study", logged_values(stage), chief_values(stage))
        tracking.keep_plot("study", plotted(stage))
        mlflow.log_artifacts(str(LAYOUT.study), "study")
        if stage.imported:
            print(imported_text(stage.imported))
            sections = [*study_sections(stage.results), *map(scale_section, stage.scales.values())]
            artifacts.show_tables("study", sections)
