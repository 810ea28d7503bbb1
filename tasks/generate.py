"""Endings by a trained generator."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import mlflow
from prefect import task

from denouement.stages.generate import GeneratePaths, GenerateSettings, logged_values, run
from tasks import LAYOUT, tracking


@task
def write_endings(generator: str, settings: GenerateSettings, encoder_options: Mapping[str, Any]) -> None:
    """Write an ending for every chosen context, and log them as a table.

    Contexts that data/embeddings.parquet lacks are encoded with `encoder_options`.
    """
    paths = GeneratePaths(
        LAYOUT.cloze,
        LAYOUT.stories,
        LAYOUT.model(generator),
        LAYOUT.embeddings if LAYOUT.embeddings.exists() else None,
        LAYOUT.endings(generator),
    )
    name = tracking.described(f"generate {generator}", settings.decoding.method, settings.release, settings.split)
    with tracking.run(name, "generate", {"generator": generator, **asdict(settings)}):
        tracking.log_inputs(cloze=paths.contexts, model=paths.model)
        generated = run(settings, paths, encoder_options=encoder_options)
        tracking.keep_values(f"generate@{generator}", logged_values(generated))
        contexts = dict(
            zip(generated.cases["case_id"].to_pylist(), generated.cases["context"].to_pylist(), strict=True)
        )
        written = generated.endings.to_pydict()
        written["context"] = [" ".join(contexts[case_id]) for case_id in written["case_id"]]
        mlflow.log_table(written, "endings.json")
        n, distinct = generated.endings.num_rows, generated.distinct_share
        print(f"{n:,} endings, {distinct:.0%} of them distinct: {paths.out}")
