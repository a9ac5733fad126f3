"""Uniform DAGs against the enumeration of all of them."""

from __future__ import annotations

import numpy as np
import pytest
from graph_draws import draws, stream
from scipy import stats

from dagathlon.graphs import Graph
from dagathlon.simulate import uniform_dag
from dagathlon.simulate.uniform_dag import UniformDag, count_by_roots
from strategies import all_dags


def test_counts_are_those_of_robinson():
    # OEIS A003024.
    known = [1, 3, 25, 543, 29281, 3781503, 1138779265]
    assert [sum(count_by_roots(n)) for n in range(1, 8)] == known
    assert count_by_roots(3) == (15, 9, 1)


@pytest.mark.slow
def test_all_543_dags_of_four_nodes_are_equally_likely():
    n = 543 * 25
    seen: dict[bytes, int] = {}
    for graph in draws(UniformDag(nodes=4), n):
        key = graph.adjacency.tobytes()
        seen[key] = seen.get(key, 0) + 1
    assert set(seen) == {dag.astype(np.uint8).tobytes() for dag in all_dags(4)}
    counts = np.array(list(seen.values()))
    assert stats.chi2.sf(((counts - 25) ** 2 / 25).sum(), 542) > 1e-4


def roots(graph: Graph) -> int:
    return int((graph.adjacency.sum(axis=0) == 0).sum())


@pytest.mark.slow
@pytest.mark.parametrize("nodes", [12, 60])
def test_numbers_of_roots(nodes: int):
    counts = count_by_roots(min(nodes, 40))
    expected = np.array([count / sum(counts) for count in counts[:4]]) * 1500
    seen = np.bincount([roots(g) for g in draws(UniformDag(nodes=nodes), 1500)], minlength=5)[1:5]
    assert stats.chi2.sf(((seen - expected) ** 2 / expected).sum(), 3) > 1e-4


@pytest.mark.slow
def test_limit_and_exact_counts_give_the_same_law(monkeypatch: pytest.MonkeyPatch):
    exact = [g.n_edges for g in draws(UniformDag(nodes=14), 1500)]
    monkeypatch.setattr(uniform_dag, "EXACT", 9)
    uniform_dag._limit.cache_clear()
    limit = [g.n_edges for g in draws(UniformDag(nodes=14), 1500, seed=2)]
    uniform_dag._limit.cache_clear()
    assert stats.ks_2samp(exact, limit).pvalue > 1e-4


def test_the_limit_has_been_reached_at_forty():
    one, two = (np.array([c / sum(r) for c in r[:9]]) for r in map(count_by_roots, (38, 40)))
    np.testing.assert_allclose(one, two, rtol=1e-10, atol=1e-16)


def test_large_uniform_dags():
    graph = UniformDag(nodes=300).sample(stream())
    assert graph.is_dag
    # About half of all pairs are joined, and a few more: every node but the roots has a parent.
    assert abs(graph.n_edges / (300 * 299 / 2) - 0.5) < 0.01


def test_one_node():
    assert UniformDag(nodes=1).sample(stream()) == Graph(["1"])
