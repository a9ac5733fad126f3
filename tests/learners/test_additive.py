"""Additive models: splines by hand, fits and tests against mgcv, levels of the tests, pruning."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from dagathlon.learners.nonlinear.additive import additive_pruning, fit_additive, term_tests
from dagathlon.learners.nonlinear.order_based import additive_neighbours
from dagathlon.learners.nonlinear.splines import (
    Smooth,
    SplineProducts,
    fitting_splines,
    spline_basis,
)

# mgcv 1.8-41 on `rows_with_three_terms`, by the code below.
MGCV_FREEDOM = (6.907951257, 2.785391059, 1.001539794)
MGCV_TEST_FREEDOM = (7.370927095, 3.448460048, 1.003072382)
MGCV_STATISTIC = (84.4329987691, 133.1080113802, 0.1905466328)
MGCV_RESIDUAL = 0.1897170229
R_CODE = """
library(mgcv)
rows <- read.csv("{path}", header = FALSE)
fit <- gam(V4 ~ s(V1, bs = "ps", k = 10) + s(V2, bs = "ps", k = 10) + s(V3, bs = "ps", k = 10),
           data = rows, method = "REML")
write.table(summary(fit)$s.table, row.names = FALSE, col.names = FALSE)
"""


def rows_with_three_terms(seed: int = 3, n: int = 300) -> np.ndarray:
    """The last column is a sine of the first and a line of the second; the third is idle."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, 4))
    rows[:, 3] = np.sin(2 * rows[:, 0]) + 0.5 * rows[:, 1] + rng.normal(size=n) * 0.5
    return rows


def test_splines_sum_to_one_and_contain_cubic_polynomials() -> None:
    x = np.random.default_rng(1).normal(size=60)
    basis = spline_basis(x, 9)
    np.testing.assert_allclose(basis.sum(axis=1), 1)
    assert ((basis > 0).sum(axis=1) <= 4).all()
    cubic = x**3 - 2 * x
    left = cubic - basis @ np.linalg.lstsq(basis, cubic, rcond=None)[0]
    assert np.abs(left).max() < 1e-9


def test_a_rotated_basis_is_orthonormal_and_leaves_the_line_free() -> None:
    x = np.exp(np.random.default_rng(2).normal(size=80))  # stretches between knots are empty
    smooth = Smooth.of(x, 10)
    size = len(smooth.penalty)
    np.testing.assert_allclose(smooth.columns.T @ smooth.columns, np.eye(size), atol=1e-6)
    np.testing.assert_allclose(smooth.columns.mean(axis=0), 0, atol=1e-9)
    (free,) = np.flatnonzero(smooth.penalty == 0)
    assert abs(np.corrcoef(smooth.columns[:, free], x)[0, 1]) == pytest.approx(1)


def test_few_rows_make_lines() -> None:
    assert fitting_splines(10, 1000, 9) == 10
    assert fitting_splines(10, 200, 9) == 7
    assert fitting_splines(10, 50, 9) == 2
    assert Smooth.of(np.arange(5.0), 2).columns.shape == (5, 1)


def test_fits_and_tests_are_those_of_mgcv() -> None:
    bases = SplineProducts(rows_with_three_terms(), 10)
    fit = fit_additive(bases, 3, [0, 1, 2], tolerance=1e-7)
    np.testing.assert_allclose(fit.freedom, MGCV_FREEDOM, atol=2e-3)
    assert fit.residual_squares / bases.rows == pytest.approx(MGCV_RESIDUAL, rel=1e-4)
    tests = term_tests(bases, fit)
    np.testing.assert_allclose([one.freedom for one in tests], MGCV_TEST_FREEDOM, atol=5e-3)
    np.testing.assert_allclose([one.statistic for one in tests], MGCV_STATISTIC, rtol=0.01)
    assert tests[2].p_value == pytest.approx(0.6649, abs=0.005)


def test_the_penalised_fit_solves_its_equations() -> None:
    rows = rows_with_three_terms(n=120)
    bases = SplineProducts(rows, 8)
    fit = fit_additive(bases, 3, [1, 0])
    design = bases.columns[:, bases.positions([1, 0])]
    penalty = bases.penalty[bases.positions([1, 0])]
    loads = np.repeat(fit.smoothing, len(penalty) // 2) * penalty
    target = rows[:, 3] - rows[:, 3].mean()
    direct = np.linalg.solve(design.T @ design + np.diag(loads), design.T @ target)
    np.testing.assert_allclose(fit.coefficients, direct, atol=1e-6)
    residuals = target - design @ direct
    assert fit.residual_squares == pytest.approx(float(residuals @ residuals), rel=1e-6)


def test_pruning_keeps_what_is_there() -> None:
    rows = rows_with_three_terms()
    kept = additive_pruning(rows, np.triu(np.ones((4, 4)), 1))
    assert np.argwhere(kept).tolist() == [[0, 3], [1, 3]]


def test_boosting_finds_the_neighbours() -> None:
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(300, 15))
    rows[:, 0] = np.sin(2 * rows[:, 3]) + rows[:, 7] ** 2 / 2 + rng.normal(size=300) * 0.3
    chosen = additive_neighbours(SplineProducts(rows, 8), 3)
    assert {3, 7} <= set(np.flatnonzero(chosen[:, 0]))
    assert chosen.sum(axis=0).max() <= 3
    assert not chosen.diagonal().any()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [11, 12])
def test_fits_and_tests_are_those_of_mgcv_on_fresh_rows(tmp_path: Path, seed: int) -> None:
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("R is not installed")
    rows = rows_with_three_terms(seed, n=200 + 50 * seed)
    path = tmp_path / "rows.csv"
    np.savetxt(path, rows, delimiter=",")
    done = subprocess.run(
        [program, "-e", R_CODE.format(path=path)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"mgcv does not run: {done.stderr[-200:]}")
    table = np.array([line.split() for line in done.stdout.splitlines()[-3:]], dtype=float)
    bases = SplineProducts(rows, 10)
    fit = fit_additive(bases, 3, [0, 1, 2], tolerance=1e-7)
    tests = term_tests(bases, fit)
    np.testing.assert_allclose(fit.freedom, table[:, 0], atol=5e-3)
    np.testing.assert_allclose([one.freedom for one in tests], table[:, 1], atol=0.02)
    np.testing.assert_allclose([one.statistic for one in tests], table[:, 2], rtol=0.05, atol=0.01)
    np.testing.assert_allclose([one.p_value for one in tests], table[:, 3], atol=0.02)


@pytest.mark.slow
def test_p_values_of_idle_terms_are_uniform() -> None:
    from scipy.stats import kstest

    found = []
    for seed in range(600):
        rows = rows_with_three_terms(seed, n=200)
        bases = SplineProducts(rows, 10)
        fit = fit_additive(bases, 3, [0, 1, 2])
        found.append(term_tests(bases, fit)[2].p_value)
    p_values = np.array(found)
    # Choosing the smoothness makes small p-values a little too frequent, in mgcv as well.
    assert kstest(p_values, "uniform").statistic < 0.08
    assert 0.03 <= (p_values < 0.05).mean() <= 0.085
    assert (p_values < 0.001).mean() <= 0.006
