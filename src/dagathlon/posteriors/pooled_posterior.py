"""`PooledPosterior`: linear models whose nodes share one noise variance, by enumeration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.posteriors.dag_weights import DagWeights
from dagathlon.posteriors.exact_sums import DagSpace, ExactSums, Masks, family_ranks
from dagathlon.posteriors.packed import Floats


class PooledTerms(NamedTuple):
    """What the log weight of a DAG is made of when all nodes share one noise variance.

    It is Σ terms - shape·log(rate + Σ rests), the sums being over nodes with their parents.

    Parameters
    ----------
    terms, rests
        For each node a row over all sets of other nodes, by the bits of the set.
    shape, rate
        Of the posterior of the shared variance: its shape, and the rate of its prior.
    """

    terms: Floats
    rests: Floats
    shape: float
    rate: float

    def within(self, space: DagSpace) -> PooledTerms:
        """Families outside of a space have a weight of zero."""
        terms = self.terms.copy()
        for node, row in enumerate(terms):
            row[~_allowed(space, node, len(terms))] = -np.inf
        return self._replace(terms=terms)


class PooledPosterior(ExactSums):
    """The posterior over all DAGs of at most six variables whose noise has one variance.

    The marginal likelihood is then no product over nodes: what each of them says about the
    variance counts together. So all DAGs are met, one after another.

    Parameters
    ----------
    names
        The variables.
    terms
        Parts of the log weights, the prior over graphs among them.
    space, log_prior, data
        See `ExactSums`.
    """

    _native: _core.DagEnumeration

    def __init__(
        self,
        names: Sequence[str],
        terms: PooledTerms,
        space: DagSpace,
        *,
        log_prior: Callable[[], float] | None = None,
        data: Dataset | None = None,
    ) -> None:
        self._terms = terms
        super().__init__(names, space, log_prior=log_prior, data=data)

    def _sums(self, space: DagSpace) -> _core.DagEnumeration:
        return _core.DagEnumeration(*self._terms.within(space))

    def _enumeration(self) -> _core.DagEnumeration:
        return self._native

    def _log_weights(self, masks: Masks) -> Floats:
        ranks = [family_ranks(masks, j) for j in range(len(self.names))]
        terms = np.sum([self._terms.terms[j, rank] for j, rank in enumerate(ranks)], axis=0)
        rests = np.sum([self._terms.rests[j, rank] for j, rank in enumerate(ranks)], axis=0)
        found: Floats = terms - self._terms.shape * np.log(self._terms.rate + rests)
        return found

    @property
    def dag_weights(self) -> DagWeights:
        """What the weights are made of, those outside of the space being zero."""
        return DagWeights(*self._terms.within(self._space))


def other_sets(node: int, nodes: int) -> np.ndarray:
    """All sets of the other nodes, in the order of tables: a row of booleans for each."""
    ranks = np.arange(2 ** (nodes - 1))
    others = [i for i in range(nodes) if i != node]
    sets = np.zeros((len(ranks), nodes), dtype=np.bool_)
    for k, other in enumerate(others):
        sets[:, other] = ranks >> k & 1 == 1
    return sets


def _allowed(space: DagSpace, node: int, nodes: int) -> np.ndarray:
    sets = other_sets(node, nodes)
    inside = ~np.any(sets & space.forbidden[:, node], axis=1)
    inside &= np.all(sets | ~space.required[:, node], axis=1)
    return np.asarray(inside & (sets.sum(axis=1) <= space.max_parents))
