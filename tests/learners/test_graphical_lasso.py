"""The graphical lasso: conditions of the optimum, components, paths, scikit-learn and huge."""

from __future__ import annotations

import math
import shutil
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest

from dagathlon import _core
from dagathlon.errors import DataError, StudyError
from dagathlon.learners import learn
from dagathlon.learners.undirected.inputs import Matrix
from strategies import continuous


def _columns(p: int, n: int, seed: int = 5) -> Matrix:
    """Rows of a band with some further edges, in different units."""
    rng = np.random.default_rng(seed)
    precision = np.eye(p) + 0.4 * (np.eye(p, k=1) + np.eye(p, k=-1))
    extra = np.triu(rng.random((p, p)) < 1 / p, 2)
    precision += 0.3 * (extra + extra.T)
    precision += max(0.0, 0.2 - np.linalg.eigvalsh(precision)[0]) * np.eye(p)
    values = np.linalg.solve(np.linalg.cholesky(precision).T, rng.normal(size=(p, n))).T
    return np.asarray(values * rng.uniform(0.5, 2, p))


def _path(covariance: Matrix, diagonal: bool = False) -> _core.GraphicalLassoPath:
    settings = _core.GraphicalLassoSettings(
        penalise_diagonal=diagonal, tolerance=1e-9, max_steps=100
    )
    return _core.GraphicalLassoPath(covariance, settings)


def _precision(path: _core.GraphicalLassoPath) -> Matrix:
    places, values = path.entries()
    p = math.isqrt(int(places[-1]) + 1)  # the last entry of the diagonal is never zero
    result = np.zeros(p * p)
    result[places] = values
    return result.reshape(p, p)


def _penalties(covariance: Matrix, penalty: float, diagonal: bool) -> Matrix:
    weights = np.full_like(covariance, penalty)
    if not diagonal:
        np.fill_diagonal(weights, 0.0)
    return weights


def _violation(covariance: Matrix, precision: Matrix, weights: Matrix) -> float:
    """Distance of zero from the subgradients."""
    gradient = covariance - np.linalg.inv(precision)
    at_zero = np.maximum(np.abs(gradient) - weights, 0)
    off_zero = np.abs(gradient + weights * np.sign(precision))
    return float(np.where(precision == 0, at_zero, off_zero).max())


def _gap(covariance: Matrix, precision: Matrix, weights: Matrix) -> float:
    """Objective less that of the dual at the nearest point that it allows."""
    inverse = np.linalg.inv(precision)
    dual = covariance + np.clip(inverse - covariance, -weights, weights)
    primal = np.sum(precision * covariance) + np.sum(weights * np.abs(precision))
    found = primal - np.linalg.slogdet(precision)[1] - np.linalg.slogdet(dual)[1] - len(dual)
    return float(found)


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize(("p", "n"), [(12, 200), (40, 25)])
def test_conditions_of_the_optimum_and_duality_gap(p: int, n: int, diagonal: bool) -> None:
    covariance = np.cov(_columns(p, n).T)
    path = _path(covariance, diagonal)
    top = np.abs(np.triu(covariance, 1)).max()
    for penalty in np.geomspace(top, 0.05 * top, 6):
        path.solve(penalty)
        found, weights = _precision(path), _penalties(covariance, penalty, diagonal)
        assert np.array_equal(found, found.T)
        assert _violation(covariance, found, weights) < 1e-8
        assert abs(_gap(covariance, found, weights)) < 1e-8
        again = _path(covariance, diagonal)
        again.solve(penalty)
        assert np.allclose(_precision(again), found, atol=1e-7)


def test_going_up_again_gives_the_same_as_going_down() -> None:
    covariance = np.corrcoef(_columns(15, 60).T)
    path = _path(covariance)
    path.solve(0.4)
    first = _precision(path)
    path.solve(0.1)
    path.solve(0.4)
    assert np.array_equal(_precision(path), first)


