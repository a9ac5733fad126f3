"""Acyclicity constraints: smooth functions that are 0 exactly for weights of a DAG.

Weights are non-negative here, from row to column. All terms of the sums are then positive, so that
values far below the rounding of 1 are still accurate in single precision.
"""

from __future__ import annotations

from typing import Any

from dagathlon.learners.jax.backend import jax, jnp

# Terms of the series of the exponential, of a matrix that is halved so often before.
_TERMS, _HALVINGS = 6, 4
_ROUNDING = 1e-5


def walks(weights: Any) -> Any:
    """Return the trace of exp(weights) − 1: closed walks of length k weighted by 1/k!."""
    small = weights / 2**_HALVINGS
    total = jnp.zeros_like(small)
    eye = jnp.eye(weights.shape[-1], dtype=weights.dtype)
    for k in range(_TERMS, 0, -1):  # exp − 1 by Horner's rule
        total = small @ (eye + total) / k
    for _ in range(_HALVINGS):  # exp(2a) − 1 from exp(a) − 1
        total = 2 * total + total @ total
    return jnp.trace(total)


def log_determinant(weights: Any) -> Any:
    """Return −log det(1 − weights): closed walks of length k weighted by 1/k.

    It is infinite where the spectral radius of the weights is not below 1.
    """
    p = weights.shape[-1]
    rest = jnp.eye(p, dtype=weights.dtype) - weights
    # The inverse is the sum of all powers of the weights, so none of it is negative.
    inverse = jnp.linalg.inv(jax.lax.stop_gradient(rest))
    inside = jnp.all(jnp.isfinite(inverse)) & (jnp.min(inverse) >= -_ROUNDING)
    sign, size = jnp.linalg.slogdet(rest)
    return jnp.where(inside & (sign > 0), -size, jnp.inf)
