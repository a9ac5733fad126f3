"""Markov chains over orders of the variables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.learners.bayesian.dag_sampling import (
    DagSampler,
    squared_log,
    starting_orders,
    thousands,
)
from dagathlon.learners.bayesian.sampled_space import MOST_COMPLETE, SampledSpace

FEW_VARIABLES = 26
KUIPERS_2022 = "Kuipers, Suter and Moffa 2022, Efficient sampling and structure learning, JCGS 31"


def search_steps(p: int) -> int:
    """Return the number of steps of a search: 30000 for few variables, then 6p² log p."""
    return 30_000 if p < FEW_VARIABLES else thousands(6 * squared_log(p))


# Annealing of a search; a single long chain would stay at its first local maximum.
ANNEALED_SEARCH = _core.Heating(cycles=8, share=0.8)


@dataclass(frozen=True, kw_only=True)
class OrderMcmc(SampledSpace, DagSampler):
    """Order MCMC: a Markov chain over orders of the variables, with a DAG drawn from each order.

    The weight of an order is that of all DAGs of the search space that agree with it, so a DAG
    that agrees with many orders is drawn more often than its posterior probability. With
    `modularity` structure the draws are corrected for that.

    Parameters
    ----------
    modularity
        Whether each DAG counts once (structure), by the exact number of its orders, or once for
        each of its orders (order). Null is structure up to 20 variables and order beyond, where
        partition MCMC is the better choice; it has no effect on a search.
    maximise
        Whether an order is scored by its best DAG instead of the sum over its DAGs. The chain is
        then a search, and a saved state is the best DAG since the previous one.
    """

    name = "order_mcmc"
    version = 3
    references = ("Friedman and Koller 2003, Machine Learning 50", KUIPERS_2022)

    modularity: Literal["structure", "order"] | None = None
    maximise: bool = False

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message if there are too many variables to count the orders of DAGs."""
        if self.modularity == "structure" and (data.n_columns or 0) > _core.MAX_COUNTED:
            return (
                f"the orders of a DAG of {data.n_columns} variables cannot be counted, at most of "
                f"{_core.MAX_COUNTED}: choose modularity = order, or partition_mcmc"
            )
        return super().why_unsuitable(data)

    def is_search(self) -> bool:
        """Return the parameter `maximise`: whether the chain only searches for the best graph."""
        return self.maximise

    def default_iterations(self, p: int) -> int:
        """Return the default number of steps: 4 times partition MCMC's; fewer in a search."""
        return search_steps(p) if self.maximise else 4 * self.steps(p)

    def learn(
        self, data: Dataset, rng: np.random.Generator, start: Graph | None = None
    ) -> Estimate:
        """Sample in the search space of `start`, or in the widest one that tables can hold."""
        score = self.native_score(data)
        space = self.space(data, rng, start)
        summary = _core.Summary.best if self.maximise else _core.Summary.sum
        tables = self.fill(_core.ParentTables(self.power, summary), score, space)
        length = self.length(len(data.names))
        seed = int(rng.integers(2**63))
        orders = starting_orders(space.required, self.chains, rng)
        heating = ANNEALED_SEARCH if self.maximise else _core.Heating(cycles=1, share=0)
        once = self._counts_once(len(data.names))
        try:
            logs = [
                _core.order_chain(tables, order, length.options(seed, number), heating, once).log
                for number, order in enumerate(orders)
            ]
        except _core.TooManyOrders as error:
            raise DataError(f"{error}: choose modularity = order, or partition_mcmc") from None
        estimate = self.result(logs, data, length, self._words(space.words, once))
        return replace(estimate, notes=space.notes)

    def _counts_once(self, p: int) -> bool:
        """Return whether each DAG counts once, not once per order."""
        wanted = self.modularity or ("structure" if p <= MOST_COMPLETE else "order")
        return wanted == "structure" and not self.maximise

    def _words(self, space: str, once: bool) -> str:
        if once or self.maximise:
            return space
        return f"{space}, each counted once for every order of the variables that it agrees with"
