"""DAGMA: its objective and gradient, both solvers, and where they end."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from test_continuous import arcs, model

from dagathlon import _core
from dagathlon.errors import OutOfTimeError
from dagathlon.learners import learn
from dagathlon.learners.continuous.dagma import Dagma
from dagathlon.learners.continuous.weights import order_by_content, standardized
from dagathlon.pulse import watch
from strategies import continuous

SPARSITY = 0.03
LAST = 1e-4, 0.6  # weight of the loss and scale of the determinant in the last stage
ADAM = _core.DagmaAdam(learning_rate=3e-4, beta1=0.99, beta2=0.999, checkpoint=1000)


def consume(work: Iterator[object]) -> None:
    for _ in work:
        pass


def binary(p: int, n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = np.zeros((n, p))
    for j in range(p):
        drive = 3 * values[:, max(j - 2, 0) : j].sum(axis=1) - 1
        values[:, j] = rng.random(n) < 1 / (1 + np.exp(-drive))
    return values


def sample(values: np.ndarray, logistic: bool) -> tuple[np.ndarray, np.ndarray]:
    if logistic:
        return values.T @ values / len(values), values
    return _core.second_moments(values), values[:0]


def stage(weight: float, scale: float) -> _core.DagmaStage:
    return _core.DagmaStage(sparsity=SPARSITY, weight_of_loss=weight, log_determinant_scale=scale)


def smooth(values: np.ndarray, weights: np.ndarray, weight: float, scale: float) -> float:
    """Loss and acyclicity over the weight of the loss, from the rows."""
    p = len(weights)
    if np.isin(values, (0, 1)).all():
        logits = values @ weights
        loss = (np.logaddexp(0, logits) - values * logits).sum() / len(values)
    else:
        loss = 0.5 * ((values - values @ weights) ** 2).sum() / len(values)
    log_determinant = np.linalg.slogdet(scale * np.eye(p) - weights**2)[1]
    return float(loss + (p * np.log(scale) - log_determinant) / weight)


def slopes(values: np.ndarray, weights: np.ndarray, weight: float, scale: float) -> np.ndarray:
    """The gradient of `smooth`, by another way than the native one."""
    p = len(weights)
    fitted = values @ weights
    if np.isin(values, (0, 1)).all():
        fitted = 1 / (1 + np.exp(-fitted))
    cycles = 2 * weights * np.linalg.inv(scale * np.eye(p) - weights**2).T
    result = values.T @ (fitted - values) / len(values) + cycles / weight
    np.fill_diagonal(result, 0)
    return result


def data_of(logistic: bool, p: int = 8, seed: int = 3) -> np.ndarray:
    return binary(p, 300, seed) if logistic else standardized(model(p, 300, seed, low=0.3)[1])


@pytest.mark.parametrize("logistic", [False, True])
def test_objective_and_gradient(logistic: bool) -> None:
    values, rng = data_of(logistic), np.random.default_rng(5)
    weights = 0.15 * rng.normal(size=(8, 8))
    np.fill_diagonal(weights, 0)
    at = sample(values, logistic), stage(0.1, 0.9)
    value, gradient = _core.dagma_smooth(*at[0], weights, at[1])
    assert value == pytest.approx(smooth(values, weights, 0.1, 0.9), rel=1e-10)
    assert np.allclose(gradient, slopes(values, weights, 0.1, 0.9), atol=1e-10)
    for i, j in [(0, 1), (6, 2), (3, 7)]:
        ends = []
        for step in (-1e-5, 1e-5):
            moved = weights.copy()
            moved[i, j] += step
            ends.append(smooth(values, moved, 0.1, 0.9))
        assert gradient[i, j] == pytest.approx((ends[1] - ends[0]) / 2e-5, rel=1e-5, abs=1e-7)


def test_domain_is_that_of_m_matrices() -> None:
    """An M-matrix has no eigenvalue whose real part is not positive."""
    rng = np.random.default_rng(2)
    inside = []
    for _ in range(60):
        p = int(rng.integers(2, 40))
        weights = rng.normal(size=(p, p)) * rng.uniform(0.5, 1.3) / np.sqrt(p)
        np.fill_diagonal(weights, 0)
        expected = np.abs(np.linalg.eigvals(weights**2)).max() < 0.8
        given = np.eye(p), np.zeros((0, p))
        value = _core.dagma_smooth(*given, weights, stage(1.0, 0.8))[0]
        assert (value is not None) == expected
        assert (
            _core.dagma_by_quasi_newton(*given, weights, stage(1.0, 0.8), 0.0, 0) is None
        ) != expected
        inside.append(expected)
    assert 10 < sum(inside) < 50


@pytest.mark.parametrize("logistic", [False, True])
def test_ends_are_stationary(logistic: bool) -> None:
    for seed in range(4):
        values = data_of(logistic, 8 if logistic else 15, seed)
        learner = Dagma(loss_type="logistic" if logistic else "l2")
        weights = learner._path(learner._prepared(values))
        slope = slopes(values, weights, *LAST)
        kept = weights != 0
        assert kept.any()
        assert not kept.diagonal().any()
        assert np.abs(slope[~kept]).max() <= SPARSITY + 1e-4
        assert np.abs(slope + SPARSITY * np.sign(weights))[kept].max() <= 1e-4


@pytest.mark.parametrize("logistic", [False, True])
def test_a_stage_ends_no_higher_than_adam(logistic: bool) -> None:
    """From where Adam ends quasi-Newton steps go on, and from the same start they find as much."""
    values = data_of(logistic)
    given, weights = sample(values, logistic), np.zeros((8, 8))

    def objective(found: np.ndarray, at: tuple[float, float]) -> float:
        return smooth(values, found, *at) + SPARSITY * np.abs(found).sum()

    for at in ((1.0, 1.0), (0.1, 0.9), (0.01, 0.8), LAST):
        adam = _core.dagma_by_adam(*given, weights, stage(*at), ADAM, 6000)
        found, steps = _core.dagma_by_quasi_newton(*given, weights, stage(*at), 1e-12, 1000)
        further, _ = _core.dagma_by_quasi_newton(*given, adam, stage(*at), 1e-12, 1000)
        assert 0 < steps < 1000
        assert objective(found, at) <= objective(adam, at) + 1e-6
        assert objective(further, at) < objective(adam, at)
        weights = found


def test_adam_takes_the_authors_steps() -> None:
    values = data_of(False)
    weights, mean, square = np.zeros((3, 8, 8))
    for step in range(1, 41):
        slope = slopes(values, weights, 0.1, 0.9) * 0.1 + 0.1 * SPARSITY * np.sign(weights)
        mean = 0.99 * mean + 0.01 * slope
        square = 0.999 * square + 0.001 * slope**2
        corrected = mean / (1 - 0.99**step), square / (1 - 0.999**step)
        weights = weights - 3e-4 * corrected[0] / (np.sqrt(corrected[1]) + 1e-8)
    found = _core.dagma_by_adam(*sample(values, False), np.zeros((8, 8)), stage(0.1, 0.9), ADAM, 40)
    assert np.allclose(found, weights, atol=1e-12)


def test_order_of_many_columns_does_not_matter() -> None:
    values = model(40, 200, 8, low=0.3)[1]
    data = continuous(values)
    names = [data.names[i] for i in np.random.default_rng(1).permutation(40)]
    found = learn(data, "dagma", warm_iter=500).graph
    assert len(found.edges()) > 20
    assert learn(data.select(names), "dagma", warm_iter=500).graph.subgraph(data.names) == found


def test_order_by_content() -> None:
    values = np.random.default_rng(1).normal(size=(5, 9))
    turned = np.asfortranarray(values[:, ::-1])
    assert (values[:, order_by_content(values)] == turned[:, order_by_content(turned)]).all()


def test_second_moments() -> None:
    values = model(7, 90, 2)[1] + 5
    assert np.allclose(_core.second_moments(values), np.cov(values.T, ddof=0), rtol=1e-12)


def test_both_solvers_find_easy_models() -> None:
    for seed in range(3):
        weights, values = model(6, 20_000, seed)
        for solver in ("adam", "quasi-newton"):
            steps = {"warm_iter": 4000, "max_iter": 8000}
            found = learn(
                continuous(values), "dagma", solver=solver, standardize=False, **steps
            ).graph
            assert (arcs(found) == (weights != 0)).all()


@pytest.mark.parametrize("logistic", [False, True])
def test_quasi_newton_steps_heed_a_deadline(logistic: bool) -> None:
    given = *sample(data_of(logistic, 60), logistic), np.zeros((60, 60)), stage(1.0, 1.0), 0.0, 1000
    with pytest.raises(OutOfTimeError), watch(deadline=0.0):
        consume(_core.dagma_by_quasi_newton(*given) for _ in range(1000))


@pytest.mark.parametrize("spread", [1.0, 1e3, 1e5])
def test_a_wide_column_does_not_end_the_search_for_the_others(spread):
    rng = np.random.default_rng(21)
    weights = np.triu(rng.random((12, 12)) < 0.3, 1) * rng.uniform(0.6, 1, (12, 12))
    values = rng.normal(size=(1000, 12)) @ np.linalg.inv(np.eye(12) - weights)
    apart = spread * rng.normal(size=(1000, 1))
    found = learn(continuous(np.hstack([values, apart])), "dagma", standardize=False).graph
    assert np.array_equal(arcs(found)[:12, :12], weights != 0)
