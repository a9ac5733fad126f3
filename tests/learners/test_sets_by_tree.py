"""Searches over many sets of given variables: trees leave all answers as they are."""

from __future__ import annotations

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.graphs import Graph
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners import learn
from dagathlon.learners.hybrid.hybrid import _Confined

# hpc also asks about a variable given itself, to which the two tests have other answers.
NEIGHBOURS = ("mmpc", "si_hiton_pc")
BLANKETS = ("iamb", "inter_iamb", "fast_iamb", "iamb_fdr", "gs")


def dense(seed: int, copies: int = 0, p: int = 12, n: int = 900) -> Dataset:
    """Rows of a linear model in which most variables are joined, and sums of two columns."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(size=(p, p)) * (rng.random((p, p)) < 0.7), 1)
    values = rng.normal(size=(n, p))
    for j in range(p):
        values[:, j] += values[:, :j] @ weights[:j, j]
    sums = [values[:, k] + values[:, k + 1] for k in range(copies)]
    table = np.column_stack([values, *sums])
    return Dataset([Variable(f"V{j}") for j in range(table.shape[1])], values=table)


@pytest.mark.parametrize("learner", NEIGHBOURS + BLANKETS)
@pytest.mark.parametrize("copies", [0, 2])
def test_the_same_tests_and_answers_as_one_set_at_a_time(learner: str, copies: int) -> None:
    """The test that leaves out rows has no tree; on complete data it has the same answers."""
    for seed in range(3):
        data = dense(seed, copies)
        tree, single = (learn(data, learner, test=test) for test in ("cor", "cor.td"))
        assert tree.graph == single.graph
        assert tree.stats == single.stats


def test_few_rows_leave_large_sets_without_an_answer() -> None:
    data = dense(4, p=9, n=10)
    tree, single = (learn(data, "mmpc", alpha=0.5, test=test) for test in ("cor", "cor.td"))
    assert tree.graph == single.graph
    assert tree.stats == single.stats


def test_nothing_outside_a_skeleton_but_what_is_required() -> None:
    skeleton = Graph.from_edges([("A", "B"), ("C", "D")])
    known = Knowledge(frozenset({("A", "B")}), frozenset({("B", "C")}))
    inside = _Confined(known.forbidden, known.required, skeleton=skeleton)
    forbidden, required = inside.matrices(("A", "B", "C", "D"))
    allowed = {(i, j) for i, j in np.argwhere(~forbidden).tolist() if i != j}
    assert allowed == {(1, 0), (1, 2), (2, 3), (3, 2)}
    assert np.argwhere(required).tolist() == [[1, 2]]
