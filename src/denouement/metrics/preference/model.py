"""The model: log-odds that one ending of a story is preferred to another, as a weighted sum of their differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from denouement.cloze.parts.vectors import Floats
from denouement.errors import UserError
from denouement.schemas import shortened
from denouement.tensors import UNBUILDABLE, read_checkpoint, write_checkpoint

PENALTIES = (1000.0, 100.0, 10.0, 1.0, 0.1)
"""The grid of the penalty, half of which times the squared length of the weights is added to the summed loss."""

LANGUAGE_MODEL = "language_model"
"""The score that asks a language model, and the name under which records have that model's digest."""


@dataclass(frozen=True)
class PreferenceModel:
    """P(A preferred to B) = 1 / (1 + exp(-(u(A) - u(B)))), where u is a weighted sum of what is known of an ending.

    There is no intercept, so P(A preferred to B) = 1 - P(B preferred to A) always, and P = 0.5 for equal endings.

    Attributes:
        scores: the names of the scores that it reads.
        encoder: whose sentence vectors it reads too, as of `features.vectors`; None: of none.
        fingerprint: of the encoder.
        weights: float64 [scores + dimension].
        offset: u of the mean ending that it learned from, less which u is given: 0 is that ending.
        trained_on: the digest of each context that it learned from (`chooser.context_digests`).
        made_from: digests of the files that it learned from, by what they are.
        scored_with: by their names in `metrics score` digests of the stories and models that its scores depend on.
    """

    scores: Sequence[str]
    encoder: str | None
    fingerprint: str | None
    weights: Floats
    offset: float
    trained_on: frozenset[str]
    made_from: Mapping[str, str]
    scored_with: Mapping[str, str]

    def utilities(self, values: Floats) -> Floats:
        """u, float64 [endings], from float64 [endings, scores + dimension]."""
        found: Floats = values @ self.weights - self.offset
        return found

    def refuse_other_sources(self, path: Path, made_from: Mapping[str, str]) -> None:
        """Make sure that scores are made from the same stories and models as those that it learned from.

        Args:
            path: of the model, for the message.
            made_from: digests of what is given now, by the same names.

        Raises:
            UserError: one has other content; what is missing, the scores themselves say.
        """
        other = [name for name, digest in self.scored_with.items() if made_from.get(name, digest) != digest]
        if other:
            raise UserError(
                f"{path}: learned from scores that were made with other content of {shortened(other)}; give the "
                "same, or learn it again from scores made with these"
            )

    def save(self, path: Path) -> None:
        """Write it as a checkpoint.

        Raises:
            UserError: the file cannot be written.
        """
        import torch

        described = {
            "scores": list(self.scores),
            "encoder": self.encoder,
            "fingerprint": self.fingerprint,
            "offset": self.offset,
            "trained_on": sorted(self.trained_on),
            "made_from": dict(self.made_from),
            "scored_with": dict(self.scored_with),
        }
        write_checkpoint({"preference": described, "weights": torch.from_numpy(self.weights)}, path)


def read_preference(path: Path) -> PreferenceModel:
    """The model that `PreferenceModel.save` wrote.

    Raises:
        UserError: no such file, another checkpoint, or a damaged one.
    """
    checkpoint = read_checkpoint(path)
    try:
        of = checkpoint["preference"]
        return PreferenceModel(
            [str(name) for name in of["scores"]],
            of["encoder"],
            of["fingerprint"],
            checkpoint["weights"].numpy(),
            float(of["offset"]),
            frozenset(of["trained_on"]),
            dict(of["made_from"]),
            dict(of["scored_with"]),
        )
    except UNBUILDABLE as error:
        raise UserError(f"{path}: no preference model; `denouement metrics preference --out` writes one") from error


def digest_of_language_model(given: str | None) -> dict[str, str]:
    """The digest of a language model, by the name that records of scores have for it; nothing without one.

    Raises:
        UserError: nothing is there.
    """
    from denouement.language_models.source import find

    return {LANGUAGE_MODEL: find(given).digest} if given else {}


