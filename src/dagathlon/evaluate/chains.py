"""What a Markov chain of graphs says: edge frequencies, estimates, trajectories."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.graphs import Graph
from dagathlon.posteriors.chain import Chain, Floats, Ints


class Trajectory(NamedTuple):
    """A number for each state of a chain: the indices of the states, and the numbers."""

    sample: Ints
    value: npt.NDArray[np.float64] | Ints


def edge_frequencies(chain: Chain, burnin: float = 0.0) -> Floats:
    """The share of states that have each edge.

    With last index L the states from ``int(L · burnin)`` to L - 1 count; the state at L counts
    only where there is no other. In continuous time a state counts by how long it lasts after the
    burn-in.

    Parameters
    ----------
    chain
        The chain.
    burnin
        Share of the chain that is left out at its start.

    Returns
    -------
    array
        Matrix of frequencies, from row to column; symmetric for an undirected chain.
    """
    durations = _durations(chain, burnin)
    # An edge that is added in a row is in all later states, until it is removed.
    later = np.cumsum(durations[::-1])[::-1]
    p = len(chain.names)
    total = np.zeros(p * p)
    for edits, sign in ((chain.added, 1.0), (chain.removed, -1.0)):
        edges = edits.edges.astype(np.int64)
        keys = edges[:, 0] * p + edges[:, 1]
        total += sign * np.bincount(keys, weights=later[edits.rows], minlength=p * p)
    frequencies: Floats = np.clip(total / later[0], 0.0, 1.0).reshape(p, p)
    return frequencies if chain.directed else frequencies + frequencies.T


def _durations(chain: Chain, burnin: float) -> Floats:
    """How long the state after each row lasts, once the burn-in is over."""
    if chain.time is None:
        position = chain.index.astype(np.float64)
        start = float(int(chain.end * burnin))
    else:
        position = chain.time
        start = float(position[-1]) * burnin
    durations = np.zeros(len(chain))
    durations[:-1] = np.maximum(position[1:] - np.maximum(position[:-1], start), 0.0)
    if not durations.any():
        durations[-1] = 1.0
    return durations


def threshold_graph(chain: Chain, threshold: float = 0.5, burnin: float = 0.0) -> Graph:
    """All edges whose frequency is above a threshold.

    Of a directed chain, an edge that is frequent in both directions becomes undirected.

    Parameters
    ----------
    chain
        The chain.
    threshold
        A frequency must be greater than this.
    burnin
        Share of the chain that is left out at its start.
    """
    return Graph.from_adjacency(chain.names, edge_frequencies(chain, burnin) > threshold)


def map_graph(chain: Chain, burnin: float = 0.0) -> Graph:
    """The graph of highest score, the first one if there are several.

    Parameters
    ----------
    chain
        The chain; its start graph takes part.
    burnin
        Share of the chain whose states are left out at its start.
    """
    first = int(np.argmax(_durations(chain, burnin) > 0)) if burnin else 0
    return chain.graph_at(first + int(np.argmax(chain.score[first:])))


def estimate_graph(
    chain: Chain,
    mcmc_estimator: Literal["map", "threshold"] = "threshold",
    threshold: float = 0.5,
    burnin_frac: float = 0.5,
) -> Graph:
    """One graph from a chain, as the fields of a sampler say.

    Parameters
    ----------
    chain
        The chain.
    mcmc_estimator
        ``map``: the graph of highest score in the whole chain. ``threshold``: all edges that are
        frequent enough.
    threshold
        Frequency above which the threshold estimator has an edge.
    burnin_frac
        Share of the chain that the threshold estimator leaves out at its start.
    """
    if mcmc_estimator == "map":
        return map_graph(chain)
    return threshold_graph(chain, threshold, burnin_frac)


def size_trajectory(chain: Chain, burnin: float = 0.0, thinning: int | None = None) -> Trajectory:
    """The number of edges of each state; see `score_trajectory`."""
    return _expanded(chain, chain.sizes, burnin, thinning)


def score_trajectory(chain: Chain, burnin: float = 0.0, thinning: int | None = None) -> Trajectory:
    """The score of each state.

    Parameters
    ----------
    chain
        The chain.
    burnin
        With last index L, the first ``int(L · burnin)`` states are left out; the states at the
        others, up to L - 1, have a number.
    thinning
        Every so many states are kept; None keeps all.
    """
    return _expanded(chain, chain.score, burnin, thinning)


def _expanded(
    chain: Chain, values: Floats | Ints, burnin: float, thinning: int | None
) -> Trajectory:
    start = max(int(chain.end * burnin), int(chain.index[0]))
    samples = np.arange(start, chain.end, thinning or 1, dtype=np.int64)
    if not len(samples):
        samples = chain.index[-1:]
    rows = np.searchsorted(chain.index, samples, side="right") - 1
    return Trajectory(samples, values[rows])


def autocorrelation(values: npt.ArrayLike, lags: int) -> Floats:
    """Correlation of a series with itself, moved by 1, 2, … places.

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
    found = [_correlation(series[:-lag], series[lag:]) for lag in _moves(series, lags)]
    return np.array(found, dtype=np.float64)


def _moves(series: Floats, lags: int) -> range:
    """Lags that leave at least two places in common."""
    return range(1, min(lags, len(series) - 2) + 1)


def _correlation(left: Floats, right: Floats) -> float:
    x, y = left - left.mean(), right - right.mean()
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / scale if scale else float("nan")
