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
from denouement.generators.history import best_values, epoch_line, logged_values
from denouement.generators.training import settings_for
from denouement.schemas import read_table
from denouement.stages import train
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
        paths = train.TrainPaths(LAYOUT.stories, reads.get("embeddings"), LAYOUT.work, LAYOUT.model(generator).parent)
        history = train.run(generator, chosen, paths, _reporter(getattr(chosen, "epochs", 0)))
        values = json.dumps(best_values(history), indent=2)
        write_text(LAYOUT.metrics(f"train@{generator}"), values + "\n")
        tracking.log_values(logged_values(history))
        log_model(LAYOUT.model(generator))


def _reporter(epochs: int) -> Callable[[int, Mapping[str, float]], None]:
    def report(epoch: int, values: Mapping[str, float]) -> None:
        tracking.log_values(values, step=epoch)
        print(epoch_line(epoch, epochs, values), flush=True)

    return report


def log_model(checkpoint: Path) -> None:
    """Log the generator in a checkpoint as the model of the active run; see `pyfunc_model`."""
    mlflow.pyfunc.log_model(
        name="model",
        python_model=str(MODEL_CODE),
        signature=runpy.run_path(str(MODEL_CODE))["SIGNATURE"],
        artifacts={"checkpoint": str(checkpoint)},
        input_example=pd.DataFrame([EXAMPLE]),
        model_config={"encoder_options": {}},  # MLflow lets whoever loads the model give only the keys named here
        pip_requirements=["denouement"],
    )
