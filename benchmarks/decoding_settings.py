"""What settings of decoding do to the endings of trained generators: the table of `docs/decoding.md`.

`python -m benchmarks.decoding_settings` reads the checkpoints, the cases and the sentence vectors of a run, prints the
table as Markdown and writes it with what it was made from to `data/decoding_settings.json`. It measures endings,
not speed, so `make bench` leaves it out. The default of `denouement complete` was chosen by it.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path

import click
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis.endings import repetition
from denouement.corpus.cases import labelled_cases, right_and_wrong
from denouement.corpus.contexts import read_contexts
from denouement.encoders.base import SentenceEncoder, load_encoder
from denouement.errors import UserError
from denouement.files import file_digest, write_text
from denouement.generators.base import Generator
from denouement.generators.checkpoints import load_generator
from denouement.generators.decoding import Decoding
from denouement.generators.endings import generate_endings
from denouement.present import markdown
from denouement.schemas import read_table
from denouement.text.sentiment import NEGATIVE, POSITIVE, compound
from denouement.text.words import lowered

PEOPLE, PEOPLE_WRONG = "people (right endings)", "people (wrong endings)"
DECODINGS = (
    Decoding(),
    Decoding(no_repeat_ngram=3),
    Decoding("beam", no_repeat_ngram=3),
    Decoding("beam", length_penalty=1, no_repeat_ngram=3),
    Decoding("beam", length_penalty=2, no_repeat_ngram=3),
    Decoding("sample", temperature=0.5),
    Decoding("sample", temperature=0.7, top_k=40),
    Decoding("sample", top_p=0.9),
)
RERANKED = (Decoding("sample", temperature=0.7, top_k=40), Decoding("sample", top_p=0.9))
CANDIDATES = 10
"""Samples drawn for a case by each of `RERANKED`, of which the one with the most log-probability a token is kept."""


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
        repeating_share: share of n in which two neighbouring words come twice.
        context_similarity: mean cosine of an ending's sentence vector with the mean of its context's.
        human_overlap: mean F1 of an ending's words and those of the right ending of its case; None where it has none.
        sentiment_gap: mean distance of an ending's compound from that of the right ending; None where it has none.
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
    repeating_share: float | None = None
    context_similarity: float | None = None
    human_overlap: float | None = None
    sentiment_gap: float | None = None


class Yardstick:
    """Measures endings of the cases, one ending a case, in the order of the cases."""

    def __init__(self, cases: pa.Table, right: Mapping[str, str], encoder: SentenceEncoder) -> None:
        """Encode the contexts.

        Args:
            cases: columns `case_id` and `context`.
            right: the right ending of each case that has one.
            encoder: whose vectors are compared.
        """
        self._right = [right.get(case_id) for case_id in cases["case_id"].to_pylist()]
        self._encoder = encoder
        contexts = cases["context"].to_pylist()
        starts = np.cumsum([0, *map(len, contexts)])[:-1]
        vectors = encoder.encode([sentence for context in contexts for sentence in context])
        self._contexts = _unit(np.add.reduceat(vectors, starts))

    def row(self, model: str, decoding: str | None, texts: Sequence[str]) -> SettingRow:
        """The values of the endings that need no probabilities."""
        scores = compound(texts)
        repeated = repetition(texts)
        known = [(place, right) for place, right in enumerate(self._right) if right is not None]
        gaps = np.abs(scores[[place for place, _ in known]] - compound([right for _, right in known]))
        return SettingRow(
            model=model,
            decoding=decoding,
            n=repeated.n,
            distinct_share=repeated.distinct_share,
            mean_words=repeated.mean_words,
            mean_compound=float(scores.mean()),
            positive_share=float((scores >= POSITIVE).mean()),
            negative_share=float((scores <= NEGATIVE).mean()),
            repeating_share=sum(map(_repeats, texts)) / len(texts),
            context_similarity=float((_unit(self._encoder.encode(texts)) * self._contexts).sum(axis=1).mean()),
            human_overlap=float(np.mean([_overlap(texts[at], right) for at, right in known])) if known else None,
            sentiment_gap=float(gaps.mean()) if known else None,
        )


def measure_settings(
    generators: Mapping[str, Generator],
    cases: pa.Table,
    yardstick: Yardstick,
    decodings: Sequence[Decoding] = DECODINGS,
    reranked: Sequence[Decoding] = RERANKED,
) -> list[SettingRow]:
    """A row for each decoding generator and way of decoding, an ending for each of `cases` (`case_id`, `context`)."""
    rows = []
    for name, generator in generators.items():
        if not generator.decodes:
            continue  # no setting changes what it writes
        for decoding, n in [*((each, 1) for each in decodings), *((each, CANDIDATES) for each in reranked)]:
            endings = _likeliest(generate_endings(generator, cases, decoding, n=n), n)
            said = f"{decoding}, likeliest of {n}" if n > 1 else str(decoding)
            tokens = endings["n_tokens"].to_numpy()
            row = replace(
                yardstick.row(name, said, endings["ending"].to_pylist()),
                nats_per_token=-float(endings["log_prob"].to_numpy().astype(np.float64).sum() / tokens.sum()),
                at_max_length=int((tokens > decoding.max_length).sum()),
            )
            rows.append(row)
            print(f"{name}, {said}: {row.distinct_share:.1%} distinct", file=sys.stderr, flush=True)
    return rows


def people_rows(cloze: pa.Table, encoder: SentenceEncoder) -> list[SettingRow]:
    """The right and the wrong endings of the labelled cases of a cloze table; none where none is labelled."""
    cases = labelled_cases(cloze)[0]
    right, wrong = (endings.to_pylist() for endings in right_and_wrong(cases))
    if not right:
        return []
    yardstick = Yardstick(cases, dict(zip(cases["case_id"].to_pylist(), right, strict=True)), encoder)
    with_itself = {"human_overlap": None, "sentiment_gap": None}
    return [replace(yardstick.row(PEOPLE, None, right), **with_itself), yardstick.row(PEOPLE_WRONG, None, wrong)]


def _likeliest(endings: pa.Table, n: int) -> pa.Table:
    """Of each `n` neighbouring rows the one with the most log-probability a token, the first of equal ones."""
    per_token = endings["log_prob"].to_numpy() / endings["n_tokens"].to_numpy()
    best = per_token.reshape(-1, n).argmax(axis=1)
    return endings.take(pa.array(best + n * np.arange(len(best))))


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float32).tiny)


def _repeats(ending: str) -> bool:
    pairs = list(pairwise(lowered(ending)))
    return len(set(pairs)) < len(pairs)


def _overlap(ending: str, right: str) -> float:
    """F1 of the words of two endings, each word as often as it comes in both."""
    one, other = (Counter(lowered(text)) for text in (ending, right))
    return 2 * (one & other).total() / (one.total() + other.total())


_COLUMNS: dict[str, Callable[[SettingRow], str]] = {
    "model, decoding": lambda row: row.model if row.decoding is None else f"{row.model}, {row.decoding}",
    "n": lambda row: f"{row.n:,}",
    "distinct endings": lambda row: f"{row.distinct_share:.1%}",
    "words": lambda row: f"{row.mean_words:.1f}",
    "VADER mean": lambda row: f"{row.mean_compound:.3f}",
    "positive": lambda row: f"{row.positive_share:.1%}",
    "negative": lambda row: f"{row.negative_share:.1%}",
    "nats per token": lambda row: _number(row.nats_per_token, ".2f"),
    "at the longest length": lambda row: _number(row.at_max_length, ","),
    "repeating": lambda row: _number(row.repeating_share, ".1%"),
    "like the context": lambda row: _number(row.context_similarity, ".3f"),
    "words of the right ending": lambda row: _number(row.human_overlap, ".1%"),
    "sentiment gap": lambda row: _number(row.sentiment_gap, ".3f"),
}


def as_markdown(rows: Sequence[SettingRow]) -> str:
    """The rows as a table, the decoding beside the model; a column that no row has a value for is left out."""
    columns = {name: [cell(row) for row in rows] for name, cell in _COLUMNS.items()}
    shown = {name: cells for name, cells in columns.items() if any(cells)}
    return markdown.table(list(shown), [list(row) for row in zip(*shown.values(), strict=True)], left=(0,))


def _number(value: float | None, style: str) -> str:
    return "" if value is None else format(value, style)


@click.command(help="Measure endings by settings of decoding, of the generators of a run.")
@click.option("--data", type=click.Path(path_type=Path), default=Path("data"), show_default=True,
              help="Folder of the run's corpus, embeddings and models.")  # fmt: skip
@click.option("--release", default="v1.0", show_default=True, help="Of the Story Cloze cases.")
@click.option("--split", default="validation", show_default=True, help="Of the Story Cloze cases.")
@click.option("--first", type=click.IntRange(min=1), help="Only so many of the cases, the first ones.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("data/decoding_settings.json"),
              show_default=True, help="JSON file to write.")  # fmt: skip
def main(data: Path, release: str, split: str, first: int | None, out: Path) -> None:
    """Print the table, and write the rows beside the digests of what they were made from."""
    models = {path.parent.name: path for path in sorted(data.glob("models/*/best.parquet"))}
    if not models:
        raise UserError(f"{data / 'models'}: no trained generator (NAME/best.parquet); `make run` trains them")
    cloze, embeddings = data / "corpus" / "cloze.parquet", data / "embeddings.parquet"
    cases = read_contexts(cloze, release, split).slice(0, first)
    table = read_table(cloze, "cloze")
    of_release = table.filter(pc.and_(pc.equal(table["release"], release), pc.equal(table["split"], split)))
    of_release = of_release.slice(0, first)
    generators = {name: load_generator(path, embeddings=embeddings) for name, path in models.items()}
    encoder = load_encoder("minilm")
    labelled = labelled_cases(of_release)[0]
    right = dict(zip(labelled["case_id"].to_pylist(), right_and_wrong(labelled)[0].to_pylist(), strict=True))
    yardstick = Yardstick(cases, right, encoder)
    rows = [*people_rows(of_release, encoder), *measure_settings(generators, cases, yardstick)]
    made_from = {
        "cases": {"file_digest": file_digest(cloze), "release": release, "split": split, "n": cases.num_rows},
        "encoder": encoder.fingerprint,
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
