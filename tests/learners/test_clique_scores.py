"""Marginal likelihoods of cliques and the prior over decomposable graphs."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from dagathlon import _core
from dagathlon.graphs import Graph

SUBSETS = [list(nodes) for k in (1, 2, 3) for nodes in combinations(range(3), k)]


def gaussian(rows: int) -> np.ndarray:
    rng = np.random.default_rng(7)
    return rng.normal(size=(rows, 3)) @ rng.normal(size=(3, 3))


def flat_prior(p: int) -> _core.DecomposablePrior:
    return _core.DecomposablePrior(
        edge_log_odds=0.0, max_clique=p, clique_weights=[], separator_weights=[]
    )


@pytest.mark.parametrize("nodes", SUBSETS)
def test_gaussian_cliques_are_products_of_predictive_t_densities(nodes: list[int]) -> None:
    """One row after the other: a t distribution, whose parameters each row updates."""
    values, delta, scale = gaussian(5), 2.5, [1.0, 2.0, 0.5]
    expected, degrees, sums = 0.0, delta, np.diag(scale)[np.ix_(nodes, nodes)]
    for row in values[:, nodes]:
        c, shape = len(nodes), sums / degrees
        form = float(row @ np.linalg.solve(shape, row))
        expected += math.lgamma((degrees + c) / 2) - math.lgamma(degrees / 2)
        expected -= c / 2 * math.log(degrees * math.pi) + np.linalg.slogdet(shape)[1] / 2
        expected -= (degrees + c) / 2 * math.log1p(form / degrees)
        degrees, sums = degrees + 1, sums + np.outer(row, row)
    found = _core.gaussian_cliques(values, delta, scale, True).log_marginal(nodes)
    assert found == pytest.approx(expected, abs=1e-10)


def test_an_unknown_mean_is_integrated_out() -> None:
    values = np.array([[1.3], [0.2], [-0.7], [2.0]])
    means = np.linspace(-60, 60, 5_001)
    known = [
        _core.gaussian_cliques(values - mean, 3.0, [1.5], True).log_marginal([0]) for mean in means
    ]
    found = _core.gaussian_cliques(values, 3.0, [1.5], False).log_marginal([0])
    assert math.exp(found) == pytest.approx(np.exp(known).sum() * 120 / 5000, rel=1e-5)


@pytest.mark.parametrize("nodes", SUBSETS)
def test_discrete_cliques_are_products_of_predictive_shares(nodes: list[int]) -> None:
    rng = np.random.default_rng(3)
    arities, imaginary = [2, 3, 2], 1.7
    codes = np.column_stack([rng.integers(k, size=20) for k in arities]).astype(np.uint8)
    cells = math.prod(arities[node] for node in nodes)
    seen: dict[tuple[int, ...], int] = {}
    expected = 0.0
    for n, row in enumerate(codes[:, nodes].tolist()):
        count = seen.get(tuple(row), 0)
        expected += math.log((imaginary / cells + count) / (imaginary + n))
        seen[tuple(row)] = count + 1
    found = _core.discrete_cliques(codes, arities, imaginary).log_marginal(nodes)
    assert found == pytest.approx(expected, abs=1e-10)


def test_a_graph_weighs_as_its_cliques_less_its_separators() -> None:
    cliques = _core.gaussian_cliques(gaussian(20), 3.0, [1.0] * 3, False)
    prior = _core.DecomposablePrior(
        edge_log_odds=-0.4, max_clique=2, clique_weights=[1.0, 2.0], separator_weights=[0.5]
    )
    target = _core.DecomposableTarget(cliques, prior)
    chain = Graph.from_edges(["a - b", "b - c"], names=tuple("abc"))
    weight = cliques.log_marginal([0, 1]) + cliques.log_marginal([1, 2]) - cliques.log_marginal([1])
    assert target.log_posterior(chain.native) == pytest.approx(weight - 0.8 + 4 - 0.5)
    full = Graph.from_edges(["a - b", "b - c", "a - c"], names=tuple("abc"))
    assert target.log_posterior(full.native) == -math.inf


def test_the_mean_precision_matrix_of_a_full_and_of_an_empty_graph() -> None:
    """Wishart with δ + n + p - 1 degrees of freedom, and gamma distributions."""
    values = gaussian(30)
    cliques = _core.gaussian_cliques(values, 3.0, [2.0] * 3, True)
    target = _core.DecomposableTarget(cliques, flat_prior(3))
    sums = values.T @ values + 2 * np.eye(3)
    full = Graph.from_edges(["a - b", "b - c", "a - c"], names=tuple("abc"))
    np.testing.assert_allclose(target.precision(full.native), 35 * np.linalg.inv(sums))
    empty = Graph.from_edges([], names=tuple("abc"))
    np.testing.assert_allclose(target.precision(empty.native), np.diag(33 / np.diag(sums)))
