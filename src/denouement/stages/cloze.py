"""The stage cloze: how often systems choose the right ending of Story Cloze cases."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from denouement import provenance
from denouement.cloze import SYSTEMS
from denouement.cloze.evaluation.brought_scores import read_scores
from denouement.cloze.evaluation.case_sets import read_cases
from denouement.cloze.evaluation.evaluate import FOLDS, evaluate
from denouement.cloze.evaluation.predictions import predictions
from denouement.cloze.evaluation.results import Evaluation
from denouement.cloze.resources import Resources
from denouement.corpus.kind import corpus_kind
from denouement.documents import write_document
from denouement.files import check_output, existing_file, file_digest, write_text
from denouement.language_models.source import find
from denouement.schemas import read_table, write_table
from denouement.settings import at_least

KINDS = ("sample", "official")


@dataclass(frozen=True)
class ClozeSettings:
    """Which systems are evaluated.

    Attributes:
        systems: names of systems for each kind of corpus, `sample` and `official`.
        options: by system its options.
        encoders: by sentence encoder its options.
        language_model: the folder, GGUF file or name of the language model that systems ask; null: none.
        folds: of the cross-validation.
        seed: of everything random.
        releases: only cases of these are scored; empty: all.
        splits: only cases of these are scored; empty: all.
        languages: only cases of these are scored; empty: all.
    """

    systems: dict[str, list[str]]
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    encoders: dict[str, dict[str, Any]] = field(default_factory=lambda: {"minilm": {}, "glove": {}})
    language_model: str | None = None
    folds: int = FOLDS
    seed: int = 1
    releases: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if set(self.systems) != set(KINDS):
            raise ValueError(f"systems: must have the keys {' and '.join(KINDS)}, not {', '.join(self.systems)}")
        for kind, names in self.systems.items():
            if not isinstance(names, list) or (unknown := [str(name) for name in names if name not in SYSTEMS]):
                raise ValueError(
                    f"systems.{kind}: must be a list of names from {', '.join(SYSTEMS)}"
                    + (f"; not {', '.join(unknown)}" if isinstance(names, list) else "")
                )
        if unknown := [str(name) for name in self.options if name not in SYSTEMS]:
            raise ValueError(f"options: no Story Cloze system {', '.join(unknown)}")
        at_least(self, 2, "folds")


@dataclass(frozen=True)
class ClozePaths:
    """The files that are read, and those that are written; None: not given, or not written.

    Attributes:
        train: table `cloze` whose labels systems learn from.
        test: table `cloze` to score; None: `train`.
        stories: table `stories` to learn from.
        embeddings: table `embeddings`, looked in before a sentence is encoded.
        word_vectors: word vectors in the text format of GloVe or word2vec.
        models: checkpoints of generators.
        corpora: further texts to count in.
        brought: files of scores made elsewhere.
        cache: folder of what is kept between evaluations.
        scores: where the table `scores` is written.
        predictions: folder where the shared task's CSV files are written.
        result: where the result is written as JSON; the record of what it was made from is written to the same folder.
    """

    train: Path | None = None
    test: Path | None = None
    stories: Path | None = None
    embeddings: Path | None = None
    word_vectors: Path | None = None
    models: tuple[Path, ...] = ()
    corpora: tuple[Path, ...] = ()
    brought: tuple[Path, ...] = ()
    cache: Path | None = None
    scores: Path | None = None
    predictions: Path | None = None
    result: Path | None = None

    def sources(self) -> dict[str, Path]:
        """The files that are read, by the names that records of them use."""
        named = {"stories": self.stories, "cloze": self.train, "test": self.test, "embeddings": self.embeddings}
        named |= {"word_vectors": self.word_vectors} | {f"models/{path.parent.name}": path for path in self.models}
        return {name: path for name, path in named.items() if path}

    def check(self) -> None:
        """Make sure, before long work, that all files to read are there, and that all files can be written.

        Raises:
            UserError: it names the first file that is missing or cannot be written.
        """
        given = (self.train, self.test, self.stories, self.embeddings, self.word_vectors)
        read = [existing_file(path) for path in (*filter(None, given), *self.models, *self.corpora, *self.brought)]
        for path in self._written():
            check_output(path, read)

    def _written(self) -> Iterator[Path]:
        yield from filter(None, (self.scores, self.result))
        for folder in filter(None, (self.cache, self.predictions)):
            yield folder / "file"


def run(settings: ClozeSettings, paths: ClozePaths) -> Evaluation:
    """Score cases with systems, and write the results.

    The caller raises the failures of single systems (`Evaluation.raise_failures`) after it has shown the rest.

    Raises:
        UserError: a file that cannot be read or written, no cases, a wrong option.
        Exception: what ended the systems, where all of them failed.
    """
    paths.check()
    if settings.language_model:
        find(settings.language_model)
    stories = read_table(paths.stories, "stories") if paths.stories else None
    scored = paths.test or paths.train
    wanted = {"release": settings.releases, "split": settings.splits, "language": settings.languages}
    to_score = read_cases(scored, **wanted) if scored else None
    train = (read_table(paths.train, "cloze") if paths.train else None) if paths.test else to_score
    evaluation = evaluate(
        settings.systems[corpus_kind(stories) if stories is not None else "official"],
        train,
        to_score if paths.test else None,
        Resources(
            stories=stories,
            corpora=paths.corpora,
            word_vectors=paths.word_vectors,
            encoders=settings.encoders,
            embeddings=paths.embeddings,
            generators=paths.models,
            language_model=settings.language_model,
            cache=paths.cache,
            seed=settings.seed,
        ),
        settings.options,
        settings.folds,
        releases=settings.releases,
        splits=settings.splits,
        languages=settings.languages,
        brought=[scores for path in paths.brought for scores in read_scores(path)],
    )
    _write(evaluation, paths)
    return evaluation


def _write(evaluation: Evaluation, paths: ClozePaths) -> None:
    metadata = None
    if paths.result:
        made_from = {name: file_digest(path) for name, path in paths.sources().items()}
        provenance.write_record(paths.result.parent, made_from)
        write_document(evaluation.result, paths.result)
        metadata = provenance.as_metadata(made_from)
    if paths.scores:
        write_table(evaluation.scores, paths.scores, "scores", metadata)
    if paths.predictions:
        for name, text in predictions(evaluation.scores).items():
            write_text(paths.predictions / f"{name}.csv", text)
