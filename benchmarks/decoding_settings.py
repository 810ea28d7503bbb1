"""What settings of decoding do to the endings of trained generators: the table of `docs/decoding.md`.

`python -m benchmarks.decoding_settings` reads the checkpoints, the cases and the sentence vectors of a run, prints the
table as Markdown and writes it with what it was made from to `data/decoding_settings.json`. It measures endings,
not speed, so `make bench` leaves it out.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis.endings import repetition
from denouement.corpus.cases import labelled_cases, right_and_wrong
from denouement.corpus.contexts import read_contexts
from denouement.errors import UserError
from denouement.files import file_digest, write_text
from denouement.generators.base import Generator
from denouement.generators.checkpoints import load_generator
from denouement.generators.decoding import Decoding
from denouement.generators.endings import generate_endings
from denouement.present import markdown
from denouement.schemas import read_table
from denouement.text.sentiment import NEGATIVE, POSITIVE, compound

PEOPLE = "people (right endings)"
DECODINGS = (
    Decoding(),
    Decoding(no_repeat_ngram=3),
    Decoding("beam", no_repeat_ngram=3),
    Decoding("sample", temperature=0.5),
    Decoding("sample", temperature=0.7, top_k=40),
    Decoding("sample", top_p=0.9),
)


@dataclass(frozen=True)
class SettingRow:
    """The endings of one generator by one way of decoding, or people's.

    Attributes:
        model: name of the generator.
        decoding: in words, as `Decoding.__str__` gives it; None for people.
        n: endings, one a case.
        distinct_share: different endings as a share of n.
        mean_words: words an ending, punctuation not counted.
        mean_compound: mean of VADER's compound score.
        positive_share: share of n with a compound of at least 0.05.
        negative_share: share of n with a compound of at most -0.05.
        nats_per_token: minus the generator's log-probability of all endings by their tokens, ENDs counted; None for
            people.
        at_max_length: endings that were ended at the longest length allowed; None for people.
    """

    model: str
    decoding: str | None
    n: int
    distinct_share: float
    mean_words: float
    mean_compound: float
    positive_share: float
    negative_share: float
    nats_per_token: float | None = None
    at_max_length: int | None = None


def measure_settings(
    generators: Mapping[str, Generator], cases: pa.Table, decodings: Sequence[Decoding] = DECODINGS
) -> list[SettingRow]:
    """A row for each decoding generator and way of decoding, an ending for each of `cases` (`case_id`, `context`)."""
    rows = []
    for name, generator in generators.items():
        if not generator.decodes:
            continue  # no setting changes what it writes
        for decoding in decodings:
            endings = generate_endings(generator, cases, decoding)
            tokens = endings["n_tokens"].to_numpy()
            nats = -float(endings["log_prob"].to_numpy().astype(np.float64).sum() / tokens.sum())
            at_max_length = int((tokens > decoding.max_length).sum())
            row = _of_texts(name, str(decoding), endings["ending"].to_pylist(), nats, at_max_length)
            rows.append(row)
            print(f"{name}, {decoding}: {row.distinct_share:.1%} distinct", file=sys.stderr, flush=True)
    return rows


def people_row(cloze: pa.Table) -> SettingRow | None:
    """The right endings of the labelled cases of a cloze table; None where none is labelled."""
    right, _ = right_and_wrong(labelled_cases(cloze)[0])
    return _of_texts(PEOPLE, None, right.to_pylist()) if len(right) else None


def _of_texts(
    model: str, decoding: str | None, texts: Sequence[str], nats: float | None = None, at_max_length: int | None = None
) -> SettingRow:
    scores = compound(texts)
    repeated = repetition(texts)
    return SettingRow(
        model=model,
        decoding=decoding,
        n=repeated.n,
        distinct_share=repeated.distinct_share,
        mean_words=repeated.mean_words,
        mean_compound=float(scores.mean()),
        positive_share=float((scores >= POSITIVE).mean()),
        negative_share=float((scores <= NEGATIVE).mean()),
        nats_per_token=nats,
        at_max_length=at_max_length,
    )


def as_markdown(rows: Sequence[SettingRow]) -> str:
    """The rows as a table, the decoding beside the model."""
    header = ["model, decoding", "n", "distinct endings", "words", "VADER mean", "positive", "negative",
              "nats per token", "at the longest length"]  # fmt: skip
    lines = [
        [
            row.model if row.decoding is None else f"{row.model}, {row.decoding}",
            f"{row.n:,}",
            f"{row.distinct_share:.1%}",
            f"{row.mean_words:.1f}",
            f"{row.mean_compound:.3f}",
            f"{row.positive_share:.1%}",
            f"{row.negative_share:.1%}",
            "" if row.nats_per_token is None else f"{row.nats_per_token:.2f}",
            "" if row.at_max_length is None else f"{row.at_max_length:,}",
        ]
        for row in rows
    ]
    return markdown.table(header, lines)


@click.command(help="Measure endings by settings of decoding, of the generators of a run.")
@click.option("--data", type=click.Path(path_type=Path), default=Path("data"), show_default=True,
              help="Folder of the run's corpus, embeddings and models.")  # fmt: skip
@click.option("--release", default="v1.0", show_default=True, help="Of the Story Cloze cases.")
@click.option("--split", default="validation", show_default=True, help="Of the Story Cloze cases.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("data/decoding_settings.json"),
              show_default=True, help="JSON file to write.")  # fmt: skip
def main(data: Path, release: str, split: str, out: Path) -> None:
    """Print the table, and write the rows beside the digests of what they were made from."""
    models = {path.parent.name: path for path in sorted(data.glob("models/*/best.parquet"))}
    if not models:
        raise UserError(f"{data / 'models'}: no trained generator (NAME/best.parquet); `make run` trains them")
    cloze, embeddings = data / "corpus" / "cloze.parquet", data / "embeddings.parquet"
    cases = read_contexts(cloze, release, split)
    table = read_table(cloze, "cloze")
    of_release = table.filter(pc.and_(pc.equal(table["release"], release), pc.equal(table["split"], split)))
    generators = {name: load_generator(path, embeddings=embeddings) for name, path in models.items()}
    people = people_row(of_release)
    rows = [*([] if people is None else [people]), *measure_settings(generators, cases)]
    made_from = {
        "cases": {"file_digest": file_digest(cloze), "release": release, "split": split, "n": cases.num_rows},
        "models": {name: file_digest(path) for name, path in models.items()},
    }
    content = {"made_from": made_from, "rows": [asdict(row) for row in rows]}
    write_text(out, json.dumps(content, indent=2, allow_nan=False) + "\n")
    print(as_markdown(rows))


def run(arguments: Sequence[str]) -> int:
    """The command, and its exit status."""
    try:
        main(arguments, standalone_mode=False)
    except (UserError, click.ClickException) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
