"""From files of answers and scores to a preference model, as the command and the library have it."""

from collections.abc import Mapping, Sequence
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
from denouement.metrics.preference.features import Features, metrics_of, vectors, worked_out
from denouement.metrics.preference.learning import LearnedPreference, PreferenceSettings, learn
from denouement.metrics.preference.model import LANGUAGE_MODEL, digest_of_language_model
from denouement.metrics.preference.pairs import JudgedPairs, read_judged
from denouement.schemas import read_table, shortened

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
        stories: table `stories`, from which scores learn that are worked out.
        out: the checkpoint.
    """

    pairs: Sequence[Path]
    items: Path | None = None
    scores: Path | None = None
    elements: Path | None = None
    test: Sequence[Path] = ()
    stories: Path | None = None
    out: Path | None = None

    def sources(self) -> dict[str, Path]:
        """The files that are learned from, by what they are."""
        named = {f"pairs/{number}": path for number, path in enumerate(self.pairs, 1)}
        return named | {name: path for name in ("items", "scores", "stories") if (path := getattr(self, name))}


def run(
    paths: PreferencePaths,
    settings: PreferenceSettings,
    names: Sequence[str] = (),
    encoder: str | None = None,
    question: str | None = None,
    raters: Sequence[str] = (),
    without: Sequence[str] = (),
    language_model: str | None = None,
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
        language_model: which scores that are worked out ask.

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
        depends_on = _of_scores(paths.scores) if paths.scores else _given(paths.stories, language_model)
        check_output(paths.out, [*given, *paths.sources().values(), *([paths.elements] if paths.elements else [])])
        if not judged.texts:
            raise UserError(
                "--out: a model must know its stories, so that it never scores those that it learned from: give the "
                "texts of the answers with --items"
            )
    if not (paths.scores or names or encoder):
        names, encoder = (LENGTH,), MINILM
    stories = read_table(paths.stories, "stories") if paths.stories else None
    resources = Resources(stories=stories, language_model=language_model, seed=settings.seed)

    def features(of: JudgedPairs) -> Features:
        return _features(of, paths.scores, names, encoder, resources)

    test = None
    if paths.test:
        others = read_judged(paths.test, paths.items, question, raters).without(without)
        test = others, features(others)
    elements = read_table(paths.elements, "reason_elements") if paths.elements else None
    own = features(judged)
    if paths.out and (unknown := [name for name in own.scores if not metrics_of([name])]):
        raise UserError(
            f"--out: {shortened(unknown)} can not be worked out for other endings, as `metrics score` would have to; "
            "choose others with --score, or leave --out out"
        )
    model, found = learn(judged, own, encoder, settings, elements, test)
    if paths.out:
        fingerprint = load_encoder(encoder).fingerprint if encoder else None
        made_from = {name: file_digest(path) for name, path in paths.sources().items()}
        scored_with = _read_by(own.scores, depends_on)
        replace(model, fingerprint=fingerprint, made_from=made_from, scored_with=scored_with).save(paths.out)
    return found


def _features(
    judged: JudgedPairs, scores: Path | None, names: Sequence[str], encoder: str | None, resources: Resources
) -> Features:
    rows = judged.rows() if judged.texts else None
    lengths = np.array([float(len(words(text))) for text in rows.endings]) if rows else None
    if scores:
        read = read_scores(scores)
        known, values = _of_table(read.single(names) if names else read, judged.endings)
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


def _of_scores(scores: Path) -> dict[str, str]:
    """The digests of what a table of scores was made from.

    Raises:
        UserError: not a table of `metrics score`, whose scores could not be worked out for other endings.
    """
    if kind_of(scores) != "ending_scores":
        raise UserError(
            f"--out: {scores} is no table of `metrics score`, so its scores could not be worked out for other endings; "
            "leave --out out"
        )
    return provenance.of_table(scores) or {}


def _given(stories: Path | None, language_model: str | None) -> dict[str, str]:
    """The same of scores that are worked out here."""
    of_stories = {"stories": file_digest(stories)} if stories else {}
    return of_stories | digest_of_language_model(language_model)


def _read_by(scores: Sequence[str], made_from: Mapping[str, str]) -> dict[str, str]:
    """What the values of these scores depend on besides the endings: stories and models that they learn from or ask."""
    metrics = metrics_of(scores)
    learn_from = ("stories", "models/", "choosers/") if any(metric.learns for metric in metrics) else ()
    ask = (LANGUAGE_MODEL,) if any(metric.name == LANGUAGE_MODEL for metric in metrics) else ()
    return {name: digest for name, digest in made_from.items() if name.startswith((*learn_from, *ask))}


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
