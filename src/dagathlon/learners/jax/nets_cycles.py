"""Smooth measures of directed cycles: 0 for weights of a DAG, above 0 for all others.

Weights are not negative here, from row to column. All terms of the sums are then positive, so that
measures far below the rounding of 1 are still right in single precision.
"""

from __future__ import annotations

from typing import Any

from dagathlon.learners.jax.backend import jax, jnp

# Terms of the series of the exponential, of a matrix that is halved so often before.
_TERMS, _HALVINGS = 6, 4


def walks(weights: Any) -> Any:
    """The trace of exp(weights) − 1: weighted closed walks, of length k divided by k!."""
    small = weights / 2**_HALVINGS
    total = jnp.zeros_like(small)
    eye = jnp.eye(weights.shape[-1], dtype=weights.dtype)
    for k in range(_TERMS, 0, -1):  # exp − 1 by Horner's rule
        total = small @ (eye + total) / k
    for _ in range(_HALVINGS):  # exp(2a) − 1 from exp(a) − 1
        total = 2 * total + total @ total
    return jnp.trace(total)


def log_determinant(weights: Any, scale: float = 1.0) -> Any:
    """Minus log det(scale − weights), plus that of scale: closed walks of length k divided by k.

    It is infinite at the border of the matrices whose spectral radius is below the scale, and not
    to be asked for beyond.
    """
    p = weights.shape[-1]
    shifted = jnp.eye(p, dtype=weights.dtype) - weights / scale
    return -jnp.linalg.slogdet(shifted)[1]


def inside(weights: Any, scale: float = 1.0) -> Any:
    """Whether the spectral radius of the weights is below the scale.

    By Collatz and Wielandt: where (scale − weights)⁻¹ has no negative entries.
    """
    p = weights.shape[-1]
    inverse = jnp.linalg.inv(jnp.eye(p, dtype=weights.dtype) - weights / scale)
    return jnp.all(jnp.isfinite(inverse)) & jnp.all(inverse >= -1e-6)


def mask_of(allowed: Any) -> Any:
    """Ones where an arc is allowed, and zeros on the diagonal."""
    return allowed * (1 - jnp.eye(allowed.shape[-1], dtype=allowed.dtype))


def jacobian_norms(function: Any, rows: Any) -> Any:
    """Root mean squares over rows of the slopes of each output by each input: row to column."""
    slopes = jax.vmap(jax.jacobian(function))(rows)
    return jnp.sqrt(jnp.mean(slopes**2, axis=0)).T
