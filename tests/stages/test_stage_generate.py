"""The stage generate, by a generator that decodes no words."""

import numpy as np
import pyarrow as pa
import pytest

from denouement import schemas
from denouement.encoders.base import load_encoder
from denouement.errors import UserError
from denouement.generators.checkpoints import save_generator
from denouement.generators.decoding import Decoding
from denouement.generators.retrieval import Retrieval
from denouement.stages.generate import GeneratePaths, GenerateSettings, logged_values, run


@pytest.fixture
def paths(tmp_path) -> GeneratePaths:
    case = {
        "context": ["She ate a cake."],
        "endings": ["A.", "B."],
        "language": "en",
        "right_ending": 1,
        "release": "v1.0",
    }
    rows = [{"case_id": split, **case, "split": split} for split in ("validation", "test")]
    cloze, model, stories = (tmp_path / f"{name}.parquet" for name in ("cloze", "model", "stories"))
    schemas.write_table(pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema), cloze, "cloze")
    schemas.write_table(schemas.empty_table("stories"), stories, "stories")
    glove = load_encoder("glove")
    vectors = glove.encode(["She baked a cake."]).astype(np.float16)
    save_generator(Retrieval("glove", glove.fingerprint, vectors, np.arange(1), ["It was sweet."]), model)
    return GeneratePaths(cloze, stories, model, None, tmp_path / "endings.parquet")


def test_settings_of_decoding_of_the_graph_are_for_generators_that_decode(paths):
    generated = run(GenerateSettings(decoding=Decoding("beam")), paths)
    assert generated.cases["case_id"].to_pylist() == ["validation"]
    assert generated.at_max_length is None
    assert logged_values(generated) == {"endings": 1, "distinct_share": 1.0, "log_prob_per_token": None}
    assert schemas.read_table(paths.out, "endings")["ending"].to_pylist() == ["It was sweet."]


def test_settings_given_for_this_generator_are_refused(paths):
    alone = GeneratePaths(paths.contexts, None, paths.model, None, paths.out)
    with pytest.raises(UserError, match="leave out method"):
        run(GenerateSettings(split="test", decoding=Decoding("beam")), alone)
    assert not paths.out.exists()
