"""The dual PC algorithm against a plain copy of what the authors' program does."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from plain_dual_pc import directed, plain_dual_pc

from dagathlon.data import Dataset, Variable
from dagathlon.graphs import Graph
from dagathlon.learners import learn


def matrix_of(graph: Graph) -> npt.NDArray[np.int_]:
    """Bidirected edges as 2, as the program writes conflicts."""
    both = (graph.marks == 2) & (graph.marks.T == 2)
    return np.where(both, 2, graph.adjacency.astype(int))


def random_data(rng: np.random.Generator) -> Dataset:
    """A linear model of up to 15 variables, some of them hidden, and few rows or many."""
    p = int(rng.integers(3, 16))
    share = rng.uniform(0.5, 4) / p
    weights = np.triu(rng.random((p, p)) < share, 1) * rng.choice([-1, 1], (p, p))
    weights = weights * rng.uniform(0.2, 1.5, (p, p))
    rows = max(int(rng.choice([12, 20, 40, 100, 400])), p + 3)
    values = rng.normal(size=(rows, p)) @ np.linalg.inv(np.eye(p) - weights)
    values = values[:, rng.permutation(p)[: p if p < 7 else p - 2]]
    return Dataset([Variable(f"V{j:02}") for j in range(values.shape[1])], values=values)


def compare(seed: int, count: int) -> int:
    """Compare all settings on random data; return the number of graphs with a conflict."""
    rng = np.random.default_rng(seed)
    conflicts = 0
    for _ in range(count):
        data = random_data(rng)
        alpha = float(rng.choice([0.01, 0.05, 0.2, 0.4]))
        limit = None if rng.random() < 0.7 else int(rng.integers(1, 4))
        correlation = np.asarray(np.corrcoef(data.values.T))
        skeleton, separations = plain_dual_pc(correlation, len(data), alpha, limit)
        setting: dict[str, Any] = {"alpha": alpha, "max_ord": limit}
        found = learn(data, "dualpc", skeleton=True, **setting).graph
        assert np.array_equal(found.adjacency, skeleton)
        for marked in (False, True):
            expected = directed(skeleton, separations, conflicts=marked)
            found = learn(data, "dualpc", pattern_graph=marked, **setting).graph
            assert np.array_equal(matrix_of(found), expected)
            conflicts += bool((expected == 2).any())
    return conflicts


def test_the_programs_graphs() -> None:
    assert compare(1, 120) > 3


@pytest.mark.slow
def test_many_of_the_programs_graphs() -> None:
    assert compare(2, 2000) > 50


def test_separated_by_all_others_is_never_a_collider() -> None:
    # a -> c <- b with a and b correlated so that they are independent given c: a veto.
    correlation = np.array([[1, 0.36, 0.6], [0.36, 1, 0.6], [0.6, 0.6, 1]])
    values = np.random.default_rng(1).normal(size=(400, 3))
    values = values - values.mean(axis=0)
    whitened = values @ np.linalg.inv(np.linalg.cholesky(values.T @ values)).T
    data = Dataset(
        [Variable(name) for name in "abc"], values=whitened @ np.linalg.cholesky(correlation).T
    )
    for complement_always in (False, True):
        found = learn(data, "dual_pc", complement_always=complement_always).graph
        assert sorted(str(edge) for edge in found.edges()) == ["a - c", "b - c"]


def test_only_the_program_marks_conflicts() -> None:
    rng = np.random.default_rng(3)
    for _ in range(40):
        data = random_data(rng)
        pattern = learn(data, "dual_pc", alpha=0.2, pattern_only=True).graph
        assert {edge.connector for edge in pattern.edges()} <= {"->", "-"}
