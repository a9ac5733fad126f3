"""Samplers of Gaussian graphical models beside BDgraph.

The same number of sweeps for both. BDgraph changes one edge in each (`jump = 1`; by default it
changes a tenth as many as there are variables) and approximates the ratio of prior constants, as
ours does without `exchange`; its "dmh" algorithms are the counterpart of `exchange`. The result is
the area under the ROC curve of the edge probabilities, and the largest difference of a probability
between two runs of ours, which is what is left of Monte Carlo error, and between ours and theirs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks._r import Matrix, compare_r
from benchmarks.timing import Row, Timing, alone, pick, timed
from dagathlon.data import Dataset, Variable
from dagathlon.learners.undirected.bd_mcmc import BdMcmc
from dagathlon.learners.undirected.g_wishart_sampler import GWishartSampler
from dagathlon.learners.undirected.rj_mcmc import RjMcmc

COLUMNS, ROWS, SWEEPS = pick((50, 200, 500), (6, 50, 200))
# Of the rows without a peer, for which BDgraph would take minutes.
LONG = pick(10_000, 400)
DEGREE = 3
PRIOR = 0.2
# Sampler, parameters, BDgraph's algorithm.
CHAINS: list[tuple[type[GWishartSampler], dict[str, Any], str]] = pick(
    [
        (BdMcmc, {"exchange": False}, "bdmcmc"),
        (BdMcmc, {"exchange": True}, "bd-dmh"),
        (RjMcmc, {"exchange": False, "proposals": 1}, "rjmcmc"),
        (RjMcmc, {"exchange": True, "proposals": 1}, "rj-dmh"),
    ],
    [(BdMcmc, {"exchange": False}, "bdmcmc")],
)


def rows_and_truth(p: int, n: int) -> tuple[Matrix, npt.NDArray[np.bool_]]:
    """Rows of a random sparse model, in standard units, and its graph."""
    rng = np.random.default_rng(p)
    there = np.triu(rng.random((p, p)) < DEGREE / p, 1)
    upper = there * rng.choice([-1, 1], (p, p)) * rng.uniform(0.3, 0.6, (p, p))
    precision = upper + upper.T + np.eye(p)
    precision += max(0.0, 0.2 - np.linalg.eigvalsh(precision)[0]) * np.eye(p)
    values = np.linalg.solve(np.linalg.cholesky(precision).T, rng.normal(size=(p, n))).T
    return (values - values.mean(axis=0)) / values.std(axis=0), there


def area(probabilities: Matrix, truth: npt.NDArray[np.bool_]) -> float:
    """Probability that an edge is ranked above a pair without one."""
    cells = np.triu_indices(len(truth), 1)
    yes, no = probabilities[cells][truth[cells]], probabilities[cells][~truth[cells]]
    above = (yes[:, None] > no).mean() + 0.5 * (yes[:, None] == no).mean()
    return float(above)


def sampled(values: Matrix, sampler: GWishartSampler, seed: int) -> tuple[Timing, Matrix]:
    data = Dataset([Variable(f"V{k}") for k in range(values.shape[1])], values=values)

    def run() -> Matrix:
        found = sampler.learn(data, np.random.default_rng(seed)).posterior
        assert found is not None
        return np.asarray(found.edge_probabilities)

    return timed(run, 3)


def run() -> list[Row]:
    values, truth = rows_and_truth(COLUMNS, ROWS)
    rows = []
    fixed: dict[str, Any] = {
        "scale": 1.0,
        "zero_mean": True,
        "edge_probability": PRIOR,
        "iterations": SWEEPS,
    }
    for kind, given, algorithm in CHAINS:
        sampler = kind(**fixed, **given)
        seconds, mine = sampled(values, sampler, 1)
        _, again = sampled(values, sampler, 2)
        apart = float(np.abs(mine - again).max())
        work = (
            f"result <- plinks(bdgraph(x, algorithm='{algorithm}', iter={SWEEPS + SWEEPS // 10}, "
            f"burnin={SWEEPS // 10}, g.prior={PRIOR}, jump=1, cores=1, verbose=FALSE), round=8)"
        )

        def judge(theirs: Matrix, mine: Matrix = mine, apart: float = apart) -> str:
            theirs = theirs + theirs.T
            return (
                f"AUC {area(mine, truth):.3f} against {area(theirs, truth):.3f}; "
                f"two runs of ours differ by {apart:.2f} at most, ours and theirs by "
                f"{np.abs(mine - theirs).max():.2f}"
            )

        options = ", ".join(f"{key}={value}" for key, value in given.items())
        what = f"{sampler.name} ({options}), {SWEEPS} sweeps, p={COLUMNS} n={ROWS}; {algorithm}"
        rows.append(compare_r(what, seconds, "BDgraph", work, values=values, judge=judge, limit=60))
    return [*rows, *long_runs(values, truth, fixed)]


def long_runs(values: Matrix, truth: npt.NDArray[np.bool_], fixed: dict[str, Any]) -> list[Row]:
    """As many sweeps as one would make."""
    rows = []
    for sampler in (kind(**fixed | {"iterations": LONG}) for kind in (BdMcmc, RjMcmc)):
        seconds, found = sampled(values, sampler, 1)
        what = f"{sampler.name} by default, {LONG} sweeps, p={COLUMNS} n={ROWS}"
        rows.append(alone(what, seconds, f"AUC {area(found, truth):.3f}"))
    return rows
