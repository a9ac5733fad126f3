"""The graphical lasso along a path beside huge and scikit-learn, and CLIME beside HiGHS.

The result is the largest violation of the conditions of the optimum at the smallest penalty.
"""

from __future__ import annotations

import numpy as np

from benchmarks._apart import apart
from benchmarks._r import Matrix, compare_r
from benchmarks.timing import Row, Timing, alone, compare, pick, timed
from dagathlon.data import Dataset, Variable
from dagathlon.learners import learn
from dagathlon.learners.undirected.clime import Clime
from dagathlon.learners.undirected.graphical_lasso import GraphicalLasso
from dagathlon.learners.undirected.inputs import moments

PENALTIES = 20
# Columns, rows, and the smallest penalty of the path by the largest.
SIZES = pick([(500, 300, 0.3), (500, 300, 0.1)], [(30, 40, 0.3)])
LARGE = pick((2000, 1000, 0.4), (40, 60, 0.4))
SPARSE = pick((10_000, 500), (40, 60))
COLUMNS, ROWS = pick((100, 200), (10, 50))


def band(p: int, n: int) -> Matrix:
    """Rows of a band matrix with one further edge for each variable."""
    rng = np.random.default_rng(p)
    precision = np.eye(p) + 0.4 * (np.eye(p, k=1) + np.eye(p, k=-1))
    extra = np.triu(rng.random((p, p)) < 2 / p, 2)
    precision += 0.2 * (extra + extra.T)
    precision += max(0.0, 0.1 - np.linalg.eigvalsh(precision)[0]) * np.eye(p)
    values = np.linalg.solve(np.linalg.cholesky(precision).T, rng.normal(size=(p, n))).T
    return np.asarray(values)


def chains(p: int, n: int) -> Dataset:
    """Rows of chains of five variables."""
    values = np.random.default_rng(p).normal(size=(n, p))
    for j in range(1, p):
        if j % 5:
            values[:, j] += 0.7 * values[:, j - 1]
    return Dataset([Variable(f"V{j}") for j in range(p)], values=values)


def violation(correlation: Matrix, precision: Matrix, penalty: float, diagonal: bool) -> float:
    """Distance of zero from the subgradients of the objective."""
    gradient = correlation - np.linalg.inv(precision)
    weights = np.full_like(gradient, penalty)
    if not diagonal:
        np.fill_diagonal(weights, 0.0)
    off_zero = np.abs(gradient + weights * np.sign(precision))
    at_zero = np.maximum(np.abs(gradient) - weights, 0)
    return float(np.where(precision == 0, at_zero, off_zero).max())


def edges(precision: Matrix) -> int:
    return int(np.count_nonzero(np.triu(precision, 1)))


def ours(values: Matrix, penalties: Matrix, diagonal: bool) -> tuple[Timing, Matrix]:
    """The whole path from the data, and the last precision matrix."""
    learner = GraphicalLasso(penalise_diagonal=diagonal)

    def path() -> Matrix:
        found = learner.fit_moments(moments(values), penalties).precisions
        assert found is not None
        return found[-1]

    return timed(path, 3)


def against_huge(values: Matrix, penalties: Matrix, what: str) -> Row:
    """Huge counts the diagonal with the penalty."""
    correlation, last = moments(values).correlation, float(penalties[-1])
    seconds, found = ours(values, penalties, True)
    mine = violation(correlation, found, last, True)
    listed = ",".join(map(repr, penalties.tolist()))
    work = (
        f"h <- huge(x, lambda=c({listed}), method='glasso', verbose=FALSE); "
        f"result <- h$icov[[{len(penalties)}]]"
    )

    def judge(theirs: Matrix) -> str:
        its = violation(correlation, theirs, last, True)
        return f"violation {mine:.0e} against {its:.0e}, {edges(found)} edges"

    return compare_r(what, seconds, "huge", work, values=values, judge=judge, limit=40)


def against_sklearn(values: Matrix, penalties: Matrix, what: str) -> Row:
    """Its own loop over penalties, each begun at the covariance before."""
    correlation, last = moments(values).correlation, float(penalties[-1])
    seconds, found = ours(values, penalties, False)
    mine = violation(correlation, found, last, False)

    def peer() -> tuple[Timing, str]:
        from sklearn.covariance import graphical_lasso

        def path() -> Matrix:
            for penalty in penalties:
                precision = graphical_lasso(correlation, alpha=penalty)[1]
            return np.asarray(precision)

        spent, theirs = timed(path, 1)
        its = violation(correlation, theirs, last, False)
        return spent, f"violation {mine:.0e} against {its:.0e}"

    return compare(what, seconds, "scikit-learn", "sklearn", peer, limit=pick(40.0, 2.0))


def sparse() -> tuple[Timing, int]:
    """Time of one penalty with its refit, and the number of edges."""
    data = chains(*SPARSE)
    learn(chains(10, 60), "glasso", penalty=0.3)  # what a first call loads is no part of it
    seconds, found = timed(lambda: learn(data, "glasso", penalty=0.3), 0)
    return seconds, found.graph.n_edges


def by_components() -> Row:
    """The correlations are the only matrix of all pairs but for the result."""
    outcome = apart(sparse)
    if outcome.failure:
        raise RuntimeError(outcome.failure)
    seconds, found = outcome.value
    p, n = SPARSE
    what = f"glasso, penalty 0.3 with refit, chains of 5 in {p:,} columns, {n} rows"
    return alone(what, seconds, f"{found:,} edges")


def against_highs() -> Row:
    """One penalty of CLIME: as many linear programs as columns."""
    given = moments(band(COLUMNS, ROWS))
    learner = Clime(ridge=0.0)
    penalty = 0.4 * learner.largest_of(given)
    seconds = timed(lambda: learner.fit_moments(given, np.array([penalty])), 3)[0]
    rows = np.hstack([given.correlation, -given.correlation])

    def peer() -> tuple[Timing, str, str]:
        from scipy.optimize import linprog

        def columns() -> None:
            for unit in np.eye(COLUMNS):
                bounds = np.concatenate([unit + penalty, penalty - unit])
                linprog(np.ones(2 * COLUMNS), A_ub=np.vstack([rows, -rows]), b_ub=bounds)

        return timed(columns, 1)[0], "", "linprog, a call per column"

    what = f"clime, one penalty, {COLUMNS} columns, {ROWS} rows"
    return compare(what, seconds, "HiGHS", "scipy", peer, limit=pick(40.0, 2.0))


def run() -> list[Row]:
    rows = []
    for p, n, ratio in SIZES:
        values = band(p, n)
        top = moments(values).largest()
        penalties = np.geomspace(top, ratio * top, PENALTIES)
        what = f"glasso, {PENALTIES} penalties to {ratio:g} of the largest, {p} columns, {n} rows"
        rows.append(against_huge(values, penalties, f"{what}, with the diagonal"))
        if ratio == SIZES[0][2]:
            rows.append(against_sklearn(values, penalties, what))
    p, n, ratio = LARGE
    values = band(p, n)
    top = moments(values).largest()
    seconds, found = ours(values, np.geomspace(top, ratio * top, PENALTIES), False)
    what = f"glasso, {PENALTIES} penalties to {ratio:g} of the largest, {p} columns, {n} rows"
    rows.append(alone(what, seconds, f"{edges(found)} edges at the last"))
    return [*rows, by_components(), against_highs()]
