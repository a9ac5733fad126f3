"""Markov chains over ordered partitions of the variables."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.learners.bayesian.dag_sampling import DagSampler, starting_orders
from dagathlon.learners.bayesian.sampled_space import SampledSpace
from dagathlon.modules import Natural


@dataclass(frozen=True, kw_only=True)
class PartitionMcmc(SampledSpace, DagSampler):
    """Partition MCMC: a Markov chain over ordered partitions of the variables.

    Each DAG belongs to exactly one partition, so DAGs are drawn by their posterior probability,
    inside the search space. Moves: swap two variables, split or join parts, move a variable,
    reverse edges of a DAG of the partition, and with few variables jump to a DAG drawn from all
    orders.

    Parameters
    ----------
    turns
        Number of edges that an edge reversal step proposes to reverse, one after another.
    leaps
        Whether some steps propose an independent DAG, drawn by way of all orders: up to 20
        variables, in chains that are long enough to be worth the sums.
    """

    name = "partition_mcmc"
    version = 4
    references = (
        "Kuipers and Moffa 2017, Partition MCMC for inference on acyclic digraphs, JASA 112",
        "Grzegorczyk and Husmeier 2008, Improving the structure MCMC sampler, ML 71",
        "Viinikka, Hyttinen, Pensar and Koivisto 2020, Towards scalable Bayesian learning, NeurIPS",
    )

    turns: Natural = 8
    leaps: bool = True

    def default_iterations(self, p: int) -> int:
        """Return the default steps: 200000 to 500000 up to 15 variables, later at least 20000."""
        return self.steps(p)

    def learn(
        self, data: Dataset, rng: np.random.Generator, start: Graph | None = None
    ) -> Estimate:
        """Sample in the search space of `start`, or in the widest one that tables can hold."""
        score = self.native_score(data)
        space = self.space(data, rng, start)
        tables = self.fill(_core.ParentTables(self.power, _core.Summary.sum), score, space)
        length = self.length(len(data.names))
        seed = int(rng.integers(2**63))
        orders = starting_orders(space.required, self.chains, rng)
        logs = [
            _core.partition_chain(
                tables, order, length.options(seed, number), self.turns, self.leaps
            )
            for number, order in enumerate(orders)
        ]
        return replace(self.result(logs, data, length, space.words), notes=space.notes)
