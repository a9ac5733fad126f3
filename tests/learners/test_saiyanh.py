"""SaiyanH-style: associations by hand, the spanning graph by its definition, connected results."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.data import Dataset, Network, Variable
from dagathlon.errors import DataError
from dagathlon.graphs import skeleton
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners import learn
from dagathlon.learners.hybrid.saiyanh import SaiyanhStyle, discrepancies, spanning_graph


def connected(joined: np.ndarray) -> bool:
    reach = np.linalg.matrix_power(joined.astype(float) + np.eye(len(joined)), len(joined))
    return bool((reach > 0).all())


def test_discrepancy_by_hand() -> None:
    codes = np.array([[1, 1], [1, 1], [1, 1], [0, 0], [0, 0], [0, 1]])
    data = Dataset([Variable("a", ("0", "1")), Variable("b", ("0", "1"))], codes=codes)
    # P(b=1 | a=1) = 1, P(b=1 | a=0) = 1/3, P(b=1) = 2/3: all four distances are 1/3.
    # P(a=1 | b=1) = 3/4, P(a=1 | b=0) = 0, P(a=1) = 1/2: distances 1/4, 1/4, 1/2, 1/2.
    expected = (1 / 3 + (0.375 + 0.5) / 2) / 2
    assert discrepancies(data)[0, 1] == pytest.approx(expected)


@given(st.integers(0, 500), st.integers(2, 9))
def test_spanning_graph_is_connected_and_holds_a_maximum_spanning_tree(seed: int, p: int) -> None:
    weights = np.random.default_rng(seed).random((p, p))
    weights = np.triu(weights, 1) + np.triu(weights, 1).T
    joined = spanning_graph(weights)
    assert connected(joined)
    assert (joined == joined.T).all()
    inside = {0}
    while len(inside) < p:
        i, j = max(
            ((i, j) for i in inside for j in range(p) if j not in inside), key=lambda e: weights[e]
        )
        assert joined[i, j]
        inside.add(j)


@pytest.mark.parametrize("rows", [5, 50, 2000])
def test_nothing_is_left_alone(rows: int) -> None:
    data = Network.load("asia").sample(rows, seed=3)
    found = learn(data, "saiyanh-style")
    assert found.graph.is_dag
    assert connected(np.asarray(skeleton(found.graph).adjacency) != 0)


def test_constraints_are_obeyed() -> None:
    data = Network.load("asia").sample(500, seed=3)
    knowledge = Knowledge(
        forbidden=frozenset({("smoke", "bronc")}), required=frozenset({("asia", "xray")})
    )
    search = SaiyanhStyle(constraints=knowledge)  # type: ignore[arg-type]
    assert knowledge.violations(search.learn(data, np.random.default_rng(0)).graph) == []


def test_continuous_data_are_refused() -> None:
    data = Dataset(
        [Variable("a"), Variable("b")], values=np.random.default_rng(0).normal(size=(9, 2))
    )
    with pytest.raises(DataError, match="discrete"):
        learn(data, "saiyanh-style")