def test_components_are_those_of_the_large_correlations() -> None:
    correlation = np.corrcoef(_columns(30, 50).T)
    path = _path(correlation)
    path.solve(0.45)
    joined, reached = np.abs(correlation) > 0.45, _precision(path) != 0
    for _ in range(30):
        joined, reached = joined @ joined, reached @ reached
    assert np.array_equal(joined, reached)
    assert not joined.all()


def test_refits_ask_for_entries_in_order_with_the_diagonal() -> None:
    path = _path(np.array([[1.0, 0.6, 0.0], [0.6, 1.0, 0.0], [0.0, 0.0, 2.0]]))
    path.refit(np.array([0, 1, 3, 4, 8]), np.array([1.0, 0.1, 0.1, 1.0, 1.0]))
    assert np.allclose(np.linalg.inv(_precision(path)), [[1, 0.6, 0], [0.6, 1, 0], [0, 0, 2]])
    path.refit(np.array([0, 4, 8]), np.ones(3))
    assert np.allclose(_precision(path), np.diag([1, 1, 0.5]))
    for places in ([0, 1, 3, 8], [4, 0, 8], [0, 4, 9], [-1, 4, 8]):
        with pytest.raises(ValueError, match=r"diagonal must be positive|places ascend"):
            path.refit(np.array(places), np.ones(len(places)))
    with pytest.raises(ValueError, match="one value per place"):
        path.refit(np.array([0, 4, 8]), np.ones(2))


def test_two_variables_by_hand() -> None:
    path = _path(np.array([[1.0, 0.6], [0.6, 1.0]]))
    path.solve(0.2)
    assert np.allclose(np.linalg.inv(_precision(path)), [[1, 0.4], [0.4, 1]])
    path.solve(0.0)
    assert np.allclose(np.linalg.inv(_precision(path)), [[1, 0.6], [0.6, 1]])


@pytest.mark.parametrize("n", [1, 8, 33, 71])
def test_inverse_of_a_positive_definite_matrix(n: int) -> None:
    factor = np.random.default_rng(n).normal(size=(n, 2 * n))
    matrix = factor @ factor.T
    inverse, logarithm = _core.invert_positive(matrix)
    assert np.allclose(inverse @ matrix, np.eye(n), atol=1e-9)
    assert logarithm == pytest.approx(np.linalg.slogdet(matrix)[1])
    matrix[n - 1, n - 1] = -1.0
    with pytest.raises(ValueError, match="positive definite"):
        _core.invert_positive(matrix)


def test_the_precision_is_in_the_units_of_the_columns() -> None:
    values = _columns(6, 400)
    unit = np.array([1.0, 10, 0.1, 5, 2, 1])
    plain = learn(continuous(values), "glasso", penalty=0.1).precision
    scaled = learn(continuous(values * unit, "v"), "glasso", penalty=0.1).precision
    assert plain is not None
    assert scaled is not None
    assert np.allclose(scaled * np.outer(unit, unit), plain, rtol=1e-4)
    inverse = learn(continuous(values), "glasso", penalty=0.0).precision
    assert inverse is not None
    assert np.allclose(inverse @ np.cov(values.T, ddof=0), np.eye(6), atol=1e-5)


def test_refitted_on_its_graph() -> None:
    values = _columns(7, 300)
    found = learn(continuous(values), "glasso", penalty=0.2, refit=True)
    assert found.precision is not None
    completed, given = np.linalg.inv(found.precision), np.cov(values.T, ddof=0)
    joined = (found.graph.marks != 0) | np.eye(7, dtype=np.bool_)
    assert 0 < found.graph.n_edges < 21
    assert np.array_equal(found.precision != 0, joined)
    assert np.allclose(completed[joined], given[joined], rtol=1e-6)
    with pytest.raises(DataError, match="set a penalty"):
        learn(continuous(values[:5], "v"), "glasso", penalty=0.0)


