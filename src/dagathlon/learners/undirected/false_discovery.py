"""False discovery rate of many scores, by a mixture model of null and effects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagathlon import _core
from dagathlon.learners.undirected.inputs import Matrix, Vector

_LOWEST, _HIGHEST = -10.0, 40.0
_MOST, _FEWEST = 100_000, 20


@dataclass(frozen=True, eq=False)
class Threshold:
    """A threshold for scores, with the fitted mixture.

    Parameters
    ----------
    value
        Smallest significant score; infinite if none is significant.
    mixture
        Weight, location, scale and shape of each component in rows, by location; None if there were
        too few scores for a fit, and the null distribution is standard normal.
    """

    value: float
    mixture: Matrix | None


def evidence(z: Vector) -> Vector:
    """Return scores that are standard normal under the null, from z-scores of either sign.

    It is the normal quantile whose upper tail is the two-sided p-value of the z-score.
    """
    from scipy.special import log_ndtr, ndtri_exp  # noqa: PLC0415 - SciPy only when asked for

    logarithms = np.minimum(log_ndtr(-np.abs(z)) + np.log(2.0), 0.0)
    with np.errstate(divide="ignore"):
        scores: Vector = np.clip(-ndtri_exp(logarithms), _LOWEST, None)
    return scores


def threshold(
    scores: Vector,
    rate: float,
    *,
    components: int = 2,
    iterations: int = 100,
    rng: np.random.Generator,
) -> Threshold:
    """Return the score above which the false discovery rate is at most `rate`.

    Parameters
    ----------
    scores
        Scores that are large for effects; of more than 100,000 a stratified sample is used.
    rate
        The false discovery rate.
    components
        Number of exponential power distributions in the mixture; all but the one of highest
        location are the null distribution.
    iterations
        Number of passes over the scores in the stochastic approximation of the fit.
    rng
        The only source of randomness.
    """
    ordered = np.clip(_stratified(np.sort(scores), rng), _LOWEST, _HIGHEST)
    if len(ordered) < _FEWEST:
        return Threshold(_cut(ordered, _normal_tail(ordered), rate), None)
    start = _start(ordered, components)
    seed = int(rng.integers(2**63))
    fitted = _core.fit_score_mixture(ordered.tolist(), start, iterations, seed)
    mixture = fitted[np.argsort(fitted[:, 1], kind="stable")]
    chance = sum((_tail(ordered, part) for part in mixture[:-1]), np.zeros(len(ordered)))
    return Threshold(_cut(ordered, chance, rate), mixture)


def _stratified(ordered: Vector, rng: np.random.Generator) -> Vector:
    """Return a stratified subsample of ordered scores."""
    step = -(-len(ordered) // _MOST)
    firsts = np.arange(0, len(ordered), max(step, 1))
    lasts = np.minimum(firsts + step, len(ordered))
    return ordered[rng.integers(firsts, lasts)] if step > 1 else ordered


def _start(ordered: Vector, components: int) -> Matrix:
    """Return initial mixture components from consecutive parts of the ordered scores."""
    weights = _first_weights(components)
    ends = np.maximum((np.cumsum(weights) * len(ordered) + 1e-9).astype(int), 1)
    begins = np.concatenate([[0], ends[:-1] - 1])
    parts = [ordered[begin:end] for begin, end in zip(begins, ends, strict=True)]
    rows = [
        [weight, part.mean(), max(part.std() * np.sqrt(2), 0.1), 2.0]
        for weight, part in zip(weights, parts, strict=True)
    ]
    return np.array(rows)


def _first_weights(components: int) -> Vector:
    if components == 2:
        return np.array([0.99, 0.01])
    if components == 3:
        return np.array([0.5, 0.45, 0.05])
    rest = components - 1
    return np.array([0.5, *([0.5 / rest] * rest)])


def _tail(scores: Vector, part: Vector) -> Vector:
    """Return the weighted upper tail probability of a component at each score."""
    from scipy.special import gammainc  # noqa: PLC0415 - SciPy only when asked for

    weight, location, scale, shape = part
    inside = gammainc(1 / shape, (np.abs(scores - location) / scale) ** shape)
    upper: Vector = weight * (0.5 - 0.5 * np.sign(scores - location) * inside)
    return upper


def _normal_tail(scores: Vector) -> Vector:
    from scipy.special import ndtr  # noqa: PLC0415 - SciPy only when asked for

    upper: Vector = ndtr(-scores)
    return upper


def _cut(ordered: Vector, chance: Vector, rate: float) -> float:
    """Return the midpoint between the lowest significant score and the one below it."""
    number = len(ordered)
    expected = np.minimum(chance * number / np.arange(number, 0, -1), 1.0)
    significant = np.minimum.accumulate(expected) < rate
    if not significant.any():
        return np.inf
    first = int(np.argmax(significant))
    return float(ordered[max(first - 1, 0) : first + 1].mean()) if first else -np.inf
