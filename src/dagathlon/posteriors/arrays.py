"""Posteriors as plain arrays: distinct graphs, linear models, equally weighted draws."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dagathlon.errors import DataError
from dagathlon.posteriors.packed import Bools, Floats, Ints, Packing, Words
from dagathlon.posteriors.posterior import Posterior
from dagathlon.posteriors.sample import Sample

# The golden section of a step.
_FIRST = 0.6180339887498949


class GraphRows(NamedTuple):
    """Distinct graphs of a posterior as packed bits, with the probability of each."""

    names: tuple[str, ...]
    packing: Packing
    rows: Words
    shares: Floats

    def adjacency(self) -> Bools:
        """Return adjacency matrices from row to column, with undirected edges both ways."""
        return self.packing.adjacency(self.rows)

    def arcs(self) -> Words:
        """Return the graphs in the packed form ``arcs``."""
        return np.ascontiguousarray(self.packing.arcs(self.rows))

    def drawn(self, most: int) -> GraphRows:
        """Return at most `most` graphs; more are thinned by systematic resampling."""
        if len(self.rows) <= most:
            return self
        chosen, copies = np.unique(systematic(self.shares, most), return_counts=True)
        return GraphRows(self.names, self.packing, self.rows[chosen], copies / most)


class LinearModels(NamedTuple):
    """Linear Gaussian models with means of zero, and the probability of each.

    Coefficients are matrices from row to column, variances those of the noise.
    """

    names: tuple[str, ...]
    coefficients: Floats
    variances: Floats
    shares: Floats

    def thinned(self, most: int) -> LinearModels:
        """Return at most `most` models; more are resampled with equal weights."""
        return self if len(self.shares) <= most else self.resampled(most)

    def resampled(self, count: int) -> LinearModels:
        """Return `count` equally weighted models by systematic resampling."""
        chosen = systematic(self.shares, count)
        equal = np.full(count, 1.0 / count)
        return LinearModels(self.names, self.coefficients[chosen], self.variances[chosen], equal)


def distinct_graphs(posterior: Posterior) -> GraphRows:
    """Return the distinct graphs among the draws with their probabilities."""
    posterior._require_draws("expected values")
    distinct = posterior._distinct
    return GraphRows(
        posterior.names, distinct.packing, distinct.rows, distinct.weights / posterior._total_raw
    )


def linear_models(posterior: Posterior) -> LinearModels:
    """Return the draws with their parameters; raise if they have none.

    Draws of probability zero are left out.
    """
    posterior._require_draws("parameters")
    dense, noise = [], []
    for chain in posterior.chains:
        if not isinstance(chain, Sample) or chain.parameters is None:
            raise DataError("the draws are graphs alone: they have no coefficients and variances")
        arcs = chain.packing.adjacency(chain.bits)
        matrices = np.zeros(arcs.shape)
        matrices[arcs] = chain.parameters.coefficients
        dense.append(matrices)
        noise.append(chain.parameters.variances)
    shares = np.concatenate(posterior.weights)
    models = LinearModels(posterior.names, np.concatenate(dense), np.concatenate(noise), shares)
    positive = shares > 0
    return (
        models if positive.all() else LinearModels(models.names, *(a[positive] for a in models[1:]))
    )


def sample_of(posterior: Posterior, most: int) -> Sample:
    """Return the draws of all chains as one weighted sample, without scores.

    More than `most` states become `most` draws of equal weight, taken evenly along the chains.
    """
    posterior._require_draws("parameters")
    shares = np.concatenate(posterior.weights)
    rows = np.concatenate([rows for chain in posterior.chains for _, rows in chain.blocks()])
    # A row of a Markov chain may hold for many states, each of which gets its own parameters.
    single = all(isinstance(chain, Sample) for chain in posterior.chains)
    if single and len(rows) <= most:
        chosen = np.flatnonzero(shares > 0)
        logs = np.log(shares[chosen])
    else:
        chosen = systematic(shares, min(most, posterior.n_draws))
        logs = np.zeros(len(chosen))
    return Sample(posterior.names, posterior.chains[0].form, rows[chosen], log_weights=logs)


def systematic(shares: Floats, count: int) -> Ints:
    """Return the positions of `count` draws by systematic resampling.

    Draws of equal weight are thinned evenly, and the number of copies of any other differs by
    less than one from its expected number. The first point is where no multiple of equal
    weights ends, so that the result does not depend on rounding.
    """
    ends = np.cumsum(shares)
    points = (np.arange(count) + _FIRST) / count * ends[-1]
    positions: Ints = np.searchsorted(ends, points, side="right").astype(np.int64)
    return np.minimum(positions, len(shares) - 1)
