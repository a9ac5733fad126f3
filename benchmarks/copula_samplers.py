"""Samplers by pseudo-likelihood and of copulas, and chains as BDgraph runs them, beside BDgraph.

Pseudo-likelihood: sweeps of ours and jumps of `bdgraph.mpl`, so many that the edge probabilities of
both are settled; the result is the number of edges above ½ that are true and false. Chains as
BDgraph runs them: the same number of iterations, and the largest difference of a probability.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks._r import Matrix, compare_r
from benchmarks.timing import Row, Timing, alone, pick, timed
from dagathlon.data import Dataset, Variable
from dagathlon.learners.base import Learner
from dagathlon.learners.undirected.bd_mcmc import BdMcmc
from dagathlon.learners.undirected.bdgraph_mcmc import BdgraphMcmc
from dagathlon.learners.undirected.mpl_mcmc import MplMcmc

COLUMNS, ROWS = pick((100, 300), (6, 50))
MORE_COLUMNS = pick(300, 8)
SWEEPS, JUMPS = pick((500, 5000), (50, 200))
FEW, ITERATIONS = pick((8, 5000), (4, 200))
DEGREE = 2


def rows_and_truth(p: int, n: int) -> tuple[Matrix, npt.NDArray[np.bool_]]:
    """Rows of a random sparse model, in standard units, and its graph."""
    rng = np.random.default_rng(p)
    there = np.triu(rng.random((p, p)) < DEGREE / p, 1)
    precision = np.where(there | there.T, 0.3, 0.0) + np.eye(p)
    precision += max(0.0, 0.1 - np.linalg.eigvalsh(precision)[0]) * np.eye(p)
    values = np.linalg.solve(np.linalg.cholesky(precision).T, rng.normal(size=(p, n))).T
    return (values - values.mean(axis=0)) / values.std(axis=0), there


def sampled(values: Matrix, learner: Learner, cuts: bool = False) -> tuple[Timing, Matrix]:
    """Seconds and edge probabilities, of values or of the three levels that they are cut into."""
    names = [f"V{k}" for k in range(values.shape[1])]
    data = Dataset([Variable(name) for name in names], values=values)
    if cuts:
        codes = levels(values).astype(np.uint8)
        data = Dataset([Variable(name, ("a", "b", "c")) for name in names], codes=codes)

    def run() -> Matrix:
        found = learner.learn(data, np.random.default_rng(1)).posterior
        assert found is not None
        return np.asarray(found.edge_probabilities)

    return timed(run, 3)


def levels(values: Matrix) -> Matrix:
    return np.digitize(values, [-0.5, 0.5]).astype(np.float64)


def found_and_false(probabilities: Matrix, truth: npt.NDArray[np.bool_]) -> str:
    likely = np.triu(probabilities, 1) > 0.5
    return f"{(likely & truth).sum()} true and {(likely & ~truth).sum()} false"


def pseudo_likelihoods() -> list[Row]:
    values, truth = rows_and_truth(COLUMNS, ROWS)
    seconds, mine = sampled(values, MplMcmc(iterations=SWEEPS))
    work = (
        f"result <- plinks(bdgraph.mpl(x, iter={JUMPS}, g.prior={DEGREE / (COLUMNS - 1)}, "
        "cores=1, verbose=FALSE), round=8)"
    )

    def judge(theirs: Matrix) -> str:
        return f"{found_and_false(mine, truth)} edges against {found_and_false(theirs, truth)}"

    what = f"mpl_mcmc, {SWEEPS} sweeps, p={COLUMNS} n={ROWS}; bdgraph.mpl, {JUMPS} jumps"
    rows = [compare_r(what, seconds, "BDgraph", work, values=values, judge=judge, limit=60)]
    values, truth = rows_and_truth(MORE_COLUMNS, ROWS)
    for cuts in (False, True):
        seconds, found = sampled(values, MplMcmc(iterations=SWEEPS), cuts)
        kind = "three levels" if cuts else "continuous"
        what = f"mpl_mcmc, {SWEEPS} sweeps, p={MORE_COLUMNS} n={ROWS}, {kind}"
        rows.append(alone(what, seconds, f"{found_and_false(found, truth)} of {truth.sum()} edges"))
    return rows


def chains() -> list[Row]:
    values, _ = rows_and_truth(FEW, ROWS)
    cases = (("ggm", "bdmcmc"), ("ggm", "rjmcmc"), ("gcgm", "bdmcmc"))
    return [as_bdgraph(values, method, algorithm) for method, algorithm in cases]


def as_bdgraph(values: Matrix, method: Any, algorithm: Any) -> Row:
    """BDgraph's chain of the values, or of their levels with a copula."""
    cuts = method == "gcgm"
    given = {"method": method, "algorithm": algorithm, "edge_probability": 0.2}
    seconds, mine = sampled(values, BdgraphMcmc(iterations=ITERATIONS, **given), cuts)
    work = (
        f"result <- plinks(bdgraph(x, method='{method}', algorithm='{algorithm}', "
        f"iter={ITERATIONS}, burnin=0, cores=1, verbose=FALSE), round=8)"
    )

    def judge(theirs: Matrix) -> str:
        return f"edge probabilities differ by {np.abs(mine - theirs - theirs.T).max():.2f} at most"

    what = f"bdgraph_mcmc, {method} {algorithm}, {ITERATIONS} iterations, p={FEW} n={ROWS}"
    x = levels(values) if cuts else values
    return compare_r(what, seconds, "BDgraph", work, values=x, judge=judge, limit=60)


def copula() -> Row:
    values, truth = rows_and_truth(FEW, ROWS)
    sampler = BdMcmc(model="copula", iterations=ITERATIONS)
    seconds, found = sampled(values, sampler, cuts=True)
    what = f"bd_mcmc (model=copula), {ITERATIONS} sweeps, p={FEW} n={ROWS}, three levels"
    return alone(what, seconds, f"{found_and_false(found, truth)} of {truth.sum()} edges")


def run() -> list[Row]:
    return [*pseudo_likelihoods(), *chains(), copula()]
