"""Soft graphs of DiBS's latent vectors: expected cycles, priors, parent sets.

Matrices of arcs go from row to column. All particles of a run are the last axis: matrices are small
and particles many, so that CPUs are fast along it.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.learners.jax.backend import jnp
from dagathlon.learners.jax.moments import Floats

GraphPrior: TypeAlias = Literal["er", "scale_free", "uniform"]
# An arc's probability under the prior "er" stays below 1 where more edges are expected than fit.
_MOST_PROBABLE = 0.95
# Largest size of matrices whose product is computed as sums along the particles.
_SMALL = 12


def product(a: Any, b: Any) -> Any:
    """Multiply two matrices for each particle: (i, k, m) and (k, j, m) to (i, j, m).

    Linear algebra libraries process one small matrix after another, mostly overhead.
    """
    if a.shape[1] > _SMALL:
        return jnp.einsum("ikm,kjm->ijm", a, b)
    return sum(a[:, k, None] * b[None, k] for k in range(a.shape[1]))


def transposed(a: Any) -> Any:
    """Transpose the matrix of each particle."""
    return jnp.swapaxes(a, 0, 1)


def latent_products(z: Any) -> Any:
    """Return the inner products of the two vectors of each pair of nodes: arcs if positive.

    Parameters
    ----------
    z
        Latent vectors, of shape (2, p, k, m): each node as the start and as the end of an arc.
    """
    return product(z[0], transposed(z[1]))


def latent_gradient(z: Any, gradient: Any) -> Any:
    """Return the gradient in the latent vectors, given that in their products."""
    return jnp.stack([product(gradient, z[1]), product(transposed(gradient), z[0])])


def acyclicity_gradient(arcs: Any) -> Any:
    """Return the gradient of E tr((1 + G/p)^p) − p over graphs with independent arcs.

    The trace counts closed walks. Where a walk takes an arc twice, the arc's probability counts
    once: this is corrected for walks of up to five arcs, so that all is exact for p ≤ 5.

    Parameters
    ----------
    arcs
        Probabilities, with zeros on the diagonal, of shape (p, p, m).
    """
    p, back = len(arcs), transposed(arcs)
    unit = jnp.eye(p)[:, :, None]
    steps = unit + arcs / p
    gradient = transposed(_power(steps, p - 1)) if p > 1 else unit
    both, spread = arcs * back, transposed(arcs * (1 - arcs))
    # A walk a b a b a has two arcs, not four; in a b a b c a one of four comes twice.
    fours = 2 * back * (1 - 2 * both)
    twos, ends = product(arcs, arcs), spread * arcs
    fives = (1 - 2 * arcs) * back * transposed(twos) + spread * twos
    fives += product(ends, back) + product(back, ends)
    return gradient + _walks(p, 4) * fours + 5 * _walks(p, 5) * fives


def _power(matrix: Any, exponent: int) -> Any:
    """Return a matrix power by repeated squaring."""
    if exponent == 1:
        return matrix
    half = _power(matrix, exponent // 2)
    squared = product(half, half)
    return product(squared, matrix) if exponent % 2 else squared


def _walks(p: int, length: int) -> float:
    """Return the weight of closed walks of a length in the trace."""
    return float(math.comb(p, length) / p**length)


def log_prior(arcs: Floats, prior: GraphPrior, edges_per_node: float) -> Floats:
    """Return the log prior of graphs (p, p, m), up to a constant."""
    if prior == "scale_free":
        return np.asarray(-3 * np.log1p(arcs.sum(axis=0)).sum(axis=0))
    odds = arc_log_odds(len(arcs), edges_per_node) if prior == "er" else 0.0
    return np.asarray(odds * arcs.sum(axis=(0, 1)))


def prior_gradient(arcs: Any, prior: GraphPrior, edges_per_node: float) -> Any:
    """Return the gradient of the log prior, evaluated at probabilities of arcs."""
    if prior == "scale_free":
        return -3 / (1 + jnp.sum(arcs, axis=0, keepdims=True))
    return arc_log_odds(len(arcs), edges_per_node) if prior == "er" else 0.0


def arc_log_odds(p: int, edges_per_node: float) -> float:
    """Return the log odds that a pair of nodes is joined, given the expected edges per node."""
    probability = min(2 * edges_per_node / max(p - 1, 1), _MOST_PROBABLE)
    return math.log(probability / (1 - probability))


@cache
def parent_sets(p: int) -> npt.NDArray[np.float32]:
    """Return all parent sets of each node as masks, of shape (p, 2^(p−1), p)."""
    sets = (np.arange(2 ** (p - 1))[:, None] >> np.arange(p - 1)) & 1
    return np.stack([np.insert(sets, node, 0, axis=1) for node in range(p)]).astype(np.float32)


@cache
def off_diagonal(p: int) -> npt.NDArray[np.float32]:
    """Return ones off the diagonal, for all particles."""
    return (1 - np.eye(p)).astype(np.float32)[:, :, None]
