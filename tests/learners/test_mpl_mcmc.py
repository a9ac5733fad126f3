"""mpl_mcmc: the pseudo-posterior over all graphs, from formulas of our own."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.learners import learn
from dagathlon.modules import find
from strategies import continuous

Matrix = npt.NDArray[np.float64]
Term = Callable[[int, list[int]], float]
Q = 0.3


def gaussian(n: int = 30, p: int = 4, seed: int = 1) -> Matrix:
    rng = np.random.default_rng(seed)
    weights = np.diag(np.full(p - 1, 0.4), 1)
    return rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights)


def discrete(values: Matrix, cuts: tuple[float, ...] = (0.0,)) -> Dataset:
    levels = tuple("abcdef"[: len(cuts) + 1])
    variables = [Variable(f"v{j}", levels) for j in range(values.shape[1])]
    return Dataset(variables, codes=np.digitize(values, cuts))


def fractional_term(values: Matrix) -> Term:
    """Leppä-aho and others 2017, equation 9, with residuals of a regression."""
    centred, n = values - values.mean(axis=0), len(values)

    def term(node: int, neighbours: list[int]) -> float:
        k, y, x = len(neighbours), centred[:, node], centred[:, neighbours]
        rest = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
        return (
            -(n - 1) / 2 * math.log(math.pi * float(rest @ rest))
            + math.lgamma((n + k) / 2)
            - math.lgamma((k + 1) / 2)
            - (2 * k + 1) / 2 * math.log(n)
        )

    return term


def dirichlet_term(data: Dataset, alpha: float) -> Term:
    def term(node: int, neighbours: list[int]) -> float:
        arity, total = data.arities[node], 0.0
        for configuration in np.unique(data.codes[:, neighbours], axis=0):
            rows = (data.codes[:, neighbours] == configuration).all(axis=1)
            counts = np.bincount(data.codes[rows, node], minlength=arity)
            total += math.lgamma(arity * alpha) - math.lgamma(arity * alpha + rows.sum())
            total += sum(math.lgamma(alpha + c) - math.lgamma(alpha) for c in counts)
        return total

    return term


def enumerated(p: int, term: Term, most: int) -> Matrix:
    """Probabilities of edges over all graphs with at most so many neighbours of a node."""
    pairs = list(itertools.combinations(range(p), 2))
    graphs, scores = [], []
    for present in itertools.product((0, 1), repeat=len(pairs)):
        graph = np.zeros((p, p))
        for bit, (i, j) in zip(present, pairs, strict=True):
            graph[i, j] = graph[j, i] = bit
        if graph.sum(axis=0).max() > most:
            continue
        graphs.append(graph)
        terms = [term(node, np.flatnonzero(graph[node]).tolist()) for node in range(p)]
        scores.append(sum(terms) + sum(present) * math.log(Q / (1 - Q)))
    weights = np.exp(np.array(scores) - max(scores))
    result: Matrix = np.tensordot(weights / weights.sum(), np.array(graphs), axes=1)
    return result


def sampled(data: Dataset, **parameters: object) -> Matrix:
    estimate = learn(data, "mpl_mcmc", edge_probability=Q, iterations=30_000, **parameters)
    assert estimate.posterior is not None
    return estimate.posterior.edge_probabilities


@pytest.mark.parametrize("most", [3, 1])
def test_gaussian_pseudo_posterior(most: int):
    values = gaussian()
    expected = enumerated(4, fractional_term(values), most)
    assert np.any((expected > 0.05) & (expected < 0.95))
    found = sampled(continuous(values, "v"), max_neighbours=most)
    np.testing.assert_allclose(found, expected, atol=0.02)


def test_discrete_pseudo_posterior():
    data = discrete(gaussian(40), (-0.5, 0.5))
    expected = enumerated(4, dirichlet_term(data, 0.3), 3)
    assert np.any((expected > 0.05) & (expected < 0.95))
    np.testing.assert_allclose(sampled(data, pseudo_obs=0.3), expected, atol=0.02)


@pytest.mark.slow
def test_pseudo_posteriors_of_five_variables():
    values = gaussian(40, p=5, seed=7)
    expected = enumerated(5, fractional_term(values), 4)
    np.testing.assert_allclose(sampled(continuous(values, "v")), expected, atol=0.015)
    data = discrete(values)
    expected = enumerated(5, dirichlet_term(data, 0.5), 4)
    np.testing.assert_allclose(sampled(data), expected, atol=0.015)


def test_the_score_is_the_log_weight_of_a_graph():
    values = gaussian()
    estimate = learn(continuous(values, "v"), "mpl_mcmc", edge_probability=Q, iterations=50)
    graph, term = estimate.graph.adjacency, fractional_term(values)
    terms = sum(term(node, np.flatnonzero(graph[node]).tolist()) for node in range(4))
    expected = terms + estimate.graph.n_edges * math.log(Q / (1 - Q))
    assert estimate.stats["score"] == pytest.approx(expected)


def test_what_the_rows_allow():
    few = continuous(gaussian(3, p=6), "v")
    estimate = learn(few, "mpl_mcmc", iterations=200, chains=2)
    assert estimate.graph.adjacency.sum(axis=0).max() <= 1
    assert estimate.posterior is not None
    assert "at most 1 neighbours" in estimate.posterior.space
    constant = gaussian(30)
    constant[:, 2] = 5.0
    graph = learn(continuous(constant, "v"), "mpl_mcmc", iterations=200).graph
    assert not graph.adjacency[2].any()


def test_priors_that_leave_nothing_to_sample():
    for values, words in (({"edge_probability": 1}, "below 1"), ({"pseudo_obs": 0}, "above 0")):
        assert words in find("algorithm", "mpl_mcmc")(**values).problem()


@pytest.mark.slow
def test_hundreds_of_variables():
    rng = np.random.default_rng(4)
    p, edges = 300, [(j, j + 1) for j in range(0, 298, 3)]
    precision = np.eye(p)
    for i, j in edges:
        precision[i, j] = precision[j, i] = 0.4
    values = rng.multivariate_normal(np.zeros(p), np.linalg.inv(precision), size=300)
    for data, least in ((continuous(values, "v"), 95), (discrete(values), 80)):
        found = learn(data, "mpl_mcmc", iterations=100).posterior
        assert found is not None
        likely = np.triu(found.edge_probabilities > 0.5)
        assert sum(likely[i, j] for i, j in edges) >= least
        assert likely.sum() <= len(edges) + 50
