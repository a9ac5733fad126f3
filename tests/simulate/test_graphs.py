"""Random graphs."""

from __future__ import annotations

import numpy as np
import pytest

from dagathlon.benchpress.graphs import PcalgRanddag, TrilearnBandmat
from dagathlon.benchpress.templates import NewGraph
from dagathlon.errors import GraphError
from dagathlon.graphs import Graph
from dagathlon.simulate.band import RandomBand
from dagathlon.simulate.base import GraphGenerator


def draws(generator: GraphGenerator, n: int) -> list[Graph]:
    rng = np.random.default_rng(7)
    return [generator.sample(rng) for _ in range(n)]


def is_dag(graph: Graph) -> bool:
    matrix = graph.adjacency.astype(float)
    return not np.linalg.matrix_power(matrix, len(graph)).any() and not (matrix * matrix.T).any()


def test_randdag_has_the_expected_number_of_edges():
    n, d = 12, 3
    graphs = draws(PcalgRanddag(n=n, d=d), 4000)
    assert all(is_dag(graph) for graph in graphs[:50])
    counts = np.array([graph.n_edges for graph in graphs])
    pairs, p = n * (n - 1) / 2, d / (n - 1)
    # Binomial mean and variance, within 4 standard errors.
    assert abs(counts.mean() - pairs * p) < 4 * np.sqrt(pairs * p * (1 - p) / len(counts))
    variance = pairs * p * (1 - p)
    assert abs(counts.var() - variance) < 4 * variance * np.sqrt(2 / len(counts))


def test_randdag_treats_all_pairs_alike():
    total = sum(graph.adjacency.astype(int) for graph in draws(PcalgRanddag(n=5, d=2), 4000))
    off = total[~np.eye(5, dtype=bool)] / 4000
    # Each direction of each pair has probability (2/4)/2.
    assert np.all(np.abs(off - 0.25) < 4.5 * np.sqrt(0.25 * 0.75 / 4000))


def test_randdag_is_determined_by_the_stream():
    first, second, other = (
        PcalgRanddag(max_parents=5).sample(np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert first == second
    assert first != other
    assert first.names == tuple(map(str, range(1, 21)))


def test_randdag_undirected():
    graph = PcalgRanddag(n=30, d=4, DAG=False).sample(np.random.default_rng(1))
    assert (graph.adjacency == graph.adjacency.T).all()
    assert graph.n_edges > 0


def test_max_parents_holds():
    graphs = draws(PcalgRanddag(n=20, d=4, max_parents=4), 100)
    assert max(int(graph.adjacency.sum(axis=0).max()) for graph in graphs) == 4


def test_max_parents_that_cannot_be_met_is_an_error_with_what_was_seen():
    with pytest.raises(
        GraphError, match=r"none of 10000 .* at most 1 parents .* raise max_parents"
    ):
        PcalgRanddag(n=20, d=6, max_parents=1).sample(np.random.default_rng(1))


@pytest.mark.parametrize("n", [1, 2])
def test_smallest_graphs(n: int):
    assert len(PcalgRanddag(n=n, d=0).sample(np.random.default_rng(1))) == n


def test_band():
    graph = TrilearnBandmat(dim=5, bandwidth=2).sample(np.random.default_rng(1))
    place = np.arange(5)
    distance = np.abs(place[:, None] - place)
    np.testing.assert_array_equal(graph.adjacency, (distance > 0) & (distance <= 2))
    assert graph.names == ("0", "1", "2", "3", "4")


def test_random_band_is_a_walk_of_widths():
    for graph in draws(RandomBand(nodes=30, max_bandwidth=4), 30):
        widths = np.triu(graph.adjacency).sum(axis=1)
        assert widths[0] <= 2
        inner = widths[:26]
        assert inner.min() >= 1
        assert inner.max() <= 4
        assert np.abs(np.diff(inner.astype(int))).max() <= 1


def test_new_graph_has_the_documented_probability():
    graphs = draws(NewGraph(p=5, cutoff=0.8), 3000)
    share = np.mean([graph.n_edges for graph in graphs]) / 10
    assert abs(share - (1 - 0.64)) < 4 * np.sqrt(0.64 * 0.36 / 30_000)
