"""Stage generate: a trained generator writes endings for contexts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from denouement.console import warn
from denouement.corpus import keys
from denouement.corpus.contexts import choose_contexts, read_contexts
from denouement.files import check_output
from denouement.generators.base import Generator
from denouement.generators.checkpoints import load_generator
from denouement.generators.decoding import Decoding
from denouement.generators.endings import generate_endings, log_prob_per_token, written_from
from denouement.schemas import read_table, write_table


@dataclass(frozen=True)
class GenerateSettings:
    """Which contexts get endings, and how these are chosen.

    Attributes:
        release: of the Story Cloze cases. None: in the graph the first that has cases (`schemas.in_order`); for another
            file of contexts all its releases.
        split: of these cases. None: in the graph validation if it has cases, else test; for another file all its
            splits.
        language: of these cases, such as en. None: in the graph English where there is any; for another file all.
        decoding: see `Decoding`; in the graph, generators that decode no words ignore it.
    """

    release: str | None = None
    split: str | None = None
    language: str | None = None
    decoding: Decoding = field(default_factory=Decoding)


@dataclass(frozen=True)
class GeneratePaths:
    """The files that generating reads and writes.

    Attributes:
        contexts: table `cloze`, or another file of contexts where `stories` is None.
        stories: table `stories`; where there are no cases, its held-out stories give the contexts. None: the contexts
            are those of the file `contexts` that have the release and the split.
        model: checkpoint of a generator.
        embeddings: table of sentence vectors; None: all sentences are encoded.
        out: table `endings`.
    """

    contexts: Path
    stories: Path | None
    model: Path
    embeddings: Path | None
    out: Path


@dataclass(frozen=True)
class Generated:
    """The endings that were written.

    Attributes:
        cases: columns `case_id` and `context`.
        endings: table `endings`, in the order of the cases.
        system: its column `system`.
        max_length: the most words that an ending may have; None where its tokens are no words.
    """

    cases: pa.Table
    endings: pa.Table
    system: str
    max_length: int | None

    @property
    def at_max_length(self) -> int | None:
        """How many endings have as many words as allowed; None where the generator decodes or counts no words."""
        if self.max_length is None or self.endings["n_tokens"].null_count == self.endings.num_rows:
            return None
        return int(pc.sum(pc.greater(self.endings["n_tokens"], self.max_length)).as_py() or 0)

    @property
    def log_prob_per_token(self) -> float | None:
        """Mean log-probability of a token in nats; None where the generator gives no probabilities."""
        return log_prob_per_token(self.endings)

    @property
    def distinct_share(self) -> float:
        """Different endings as a share of all, between 0 and 1."""
        endings = self.endings["ending"].to_pylist()
        return len(set(endings)) / len(endings) if endings else 0.0


def run(
    settings: GenerateSettings,
    paths: GeneratePaths,
    *,
    n: int = 1,
    system: str | None = None,
    encoder_options: Mapping[str, Any] | None = None,
    device: str = "cpu",
    rerank: Callable[[Generator], Generator] | None = None,
) -> Generated:
    """Write `n` endings for each context.

    Args:
        settings: which contexts, and how endings are chosen.
        paths: what is read and written.
        n: endings for each context.
        system: their name in the table; None: the generator's.
        encoder_options: of the sentence encoder, for sentences that are not in the embeddings.
        device: where the generator runs.
        rerank: makes of the generator the one that writes, such as `reranking.reranked.rerank`; None: itself.

    Raises:
        UserError: an input that cannot be used, or settings that the generator does not take.
    """
    check_output(paths.out, filter(None, (paths.model, paths.contexts, paths.embeddings)))
    if paths.stories is None:
        cases = read_contexts(paths.contexts, settings.release, settings.split, settings.language)
    else:
        cases = choose_contexts(paths.contexts, paths.stories, settings.release, settings.split, settings.language)
    _warn_of_known(cases, paths.stories)
    generator = load_generator(paths.model, device, paths.embeddings, encoder_options)
    if rerank is not None:
        generator = rerank(generator)
    is_common = paths.stories is not None  # settings of the graph hold for all its generators
    decoding = settings.decoding if generator.decodes or not is_common else Decoding()
    endings = generate_endings(generator, cases, decoding, system, n)
    decoded = decoding if generator.decodes else None
    counts_words = generator.vocabulary is not None  # other tokens are parts of words
    # who reads the table knows the cases by its rows, and a case may have got no ending
    with_endings = cases.filter(pc.is_in(cases["case_id"], endings["case_id"].combine_chunks()))
    write_table(endings, paths.out, "endings", written_from(generator, decoded, with_endings, paths.model))
    return Generated(cases, endings, system or generator.name, decoded.max_length if decoded and counts_words else None)


def _warn_of_known(cases: pa.Table, stories: Path | None) -> None:
    """Count the contexts that are those of training stories, whose endings a generator may have learned."""
    if stories is None or not stories.is_file():
        return
    table = read_table(stories, "stories")
    training = keys.contexts(table.filter(pc.equal(table["split"], "train"))).combine_chunks()
    if known := pc.sum(pc.is_in(keys.contexts(cases), training)).as_py():
        warn(
            f"{known:,} of {cases.num_rows:,} contexts are those of training stories in {stories}: a generator that "
            "learned from these has read how people ended them"
        )


def logged_values(generated: Generated) -> dict[str, float | None]:
    """The values that are logged of written endings."""
    return {
        "endings": generated.endings.num_rows,
        "distinct_share": generated.distinct_share,
        "log_prob_per_token": generated.log_prob_per_token,
    }
