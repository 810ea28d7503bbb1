"""Training a generator, and the trained one as a model in MLflow."""

import json
import runpy
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

import mlflow
import pandas as pd
from prefect import task

from denouement.corpus.kind import corpus_kind
from denouement.files import write_text
from denouement.generators.base import GeneratorSettings, generator_class
from denouement.generators.training import settings_for, train
from denouement.schemas import read_table
from tasks import LAYOUT, tracking
from tasks.params import section

# By path, not imported: a change in how a model is served or decodes is no reason to train again.
MODEL_CODE = Path("tasks/pyfunc_model.py")
EXAMPLE = {"context": ["Ann had a garden.", "She planted seeds.", "It rained for a week.", "She went to look."]}


def settings(generator: str) -> GeneratorSettings:
    """What `params.yaml` says for this generator on the corpus at hand."""
    return settings_for(generator, section("train"), corpus_kind(read_table(LAYOUT.stories, "stories")))


@task
def train_generator(generator: str) -> None:
    """Train, log every epoch as it ends, and log the one that is used as a model: contexts in, endings out."""
    chosen = settings(generator)
    reads = {"stories": LAYOUT.stories}
    if generator_class(generator).reads_vectors:
        reads["embeddings"] = LAYOUT.embeddings
    with tracking.run(f"train {generator}", "train", {"generator": generator, **asdict(chosen)}):
        tracking.log_inputs(**reads)
        history = train(
            generator,
            LAYOUT.stories,
            LAYOUT.models / generator,
            chosen,
            embeddings=reads.get("embeddings"),
            work=LAYOUT.work,
            on_epoch=_teller(chosen.epochs),
        )
        best = history["epochs"][history["best_epoch"]]
        write_text(LAYOUT.metrics(f"train@{generator}"), json.dumps(best, indent=2) + "\n")
        tracking.log_values({"best": best, "vocabulary": history["vocabulary"]})
        log_model(LAYOUT.model(generator))


def _teller(epochs: int) -> Callable[[int, Mapping[str, float]], None]:
    def tell(epoch: int, figures: Mapping[str, float]) -> None:
        tracking.log_values(figures, step=epoch)
        shown = ", ".join(f"{name.replace('_', ' ')} {_number(value)}" for name, value in figures.items())
        print(f"epoch {epoch + 1} of {epochs}: {shown}", flush=True)

    return tell


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def log_model(checkpoint: Path) -> None:
    """Log the generator in a checkpoint as the model of the active run; see `pyfunc_model`."""
    mlflow.pyfunc.log_model(
        name="model",
        python_model=str(MODEL_CODE),
        signature=runpy.run_path(str(MODEL_CODE))["SIGNATURE"],
        artifacts={"checkpoint": str(checkpoint)},
        input_example=pd.DataFrame([EXAMPLE]),
        model_config={"encoder_options": {}},  # MLflow lets whoever loads the model give only what stands here
        pip_requirements=["denouement"],
    )
