"""Preliminary neighbourhood selection by boosting of additive models."""

from __future__ import annotations

import numpy as np

from dagathlon.learners.nonlinear.additive import Arcs
from dagathlon.learners.nonlinear.splines import Matrix, SplineProducts, Vector
from dagathlon.pulse import beat

STEPS = 100
STEP_LENGTH = 0.1
LEAST_SHARE = 0.02
# Degrees of freedom of the function added in one boosting step (the usual value).
_FREEDOM = 4.0


def additive_neighbours(bases: SplineProducts, most: int) -> Arcs:
    """Return the best explaining variables of each variable, from row to column.

    Each of 100 boosting steps adds a tenth of the smooth function of the variable that explains
    most of the residual. Variables chosen in at least two steps in a hundred are neighbours; if
    there are more than `most`, those chosen most often (Bühlmann, Peters and Ernest 2014, §3).
    """
    shrink = _shrinkage(bases)
    chosen = np.zeros((bases.size, bases.size), dtype=np.bool_)
    for target in range(bases.size):
        beat(target, bases.size)
        counts = _choices(bases, shrink, target)
        enough = np.flatnonzero(counts >= LEAST_SHARE * STEPS)
        best = enough[np.argsort(-counts[enough], kind="stable")][:most]
        chosen[best, target] = True
    return chosen


def _choices(bases: SplineProducts, shrink: Vector, target: int) -> Vector:
    """Return how often boosting of the target chooses each other variable."""
    counts = np.zeros(bases.size)
    residual = bases.with_targets[:, target].copy()  # products with the residual of the target
    starts = np.array([block.start for block in bases.blocks])
    # Coefficients s·b of orthonormal columns reduce the sum of squares by b²(2s - s²).
    gain = shrink * (2 - shrink)
    for _ in range(STEPS):
        gains = np.add.reduceat(gain * residual**2, starts)
        gains[target] = -1.0
        best = int(np.argmax(gains))
        counts[best] += 1
        block = bases.blocks[best]
        residual -= bases.products[:, block] @ (STEP_LENGTH * shrink[block] * residual[block])
    return counts


def _shrinkage(bases: SplineProducts) -> Vector:
    """Return the factors that shrink each function to four degrees of freedom."""
    parts = [_shrunk(bases.penalty[block]) for block in bases.blocks]
    return np.concatenate(parts)


def _shrunk(penalty: Vector) -> Vector:
    if len(penalty) <= _FREEDOM:
        return np.ones(len(penalty))
    low, high = -40.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        loads: Matrix = 1 / (1 + np.exp(middle) * penalty)
        low, high = (middle, high) if loads.sum() > _FREEDOM else (low, middle)
    result: Vector = 1 / (1 + np.exp(low) * penalty)
    return result
