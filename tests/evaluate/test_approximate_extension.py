"""A DAG for graphs of directed and undirected edges, extendable or not."""

from __future__ import annotations

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.errors import GraphError
from dagathlon.evaluate.models.approximate_extension import approximate_extension
from dagathlon.evaluations.no_truth.scores import HeldOutRows, ImpliedIndependences
from dagathlon.graphs import Graph, cpdag, extension, skeleton
from dagathlon.learners.base import Estimate
from strategies import random_dag


def test_a_class_is_extended_by_a_member() -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        dag = random_dag(7, rng)
        found = approximate_extension(cpdag(dag))
        assert found.exact
        assert cpdag(found.dag) == cpdag(dag)
        assert approximate_extension(dag).dag == dag


def test_where_none_extends_there_is_one_with_the_same_edges() -> None:
    rng = np.random.default_rng(2)
    inexact = 0
    for _ in range(40):
        marks = skeleton(random_dag(6, rng)).marks.copy()
        for i, j in np.argwhere(np.triu(marks)):
            if rng.random() < 0.6:
                start, end = rng.permutation([i, j])
                marks[start, end], marks[end, start] = 2, 3
        graph = Graph([f"v{i}" for i in range(6)], marks)
        found = approximate_extension(graph)
        assert found.dag.is_dag
        assert skeleton(found.dag) == skeleton(graph)
        if found.exact:
            assert extension(graph).is_dag
        else:
            inexact += 1
            with pytest.raises(GraphError):
                extension(graph)
    assert inexact > 5


def test_contradicting_tests_still_have_numbers_with_a_remark() -> None:
    cycle = Graph.from_edges(["a -> b", "b -> c", "c -> a", "c - d"])
    with pytest.raises(GraphError):
        extension(cycle)
    rng = np.random.default_rng(3)
    data = Dataset([Variable(n) for n in cycle.names], values=rng.normal(size=(80, 4)))
    for step in (HeldOutRows(folds=4), ImpliedIndependences()):
        (row,) = step.compute(data, Estimate(cycle)).values()
        assert "note" not in row
        assert "stands for it" in row["remark"]
