"""Fixtures that every test may use."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Prefect reads it when it is imported; the records of tests are not those of the project.
os.environ["PREFECT_HOME"] = tempfile.mkdtemp(prefix="denouement-prefect-")
atexit.register(shutil.rmtree, os.environ["PREFECT_HOME"], ignore_errors=True)
os.environ.pop("PREFECT_API_URL", None)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data; tests that need it are skipped, with the reason, where it is absent."""
    folder = Path(os.environ.get("DENOUEMENT_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data absent: no folder {folder} (name one with DENOUEMENT_SHARED_DATA)")
    return folder


@pytest.fixture(scope="session")
def infersent_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The options of a small InferSent of random weights and word vectors."""
    import numpy as np
    import torch

    folder = tmp_path_factory.mktemp("infersent")
    words = ["<s>", "</s>", "Tom", "bought", "a", "red", "car", ".", "He", "drove", "it"]
    drawn = np.random.default_rng(0).normal(size=(len(words), 4)).round(3)
    lines = [f"{word} {' '.join(map(str, vector))}\n" for word, vector in zip(words, drawn, strict=True)]
    (folder / "vectors.txt").write_text("".join(lines))
    lstm = torch.nn.LSTM(4, 3, bidirectional=True)
    torch.save({f"enc_lstm.{name}": tensor for name, tensor in lstm.state_dict().items()}, folder / "weights.pkl")
    return {"weights": str(folder / "weights.pkl"), "vectors": str(folder / "vectors.txt")}


@pytest.fixture(scope="session")
def reader_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Mapping[str, str]], Path]:
    """Writes the checkpoint of a small generator that reads the vectors of an encoder with the given options."""
    import torch

    from denouement.encoders.base import load_encoder
    from denouement.generators.checkpoints import save_generator
    from denouement.generators.h_seq2seq import HSeq2Seq, HSeq2SeqSettings
    from denouement.text.vocabulary import Vocabulary

    def write(encoder: str, options: Mapping[str, str]) -> Path:
        loaded = load_encoder(encoder, **options)
        with torch.random.fork_rng():
            torch.manual_seed(1)
            vocabulary = Vocabulary.build(["Tom bought a red car.", "He drove it.", "The car was fast."])
            generator = HSeq2Seq(HSeq2SeqSettings(units=8), vocabulary, encoder, loaded.fingerprint, loaded.dimension)
        path = tmp_path_factory.mktemp("reader") / "best.parquet"
        save_generator(generator, path)
        return path

    return write
