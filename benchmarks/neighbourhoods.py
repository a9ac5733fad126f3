"""Neighbourhoods of Gaussian and of binary variables against huge and scikit-learn."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from benchmarks._r import compare_r
from benchmarks.timing import Row, best_of, compare, pick, print_table, timed
from dagathlon.data import Dataset, Variable
from dagathlon.learners.undirected.inputs import moments
from dagathlon.learners.undirected.ising_lasso import IsingLasso
from dagathlon.learners.undirected.neighbourhood_lasso import NeighbourhoodLasso
from dagathlon.learners.undirected.penalised import PathFit
from dagathlon.learners.undirected.tiger import Tiger

Values = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
SIZES = pick([(500, 300)], [(40, 60)])
BINARY = pick([(50, 1000)], [(8, 100)])
LENGTH = pick(20, 5)


def band(p: int, n: int) -> Values:
    """Rows of a Gaussian whose precision matrix has two bands."""
    precision = np.eye(p) + 0.4 * (np.eye(p, k=1) + np.eye(p, k=-1))
    precision += 0.1 * (np.eye(p, k=2) + np.eye(p, k=-2))
    factor = np.linalg.cholesky(np.linalg.inv(precision))
    return np.random.default_rng(0).normal(size=(n, p)) @ factor.T


def chain(p: int, n: int) -> Codes:
    """Rows of an Ising model on a chain."""
    rng = np.random.default_rng(0)
    flips = rng.random((n, p)) < 1 / (1 + np.exp(0.8))
    flips[:, 0] = rng.random(n) < 0.5
    return np.cumsum(flips, axis=1) % 2


def fit_penalties(values: Values) -> Values:
    """From the largest down to a tenth of it."""
    top = moments(values).largest()
    return np.geomspace(top, 0.1 * top, LENGTH)


def against_huge(what: str, ours: float, values: Values, fit: PathFit, method: str) -> Row:
    """Huge on the same penalties, with the same rule for two regressions of one edge."""
    listed = ",".join(map(repr, fit_penalties(values).tolist()))
    work = (
        f"h <- huge(x, lambda=c({listed}), method='{method}', sym='and', verbose=FALSE); "
        f"result <- as.matrix(h$path[[{LENGTH}]])"
    )

    def judge(theirs: Values) -> str:
        return f"{int(theirs.sum()) // 2} edges at the last, ours {int(fit.edges()[-1])}"

    return compare_r(what, ours, "huge", work, values=values, judge=judge, limit=60)


def lasso(values: Values, penalties: Values):
    def measure() -> tuple[float, str]:
        from sklearn.linear_model import lasso_path

        columns = (values - values.mean(0)) / values.std(0)

        def every() -> float:
            worst = 0.0
            for j in range(columns.shape[1]):
                rest = np.asfortranarray(np.delete(columns, j, axis=1))
                worst = max(worst, *lasso_path(rest, columns[:, j], alphas=penalties)[2])
            return worst

        seconds, _ = timed(every, 1)
        return seconds, "duality gap 1e-4 of the sum of squares, ours 1e-10 of the conditions"

    return measure


def logits(codes: Codes, penalties: Values):
    def measure() -> tuple[float, str]:
        from sklearn.linear_model import LogisticRegression

        columns = (codes - codes.mean(0)) / codes.std(0)

        def every() -> None:
            for j in range(codes.shape[1]):
                rest = np.delete(columns, j, axis=1)
                for penalty in penalties:
                    strength = 1 / (len(codes) * penalty * codes[:, j].std())
                    peer = LogisticRegression(l1_ratio=1, C=strength, solver="liblinear")
                    peer.fit(rest, codes[:, j])

        seconds, _ = timed(every, 1)
        return seconds, "liblinear at its default tolerance of 1e-4"

    return measure


def gaussian(p: int, n: int) -> list[Row]:
    values = band(p, n)
    given, penalties = moments(values), fit_penalties(values)
    rows = []
    for kind, method in ((NeighbourhoodLasso(), "mb"), (Tiger(), "tiger")):
        ours, fit = timed(lambda kind=kind: kind.fit_moments(given, penalties), 3)
        what = f"{kind.name} p={p} n={n}, {LENGTH} penalties"
        rows.append(against_huge(what, ours, values, fit, method))
        if method == "mb":
            rows.append(compare(what, ours, "scikit-learn", "sklearn", lasso(values, penalties)))
    return rows


def binary(p: int, n: int) -> Row:
    codes = chain(p, n)
    data = Dataset([Variable(f"V{j}", ("no", "yes")) for j in range(p)], codes=codes)
    learner = IsingLasso()
    penalties = np.geomspace(learner.largest(data), 0.1 * learner.largest(data), LENGTH)
    ours = best_of(lambda: learner.fit_path(data, penalties), repeats=3)
    what = f"ising_lasso p={p} n={n}, {LENGTH} penalties"
    return compare(what, ours, "scikit-learn", "sklearn", logits(codes, penalties))


def run() -> list[Row]:
    rows: list[Row] = []
    for p, n in SIZES:
        rows += gaussian(p, n)
    return rows + [binary(p, n) for p, n in BINARY]


if __name__ == "__main__":
    print_table(run())