def fitted(differences: Floats, share: Floats, penalty: float, start: Floats | None = None) -> Floats:
    """The weights, float64 [features], that make the penalised loss least.

    The loss of a pair is the cross-entropy of `share` and the model's probability. Turning a pair around, with the
    differences times -1 and 1 less the share, changes nothing.

    Args:
        differences: float64 [pairs, features]: what is known of the first ending less that of the second.
        share: float64 [pairs]: how much of what people say is for the first.
        penalty: above 0; half of it times the squared length of the weights is added to the summed loss.
        start: where the search begins; None: at zeros.
    """
    from scipy.linalg import solve_triangular
    from scipy.optimize import minimize
    from scipy.special import expit

    # Scores that go together make a long narrow valley of the loss. With the root of a bound of its second derivative
    # as the unit, its walls are about equally steep on all sides, and the search takes few steps.
    bound = differences.T @ differences / 4 + penalty * np.eye(differences.shape[1])
    root = np.linalg.cholesky(bound)

    def loss(position: Floats) -> tuple[float, Floats]:
        weights = solve_triangular(root, position, lower=True, trans="T")
        margins = differences @ weights
        gradient = differences.T @ (expit(margins) - share) + penalty * weights
        total = float(losses(margins, share).sum() + penalty / 2 * weights @ weights)
        return total, solve_triangular(root, gradient, lower=True)

    at = np.zeros(len(root)) if start is None else root.T @ start
    found = minimize(loss, at, jac=True, method="L-BFGS-B", options={"maxiter": 500, "ftol": 1e-10})
    return np.asarray(solve_triangular(root, found.x, lower=True, trans="T"), np.float64)


def best_penalty(differences: Floats, share: Floats, fold_of: np.ndarray) -> float:
    """The penalty of the grid under which the held-out pairs have the least loss; there are two folds or more.

    Args:
        differences, share: as of `fitted`.
        fold_of: int64 [pairs].
    """
    folds = np.unique(fold_of)
    starts: dict[int, Floats] = {}
    totals = []
    for penalty in PENALTIES:
        total = 0.0
        for fold in folds.tolist():
            out = fold_of == fold
            starts[fold] = fitted(differences[~out], share[~out], penalty, start=starts.get(fold))
            total += float(losses(differences[out] @ starts[fold], share[out]).sum())
        totals.append(total)
    return PENALTIES[int(np.argmin(totals))]


def half_widths(differences: Floats, share: Floats, weights: Floats, penalty: float, story: np.ndarray) -> Floats:
    """Half the widths of the weights' 95% intervals over other stories, float64 [features].

    A jackknife leaves out one story at a time, in one Newton step, with the same penalty; Student's t.

    Args:
        differences, share: as of `fitted`.
        weights: what `fitted` found.
        penalty: with which it did.
        story: int64 [pairs], from 0; two stories or more.
    """
    from scipy.special import expit
    from scipy.stats import t

    probability = expit(differences @ weights)
    curvature = differences * np.sqrt(probability * (1 - probability))[:, None]
    whole = curvature.T @ curvature + penalty * np.eye(len(weights))
    n = int(story.max()) + 1
    changes = np.empty((n, len(weights)))
    for number in range(n):
        its = story == number
        gradient = differences[its].T @ (share[its] - probability[its])
        changes[number] = np.linalg.solve(whole - curvature[its].T @ curvature[its], gradient)
    variances = (n - 1) / n * ((changes - changes.mean(axis=0)) ** 2).sum(axis=0)
    found: Floats = t.ppf(0.975, n - 1) * np.sqrt(variances)
    return found


def losses(margins: Floats, share: Floats) -> Floats:
    """The cross-entropy of each pair, in nats, float64 [pairs], from the log-odds of the first ending and its share."""
    found: Floats = np.logaddexp(0, -margins) + (1 - share) * margins
    return found


def scales(differences: Floats, n_scores: int) -> Floats:
    """What to divide features by, float64 [features], so that all have the same say before anything is learned.

    A score is divided by the root mean square of its differences, a sentence vector by that of its length. What never
    differs is divided by infinity.
    """
    squares = (differences**2).mean(axis=0)
    squares[n_scores:] = squares[n_scores:].sum()
    return np.where(squares > 1e-18, np.sqrt(squares), np.inf)
