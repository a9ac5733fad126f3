"""`DagWeights`: tables of family weights that give the weight of any DAG of few variables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dagathlon import _core
from dagathlon.errors import DataError
from dagathlon.posteriors.packed import Bools, Floats, Packing, Words

MOST_LISTED = 5
MOST_KEPT = 8
"""Most variables with whose posterior the weights are stored: 1,024 numbers per node."""


class DagWeights(NamedTuple):
    """Log weights of DAGs with one noise variance: Σ terms - shape·log(rate + Σ rests).

    Parameters
    ----------
    terms
        For each node a row over all sets of the others, by the bits of the set.
    rests
        The same for residuals, if nodes share one noise variance; zeros where they have
        one each.
    shape, rate
        Shape and rate of the shared variance's posterior; a shape of 0 where there is none.
    """

    terms: Floats
    rests: Floats
    shape: float = 0.0
    rate: float = 1.0

    def checked(self, nodes: int) -> DagWeights:
        """Return the weights after checking their shape and values for `nodes` variables."""
        shape = (nodes, 2 ** max(nodes - 1, 0))
        sound = self.terms.shape == self.rests.shape == shape
        if not sound or np.isnan(self.terms).any() or not np.isfinite(self.rests).all():
            raise DataError(f"weights of the DAGs of {nodes} variables are tables of shape {shape}")
        return self

    def classes(self) -> tuple[Words, Floats]:
        """Return all CPDAGs of at most five variables in packed form, and their probabilities."""
        nodes = len(self.terms)
        if nodes > MOST_LISTED:
            raise DataError(
                f"classes are listed of at most {MOST_LISTED} variables, not of {nodes}"
            )
        arcs, logs = _core.DagEnumeration(*self).classes()
        shares = np.exp(logs.ravel() - logs.max())
        return arcs[:, : Packing(nodes, "arcs").words], shares / shares.sum()

    def logs(self, arcs: Bools) -> Floats:
        """Return log weights of DAGs, given as adjacency matrices from row to column."""
        p = arcs.shape[1]
        total, rest = np.zeros(len(arcs)), np.zeros(len(arcs))
        powers = 1 << np.arange(max(p - 1, 0))
        for node in range(p):
            others = [k for k in range(p) if k != node]
            rank = arcs[:, others, node] @ powers
            total += self.terms[node, rank]
            rest += self.rests[node, rank]
        return total - self.shape * np.log(self.rate + rest) if self.shape else total
