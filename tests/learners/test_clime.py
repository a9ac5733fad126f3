"""CLIME: linear programs by HiGHS, by hand, symmetry, penalties without a solution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from dagathlon import _core
from dagathlon.errors import DataError
from dagathlon.learners import learn
from dagathlon.learners.undirected.clime import Clime, smaller_of_both
from dagathlon.learners.undirected.inputs import Matrix, Vector, moments
from strategies import continuous


def _values(p: int, n: int, seed: int = 2) -> Matrix:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, p))
    for j in range(1, p):
        values[:, j] += 0.7 * values[:, j - 1] * (-1) ** j
    return values * rng.uniform(0.5, 2, p)


def _least(correlation: Matrix, column: int, penalty: float) -> float:
    """The least sum of absolute entries, by HiGHS."""
    unit = np.eye(len(correlation))[column]
    rows = np.hstack([correlation, -correlation])
    found = linprog(
        np.ones(2 * len(unit)),
        A_ub=np.vstack([rows, -rows]),
        b_ub=np.concatenate([unit + penalty, penalty - unit]),
        method="highs",
    )
    assert found.status == 0
    return float(found.fun)


def _check_columns(correlation: Matrix, penalties: Vector) -> None:
    native, unit = _core.SquareMatrix(correlation), np.eye(len(correlation))
    for j in range(len(correlation)):
        found = _core.clime_column(native, j, penalties.tolist())
        assert len(found) == len(penalties)
        for entries, penalty in zip(found, penalties, strict=True):
            assert np.abs(correlation @ entries - unit[j]).max() <= penalty + 1e-8
            least = _least(correlation, j, penalty)
            assert np.abs(entries).sum() == pytest.approx(least, rel=1e-8, abs=1e-8)


def test_columns_are_optimal() -> None:
    _check_columns(np.corrcoef(_values(6, 40).T), np.array([1.2, 0.4, 0.1, 0.01]))


@pytest.mark.slow
def test_columns_are_optimal_in_larger_and_singular_problems() -> None:
    _check_columns(np.corrcoef(_values(25, 100).T), np.geomspace(0.5, 0.005, 6))
    _check_columns(np.corrcoef(_values(25, 12).T) + 0.1 * np.eye(25), np.geomspace(0.5, 0.005, 6))
    copied = _values(8, 50)
    copied[:, 5] = copied[:, 2]
    _check_columns(np.corrcoef(copied.T) + 0.05 * np.eye(8), np.geomspace(0.5, 0.01, 6))


def test_two_variables_by_hand() -> None:
    native = _core.SquareMatrix(np.array([[1.0, 0.6], [0.6, 1.0]]))
    wide, corner, narrow = _core.clime_column(native, 0, [0.5, 0.375, 0.2])
    assert np.allclose(wide, [0.5, 0])
    assert np.allclose(corner, [0.625, 0])
    assert np.allclose(narrow, np.linalg.solve([[1, 0.6], [0.6, 1]], [0.8, 0.2]))


def test_the_smaller_of_both_entries() -> None:
    given = np.array([[2.0, -1.0, 0.0], [3.0, 2.0, 0.5], [4.0, -0.4, 2.0]])
    expected = [[2, -1, 0], [-1, 2, -0.4], [0, -0.4, 2]]
    assert smaller_of_both(given).tolist() == expected


def test_the_path_begins_empty_and_the_chain_is_found() -> None:
    values = _values(6, 2000)
    found = learn(continuous(values, "v"), "clime")
    assert found.path is not None
    assert not found.path.adjacency[0].any()
    assert found.path.adjacency[1].any()
    assert np.array_equal(found.graph.marks != 0, np.eye(6, k=1) + np.eye(6, k=-1) > 0)
    near = learn(continuous(values, "v"), "clime", penalty=1e-6).precision
    assert near is not None
    assert np.allclose(near @ np.cov(values.T), np.eye(6), atol=1e-3)


def test_ric_is_the_penalty_at_which_shifted_columns_are_apart() -> None:
    values = _values(3, 12)
    module = Clime(ridge=0.1, stars_samples=11)
    found = module.ric_penalty(continuous(values, "v"), np.random.default_rng(0))
    tops = []
    for shift in range(1, 12):
        both = moments(np.hstack([values, np.roll(values, shift, axis=0)])).correlation[:3, 3:]
        share = np.abs(both - np.diag(np.diag(both))).max() / 1.1
        tops.append(share / (1 + share))
    assert found == pytest.approx(min(tops))


def test_singular_correlations() -> None:
    few = continuous(_values(8, 6), "v")
    assert learn(few, "clime", penalty=0.05).graph.n_edges > 0
    with pytest.raises(DataError, match="raise ridge"):
        learn(few, "clime", penalty=0.001, ridge=0.0)
    given = moments(_values(8, 6))
    roots = np.linalg.eigvalsh(Clime()._with_ridge(given))
    assert roots[-1] / roots[0] == pytest.approx(100)
