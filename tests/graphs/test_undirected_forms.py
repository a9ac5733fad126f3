"""Moral graphs and unconditional dependence of graphs of directed edges."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dagathlon.errors import GraphError
from dagathlon.graphs import (
    Graph,
    as_undirected,
    cpdag,
    moral,
    separated,
    unconditional_dependence,
)
from strategies import random_dag


def test_pairs_that_nothing_separates_without_a_condition() -> None:
    dag = Graph.from_edges(["a -> b", "a -> c", "d -> c", "e -> f"])
    found = unconditional_dependence(dag)
    assert found == Graph.from_edges(["a - b", "a - c", "b - c", "d - c", "e - f"], dag.names)
    for seed in range(5):
        dag = random_dag(7, np.random.default_rng(seed), 0.25)
        joined = {frozenset((e.left, e.right)) for e in unconditional_dependence(dag).edges()}
        for a, b in itertools.combinations(dag.names, 2):
            assert (frozenset((a, b)) in joined) == (not separated(dag, a, b))


def test_forms_belong_to_the_class() -> None:
    for seed in range(5):
        dag = random_dag(7, np.random.default_rng(seed), 0.25)
        if cpdag(dag).is_undirected:
            continue
        assert as_undirected(cpdag(dag), "moral") == as_undirected(dag, "moral") == moral(dag)
        assert as_undirected(cpdag(dag), "dependence") == unconditional_dependence(dag)


def test_what_stays_and_what_has_no_form() -> None:
    loop = Graph.from_edges(["a - b", "b - c", "c - d", "d - a"])
    assert as_undirected(loop, "moral") is loop
    with pytest.raises(GraphError, match="found the edge a <-> b"):
        as_undirected(Graph.from_edges(["a <-> b"]), "moral")
    with pytest.raises(GraphError, match="unknown undirected form"):
        as_undirected(loop, "skeleton")  # type: ignore[arg-type]
