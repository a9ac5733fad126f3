"""neighbourhood_lasso, tiger, space, ising_lasso and mixed_lasso: the graphs they give."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.run import run_learner
from dagathlon.learners.undirected.ising_lasso import IsingLasso, MixedLasso
from dagathlon.learners.undirected.neighbourhood_lasso import NeighbourhoodLasso
from dagathlon.learners.undirected.space import Space
from dagathlon.learners.undirected.tiger import Tiger

GAUSSIAN = [NeighbourhoodLasso, Tiger, Space, MixedLasso]


def _learn(learner: Learner, data: Dataset) -> Estimate:
    return run_learner(learner, data, np.random.default_rng(0))


def _band(n: int, p: int = 8, seed: int = 3) -> Dataset:
    """A tridiagonal precision matrix, in columns of different units."""
    precision = np.eye(p) + 0.4 * (np.eye(p, k=1) + np.eye(p, k=-1))
    values = np.random.default_rng(seed).multivariate_normal(
        np.zeros(p), np.linalg.inv(precision), size=n, method="cholesky"
    )
    scaled = values * 10.0 ** np.arange(p)
    return Dataset([Variable(f"V{j}") for j in range(p)], values=scaled)


def _two_levels(codes: npt.NDArray[np.integer[Any]]) -> Dataset:
    return Dataset([Variable(f"V{j}", ("no", "yes")) for j in range(codes.shape[1])], codes=codes)


def _grid_edges(side: int) -> npt.NDArray[np.bool_]:
    cells = list(product(range(side), repeat=2))
    return np.array([[abs(a - c) + abs(b - d) == 1 for c, d in cells] for a, b in cells])


def _ising(edges: npt.NDArray[np.bool_], strength: float, n: int) -> Dataset:
    """Independent draws: all states are enumerated."""
    states = np.array(list(product((-1, 1), repeat=len(edges))))
    weights = np.exp(strength / 2 * np.einsum("si,ij,sj->s", states, edges, states))
    rng = np.random.default_rng(4)
    drawn = rng.choice(len(states), size=n, p=weights / weights.sum())
    return _two_levels((states[drawn] + 1) // 2)


@pytest.mark.parametrize("kind", GAUSSIAN)
def test_a_band_is_found_from_many_rows(kind: type[Learner]) -> None:
    found = _learn(kind(), _band(1500))
    expected = np.eye(8, k=1, dtype=bool) | np.eye(8, k=-1, dtype=bool)
    assert np.array_equal(found.graph.adjacency, expected)
    assert found.path is not None
    assert not found.path.adjacency[0].any()


@pytest.mark.parametrize("kind", [Tiger, Space])
def test_precisions_are_zero_off_the_graph_and_near_the_true_ones(kind: type[Learner]) -> None:
    data = _band(3000)
    found = _learn(kind(penalty=0.05), data)
    assert found.precision is not None
    off = ~np.eye(8, dtype=bool)
    assert np.array_equal((found.precision != 0) & off, found.graph.adjacency)
    assert np.array_equal(found.precision, found.precision.T)
    units = 10.0 ** np.arange(8)
    true = np.eye(8) + 0.4 * (np.eye(8, k=1) + np.eye(8, k=-1))
    assert np.abs(found.precision * np.outer(units, units) - true).max() < 0.16


def test_a_grid_of_two_level_variables_is_found() -> None:
    edges = _grid_edges(3)
    found = _learn(IsingLasso(n_penalties=6), _ising(edges, 0.4, 1500))
    assert np.array_equal(found.graph.adjacency, edges)


def test_mixed_variables_are_joined_through_their_kinds() -> None:
    rng = np.random.default_rng(5)
    first = rng.normal(size=1500)
    middle = np.digitize(first + 0.7 * rng.logistic(size=1500), [-0.7, 0.7])
    last = np.array([0.0, 1.5, -1.0])[middle] + rng.normal(size=1500)
    data = Dataset(
        [Variable("a"), Variable("b", ("x", "y", "z")), Variable("c")],
        codes=middle[:, None],
        values=np.column_stack([first, last]),
    )
    graph = _learn(MixedLasso(n_penalties=8), data).graph
    assert graph.adjacency.tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize("kind", [NeighbourhoodLasso, Tiger, MixedLasso])
def test_either_direction_is_enough_for_or(kind: Any) -> None:
    data = _band(40)
    both = _learn(kind(rule="and"), data).path
    either = _learn(kind(rule="or"), data).path
    assert both is not None
    assert either is not None
    assert not (both.adjacency & ~either.adjacency).any()
    assert (either.n_edges > both.n_edges).any()


def test_continuous_columns_have_the_neighbourhoods_of_the_lasso() -> None:
    data = _band(30)
    ours = _learn(MixedLasso(min_ratio=0.1), data).path
    theirs = _learn(NeighbourhoodLasso(min_ratio=0.1), data).path
    assert ours is not None
    assert theirs is not None
    assert np.array_equal(ours.adjacency[1:], theirs.adjacency[1:])


def test_what_is_constant_or_unseen_joins_nothing() -> None:
    codes = np.zeros((40, 3), dtype=int)
    codes[:, 0] = np.arange(40) % 2
    codes[:, 1] = np.where(np.arange(40) < 30, codes[:, 0], 1 - codes[:, 0])
    data = Dataset([Variable(f"V{j}", tuple("abcd")) for j in range(3)], codes=codes)
    for select in ("ebic", "cv"):
        graph = _learn(IsingLasso(select=select, n_penalties=5), data).graph
        assert not graph.neighbours("V2")
    assert _learn(IsingLasso(penalty=0.2), data).graph.neighbours("V0") == ("V1",)


def test_rows_left_out_with_a_new_level_can_be_judged() -> None:
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 3, size=(31, 3))
    codes[0, 0] = 3
    data = Dataset([Variable(f"V{j}", tuple("abcd")) for j in range(3)], codes=codes)
    found = _learn(IsingLasso(select="cv", n_penalties=3), data)
    assert np.isfinite(found.stats["held_out"])
