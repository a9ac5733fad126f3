"""Entropy of a posterior estimated from draws, by nearest neighbours of their likelihoods.

After appendix D of Karimi Mamaghan et al. (2024): graphs with parameters have no common space with
meaningful distances, so each draw is represented by its predictions of held-out rows.
"""

from __future__ import annotations

import math

import numpy as np

from dagathlon.errors import DataError
from dagathlon.evaluate.posteriors.likelihoods import Drawn, dense_models
from dagathlon.posteriors.arrays import LinearModels
from dagathlon.posteriors.packed import Floats

MOST_DRAWS, MOST_ROWS = 100, 25
_LEAST = 1e-10


def likelihood_entropy(
    posterior: Drawn, rows: Floats, *, neighbour: int = 1, most: int = MOST_DRAWS
) -> float:
    """Return the Kozachenko–Leonenko entropy of the draws' mean kernels (equations 3 and 4).

    With l(x) the log density of row x under a draw, its number is the mean over rows and over
    the draws of exp(-(l(x) - l'(x))²/2ℓ²), ℓ being the median difference; the entropy is that
    of the distribution of this number.

    Parameters
    ----------
    posterior
        Draws with parameters.
    rows
        Held-out rows, with the posterior's nodes as columns; a few dozen are enough.
    neighbour
        Which nearest neighbour's distance is taken.
    most
        So many draws at most. Of more, and of draws with unequal weights, an even sample by their
        probabilities is taken, with repetitions where weights collapse.
    """
    models = dense_models(posterior)
    count = len(models.shares)
    equal = np.ptp(models.shares) <= _LEAST
    chosen = models if equal and count <= most else models.resampled(min(most, count))
    return nearest_neighbour_entropy(_mean_kernels(_log_densities(chosen, rows)), neighbour)


def nearest_neighbour_entropy(points: Floats, neighbour: int = 1, least: float = _LEAST) -> float:
    """Return the Kozachenko–Leonenko estimate of a differential entropy, in nats.

    ψ(N) - ψ(n) + log c_p + (p/N) Σ log ε_i, where ε_i is the distance of point i to its n-th
    nearest neighbour and c_p the volume of the unit ball of p dimensions.

    Parameters
    ----------
    points
        One row for each of N points, or N numbers.
    neighbour
        n, below N.
    least
        Distances below this count as this, so that equal points give a small number and not minus
        infinity.
    """
    from scipy.special import digamma, gammaln  # noqa: PLC0415 - SciPy takes long to import

    table = points[:, None] if points.ndim == 1 else points
    count, p = table.shape
    if not 1 <= neighbour < count:
        raise DataError(f"the {neighbour}. nearest neighbour needs more than {neighbour} points")
    squares = ((table[:, None] - table[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    nearest = np.sqrt(np.partition(squares, neighbour - 1, axis=1)[:, neighbour - 1])
    ball = p / 2 * math.log(math.pi) - gammaln(1 + p / 2)
    spread = p * float(np.mean(np.log(np.maximum(nearest, least))))
    return float(digamma(count) - digamma(neighbour) + ball + spread)


def _log_densities(models: LinearModels, rows: Floats) -> Floats:
    """Return the log density of each row under each draw: rows × draws."""
    if rows.ndim != 2 or rows.shape[1] != len(models.names) or not len(rows):
        raise DataError(
            f"held-out rows have {len(models.names)} columns, and there is one at least"
        )
    residuals = np.eye(len(models.names)) - models.coefficients
    errors = np.tensordot(rows, residuals, axes=(1, 1))
    terms = np.log(2 * math.pi * models.variances) + errors**2 / models.variances
    return np.asarray(-0.5 * terms.sum(axis=2))


def _mean_kernels(logs: Floats) -> Floats:
    """Return, for each draw, the mean kernel with all draws, over rows."""
    draws = logs.shape[1]
    upper = np.triu_indices(draws, 1)
    gaps = logs[:, upper[0]] - logs[:, upper[1]]
    width = float(np.median(np.abs(gaps))) if gaps.size else 0.0
    if width == 0:
        return np.ones(draws)
    np.square(gaps, out=gaps)
    gaps *= -0.5 / width**2
    mean = np.exp(gaps, out=gaps).mean(axis=0)
    sums = np.bincount(upper[0], mean, draws) + np.bincount(upper[1], mean, draws)
    return np.asarray((sums + 1.0) / draws)
