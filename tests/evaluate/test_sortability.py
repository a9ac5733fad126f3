from __future__ import annotations

import math

import numpy as np
import pytest

from dagathlon.data import Dataset, LinearSem, Variable
from dagathlon.errors import GraphError
from dagathlon.evaluate import order_alignment, r2_sortability, varsortability
from dagathlon.graphs import Graph
from dagathlon.simulate.erdos_renyi import ErdosRenyi
from dagathlon.simulate.iid import Iid
from dagathlon.simulate.linear_sem import RandomLinearSem

CHAIN = Graph.from_edges(["A -> B", "B -> C"])


def columns(*values: list[float]) -> Dataset:
    names = [chr(ord("A") + j) for j in range(len(values))]
    return Dataset([Variable(name) for name in names], values=np.array(values, dtype=float).T)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([1, 2, 3], 1.0),
        ([3, 2, 1], 0.0),
        ([1, 1, 1], 0.5),
        # A→B right, B→C wrong, and the path A→B→C right
        ([1, 3, 2], 2 / 3),
        ([1, 3, 1], (1 + 0 + 0.5) / 3),
    ],
)
def test_paths_of_a_chain(scores, expected) -> None:
    assert order_alignment(CHAIN, scores) == pytest.approx(expected)


def test_variances_by_hand() -> None:
    data = columns([0, 1, 0, 1], [0, 2, 0, 2], [0, 1.5, 0, 1.5])
    assert varsortability(data, CHAIN) == pytest.approx(2 / 3)


def test_explained_variance_by_hand() -> None:
    # A and B are uncorrelated and C is their sum plus noise that is orthogonal to both, so that
    # R² of C is 2/3; A given C and B explains more of A than nothing, by symmetry as much as B.
    a, b, e = [1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]
    data = columns(a, b, [x + y + z for x, y, z in zip(a, b, e, strict=True)])
    collider = Graph.from_edges(["A -> C", "B -> C"])
    assert r2_sortability(data, collider) == 1.0
    # 1 − 1/diag(inverse correlation): A and B 1/2, C 2/3
    assert r2_sortability(data, Graph.from_edges(["A -> B"], names="ABC")) == 0.5


def test_a_copied_column_is_fully_explained() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 50))
    data = columns(list(x), list(y), list(x))
    assert r2_sortability(data, Graph.from_edges(["B -> A", "B -> C"])) == 1.0


def test_standardised_data_say_nothing_by_variance() -> None:
    rng = np.random.default_rng(2)
    graph = ErdosRenyi(nodes=10, neighbours=3).sample(rng)
    model = RandomLinearSem(min=0.5, max=2).sample(graph, rng)
    raw = Iid(n=500).sample(model, np.random.default_rng(3))
    scaled = Iid(n=500, standardized=True).sample(model, np.random.default_rng(3))
    assert varsortability(raw, graph) > 0.8
    assert varsortability(scaled, graph) == 0.5
    assert r2_sortability(scaled, graph) == pytest.approx(r2_sortability(raw, graph))


def test_no_edges_is_not_a_number() -> None:
    assert math.isnan(varsortability(columns([0, 1], [0, 1]), Graph("AB")))


def test_rows_with_missing_values_are_left_out() -> None:
    model = LinearSem("AB", [[0, 1], [0, 0]])
    data = model.sample(200, np.random.default_rng(1))
    values = np.vstack([data.values, [[np.nan, 100.0]]])
    more = Dataset(data.variables, values=values)
    graph = Graph.from_edges(["A -> B"])
    assert r2_sortability(more, graph) == r2_sortability(data, graph)
    assert varsortability(more, graph) == 1.0


def test_what_is_needed_is_said() -> None:
    with pytest.raises(GraphError, match="sortability needs a DAG"):
        varsortability(columns([0, 1], [0, 1]), Graph.from_edges(["A - B"]))
    with pytest.raises(GraphError, match="none of D"):
        varsortability(columns([0, 1], [0, 1]), Graph.from_edges(["A -> D"]))


@pytest.mark.parametrize("seed", range(6))
def test_against_causal_disco(seed) -> None:
    reference = pytest.importorskip("CausalDisco.analytics")
    rng = np.random.default_rng(seed)
    graph = ErdosRenyi(nodes=12, neighbours=4).sample(rng)
    model = RandomLinearSem(min=0.1, max=0.8).sample(graph, rng)
    data = model.sample(300, rng)
    assert varsortability(data, graph) == pytest.approx(
        reference.var_sortability(data.values, model.weights)
    )
    assert r2_sortability(data, graph) == pytest.approx(
        reference.r2_sortability(data.values, model.weights)
    )
