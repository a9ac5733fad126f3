from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.errors import GraphError
from dagathlon.evaluate import shd
from dagathlon.graphs import Graph


@st.composite
def pairs_of_graphs(draw: st.DrawFn) -> tuple[Graph, Graph]:
    p = draw(st.sampled_from([0, 1, 2, 7, 64, 65, 128]))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return random_graph(p, rng), random_graph(p, rng)


def random_graph(p: int, rng: np.random.Generator) -> Graph:
    upper = np.triu(rng.integers(0, 4, (p, p)), 1)
    lower = np.tril(rng.integers(1, 4, (p, p)), -1) * (upper.T != 0)
    return Graph([f"V{i}" for i in range(p)], upper + lower)


def test_by_hand() -> None:
    truth = Graph.from_edges(["A -> B", "B -> C", "C -> D"], names="ABCDE")
    estimate = Graph.from_edges(["A -> B", "C -> B", "C - D", "D -> E"], names="ABCDE")
    assert shd(estimate, truth) == 3
    assert shd(truth, truth) == 0
    assert shd(Graph("ABCDE"), truth) == 3
    assert shd(Graph.from_edges(["A o-> B"]), Graph.from_edges(["A -> B"])) == 1


@given(pairs_of_graphs(), st.randoms(use_true_random=False))
def test_a_distance_that_goes_by_names(graphs, random) -> None:
    a, b = graphs
    differs = (a.marks != b.marks) | (a.marks != b.marks).T
    assert shd(a, b) == shd(b, a) == np.count_nonzero(differs) // 2
    assert shd(a, a) == 0
    assert shd(a, b.subgraph(random.sample(b.names, len(b)))) == shd(a, b)


def test_other_nodes_are_refused() -> None:
    with pytest.raises(GraphError, match="only in the estimate: B; only in the truth: C, D"):
        shd(Graph("AB"), Graph("ACD"))
