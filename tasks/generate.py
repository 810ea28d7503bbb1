"""Endings by a trained generator."""

import json
from dataclasses import asdict, dataclass, field

import mlflow
import pyarrow as pa
import pyarrow.compute as pc
from prefect import task

from denouement.corpus.contexts import read_contexts
from denouement.errors import UserError
from denouement.files import write_text
from denouement.generators.checkpoints import load_generator
from denouement.generators.decoding import Decoding
from denouement.generators.endings import generate_endings
from denouement.schemas import RELEASES, SPLITS, read_table, write_table
from tasks import paths, tracking


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
def write_endings(generator: str, settings: GenerateSettings) -> None:
    """Write an ending for every chosen context, and log them as a table."""
    out = paths.ENDINGS / f"{generator}.parquet"
    model = paths.checkpoint(generator)
    with tracking.run(f"generate {generator}", "generate", {"generator": generator, **asdict(settings)}):
        cases = choose_contexts(settings)
        tracking.log_inputs(cloze=paths.CLOZE, model=model)
        loaded = load_generator(model, embeddings=paths.EMBEDDINGS if paths.EMBEDDINGS.exists() else None)
        endings = generate_endings(loaded, cases, settings.decoding)
        write_table(endings, out, "endings")
        contexts = dict(zip(cases["case_id"].to_pylist(), cases["context"].to_pylist(), strict=True))
        written = endings.to_pydict()
        written["context"] = [" ".join(contexts[case_id]) for case_id in written["case_id"]]
        mlflow.log_table(written, "endings.json")
        figures = {
            "endings": endings.num_rows,
            "distinct_share": len(endings["ending"].unique()) / endings.num_rows,
            "log_prob_per_token": pc.sum(endings["log_prob"]).as_py() / pc.sum(endings["n_tokens"]).as_py(),
        }
        write_text(paths.METRICS / f"generate_{generator}.json", json.dumps(figures, indent=2) + "\n")
        tracking.log_figures(figures)
        print(f"{endings.num_rows:,} endings, {figures['distinct_share']:.0%} of them distinct: {out}")


def choose_contexts(settings: GenerateSettings) -> pa.Table:
    """The contexts that get endings: those of one release and split of the cloze cases, else of held-out stories.

    Raises:
        UserError: no case of the release and split that the settings name.
    """
    cloze = read_table(paths.CLOZE, "cloze")
    if not cloze.num_rows and settings.release is None:
        return read_contexts(paths.STORIES, split=settings.split or "validation")
    present = cloze.group_by(["release", "split"]).aggregate([]).to_pylist()
    fitting = [
        (group["release"], group["split"])
        for group in present
        if settings.release in (None, group["release"]) and settings.split in (None, group["split"])
    ]
    if not fitting:
        there = ", ".join(f"{group['release']} {group['split']}" for group in present) or "none"
        wanted = " ".join(filter(None, (settings.release, settings.split)))
        raise UserError(f"params.yaml: generate: asks for cases of {wanted}, but there is {there}")
    release, split = min(fitting, key=lambda group: (RELEASES.index(group[0]), SPLITS.index(group[1])))
    return read_contexts(paths.CLOZE, release, split)
