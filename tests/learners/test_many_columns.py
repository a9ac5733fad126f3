"""Skeletons of many columns: questions come in another order, answers and their number stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners import learn
from dagathlon.learners.constraint.pc import Pc
from dagathlon.threads import several_threads

P = 420  # more than the columns whose correlations stay in a processor's own memory


def dataset(values: npt.NDArray[np.float64]) -> Dataset:
    return Dataset([Variable(f"V{j}") for j in range(values.shape[1])], values=values)


def linear(rows: int, copies: int = 0) -> npt.NDArray[np.float64]:
    """Each column has two parents among those before it; some at the end are sums of two others."""
    rng = np.random.default_rng(rows)
    values = rng.normal(size=(rows, P))
    for j in range(3, P - copies):
        values[:, j] += 0.6 * values[:, rng.integers(0, j, 2)].sum(axis=1)
    for j in range(P - copies, P):
        values[:, j] = values[:, 2 * (P - j)] + values[:, 2 * (P - j) + 1]
    return values


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"alpha": 0.2, "max_order": 2, "conflicts": "first"},
        {"one_sided": True},
        {"neighbours": "by-name"},
        {"constraints": Knowledge(required=frozenset({("V0", "V1"), ("V7", "V200")}))},
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(("rows", "copies"), [(60, 0), (200, 3)])
def test_a_constant_column_changes_nothing(options: dict[str, Any], rows: int, copies: int) -> None:
    """With one, pairs are asked about one after the other; it is independent of all."""
    values = linear(rows, copies)
    learner, rng = Pc(**options), np.random.default_rng(0)
    found = learner.learn(dataset(values), rng)
    with several_threads(2):
        assert learner.learn(dataset(values), rng).graph == found.graph
    plain = learner.learn(dataset(np.column_stack([values, np.ones(rows)])), rng)
    assert np.array_equal(found.graph.marks, plain.graph.marks[:P, :P])
    assert found.stats["ntests"] == plain.stats["ntests"] - P
    assert found.stats["undefined_tests"] == plain.stats["undefined_tests"] - P
    assert found.stats["max_order"] == plain.stats["max_order"]
    assert found.graph.n_edges > P / 2


def test_rows_that_do_not_suffice_for_one_given_variable() -> None:
    values = linear(4, 100)
    found = learn(dataset(values), "pc", alpha=0.2)
    plain = learn(dataset(np.column_stack([values, np.ones(4)])), "pc", alpha=0.2)
    assert np.array_equal(found.graph.marks, plain.graph.marks[:P, :P])
    assert found.stats["undefined_tests"] == plain.stats["undefined_tests"] - P
    assert found.stats["undefined_tests"] > 0
