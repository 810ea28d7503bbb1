"""Training a generator, and the trained one as a model in MLflow."""

import runpy
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

import mlflow
import pandas as pd
from prefect import task

from denouement.corpus.kind import corpus_kind
from denouement.errors import UserError
from denouement.generators.base import generator_class
from denouement.generators.history import chief_values, epoch_line, logged_values
from denouement.generators.training import settings_for, state_folder
from denouement.schemas import read_table
from denouement.stages import train
from tasks import LAYOUT, tracking
from tasks.params import kinds, section

# By path, not imported: a change in how a model is served or decodes is no reason to train again.
MODEL_CODE = Path("tasks/pyfunc_model.py")
EXAMPLE = {"context": ["Ann had a garden.", "She planted seeds.", "It rained for a week.", "She went to look."]}


@task
def train_generator(generator: str) -> None:
    """Train, log every epoch as it ends, and log the one that is used as a model: contexts in, endings out."""
    corpus = corpus_kind(read_table(LAYOUT.stories, "stories"))
    kind = kinds().get(generator, generator)
    chosen = settings_for(generator, section("train"), corpus, kinds())
    named = section("generators").get(generator, {}).get("reads")
    if chosen.reads is not None and chosen.reads != named:
        raise UserError(
            f"params.yaml: train.{generator} reads {chosen.reads}, but generators.{generator}.reads is {named}: name "
            "the same file in both, so that a change in it is seen"
        )
    preset = section("train").get("preset", {}).get(corpus)
    reads = {"stories": LAYOUT.stories}
    if generator_class(kind).reads_vectors:
        reads["embeddings"] = LAYOUT.embeddings
    paths = train.TrainPaths(LAYOUT.stories, reads.get("embeddings"), LAYOUT.work, LAYOUT.model(generator).parent)
    note = (
        state_folder(LAYOUT.work, generator_class(kind, generator), chosen, paths.stories, paths.embeddings)
        / "mlflow_run"
    )
    name = tracking.described(f"train {generator}", preset, f"{corpus} corpus")
    with tracking.run(name, "train", {"generator": generator, "kind": kind, **asdict(chosen)}, note):
        tracking.log_inputs(**reads)
        history = train.run(generator, chosen, paths, _reporter(getattr(chosen, "epochs", 0)), kind)
        tracking.keep_values(f"train@{generator}", logged_values(history), chief_values(history))
        tracking.register_model(log_model(LAYOUT.model(generator)), f"denouement-{generator}")


def _reporter(epochs: int) -> Callable[[int, Mapping[str, float]], None]:
    logged = tracking.logged_steps("train_loss")

    def report(epoch: int, values: Mapping[str, float]) -> None:
        if epoch not in logged:
            tracking.log_values(values, step=epoch)
        print(epoch_line(epoch, epochs, values), flush=True)

    return report


def log_model(checkpoint: Path) -> str:
    """Log the generator in a checkpoint as the model of the active run, and return its URI; see `pyfunc_model`."""
    logged = mlflow.pyfunc.log_model(
        name="model",
        python_model=str(MODEL_CODE),
        signature=runpy.run_path(str(MODEL_CODE))["SIGNATURE"],
        artifacts={"checkpoint": str(checkpoint)},
        input_example=pd.DataFrame([EXAMPLE]),
        model_config={"encoder_options": {}},  # MLflow lets whoever loads the model give only the keys named here
        pip_requirements=["denouement"],
    )
    return str(logged.model_uri)
