"""Data and comparisons for learners that use several threads."""

from __future__ import annotations

import numpy as np

from dagathlon.data import Dataset, Variable
from dagathlon.learners import Estimate

SEVERAL = (2, 3, 7)


def linear(p: int, n: int, seed: int, degree: float = 3) -> Dataset:
    """Rows of a linear model, each variable with a few earlier ones as parents."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.random((p, p)) < degree / p, 1) * rng.uniform(0.3, 1, (p, p))
    values = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights)
    return Dataset([Variable(f"V{i}") for i in range(p)], values=values)


def levels(p: int, n: int, seed: int) -> Dataset:
    """The same, cut into three levels."""
    values = np.digitize(linear(p, n, seed).values, [-0.6, 0.6])
    return Dataset([Variable(f"V{i}", ("a", "b", "c")) for i in range(p)], codes=values)


def same(first: Estimate, second: Estimate) -> bool:
    return first.graph == second.graph and first.stats == second.stats


def alike(first: Estimate, second: Estimate) -> bool:
    """Whether two results are the same to the last digit, with their posteriors and matrices."""
    return same(first, second) and all(map(np.array_equal, _numbers(first), _numbers(second)))


def _numbers(estimate: Estimate) -> list[object]:
    found: list[object] = [estimate.precision, estimate.notes]
    if estimate.posterior is not None:
        found.append(estimate.posterior.strengths.strength)
        found += [chain.score for chain in estimate.posterior.chains]
    if estimate.path is not None:
        found += [estimate.path.penalties, estimate.path.bits]
    return found
