"""Exact posteriors over few variables by dynamic programming, written for clarity, not speed."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from dagathlon.data import Dataset
from dagathlon.learners.score.score_kinds import ScoreParameters
from dagathlon.learners.score.scores import native_score

Floats = np.ndarray
Allowed = Callable[[int, int], bool]


def local_weights(
    data: Dataset, score: str, allowed: Allowed = lambda child, parents: True, **parameters: float
) -> Floats:
    """weights[j, P] of each parent set P (as bits) of node j, the largest of a node being 1."""
    native = native_score(data, score, ScoreParameters(**parameters))  # type: ignore[arg-type]
    p = len(data.names)
    logs = np.full((p, 2**p), -np.inf)
    for child, parents in itertools.product(range(p), range(2**p)):
        if not parents >> child & 1 and allowed(child, parents):
            logs[child, parents] = native.local(child, members(parents))
    return np.exp(logs - logs.max(axis=1, keepdims=True))


def members(subset: int) -> list[int]:
    return [i for i in range(subset.bit_length()) if subset >> i & 1]


def over_subsets(weights: Floats) -> Floats:
    """sums[j, U] over all P within U."""
    sums = weights.copy()
    p = len(weights)
    every = np.arange(2**p)
    for i in range(p):
        with_i = every[every >> i & 1 == 1]
        sums[:, with_i] += sums[:, with_i ^ (1 << i)]
    return sums


def dag_marginals(weights: Floats) -> Floats:
    """Posterior probabilities of arcs, from row to column."""
    return _marginals(weights, _sum_over_dags)


def order_marginals(weights: Floats) -> Floats:
    """The same when a DAG counts once for each order that it agrees with."""
    return _marginals(weights, _sum_over_orders)


def _marginals(weights: Floats, total: Callable[[Floats], float]) -> Floats:
    p = len(weights)
    whole = total(weights)
    result = np.zeros((p, p))
    for i, j in itertools.permutations(range(p), 2):
        with_arc = weights.copy()
        with_arc[j, (np.arange(2**p) >> i & 1) == 0] = 0.0
        result[i, j] = total(with_arc) / whole
    return result


def _sum_over_orders(weights: Floats) -> float:
    sums = over_subsets(weights)
    p = len(weights)
    total = np.zeros(2**p)
    total[0] = 1.0
    for subset in range(1, 2**p):
        total[subset] = sum(
            total[subset ^ 1 << j] * sums[j, subset ^ 1 << j] for j in members(subset)
        )
    return float(total[-1])


def _sum_over_dags(weights: Floats) -> float:
    """Inclusion and exclusion over the set of nodes without children."""
    sums = over_subsets(weights)
    p = len(weights)
    total = np.zeros(2**p)
    total[0] = 1.0
    for subset in range(1, 2**p):
        sinks = subset
        while sinks:
            rest = subset ^ sinks
            product = total[rest]
            for j in members(sinks):
                product *= sums[j, rest]
            total[subset] += product if sinks.bit_count() % 2 else -product
            sinks = (sinks - 1) & subset
    return float(total[-1])


def best_score(logs: Floats) -> float:
    """The highest sum of logs[j, P] over all DAGs."""
    best = logs.copy()
    p = len(logs)
    every = np.arange(2**p)
    for i in range(p):
        with_i = every[every >> i & 1 == 1]
        best[:, with_i] = np.maximum(best[:, with_i], best[:, with_i ^ (1 << i)])
    top = np.full(2**p, -np.inf)
    top[0] = 0.0
    for subset in range(1, 2**p):
        top[subset] = max(top[subset ^ 1 << j] + best[j, subset ^ 1 << j] for j in members(subset))
    return float(top[-1])
