"""Distances between two posteriors: maximum mean discrepancies, total variation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dagathlon.errors import DataError
from dagathlon.evaluate.posteriors.graphs import MissingInputError, node_positions, reorder_matrix
from dagathlon.evaluate.posteriors.interventions import KernelDistance
from dagathlon.evaluate.posteriors.likelihoods import Drawn, dense_models
from dagathlon.posteriors.arrays import GraphRows, LinearModels, distinct_graphs
from dagathlon.posteriors.marginal_posterior import MarginalPosterior
from dagathlon.posteriors.packed import Floats, Packing
from dagathlon.posteriors.posterior import Posterior

_EPS = 1e-12


def graph_mmd(posterior: Posterior, reference: Posterior) -> float:
    """Return the squared MMD between graphs with the kernel 1 - Hamming/m.

    It is (2/m)·‖μ - ν‖² of the probabilities of edges, over the m = d(d - 1) ordered pairs, and
    so exact wherever these are. The kernel depends on these probabilities only: two posteriors
    with the same ones are at distance 0; see `exponential_graph_mmd`.
    """
    other = reorder_matrix(reference.edge_probabilities, reference.names, posterior.names)
    pairs = max(len(posterior.names) * (len(posterior.names) - 1), 1)
    return float(2.0 / pairs * ((posterior.edge_probabilities - other) ** 2).sum())


def exponential_graph_mmd(
    posterior: Posterior, reference: Posterior, scale: float | None = None
) -> KernelDistance:
    """Return the squared MMD between graphs with the kernel exp(-Hamming/λ).

    The kernel is characteristic: only equal distributions are at distance 0. It is summed over
    all pairs of distinct graphs, so that both posteriors have draws; those of an approximate
    posterior are taken for the whole of it.

    Parameters
    ----------
    posterior, reference
        Draws over the same nodes.
    scale
        λ; by default the expected Hamming distance of a graph of each.
    """
    drawn, other = distinct_graphs(posterior), distinct_graphs(reference)
    other = _reordered(other, drawn.names)
    bits, others = (_bits(rows) for rows in (drawn, other))
    between = _hamming(bits, others)
    if scale is None:
        scale = float(drawn.shares @ between @ other.shares) or 1.0
    if not scale > 0:
        raise DataError(f"the scale of a kernel is positive, found {scale}")
    terms = [
        drawn.shares @ np.exp(-_hamming(bits, bits) / scale) @ drawn.shares,
        other.shares @ np.exp(-_hamming(others, others) / scale) @ other.shares,
        -2 * (drawn.shares @ np.exp(-between / scale) @ other.shares),
    ]
    return KernelDistance(max(float(sum(terms)), 0.0), scale)


def _bits(graphs: GraphRows) -> Floats:
    off = ~np.eye(len(graphs.names), dtype=bool)
    return graphs.adjacency()[:, off].astype(np.float64)


def _hamming(left: Floats, right: Floats) -> Floats:
    return np.asarray(left.sum(axis=1)[:, None] + right.sum(axis=1) - 2 * (left @ right.T))


def _reordered(graphs: GraphRows, names: tuple[str, ...]) -> GraphRows:
    if graphs.names == names:
        return graphs
    order = node_positions(graphs.names, names, "the reference")
    packing = Packing(len(names), "arcs")
    rows = packing.pack(graphs.adjacency()[:, order][:, :, order])
    return GraphRows(names, packing, rows, graphs.shares)


def parameter_mmd(posterior: Drawn, reference: Drawn, most: int = 200) -> KernelDistance:
    """Return the squared MMD between parameters: coefficients and log noise variances.

    The kernel is exp(-r²/2ℓ²) of all d² coefficients, zero where there is no edge, and the d
    logarithms of noise variances; ℓ is the median distance of two draws of both posteriors
    together. The estimator is unbiased: a draw is not compared with itself.

    Parameters
    ----------
    posterior, reference
        Draws with parameters.
    most
        At most so many draws of each are used; more are thinned evenly.

    Returns
    -------
    KernelDistance
        The estimate, which may be below 0 where the two are alike, and ℓ.
    """
    drawn = dense_models(posterior)
    other = dense_models(reference, drawn.names)
    drawn, other = drawn.thinned(most), other.thinned(most)
    return weighted_mmd(_vectors(drawn), drawn.shares, _vectors(other), other.shares)


def _vectors(models: LinearModels) -> Floats:
    p = len(models.names)
    off = ~np.eye(p, dtype=bool)
    return np.concatenate([models.coefficients[:, off], np.log(models.variances)], axis=1)


def weighted_mmd(left: Floats, weights: Floats, right: Floats, others: Floats) -> KernelDistance:
    """Return the unbiased squared MMD of weighted points, with a Gaussian kernel.

    The bandwidth is the median distance of two points of the pooled sample, each of which
    counts the same. A single point (all weight on one draw) is a distribution by itself, whose
    kernel with itself is 1.

    Parameters
    ----------
    left, right
        Points, a row each.
    weights, others
        Their weights, which sum to 1.
    """
    within, between, without = (
        _squares(left, left),
        _squares(left, right),
        _squares(right, right),
    )
    bandwidth = _median(within, between, without)
    if bandwidth == 0:
        return KernelDistance(0.0, 0.0)
    factor = -0.5 / bandwidth**2
    value = _within(within, weights, factor) + _within(without, others, factor)
    return KernelDistance(value - 2 * float(weights @ np.exp(factor * between) @ others), bandwidth)


def _squares(left: Floats, right: Floats) -> Floats:
    """Return the squared distances of all pairs of rows."""
    sizes = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1)
    return np.asarray(np.maximum(sizes - 2 * (left @ right.T), 0.0))


def _median(within: Floats, between: Floats, without: Floats) -> float:
    """Return the median distance over all pairs of different points."""
    squares = [np.repeat(between.ravel(), 2)]
    for square in (within, without):
        squares.append(square[~np.eye(len(square), dtype=bool)])
    return float(np.sqrt(np.median(np.concatenate(squares))))


def _within(squares: Floats, weights: Floats, factor: float) -> float:
    """Return the mean kernel of two different draws of one sample."""
    same = float((weights**2).sum())
    if 1 - same < _EPS:
        return 1.0
    kernel = np.exp(factor * squares)
    return (float(weights @ kernel @ weights) - same) / (1 - same)


class ExactDistance(NamedTuple):
    """Total variation distance and Kullback–Leibler divergence."""

    total_variation: float
    divergence: float


def exact_distance(posterior: Posterior, exact: Posterior) -> ExactDistance:
    """Return distances of the drawn DAGs' frequencies q from their exact probabilities p.

    Both distances need p of the drawn DAGs alone. Total variation is Σ max(q - p, 0); the
    divergence is Σ q log(q/p), in this direction since any DAG that was not drawn makes the
    other one infinite. With n draws from many more DAGs both are large even if the draws come
    from the exact posterior itself.

    Parameters
    ----------
    posterior
        Draws of DAGs.
    exact
        Exact probabilities of any DAG: see `exact_probabilities`.
    """
    posterior.require_dags()
    drawn = distinct_graphs(posterior)
    right = exact_probabilities(drawn, exact)
    apart = float(np.maximum(drawn.shares - right, 0.0).sum())
    some = drawn.shares > 0  # a weight can underflow to zero
    shares = drawn.shares[some]
    with np.errstate(divide="ignore"):
        ratios = np.log(shares) - np.log(right[some])
    return ExactDistance(apart, max(float(shares @ ratios), 0.0))


def exact_probabilities(graphs: GraphRows, exact: Posterior) -> Floats:
    """Return the exact probability of each of some DAGs.

    Parameters
    ----------
    found
        The DAGs.
    exact
        An exact posterior, in memory or, of at most eight variables, from a file; or all DAGs with
        their probabilities as weights (`DagPosterior.enumerated`).
    """
    if isinstance(exact, MarginalPosterior):
        try:
            return np.exp(exact.log_probabilities(_reordered(graphs, exact.names).adjacency()))
        except DataError as error:
            raise MissingInputError(str(error)) from None
    known = _reordered(distinct_graphs(exact), graphs.names)
    pairs = zip(known.arcs(), known.shares, strict=True)
    table = {row.tobytes(): share for row, share in pairs}
    return np.array([table.get(row.tobytes(), 0.0) for row in graphs.arcs()])
