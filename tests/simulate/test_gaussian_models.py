"""Gaussian models on undirected graphs against independent methods."""

from __future__ import annotations

import math

import numpy as np
import pytest
from graph_draws import stream
from scipy import stats

from dagathlon.benchpress.parameters import BdgraphRgwish, TrilearnGInvWishart
from dagathlon.errors import DagathlonError, DataError
from dagathlon.graphs import Graph
from dagathlon.simulate.completion import complete_covariance, complete_inverse
from dagathlon.simulate.erdos_renyi import ErdosRenyi
from dagathlon.simulate.g_wishart import GWishart, IntraClass

SQUARE = ["a - b", "b - c", "c - d", "a - d"]


def square() -> Graph:
    return Graph.from_edges(SQUARE)


def precisions(b: float, graph: Graph, n: int) -> np.ndarray:
    rng = stream()
    drawn = (GWishart(b=b).sample(graph, rng).covariance() for _ in range(n))
    return np.array([np.linalg.inv(covariance) for covariance in drawn])


def importance_sample(b: float, graph: Graph, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Precision matrices and weights by the method of Atay-Kayis and Massam (2005)."""
    p = len(graph)
    joined = graph.adjacency.astype(bool)
    rng = stream(9)
    factor = np.zeros((n, p, p))
    exponent = np.zeros(n)
    for i in range(p):
        later = joined[i, i + 1 :].sum()
        factor[:, i, i] = np.sqrt(rng.chisquare(b + later, n))
        for j in range(i + 1, p):
            if joined[i, j]:
                factor[:, i, j] = rng.standard_normal(n)
            else:
                earlier = (factor[:, :i, i] * factor[:, :i, j]).sum(axis=1)
                factor[:, i, j] = -earlier / factor[:, i, i]
                exponent -= factor[:, i, j] ** 2 / 2
    return factor.transpose(0, 2, 1) @ factor, np.exp(exponent)


def statistics(k: np.ndarray) -> np.ndarray:
    around = k[:, 0, 1] * k[:, 1, 2] * k[:, 2, 3] * k[:, 0, 3]
    return np.stack(
        [k[:, 0, 0], k[:, 1, 1], k[:, 0, 1] ** 2, around, np.linalg.slogdet(k)[1]], axis=1
    )


@pytest.mark.parametrize("b", [3.0, 5.5])
def test_g_wishart_on_a_square_against_importance_sampling(b: float):
    ours = statistics(precisions(b, square(), 6000))
    matrices, weights = importance_sample(b, square(), 60_000)
    theirs = statistics(matrices)
    mean = np.average(theirs, axis=0, weights=weights)
    share = weights / weights.sum()
    error = np.sqrt(
        ours.var(axis=0) / len(ours) + (share[:, None] ** 2 * (theirs - mean) ** 2).sum(axis=0)
    )
    assert np.all(np.abs(ours.mean(axis=0) - mean) < 4.5 * error)


@pytest.mark.parametrize("seed", [1, 2])
def test_g_wishart_traces_have_their_exact_mean(seed: int):
    # Scaling the integral of the density gives E tr K = p·b + 2·edges for any graph.
    graph = ErdosRenyi(nodes=8, neighbours=3, directed=False).sample(stream(seed))
    traces = np.trace(precisions(3, graph, 3000), axis1=1, axis2=2)
    error = traces.std() / math.sqrt(len(traces))
    assert abs(traces.mean() - (8 * 3 + 2 * graph.n_edges)) < 4.5 * error


def test_g_wishart_cliques_of_a_decomposable_graph_are_inverse_wishart():
    path = Graph.from_edges(["a - b", "b - c"])
    rng = stream()
    covariances = np.array([GWishart(b=4).sample(path, rng).covariance() for _ in range(3000)])
    # The inverse of each clique's covariance is Wishart with b + 1 degrees of freedom, and each
    # variance the inverse of a chi-square number with b.
    for clique in ([0, 1], [1, 2]):
        inverse = np.linalg.inv(covariances[:, clique][:, :, clique])
        assert stats.kstest(inverse[:, 0, 0], stats.chi2(5).cdf).pvalue > 1e-4
    for i in range(3):
        assert stats.kstest(1 / covariances[:, i, i], stats.chi2(4).cdf).pvalue > 1e-4


def test_g_wishart_has_the_zeros_of_the_graph():
    graph = ErdosRenyi(nodes=50, neighbours=6, directed=False).sample(stream())
    inverse = np.linalg.inv(BdgraphRgwish().sample(graph, stream()).covariance())
    absent = ~(graph.adjacency.astype(bool) | np.eye(50, dtype=bool))
    scale = np.sqrt(np.outer(np.diag(inverse), np.diag(inverse)))
    assert np.abs(inverse / scale)[absent].max() < 1e-5


def test_g_inverse_wishart_counts_from_the_number_of_variables():
    complete = Graph.from_edges(["a - b", "a - c", "b - c"])
    rng = stream()
    inverse = np.array(
        [
            np.linalg.inv(TrilearnGInvWishart(dof=2).sample(complete, rng).covariance())
            for _ in range(2000)
        ]
    )
    # Wishart with p + dof = 5 degrees of freedom.
    assert stats.kstest(inverse[:, 0, 0], stats.chi2(5).cdf).pvalue > 1e-4


def test_intra_class_by_hand():
    # Two triangles that share the edge b - c, and a tail.
    graph = Graph.from_edges(["a - b", "a - c", "b - c", "b - d", "c - d", "d - e"])
    covariance = IntraClass(rho=0.5, sigma2=2).sample(graph, stream()).covariance()
    assert np.diag(covariance).tolist() == [2] * 5
    for edge in graph.edges():
        i, j = graph.positions([edge.left, edge.right])
        assert covariance[i, j] == 1
    # a and d given b and c: (1, 1)·inv([[2, 1], [1, 2]])·(1, 1) = 2/3.
    a, d, e = graph.positions("ade")
    assert covariance[a, d] == pytest.approx(2 / 3)
    assert covariance[a, e] == pytest.approx(2 / 3 * 0.5)


def test_intra_class_on_a_cycle_has_its_zeros():
    covariance = IntraClass(rho=0.3).sample(square(), stream()).covariance()
    inverse = np.linalg.inv(covariance)
    assert abs(inverse[0, 2]) < 1e-10
    assert covariance[0, 1] == 0.3


def test_completion_of_an_inverse_is_that_of_the_matrix():
    factor = np.tril(stream().standard_normal((4, 4)), -1) + np.diag([1.0, 2, 3, 4])
    full = np.linalg.inv(factor @ factor.T)
    np.testing.assert_allclose(
        complete_inverse(factor, square(), 1e-13),
        complete_covariance(full, square(), 1e-13),
        atol=1e-12,
    )


def test_impossible_completions_are_errors():
    with pytest.raises(DataError, match="not positive definite"):
        complete_covariance(
            np.array([[1.0, 2, 2], [2, 1, 2], [2, 2, 1]]),
            Graph.from_edges(["a - b", "b - c", "a - c"]),
        )
    with pytest.raises(DataError, match="raise the tolerance"):
        complete_covariance(np.array([[1.0, 0.9], [0.9, 1]]), Graph("ab"), -1.0)


@pytest.mark.parametrize(
    ("module", "edges", "message"),
    [
        (GWishart(b=0.0), SQUARE, "b must be a finite number above 0, found 0"),
        (GWishart(b=math.inf), SQUARE, "found inf"),
        (GWishart(tolerance=0.0), SQUARE, "tolerance must be"),
        (IntraClass(rho=1.0), SQUARE, "rho must be below 1"),
        (IntraClass(sigma2=0.0), SQUARE, "sigma2 must be"),
        (
            GWishart(),
            ["a -> b"],
            "needs an undirected graph, found the edge a -> b",
        ),
    ],
)
def test_wrong_parameters_are_refused(module, edges, message):
    with pytest.raises(DagathlonError, match=message):
        module.sample(Graph.from_edges(edges), stream())