def test_columns_in_their_own_units() -> None:
    values = _columns(5, 80) + 3
    centred = learn(
        continuous(values), "glasso", columns="centred", penalty=0.2, refit=False
    ).precision
    raw = learn(continuous(values), "glasso", columns="raw", penalty=0.2, refit=False).precision
    for found, shift in ((centred, values.mean(axis=0)), (raw, 0.0)):
        assert found is not None
        covariance = (values - shift).T @ (values - shift) / 80
        weights = _penalties(covariance, 0.2, False)
        assert _violation(covariance, found, weights) < 1e-6 * np.trace(covariance)
    with pytest.raises(StudyError, match="standardised"):
        learn(continuous(values), "glasso", columns="raw", relation="kendall")
    constant = np.column_stack([values, np.full(80, 3.3)])
    assert not learn(continuous(constant), "glasso", columns="centred").graph.adjacency[5].any()


@pytest.mark.parametrize("select", ["ebic", "ric", "stars", "cv"])
def test_every_criterion_for_columns_of_either_kind(select: str) -> None:
    given = continuous(_columns(5, 60), "v")
    for columns in ("standardised", "centred"):
        found = learn(given, "glasso", select=select, columns=columns, n_penalties=4)
        assert found.path is not None
        assert found.path.graph(found.path.chosen or 0) == found.graph


def test_benchpress_rounds_to_three_decimals_and_takes_means_for_zero() -> None:
    values = _columns(6, 100)
    found = learn(continuous(values), "sklearn_glasso", alpha=0.02, precmat_threshold=0.29)
    ours = learn(
        continuous(values), "glasso", penalty=0.02, columns="raw", tolerance=1e-8, refit=False
    )
    assert ours.precision is not None
    edges = np.abs(np.round(ours.precision, 3)) > 0.29
    np.fill_diagonal(edges, False)
    assert np.array_equal(found.graph.adjacency, edges)


@pytest.mark.slow
def test_scikit_learn_gives_the_same() -> None:
    covariance = pytest.importorskip("sklearn.covariance")
    values = _columns(20, 60)
    for alpha in (0.4, 0.1, 0.03):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = covariance.GraphicalLasso(
                alpha=alpha, tol=1e-10, enet_tol=1e-10, max_iter=1000, assume_centered=True
            ).fit(values)
        found = learn(continuous(values), "sklearn_glasso", alpha=alpha, precmat_threshold=0.05)
        edges = np.abs(np.round(model.precision_, 3)) > 0.05
        np.fill_diagonal(edges, False)
        assert np.array_equal(found.graph.adjacency, edges)
        assert found.precision is not None
        assert np.allclose(found.precision, model.precision_, atol=1e-5)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="there is no R here")
def test_huge_gives_the_same_path(tmp_path: Path) -> None:
    values = _columns(25, 80)
    penalties = [0.5, 0.3, 0.15, 0.08]
    np.savetxt(tmp_path / "x.csv", values, delimiter=",")
    script = f"""
    if (!requireNamespace('huge', quietly=TRUE)) quit(status=3)
    x <- as.matrix(read.csv('{tmp_path}/x.csv', header=FALSE))
    h <- huge::huge(x, lambda=c({",".join(map(str, penalties))}), method='glasso', verbose=FALSE)
    for (k in 1:{len(penalties)})
      write.table(as.matrix(h$icov[[k]]), sprintf('{tmp_path}/%d.csv', k), sep=',',
                  row.names=FALSE, col.names=FALSE)
    """
    ended = subprocess.run(["Rscript", "-e", script], capture_output=True, check=False)
    if ended.returncode == 3:
        pytest.skip("the R package huge is not installed")
    assert ended.returncode == 0, ended.stderr
    path = _path(np.corrcoef(values.T), diagonal=True)
    for k, penalty in enumerate(penalties, 1):
        path.solve(penalty)
        theirs = np.loadtxt(tmp_path / f"{k}.csv", delimiter=",")
        assert np.allclose(_precision(path), theirs, atol=2e-3)
        assert np.array_equal(_precision(path) != 0, theirs != 0)
