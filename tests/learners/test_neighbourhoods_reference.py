"""Neighbourhoods against huge and scikit-learn, to their tolerance."""

from __future__ import annotations

import shutil
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest

from dagathlon import _core
from dagathlon.data import Dataset, Variable
from dagathlon.learners.undirected.grouped import design_of
from dagathlon.learners.undirected.inputs import Matrix, moments

HUGE = """
suppressMessages(library(huge))
x <- as.matrix(read.csv("x.csv", header = FALSE))
penalties <- scan("penalties.txt", quiet = TRUE)
for (method in c("mb", "tiger")) {
  fit <- huge(x, lambda = penalties, method = method, sym = "and", verbose = FALSE)
  for (k in seq_along(penalties)) {
    write.table(as.matrix(fit$path[[k]]), sprintf("%s%d.txt", method, k - 1),
                col.names = FALSE, row.names = FALSE)
    if (method == "mb")
      write.table(as.matrix(fit$beta[[k]]), sprintf("beta%d.txt", k - 1),
                  col.names = FALSE, row.names = FALSE)
  }
}
"""

pytestmark = pytest.mark.slow


def _values(n: int, p: int, seed: int = 1) -> Matrix:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, p))
    for j in range(2, p):
        values[:, j] += 0.5 * values[:, j - 1] - 0.3 * values[:, j - 2]
    return values


def _path(values: Matrix, penalties: list[float], *, square_root: bool) -> _core.RegressionPath:
    settings = _core.LassoSettings(tolerance=1e-10, max_sweeps=10_000, square_root=square_root)
    return _core.neighbourhood_path(moments(values).correlation, penalties, settings)


@pytest.mark.skipif(not shutil.which("Rscript"), reason="there is no R here")
@pytest.mark.parametrize(("n", "p"), [(150, 20), (40, 50)])
def test_the_paths_are_those_of_huge(tmp_path: Path, n: int, p: int) -> None:
    values, penalties = _values(n, p), list(np.geomspace(0.6, 0.2, 8))
    np.savetxt(tmp_path / "x.csv", values, delimiter=",")
    np.savetxt(tmp_path / "penalties.txt", penalties)
    (tmp_path / "huge.R").write_text(HUGE)
    done = subprocess.run(
        ["Rscript", "huge.R"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    if "there is no package" in done.stderr:
        pytest.skip("there is no huge here")
    assert done.returncode == 0, done.stderr
    # huge stops its square-root lasso early, and at the first penalty leaves out predictors.
    for method, first, slack in (("mb", 0, 0.01), ("tiger", 1, 0.06)):
        path = _path(values, penalties, square_root=method == "tiger")
        for k in range(first, len(penalties)):
            theirs = np.loadtxt(tmp_path / f"{method}{k}.txt") != 0
            weights = path.weights(k)
            ours = (weights != 0) & (weights.T != 0)
            weaker = np.minimum(np.abs(weights), np.abs(weights.T))
            assert weaker[theirs != ours].max(initial=0.0) < slack
            if method == "mb":
                beta = np.loadtxt(tmp_path / f"beta{k}.txt")
                assert np.abs(beta.T - weights).max() < slack


def test_each_lasso_is_that_of_scikit_learn() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    values = _values(60, 15)
    columns = (values - values.mean(0)) / values.std(0)
    path = _path(values, [0.3, 0.1, 0.03], square_root=False)
    for k, penalty in enumerate([0.3, 0.1, 0.03]):
        for j in range(15):
            rest = np.delete(columns, j, axis=1)
            peer = linear.Lasso(alpha=penalty, tol=1e-12, max_iter=100_000).fit(rest, columns[:, j])
            assert np.allclose(np.delete(path.weights(k)[j], j), peer.coef_, atol=1e-6)


def test_each_logit_is_that_of_scikit_learn() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    codes = (_values(200, 6) > 0.2).astype(int)
    data = Dataset([Variable(f"V{j}", ("no", "yes")) for j in range(6)], codes=codes)
    settings = _core.GroupSettings(tolerance=1e-9, max_steps=500)
    path = _core.group_path(design_of(data).native(), [0.1], settings)
    columns = (codes - codes.mean(0)) / codes.std(0)
    for j in range(6):
        rest = np.delete(columns, j, axis=1)
        strength = 1 / (200 * 0.1 * codes[:, j].std())
        model = linear.LogisticRegression(
            l1_ratio=1, C=strength, solver="saga", tol=1e-10, max_iter=100_000
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            peer = model.fit(rest, codes[:, j])
        blocks = [path.weights(0, j, g) for g in range(6) if g != j]
        # Target and predictors have one contrast each, of 1/√2 and -1/√2: a column is minus the
        # standardised one, and the log odds are -√2 times what is predicted.
        ours = np.array([np.sqrt(2) * block.sum() for block in blocks])
        assert np.allclose(ours, peer.coef_[0], atol=1e-5)
        assert 0 < np.count_nonzero(ours) < 5
