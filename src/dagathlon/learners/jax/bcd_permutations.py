"""Random permutations: all of them for few nodes, Gumbel-Sinkhorn for more.

A permutation is a matrix with a row for each position and a column for each node.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np

from dagathlon.learners.jax.backend import jax, jnp
from dagathlon.posteriors.packed import Ints

_SWEEPS = 20


def all_orders(p: int) -> Ints:
    """Return all orders of the nodes, one per row: the node at each position."""
    return np.array(list(permutations(range(p))), dtype=np.int64).reshape(-1, p)


def log_shares(scores: Any, orders: Ints) -> Any:
    """Return the log probabilities of all orders, given log weights of nodes at positions.

    The probability of an order is proportional to the product of the weights of nodes (columns)
    at their positions (rows).
    """
    p = orders.shape[1]
    places = np.eye(p, dtype=np.float32)[orders].reshape(len(orders), p * p)
    return jax.nn.log_softmax(scores.reshape(*scores.shape[:-2], p * p) @ places.T, axis=-1)


def gumbel_sinkhorn(scores: Any, key: Any, temperature: float) -> Any:
    """Draw a permutation matrix with the gradient of a doubly stochastic one.

    Gumbel noise is added to the scores; rows and columns of the exponentials are normalised in
    turn until they sum to 1 (Sinkhorn), and the result is rounded. The gradient ignores the
    rounding (straight-through estimator).
    """
    noisy = (scores + jax.random.gumbel(key, scores.shape)) / temperature
    noisy, _ = jax.lax.scan(_sinkhorn_sweep, noisy, None, length=_SWEEPS)
    soft = jnp.exp(noisy)
    return soft + jax.lax.stop_gradient(_rounded(noisy) - soft)


def _sinkhorn_sweep(log_matrix: Any, _: None) -> tuple[Any, None]:
    """Run one Sinkhorn sweep: normalise rows, then columns; compiled once for all sweeps."""
    log_matrix = log_matrix - jax.nn.logsumexp(log_matrix, axis=1, keepdims=True)
    return log_matrix - jax.nn.logsumexp(log_matrix, axis=0, keepdims=True), None


def _rounded(log_matrix: Any) -> Any:
    """Round to a permutation matrix by taking the largest entry repeatedly."""
    p = log_matrix.shape[0]

    def taken(_: Any, now: tuple[Any, Any]) -> tuple[Any, Any]:
        remaining, found = now
        place = jnp.argmax(remaining)
        row, column = place // p, place % p
        crossed = (jnp.arange(p)[:, None] == row) | (jnp.arange(p)[None, :] == column)
        return jnp.where(crossed, -jnp.inf, remaining), found.at[row, column].set(1.0)

    return jax.lax.fori_loop(0, p, taken, (log_matrix, jnp.zeros_like(log_matrix)))[1]


def gumbel_divergence(scores: Any) -> Any:
    """Return the KL divergence of the noisy scores from the noise alone.

    The noise alone gives a uniform permutation; permutations made of noisy scores diverge from
    it by no more than the scores, so that a bound with this divergence holds.
    """
    return jnp.sum(scores + jnp.exp(-scores) - 1)
