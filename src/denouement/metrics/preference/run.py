"""From files of answers and scores to a preference model, as the command and the library have it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from denouement import provenance
from denouement.cloze.parts.vectors import Floats
from denouement.cloze.resources import Resources
from denouement.encoders.base import load_encoder
from denouement.errors import UserError
from denouement.files import check_output, existing_file, file_digest
from denouement.metrics.agreement.reading import read_scores
from denouement.metrics.agreement.tables import kind_of
from denouement.metrics.agreement.values import Ending, Scores
from denouement.metrics.grams import words
from denouement.metrics.preference.features import Features, vectors, worked_out
from denouement.metrics.preference.learning import LearnedPreference, PreferenceSettings, learn
from denouement.metrics.preference.pairs import JudgedPairs, read_judged
from denouement.schemas import read_table

MINILM, LENGTH = "minilm", "length"


@dataclass(frozen=True)
class PreferencePaths:
    """What is read, and what is written; None: not given, or not written.

    Attributes:
        pairs: see `pairs.read_judged`.
        items: table `items` of the study that the answers are of.
        scores: a file of scores, as `metrics agreement` reads it.
        elements: table `reason_elements` of the same votes.
        test: further pairs, which are not learned from.
        out: the checkpoint.
    """

    pairs: Sequence[Path]
    items: Path | None = None
    scores: Path | None = None
    elements: Path | None = None
    test: Sequence[Path] = ()
    out: Path | None = None

    def sources(self) -> dict[str, Path]:
        """The files that are learned from, by what they are."""
        named = {f"pairs/{number}": path for number, path in enumerate(self.pairs, 1)}
        return named | {name: path for name in ("items", "scores") if (path := getattr(self, name))}


def run(
    paths: PreferencePaths,
    settings: PreferenceSettings,
    names: Sequence[str] = (),
    encoder: str | None = None,
    question: str | None = None,
    raters: Sequence[str] = (),
    without: Sequence[str] = (),
    resources: Resources | None = None,
) -> LearnedPreference:
    """Learn a preference model, measure it, and write it.

    Args:
        paths: the files.
        settings: how it is learned.
        names: with a file of scores those that are read, none for all; without one those of the registry that are
            worked out from the texts.
        encoder: whose sentence vectors are read too. Where nothing is named, MiniLM's are, and the length.
        question: of the answers.
        raters: of ratings, those who count.
        without: systems of whose endings pairs are left out.
        resources: what scores that are worked out learn from and look up.

    Raises:
        UserError: a file that cannot be read or written, nothing to learn from, or too few stories.
    """
    given = [path for path in (*paths.pairs, *paths.test) if not path.is_dir()]
    if len({file_digest(existing_file(path)) for path in given}) < len(given):
        raise UserError(f"pairs are given twice among {', '.join(map(str, given))}: name each file once")
    judged = read_judged(paths.pairs, paths.items, question, raters).without(without)
    if not paths.scores and not judged.texts:
        raise UserError(f"{judged.source}: nothing to learn from; give --scores, or the texts with --items")
    if paths.out:
        check_output(paths.out, [*given, *paths.sources().values()])
        if not judged.texts:
            raise UserError(
                "--out: a model must know its stories, so that it never scores those that it learned from: give the "
                "texts of the answers with --items"
            )
    if not (paths.scores or names or encoder):
        names, encoder = (LENGTH,), MINILM
    resources = resources or Resources(seed=settings.seed)

    def features(of: JudgedPairs) -> Features:
        return _features(of, paths.scores, names, encoder, resources)

    test = None
    if paths.test:
        others = read_judged(paths.test, paths.items, question, raters).without(without)
        test = others, features(others)
    elements = read_table(paths.elements, "reason_elements") if paths.elements else None
    model, found = learn(judged, features(judged), encoder, settings, elements, test)
    if paths.out:
        fingerprint = load_encoder(encoder).fingerprint if encoder else None
        made_from = {name: file_digest(path) for name, path in paths.sources().items()}
        replace(model, fingerprint=fingerprint, made_from=made_from, scored_with=_scored_with(paths.scores)).save(
            paths.out
        )
    return found


def _features(
    judged: JudgedPairs, scores: Path | None, names: Sequence[str], encoder: str | None, resources: Resources
) -> Features:
    rows = judged.rows() if judged.texts else None
    lengths = np.array([float(len(words(text))) for text in rows.endings]) if rows else None
    if scores:
        read = read_scores(scores)
        known, values = _of_table(read.only(names) if names else read, judged.endings)
        if lengths is None and LENGTH in read.names:
            lengths = _of_table(read.only([LENGTH]), judged.endings)[1][:, 0]
    elif names and rows:
        found = worked_out(names, rows, resources)
        known, values = [*found], np.stack([*found.values()], axis=1)
    else:
        known, values = [], np.empty((len(judged.endings), 0))
    if encoder:
        if rows is None:
            raise UserError("--encoder: reads the texts of the endings; give them with --items")
        values = np.concatenate([values, vectors(encoder, rows, resources)], axis=1)
    return Features(known, values, lengths)


def _scored_with(scores: Path | None) -> dict[str, str]:
    """The digests of what the values of a table of scores depend on besides the endings: stories and models."""
    if scores is None or scores.is_dir() or kind_of(scores) != "ending_scores":
        return {}
    made_from = provenance.of_table(scores) or {}
    return {name: digest for name, digest in made_from.items() if name == "stories" or name.startswith("models/")}


def _of_table(scores: Scores, endings: Sequence[Ending]) -> tuple[list[str], Floats]:
    """The names of scores of single endings and their values, float64 [endings, scores], NaN where there is none.

    Values are as they were written, not turned where a lower one is better: the model learns which it is.

    Raises:
        UserError: no ending has a score.
    """
    place_of = {ending: place for place, ending in enumerate(scores.endings)}
    places = [place_of.get(ending, -1) for ending in endings]
    if max(places) < 0:
        raise UserError(
            f"{scores.source}: has no score of the endings that people compared; give tables with the same ids and "
            "names of systems"
        )
    signs = np.array([-1.0 if name in scores.lower else 1.0 for name in scores.names])
    padded = np.pad(scores.values * signs[:, None], ((0, 0), (0, 1)), constant_values=np.nan)
    return list(scores.names), padded[:, places].T
