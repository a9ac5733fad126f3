"""`DagPosterior`: exact sums over all DAGs of few variables, with weights by family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.posteriors.dag_weights import DagWeights
from dagathlon.posteriors.exact_sums import DagSpace, ExactSums


class DagPosterior(ExactSums):
    """Posterior over all DAGs, within limits on parent sets, whose weights factorise by family.

    The weight of a DAG is a product over nodes of a weight of the node and its parents, so that
    sums over DAGs become sums over sets of variables.

    Parameters
    ----------
    names
        The variables.
    score
        Log weights: a log marginal likelihood plus a log prior that are sums over nodes.
    space
        The DAGs to sum over.
    modularity
        With ``structure`` each DAG counts once. With ``order`` it counts once for each order of the
        variables that it is consistent with, which is what a sampler of orders converges to.
    log_prior, data
        See `ExactSums`.
    """

    _native: _core.DagPosterior

    def __init__(
        self,
        names: Sequence[str],
        score: _core.Score,
        space: DagSpace,
        modularity: _core.Modularity = _core.Modularity.structure,
        *,
        log_prior: Callable[[], float] | None = None,
        data: Dataset | None = None,
    ) -> None:
        self.modularity = modularity
        self._score = score
        super().__init__(names, space, log_prior=log_prior, data=data)

    def _sums(self, space: DagSpace) -> _core.DagPosterior:
        limits = _core.SearchLimits(*space)
        return _core.DagPosterior.of_score(self._score, limits, self.modularity)

    def _enumeration(self) -> _core.DagEnumeration:
        terms = self._families.terms
        return _core.DagEnumeration(terms, np.zeros_like(terms), 0.0, 1.0)

    @cached_property
    def _families(self) -> DagWeights:
        terms = self._native.log_weights()
        return DagWeights(terms, np.broadcast_to(0.0, terms.shape))
