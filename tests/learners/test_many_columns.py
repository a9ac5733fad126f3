"""Skeletons of many columns: questions come in another order, answers and their number stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners import learn
from dagathlon.learners.constraint.pc import Pc
from dagathlon.threads import several_threads
from strategies import continuous

P = 420  # more than the columns whose correlations stay in a processor's own memory


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
def test_pairs_asked_about_one_after_the_other_give_the_same(
    options: dict[str, Any], rows: int, copies: int
) -> None:
    """They are where possible causes are looked at, which here are all."""
    data, rng = continuous(linear(rows, copies)), np.random.default_rng(0)
    found = Pc(**options).learn(data, rng)
    plain = Pc(possible_causes_only=True, **options).learn(data, rng)
    assert (found.graph, found.stats) == (plain.graph, plain.stats)
    with several_threads(2):
        again = Pc(**options).learn(data, rng)
    assert (again.graph, again.stats) == (found.graph, found.stats)
    assert found.graph.n_edges > P / 2


def test_a_constant_column_changes_nothing() -> None:
    values = linear(60)
    found = learn(continuous(values), "pc")
    more = learn(continuous(np.insert(values, 7, 1.0, axis=1)), "pc")
    others = np.delete(np.arange(P + 1), 7)
    assert np.array_equal(found.graph.marks, more.graph.marks[np.ix_(others, others)])
    assert more.graph.n_edges == found.graph.n_edges
    assert found.stats["ntests"] == more.stats["ntests"] - P
    assert found.stats["undefined_tests"] == more.stats["undefined_tests"] - P


def test_rows_that_do_not_suffice_for_one_given_variable() -> None:
    data, rng = continuous(linear(4, 100)), np.random.default_rng(0)
    found = Pc(alpha=0.2).learn(data, rng)
    plain = Pc(alpha=0.2, possible_causes_only=True).learn(data, rng)
    assert (found.graph, found.stats) == (plain.graph, plain.stats)
    assert found.stats["undefined_tests"] > 0
