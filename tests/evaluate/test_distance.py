from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.errors import GraphError
from dagathlon.evaluate import compare, half_shd, shd
from dagathlon.graphs import Graph, cpdag, pattern


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


def test_variants_by_hand() -> None:
    truth = Graph.from_edges(["A -> B", "B -> C", "C -> D"], names="ABCD")
    estimate = Graph.from_edges(["B -> A", "C -> B", "D -> B"], names="ABCD")
    assert shd(estimate, truth) == shd(estimate, truth, "dag") == 4
    assert shd(estimate, truth, "skeleton") == 2
    assert half_shd(estimate, truth) == 3
    # The estimate has the v-structure C -> B <- D, and B -> A follows from it in the CPDAG.
    assert shd(estimate, truth, "pattern") == 3
    assert shd(estimate, truth, "cpdag") == 4
    found = compare(estimate, truth)
    assert [found[f"SHD_{name}"] for name in ("dag", "skel", "half", "pattern", "cpdag")] == [
        *(4, 2, 3, 3, 4)
    ]


def test_variants_of_other_graphs() -> None:
    truth = Graph.from_edges(["A -> B"])
    with pytest.raises(GraphError, match="DAG"):
        shd(cpdag(truth), truth, "dag")
    with pytest.raises(GraphError, match="did you mean 'pattern'"):
        shd(truth, truth, "patern")  # type: ignore[arg-type]
    assert compare(cpdag(truth), truth)["SHD_dag"] is None
    assert compare(cpdag(truth), truth)["SHD_cpdag"] == 0


@given(pairs_of_graphs())
def test_order_of_the_variants(graphs) -> None:
    a, b = graphs
    assert shd(a, b, "skeleton") <= half_shd(a, b) <= shd(a, b)
    assert shd(a, b, "pattern") == shd(pattern(a), pattern(b))
