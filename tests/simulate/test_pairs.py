"""Edges as pairs: every pair is reached, and equally often."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from graph_draws import stream
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dagathlon.errors import GraphError
from dagathlon.graphs import Graph
from dagathlon.simulate import pairs as kernel


def test_places_are_pairs_in_order():
    found = kernel.upper_pairs(np.arange(190))
    expected = sorted(combinations(range(20), 2), key=lambda pair: (pair[1], pair[0]))
    assert list(map(tuple, found.tolist())) == expected


@given(st.integers(0, 10**15))
def test_places_and_pairs_are_one_to_one(place: int):
    ((i, j),) = kernel.upper_pairs(np.array([place])).tolist()
    assert 0 <= i < j
    assert j * (j - 1) // 2 + i == place


@pytest.mark.parametrize("probability", [0.01, 0.3, 0.95])
def test_coins_are_independent_with_their_probability(probability: float):
    rng = stream()
    counts = np.zeros(50, dtype=int)
    sizes = []
    for _ in range(4000):
        places = kernel.bernoulli_places(50, probability, rng)
        assert np.all(np.diff(places) > 0)
        counts[places] += 1
        sizes.append(len(places))
    expected = 4000 * probability
    spread = (counts - expected) ** 2 / (expected * (1 - probability))
    assert stats.chi2.sf(spread.sum(), 50) > 1e-4
    variance = 50 * probability * (1 - probability)
    assert abs(np.var(sizes) - variance) < 5 * variance * np.sqrt(2 / 4000)


@pytest.mark.parametrize(("probability", "count"), [(0.0, 0), (1.0, 45)])
def test_certain_coins(probability: float, count: int):
    assert len(kernel.random_pairs(10, probability, stream())) == count


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_to_join(n: int):
    assert kernel.random_pairs(n, 0.5, stream()).shape == (0, 2)


def test_exact_numbers_of_pairs_are_equally_likely():
    rng = stream()
    seen = np.zeros((5, 5), dtype=int)
    for _ in range(3000):
        chosen = kernel.number_of_pairs(5, 4, rng)
        assert len(set(map(tuple, chosen.tolist()))) == 4
        seen[chosen[:, 0], chosen[:, 1]] += 1
    counts = seen[np.triu_indices(5, 1)]
    assert counts.sum() == 12_000
    assert stats.chi2.sf(((counts - 1200) ** 2 / (1200 * 0.6)).sum(), 9) > 1e-4


def test_directions_follow_an_order():
    complete = kernel.random_pairs(6, 1.0, stream())
    graph = Graph.from_pairs("abcdef", kernel.acyclic(complete, 6, stream()))
    assert graph.is_dag
    assert graph.n_edges == 15


def test_graph_from_pairs_is_that_from_the_matrix():
    pairs = kernel.random_pairs(70, 0.1, stream())
    matrix = np.zeros((70, 70), dtype=int)
    matrix[pairs[:, 0], pairs[:, 1]] = 1
    names = [f"v{i}" for i in range(70)]
    assert Graph.from_pairs(names, pairs) == Graph.from_adjacency(names, matrix)
    undirected = Graph.from_pairs(names, pairs, directed=False)
    assert undirected == Graph.from_adjacency(names, matrix + matrix.T)
    assert Graph.from_pairs("ab", []) == Graph("ab")


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([[0, 3]], "out of range"),
        ([[-1, 0]], "out of range"),
        ([[1, 1]], "no edge with itself"),
        ([[0, 1], [1, 0]], "joined twice"),
    ],
)
def test_wrong_pairs_are_refused(pairs: list[list[int]], message: str):
    with pytest.raises(GraphError, match=message):
        Graph.from_pairs("abc", pairs)
