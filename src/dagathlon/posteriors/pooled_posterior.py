"""`PooledPosterior`: linear models with one noise variance for all nodes, by enumeration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.posteriors.dag_weights import DagWeights
from dagathlon.posteriors.exact_sums import DagSpace, ExactSums
from dagathlon.posteriors.packed import Bools


class PooledPosterior(ExactSums):
    """Posterior over all DAGs of at most six variables whose noise has one variance.

    The marginal likelihood is then no product over nodes, since the residuals of all nodes
    determine the variance together. So all DAGs are enumerated.

    Parameters
    ----------
    names
        The variables.
    weights
        Parts of the log weights of all families, the prior over graphs among them.
    space, log_prior, data
        See `ExactSums`.
    """

    _native: _core.DagEnumeration

    def __init__(
        self,
        names: Sequence[str],
        weights: DagWeights,
        space: DagSpace,
        *,
        log_prior: Callable[[], float] | None = None,
        data: Dataset | None = None,
    ) -> None:
        self._everywhere = weights
        super().__init__(names, space, log_prior=log_prior, data=data)

    def _sums(self, space: DagSpace) -> _core.DagEnumeration:
        return _core.DagEnumeration(*_within(self._everywhere, space))

    def _enumeration(self) -> _core.DagEnumeration:
        return self._native

    @cached_property
    def _families(self) -> DagWeights:
        return _within(self._everywhere, self._space)


def _within(weights: DagWeights, space: DagSpace) -> DagWeights:
    """Return the weights with families outside a space set to zero."""
    terms = weights.terms.copy()
    for node, row in enumerate(terms):
        row[~_allowed(space, node, len(terms))] = -np.inf
    return weights._replace(terms=terms)


def other_sets(node: int, nodes: int) -> Bools:
    """Return all sets of the other nodes, in table order: a row of booleans for each."""
    ranks = np.arange(2 ** (nodes - 1))
    others = [i for i in range(nodes) if i != node]
    sets = np.zeros((len(ranks), nodes), dtype=np.bool_)
    for k, other in enumerate(others):
        sets[:, other] = ranks >> k & 1 == 1
    return sets


def _allowed(space: DagSpace, node: int, nodes: int) -> Bools:
    sets = other_sets(node, nodes)
    inside = ~np.any(sets & space.forbidden[:, node], axis=1)
    inside &= np.all(sets | ~space.required[:, node], axis=1)
    mask: Bools = inside & (sets.sum(axis=1) <= space.max_parents)
    return mask
