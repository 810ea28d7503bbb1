"""Fixtures that every test may use."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import pyarrow as pa
    from browsing import Browser

pytest_plugins = ["databases"]

ROOT = Path(__file__).parents[1]

# Workers share the cores: where each had threads for all of them, these would wait for one another.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# Prefect reads it when it is imported; the records of tests are not those of the project.
os.environ["PREFECT_HOME"] = tempfile.mkdtemp(prefix="denouement-prefect-")
atexit.register(shutil.rmtree, os.environ["PREFECT_HOME"], ignore_errors=True)
os.environ.pop("PREFECT_API_URL", None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files with slow tests come first: a long file that began last would run alone at the end."""
    slow = {item.path for item in items if "slow" in item.keywords or "browser" in item.keywords}
    items.sort(key=lambda item: (item.path not in slow, ROOT / "tests" / "flows" not in item.path.parents))


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


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small causal language model of random weights."""
    from tests.language_models.tiny import save_tiny

    return save_tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session")
def taught_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small causal language model that knows a few stories nearly by heart."""
    from tests.language_models.tiny import save_tiny

    return save_tiny(tmp_path_factory.mktemp("taught"), taught=True)


@pytest.fixture
def make_cases() -> "Callable[..., pa.Table]":
    """A table `cloze`: one case for each (right ending's number or None), with contexts and endings of its own."""
    import pyarrow as pa

    from denouement import schemas

    def make(
        labels: Sequence[int | None], release: str = "v1.0", split: str = "validation", start: int = 0
    ) -> "pa.Table":
        rows = [
            {
                "case_id": f"case-{start + number}",
                "context": [f"Person {start + number} did thing {sentence}." for sentence in "abcd"],
                "endings": [f"One ending {start + number}.", f"Another, longer ending {start + number}."],
                "language": "en",
                "right_ending": label,
                "release": release,
                "split": split,
            }
            for number, label in enumerate(labels)
        ]
        return pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema)

    return make


@pytest.fixture(scope="session")
def votes_of() -> "Callable[..., pa.Table]":
    """A votes table of reasons: each a text, or (text, choice), or (text, choice, changes of columns)."""
    import pyarrow as pa

    from denouement.schemas import TABLES

    def make(*reasons: str | Sequence | None) -> pa.Table:
        rows = []
        for place, given in enumerate(reasons):
            text, choice, changes = (*((given, "ours", {}) if not isinstance(given, tuple) else (*given, {})),)[:3]
            answer = {"ours": "A", "theirs": "B"}.get(choice, choice)
            rows.append(
                {
                    "study": "test",
                    "item_id": f"item-{place}",
                    "case_id": f"case-{place}",
                    "annotator_id": f"person-{place % 3}",
                    "position_a": "ours",
                    "position_b": "theirs",
                    "answer": answer,
                    "question": "better",
                    "choice": choice,
                    "reason": text,
                    "is_check": False,
                    "status": "accepted",
                    "started_at": None,
                    "submitted_at": None,
                    "kind": "person",
                    **changes,
                }
            )
        return pa.Table.from_pylist(rows, TABLES["votes"].schema)

    return make


@pytest.fixture
def browsers(tmp_path: Path) -> "Iterator[Callable[..., Browser]]":
    """Opens browsers that share nothing."""
    import chromium
    from browsing import PHONE, Browser

    opened: list[Browser] = []

    def start(phone: bool = False, script: bool = True) -> Browser:
        options = chromium.options(tmp_path / f"chromium-{len(opened)}", width=1200)
        if phone:
            options.add_experimental_option(
                "mobileEmulation", {"deviceMetrics": {**PHONE, "mobile": True, "touch": True}}
            )
        if not script:
            options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        opened.append(Browser(chromium.start(options)))
        return opened[-1]

    yield start
    for browser in opened:
        browser.driver.quit()
