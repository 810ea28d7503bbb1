"""A trained generator as MLflow serves it. MLflow runs this file ("model from code"), so no pickle is stored.

Input: column `context`, the sentences of a story so far (list of strings). Output: `n` rows for each, in order, with
columns `context_row` (place of the input row), `ending` and `log_prob` (nats, summed over the ending's tokens; NaN
where the generator gives no probabilities). Parameters: `n` and the settings of
`denouement.generators.decoding.Decoding`. A generator that reads sentence vectors encodes them; the caller names the
files of its encoder when the model is loaded, since each machine has them in another place:
`mlflow.pyfunc.load_model(uri, model_config={"encoder_options": {"weights": ..., "vectors": ...}})`, or the same as JSON
in `MLFLOW_PYFUNC_INFERENCE_CONFIG` for `mlflow models serve`. The keys are those of `encode.options` in params.yaml.
"""

from dataclasses import fields
from pathlib import Path
from typing import Any

import mlflow
import pandas as pd
from mlflow.models import ModelSignature
from mlflow.types import ColSpec, DataType, ParamSchema, ParamSpec, Schema
from mlflow.types.schema import Array

from denouement.generators.checkpoints import load_generator
from denouement.generators.decoding import Decoding

_TYPES = {str: "string", float: "double", int: "long"}

SIGNATURE = ModelSignature(
    inputs=Schema([ColSpec(Array(DataType.string), "context")]),
    outputs=Schema([ColSpec("long", "context_row"), ColSpec("string", "ending"), ColSpec("double", "log_prob")]),
    params=ParamSchema(
        [
            ParamSpec("n", "long", 1),
            *(ParamSpec(each.name, _TYPES.get(type(each.default), "long"), each.default) for each in fields(Decoding)),
        ]
    ),
)


class EndingModel(mlflow.pyfunc.PythonModel):
    """Loads the artifact `checkpoint`."""

    def load_context(self, context: mlflow.pyfunc.PythonModelContext) -> None:
        """Load the checkpoint.

        Raises:
            UserError: the sentence encoder lacks an option, or is not the one that the generator was trained with.
        """
        self._generator = load_generator(
            Path(context.artifacts["checkpoint"]), encoder_options=context.model_config["encoder_options"]
        )

    def predict(
        self,
        context: mlflow.pyfunc.PythonModelContext,
        model_input: pd.DataFrame,
        params: dict[str, Any] | None = None,
    ) -> pd.DataFrame:
        """Endings of each context."""
        chosen = dict(params or {})
        n = int(chosen.pop("n", 1))
        contexts = [list(sentences) for sentences in model_input["context"]]
        rows = [
            {"context_row": row, "ending": ending.text, "log_prob": ending.log_prob}
            for row, endings in enumerate(self._generator.write(contexts, Decoding(**chosen), n))
            for ending in endings
        ]
        return pd.DataFrame(rows, columns=["context_row", "ending", "log_prob"]).astype({"log_prob": float})


mlflow.models.set_model(EndingModel())
