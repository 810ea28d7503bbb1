"""Endings by a trained generator."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import mlflow
import pyarrow.compute as pc
from prefect import task

from denouement.corpus.contexts import choose_contexts
from denouement.files import write_text
from denouement.generators.checkpoints import load_generator
from denouement.generators.decoding import Decoding
from denouement.generators.endings import generate_endings, written_from
from denouement.schemas import write_table
from tasks import LAYOUT, tracking


@dataclass(frozen=True)
class GenerateSettings:
    """Which contexts get endings, and how these are chosen.

    Attributes:
        release: of the Story Cloze cases; None: the first of v1.0, v1.5 and the sample that is there.
        split: of these cases; None: validation where there is any, else test.
        decoding: see `Decoding`.
    """

    release: str | None = None
    split: str | None = None
    decoding: Decoding = field(default_factory=Decoding)


@task
def write_endings(generator: str, settings: GenerateSettings, encoder_options: Mapping[str, Any]) -> None:
    """Write an ending for every chosen context, and log them as a table.

    Contexts that data/embeddings.parquet lacks are encoded with `encoder_options`.
    """
    out = LAYOUT.endings(generator)
    model = LAYOUT.model(generator)
    with tracking.run(f"generate {generator}", "generate", {"generator": generator, **asdict(settings)}):
        cases = choose_contexts(LAYOUT.cloze, LAYOUT.stories, settings.release, settings.split)
        tracking.log_inputs(cloze=LAYOUT.cloze, model=model)
        loaded = load_generator(
            model,
            embeddings=LAYOUT.embeddings if LAYOUT.embeddings.exists() else None,
            encoder_options=encoder_options,
        )
        endings = generate_endings(loaded, cases, settings.decoding)
        write_table(endings, out, "endings", written_from(settings.decoding, cases, model))
        contexts = dict(zip(cases["case_id"].to_pylist(), cases["context"].to_pylist(), strict=True))
        written = endings.to_pydict()
        written["context"] = [" ".join(contexts[case_id]) for case_id in written["case_id"]]
        figures = {
            "endings": endings.num_rows,
            "distinct_share": len(endings["ending"].unique()) / endings.num_rows,
            "log_prob_per_token": pc.sum(endings["log_prob"]).as_py() / pc.sum(endings["n_tokens"]).as_py(),
        }
        write_text(LAYOUT.metrics(f"generate@{generator}"), json.dumps(figures, indent=2) + "\n")
        tracking.log_values(figures)
        mlflow.log_table(written, "endings.json")
        print(f"{endings.num_rows:,} endings, {figures['distinct_share']:.0%} of them distinct: {out}")
