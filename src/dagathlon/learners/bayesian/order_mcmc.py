"""Markov chains over orders of the variables."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.learners.bayesian.dag_sampling import (
    DagSampler,
    SpaceBased,
    squared_log,
    starting_orders,
    thousands,
)

FEW_VARIABLES = 26
KUIPERS_2022 = "Kuipers, Suter and Moffa 2022, Efficient sampling and structure learning, JCGS 31"

# How a search is annealed: one long chain stays where it was first caught.
ANNEALED_SEARCH = _core.Heating(cycles=8, share=0.8)


@dataclass(frozen=True, kw_only=True)
class OrderMcmc(SpaceBased, DagSampler):
    """Order MCMC: a Markov chain over orders of the variables, with a DAG drawn from each order.

    The weight of an order is that of all DAGs of the search space that agree with it, so a DAG that
    agrees with many orders is drawn more often than its posterior says.

    Parameters
    ----------
    maximise
        Whether an order stands for its best DAG rather than for all of its DAGs. The chain is then
        a search, and a saved state is the best DAG since the one saved before.
    """

    name = "order_mcmc"
    version = 2
    references = ("Friedman and Koller 2003, Machine Learning 50", KUIPERS_2022)

    maximise: bool = False

    def is_search(self) -> bool:
        """As the parameter says."""
        return self.maximise

    def default_iterations(self, p: int) -> int:
        """30000 for few variables, then 6p² log p."""
        return 30_000 if p < FEW_VARIABLES else thousands(6 * squared_log(p))

    def learn(
        self, data: Dataset, rng: np.random.Generator, start: Graph | None = None
    ) -> Estimate:
        """Sample in the search space of `start`, or in that of PC."""
        score = self.native_score(data)
        space = self.space(data, rng, start)
        summary = _core.Summary.best if self.maximise else _core.Summary.sum
        tables = self.fill(_core.ParentTables(self.power, summary), score, space)
        length = self.length(len(data.names))
        seed = int(rng.integers(2**63))
        orders = starting_orders(space.required, self.chains, rng)
        heating = ANNEALED_SEARCH if self.maximise else _core.Heating(cycles=1, share=0)
        logs = [
            _core.order_chain(tables, order, length.options(seed, number), heating).log
            for number, order in enumerate(orders)
        ]
        return replace(self.result(logs, data, length), notes=space.notes)
