"""Deterministic quasi-random points, which fill a space more evenly than random ones."""

from __future__ import annotations

import functools

import numpy as np

from dagathlon.posteriors.packed import Floats


def normal_points(count: int, dimensions: int) -> Floats:
    """Return quasi-random standard normal points, one per row.

    Multiples of powers of one irrational number, the root of xᵈ⁺¹ = x + 1, modulo 1, through
    the inverse of the normal distribution function.
    """
    return _points(count, dimensions).copy()


@functools.lru_cache(maxsize=16)
def _points(count: int, dimensions: int) -> Floats:
    from scipy.special import ndtri  # noqa: PLC0415 - SciPy takes long to import

    root = 2.0
    for _ in range(64):
        root = (1.0 + root) ** (1.0 / (dimensions + 1))
    steps = root ** -np.arange(1.0, dimensions + 1)
    places = (0.5 + np.arange(1.0, count + 1)[:, None] * steps) % 1.0
    return np.asarray(ndtri(np.clip(places, 1e-12, 1 - 1e-12)), dtype=np.float64)
