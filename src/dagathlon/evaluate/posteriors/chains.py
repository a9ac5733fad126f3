"""Markov chains of graphs: point estimates, trajectories, autocorrelations."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.posteriors.draws import Draws
from dagathlon.posteriors.packed import Floats, Ints
from dagathlon.posteriors.posterior import Posterior


class Trajectory(NamedTuple):
    """Values along a chain: the indices of the states, and their values."""

    sample: Ints
    value: npt.NDArray[np.float64] | Ints


def estimate_graph(
    posterior: Posterior,
    mcmc_estimator: Literal["map", "threshold"] = "threshold",
    threshold: float = 0.5,
    burnin_frac: float = 0.5,
) -> Graph:
    """Return one graph estimated from the chains of a sampler.

    Parameters
    ----------
    posterior
        The chains.
    mcmc_estimator
        ``map``: the graph of highest score in all of them. ``threshold``: all edges that are
        frequent enough; one that is frequent in both directions becomes undirected.
    threshold
        Frequency above which the threshold estimator has an edge.
    burnin_frac
        Share of each chain that the threshold estimator leaves out at its start.
    """
    if mcmc_estimator == "map":
        return posterior.map()
    return posterior.after(burnin_frac).above(threshold)


def size_trajectory(chain: Draws, burnin: float = 0.0, thinning: int | None = None) -> Trajectory:
    """Return the number of edges of each state; see `score_trajectory`."""
    return _expanded(chain, chain.sizes, burnin, thinning)


def score_trajectory(chain: Draws, burnin: float = 0.0, thinning: int | None = None) -> Trajectory:
    """Return the score of each state.

    Parameters
    ----------
    chain
        The chain.
    burnin
        With last index L, the first ``int(L · burnin)`` states are left out; the states at the
        others, up to L - 1, have a number.
    thinning
        Keep every so many states; None keeps all.
    """
    if chain.score is None:
        raise DataError("these draws have no scores, so there is no trajectory of scores")
    return _expanded(chain, chain.score, burnin, thinning)


def _expanded(
    chain: Draws, values: Floats | Ints, burnin: float, thinning: int | None
) -> Trajectory:
    start = max(int(chain.end * burnin), int(chain.index[0]))
    samples = np.arange(start, chain.end, thinning or 1, dtype=np.int64)
    if not len(samples):
        samples = chain.index[-1:]
    rows = np.searchsorted(chain.index, samples, side="right") - 1
    return Trajectory(samples, values[rows])


def autocorrelation(values: npt.ArrayLike, lags: int) -> Floats:
    """Return the autocorrelations of a series at lags 1, 2, ….

    Parameters
    ----------
    values
        The series.
    lags
        Largest move; there are fewer numbers where the series is too short.

    Returns
    -------
    array
        Pearson correlations of the overlapping parts; NaN where one of them is constant.
    """
    series = np.asarray(values, dtype=np.float64)
    correlations = [_correlation(series[:-lag], series[lag:]) for lag in _moves(series, lags)]
    return np.array(correlations, dtype=np.float64)


def _moves(series: Floats, lags: int) -> range:
    """Return the lags at which at least two values overlap."""
    return range(1, min(lags, len(series) - 2) + 1)


def _correlation(left: Floats, right: Floats) -> float:
    x, y = left - left.mean(), right - right.mean()
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / scale if scale else float("nan")
