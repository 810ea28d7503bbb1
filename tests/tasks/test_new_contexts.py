"""Contexts that no table of vectors holds: in the stage `generate`, and in the model that MLflow serves."""

import json

import mlflow
import pandas as pd
import pyarrow as pa
import pytest

from denouement import schemas
from denouement.errors import UserError
from denouement.generators.checkpoints import load_generator
from denouement.stages.generate import GenerateSettings
from tasks import LAYOUT, tracking
from tasks.generate import write_endings
from tasks.train import log_model

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("database")]

STORY = ["Tom bought a red car.", "He drove it."]


@pytest.fixture
def model(reader_of, infersent_files):
    return reader_of("infersent", infersent_files)


@pytest.fixture
def expected(model, infersent_files):
    [[ending]] = load_generator(model, encoder_options=infersent_files).write([STORY])
    return ending.text


def test_the_stage_encodes_with_the_options_of_the_section_encode(
    model, infersent_files, expected, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    case = {"case_id": "1", "context": STORY, "endings": ["A.", "B."], "language": "en", "right_ending": 1}
    rows = [{**case, "release": "v1.0", "split": "validation"}]
    schemas.write_table(pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema), LAYOUT.cloze, "cloze")
    checkpoint = LAYOUT.model("h_seq2seq")
    checkpoint.parent.mkdir(parents=True)
    checkpoint.write_bytes(model.read_bytes())
    write_endings.fn("h_seq2seq", GenerateSettings(), infersent_files)
    endings = schemas.read_table(LAYOUT.written / "h_seq2seq.parquet", "endings")
    assert endings["ending"].to_pylist() == [expected]
    with pytest.raises(UserError, match="by infersent are needed here"):
        write_endings.fn("h_seq2seq", GenerateSettings(), {})


def test_the_logged_model_is_told_where_the_encoder_s_files_are_when_it_is_loaded(
    model, infersent_files, expected, monkeypatch
):
    with tracking.run("train", "train", {}) as run:
        log_model(model)
    uri = f"runs:/{run.info.run_id}/model"
    stories = pd.DataFrame({"context": [STORY]})
    loaded = mlflow.pyfunc.load_model(uri, model_config={"encoder_options": infersent_files})
    assert loaded.predict(stories)["ending"].tolist() == [expected]
    with pytest.raises(UserError, match="by infersent are needed here: give --encoder-option weights"):
        mlflow.pyfunc.load_model(uri)
    monkeypatch.setenv("MLFLOW_PYFUNC_INFERENCE_CONFIG", json.dumps({"encoder_options": infersent_files}))
    assert mlflow.pyfunc.load_model(uri).predict(stories)["ending"].tolist() == [expected]
