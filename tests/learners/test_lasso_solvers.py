"""Solvers of penalised regressions: optimality conditions, and other optimisers on small cases."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.optimize import minimize

from dagathlon import _core
from dagathlon.data import Dataset, Variable
from dagathlon.learners.undirected.grouped import Design, contrasts, design_of
from dagathlon.learners.undirected.inputs import Matrix, Vector, moments


def _correlation(n: int, p: int, seed: int = 1) -> Matrix:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, p))
    for j in range(1, p):
        values[:, j] += 0.7 * values[:, j - 1]
    return moments(values).correlation


def _regressions(
    correlation: Matrix, penalties: list[float], *, square_root: bool
) -> _core.RegressionPath:
    settings = _core.LassoSettings(tolerance=1e-10, max_sweeps=10_000, square_root=square_root)
    return _core.neighbourhood_path(correlation, penalties, settings)


def _penalties(correlation: Matrix, ratio: float) -> list[float]:
    top = np.abs(correlation - np.eye(len(correlation))).max()
    return list(np.geomspace(top, ratio * top, 8))


@pytest.mark.parametrize("square_root", [False, True])
@pytest.mark.parametrize(("n", "p"), [(60, 12), (10, 20)])
def test_the_conditions_of_the_lasso_hold(n: int, p: int, square_root: bool) -> None:
    correlation = _correlation(n, p)
    penalties = _penalties(correlation, 0.02)
    path = _regressions(correlation, penalties, square_root=square_root)
    assert path.converged
    for k, penalty in enumerate(penalties):
        weights = path.weights(k)
        square = np.einsum("ij,jk,ik->i", weights, correlation, weights)
        left = 1 - 2 * np.sum(weights * correlation, axis=1) + square
        assert np.allclose(left, path.residual_variances()[k], atol=1e-10)
        deviations = np.maximum(np.sqrt(np.maximum(left, 0)), 1e-3) if square_root else np.ones(p)
        _assert_conditions(correlation - weights @ correlation, weights, penalty * deviations)


def _assert_conditions(slopes: Matrix, weights: Matrix, penalties: Vector) -> None:
    bound = np.broadcast_to(penalties[:, None], slopes.shape)
    inside = np.maximum(np.abs(slopes) - bound, 0)
    miss = np.where(weights != 0, np.abs(slopes - np.sign(weights) * bound), inside)
    np.fill_diagonal(miss, 0)
    assert miss.max() < 1e-8
    assert not np.diag(weights).any()


def test_the_lasso_is_the_best_of_all_sign_patterns() -> None:
    correlation = _correlation(30, 4)
    path = _regressions(correlation, [0.15], square_root=False)
    inside, against = correlation[1:, 1:], correlation[1:, 0]
    best = (0.0, np.zeros(3))
    for signs in product((-1, 0, 1), repeat=3):
        used = np.flatnonzero(signs)
        weights = np.zeros(3)
        right = against[used] - 0.15 * np.array(signs)[used]
        weights[used] = np.linalg.solve(inside[np.ix_(used, used)], right)
        value = weights @ inside @ weights / 2 - against @ weights + 0.15 * np.abs(weights).sum()
        if np.array_equal(np.sign(weights), signs) and value < best[0]:
            best = (value, weights)
    assert np.allclose(path.weights(0)[0, 1:], best[1])
    assert np.count_nonzero(best[1]) in (1, 2)


def test_the_square_root_lasso_is_the_minimum_of_a_general_optimiser() -> None:
    correlation = _correlation(30, 4)
    weights = _regressions(correlation, [0.2], square_root=True).weights(0)[0, 1:]

    def criterion(parts: Vector) -> float:
        at = np.append(1.0, parts[3:] - parts[:3])
        return float(np.sqrt(at @ correlation @ at) + 0.2 * parts.sum())

    found = minimize(criterion, np.full(6, 0.1), bounds=[(0, None)] * 6, tol=1e-14)
    ours = criterion(np.concatenate([np.maximum(weights, 0), np.maximum(-weights, 0)]))
    assert ours <= found.fun + 1e-12
    assert np.allclose(found.x[:3] - found.x[3:], weights, atol=1e-4)


@pytest.mark.parametrize("weighting", ["equal", "precision", "degree"])
def test_the_conditions_of_joint_regression_hold(weighting: str) -> None:
    correlation = _correlation(40, 10)
    penalties = _penalties(correlation, 0.05)
    settings = _core.JointSettings(weights=weighting, rounds=3, tolerance=1e-10, max_sweeps=10_000)
    path = _core.joint_path(correlation, penalties, settings)
    assert path.converged
    for k, penalty in enumerate(penalties):
        partial, roots = path.partial_correlations(k), np.sqrt(path.given(k))
        ratios = np.outer(1 / roots, roots)
        rest = np.eye(10) - partial * ratios
        slopes = np.array(path.weights(k))[:, None] * ratios * (rest @ correlation)
        _assert_conditions(slopes + slopes.T, partial, np.full(10, 2 * penalty))
        left = np.einsum("ij,jk,ik->i", rest, correlation, rest)
        assert np.allclose(1 / np.array(path.precisions(k)), left)
    assert not path.partial_correlations(0).any()
    assert np.count_nonzero(path.partial_correlations(7)) > 30


def _mixed(n: int, seed: int = 3) -> Dataset:
    """Two levels, three levels, and two continuous variables, one depending on the other."""
    rng = np.random.default_rng(seed)
    values = np.cumsum(rng.normal(size=(n, 5)), axis=1)
    codes = np.column_stack(
        [values[:, 0] > 0, np.digitize(values[:, 2], [-1.0, 0.5]), np.digitize(values[:, 4], [1.0])]
    )
    kinds = [("a", 2), ("b", 3), ("c", 2)]
    variables = [Variable(name, tuple("xyz"[:arity])) for name, arity in kinds]
    return Dataset(
        [*variables, Variable("u"), Variable("v")], codes=codes, values=values[:, [1, 3]]
    )


def _group_path(design: Design, penalties: list[float]) -> _core.GroupPath:
    settings = _core.GroupSettings(tolerance=1e-9, max_steps=500)
    return _core.group_path(design.native(), penalties, settings)


def test_the_conditions_of_regressions_on_groups_hold() -> None:
    design = design_of(_mixed(120))
    penalties = list(np.geomspace(design.largest(), 0.02 * design.largest(), 6))
    path = _group_path(design, penalties)
    assert path.converged
    assert not path.predictors(0).any()
    assert path.predictors(5).sum() > 12
    for (k, penalty), j in product(enumerate(penalties), range(5)):
        residuals = _residuals(design, path, k, j)
        assert np.abs(residuals.mean(axis=0)).max() < 1e-8
        for g in range(5):
            columns = design.columns[:, design.starts[g] : design.starts[g + 1]]
            slope = columns.T @ residuals / 120
            weights = path.weights(k, j, g)
            bound = penalty * design.codings[j].scale
            if weights.size:
                pull = bound * weights / np.linalg.norm(weights)
                assert np.abs(slope - pull).max() < 1e-8
            else:
                assert g == j or np.linalg.norm(slope) < bound + 1e-8


def _residuals(design: Design, path: _core.GroupPath, k: int, j: int) -> Matrix:
    predicted = np.tile(path.intercept(k, j), (len(design.columns), 1))
    for g in np.flatnonzero(path.predictors(k)[j]):
        columns = design.columns[:, design.starts[g] : design.starts[g + 1]]
        predicted += columns @ path.weights(k, j, int(g))
    levels = len(design.codings[j].levels)
    if not levels:
        return design.columns[:, design.starts[j] : design.starts[j + 1]] - predicted
    basis = contrasts(levels)
    chances = np.exp(predicted @ basis.T)
    chances /= chances.sum(axis=1, keepdims=True)
    return np.asarray((np.eye(levels)[design.places[:, j]] - chances) @ basis)


def test_contrasts_are_orthonormal_and_stand_for_symmetric_weights_of_all_levels() -> None:
    basis = contrasts(4)
    assert np.allclose(basis.T @ basis, np.eye(3))
    assert np.allclose(basis.sum(axis=0), 0)
    data = _mixed(60)
    design = design_of(data)
    penalty = 0.1
    found = _group_path(design, [penalty])
    codes = data.column("b")
    others = [np.eye(2)[data.column("a")], np.eye(2)[data.column("c")]]
    values = (data.values - data.values.mean(0)) / data.values.std(0)
    blocks = [*others, values[:, :1], values[:, 1:]]
    scales = [np.sqrt(np.sum(one.mean(0) * (1 - one.mean(0)))) for one in others] + [1.0, 1.0]
    own = np.sqrt(np.sum((shares := np.bincount(codes) / 60) * (1 - shares)))
    ends = np.cumsum([0, *(block.shape[1] for block in blocks)])

    def criterion(flat: Vector) -> float:
        weights = flat[3:].reshape(-1, 3)
        scores = flat[:3] + np.hstack(blocks) @ weights
        loss = np.log(np.exp(scores).sum(1)) - scores[np.arange(60), codes]
        sizes = [np.linalg.norm(weights[a:b]) for a, b in pairwise(ends)]
        return float(
            loss.mean() + penalty * own * np.dot(scales, np.sqrt(np.square(sizes) + 1e-14))
        )

    best = minimize(criterion, np.full(21, 0.01), tol=1e-10, options={"maxiter": 300})
    chances = np.eye(3)[codes] - _residuals(design, found, 0, 1) @ contrasts(3).T
    sizes = [np.linalg.norm(found.weights(0, 1, g)) for g in (0, 2, 3, 4)]
    ours = -np.log(chances[np.arange(60), codes]).mean() + penalty * own * sum(sizes)
    assert ours == pytest.approx(best.fun, abs=1e-5)
    assert ours <= best.fun + 1e-9


def test_refits_do_not_remember_neighbours_of_other_graphs() -> None:
    native = design_of(_mixed(80)).native()
    full = ~np.eye(5, dtype=np.bool_)
    few = np.zeros((5, 5), dtype=np.bool_)
    few[0, 3] = few[3, 0] = few[1, 4] = few[4, 1] = True
    empty = np.zeros((5, 5), dtype=np.bool_)
    there_and_back = _core.group_refits(native, np.stack([few, full, few, empty]))
    alone = _core.group_refits(native, empty[None])
    first, _, again, nothing = (there_and_back.log_likelihood(k) for k in range(4))
    assert again == pytest.approx(first, abs=1e-4)
    assert nothing == pytest.approx(alone.log_likelihood(0), abs=1e-4)
