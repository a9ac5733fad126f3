"""Cache of the true model's family distributions, shared by many runs."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from dagathlon.data import Dataset, LinearSem, Network
from dagathlon.data.inference.answer import NormalAnswer
from dagathlon.data.inference.discrete import joint_distribution
from dagathlon.data.inference.evidence import Evidence
from dagathlon.data.models.distributions import FloatArray
from dagathlon.data.models.multivariate_normal import MultivariateNormal
from dagathlon.errors import DataError
from dagathlon.simulate.row_generator import standardize

_MOST_NODES = 100
# Probabilities that are kept for one network: 32 MB.
_MOST_CELLS = 4_000_000
# Larger junction trees take longer than a good sample does.
_MOST_CELLS_OF_TREE = 1_000_000
FRESH_ROWS = 20_000
"""Number of fresh rows where there is no exact computation."""
_SEED = 2017


class FamilyTables:
    """LRU cache of the joint probabilities of families in a discrete network.

    The least recently used tables are evicted when there are too many cells.

    Parameters
    ----------
    network
        The true network.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._tables: OrderedDict[tuple[str, ...], FloatArray] = OrderedDict()
        self._cells = 0
        self.levels = {variable.name: variable.levels or () for variable in network.variables}

    def table(self, names: tuple[str, ...]) -> FloatArray:
        """Return joint probabilities, with an axis for each variable in order.

        Raises
        ------
        DataError
            When the exact answer would need too large tables.
        """
        table = self._tables.get(names)
        if table is None:
            answer = joint_distribution(self._network, names, Evidence(), _MOST_CELLS_OF_TREE)
            table = self._tables[names] = answer.probabilities
            self._cells += table.size
            while self._cells > _MOST_CELLS and len(self._tables) > 1:
                self._cells -= self._tables.popitem(last=False)[1].size
        self._tables.move_to_end(names)
        return table

    def within_reach(self, families: Iterable[tuple[str, ...]]) -> bool:
        """Whether the joint probabilities of all these families can be computed exactly."""
        try:
            return all(self.table(names).size for names in families)
        except DataError:
            return False


@functools.lru_cache(maxsize=4)
def family_tables(network: Network) -> FamilyTables | None:
    """Return the cache for a network; None if the network is too large for exact queries.

    Parameters
    ----------
    network
        A discrete network.
    """
    return FamilyTables(network) if len(network) <= _MOST_NODES else None


class Moments(NamedTuple):
    """Mean and covariance of the variables of a Gaussian model."""

    names: tuple[str, ...]
    mean: FloatArray
    covariance: FloatArray

    def scaled(self) -> Moments:
        """Return the moments of the variables standardised to mean 0 and variance 1."""
        deviation = np.sqrt(np.diag(self.covariance))
        covariance = self.covariance / np.outer(deviation, deviation)
        return Moments(self.names, np.zeros_like(self.mean), covariance)


@functools.lru_cache(maxsize=4)
def moments_of(model: LinearSem | MultivariateNormal | Network) -> Moments:
    """Return mean and covariance of a linear model, a normal distribution or a Gaussian network."""
    if isinstance(model, LinearSem | MultivariateNormal):
        return Moments(model.names, np.zeros(len(model.names)), model.covariance())
    answer = model.query(model.names)
    assert isinstance(answer, NormalAnswer)
    return Moments(answer.targets, answer.mean, answer.covariance)


@functools.lru_cache(maxsize=1)
def fresh_rows(model: LinearSem | Network, scaled: bool = False) -> Dataset:
    """Return a large sample of the model with a fixed seed, the same for all comparisons."""
    rows = model.sample(FRESH_ROWS, np.random.Generator(np.random.Philox(key=_SEED)))
    return standardize(rows) if scaled else rows
