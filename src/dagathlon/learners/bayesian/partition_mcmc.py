"""Markov chains over ordered partitions of the variables, and over DAGs themselves."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.graphs import Graph
from dagathlon.learners.background import starting_dag
from dagathlon.learners.base import Estimate
from dagathlon.learners.bayesian.dag_sampling import (
    DagSampler,
    SpaceBased,
    squared_log,
    starting_orders,
    thousands,
)
from dagathlon.learners.start_graph import StartsFromGraph

_FEWEST_STEPS = 20_000


def _steps(p: int) -> int:
    return max(_FEWEST_STEPS, thousands(20 * squared_log(p)))


@dataclass(frozen=True, kw_only=True)
class PartitionMcmc(SpaceBased, DagSampler):
    """Partition MCMC: a Markov chain over ordered partitions of the variables.

    Each DAG belongs to one partition alone, so DAGs are drawn by their posterior, inside the search
    space. Moves: exchange two variables, divide or unite parts, put a variable elsewhere, turn an
    edge.
    """

    name = "partition_mcmc"
    version = 2
    references = (
        "Kuipers and Moffa 2017, Partition MCMC for inference on acyclic digraphs, JASA 112",
        "Grzegorczyk and Husmeier 2008, Improving the structure MCMC sampler, ML 71",
    )

    def default_iterations(self, p: int) -> int:
        """20p² log p, at least 20000."""
        return _steps(p)

    def learn(
        self, data: Dataset, rng: np.random.Generator, start: Graph | None = None
    ) -> Estimate:
        """Sample in the search space of `start`, or in that of PC."""
        score = self.native_score(data)
        space = self.space(data, rng, start)
        tables = self.fill(_core.ParentTables(self.power, _core.Summary.sum), score, space)
        length = self.length(len(data.names))
        seed = int(rng.integers(2**63))
        orders = starting_orders(space.required, self.chains, rng)
        logs = [
            _core.partition_chain(tables, order, length.options(seed, number))
            for number, order in enumerate(orders)
        ]
        return replace(self.result(logs, data, length), notes=space.notes)


@dataclass(frozen=True, kw_only=True)
class StructureMcmc(StartsFromGraph, DagSampler):
    """Structure MCMC: a Markov chain over DAGs that adds, removes or reverses one arc at a time.

    A baseline: it needs no search space, and moves slowly between DAGs that are far apart.
    """

    name = "structure_mcmc"
    version = 2
    references = ("Madigan and York 1995, International Statistical Review 63",)

    def default_iterations(self, p: int) -> int:
        """As many as partition MCMC makes."""
        return _steps(p)

    def learn(
        self, data: Dataset, rng: np.random.Generator, start: Graph | None = None
    ) -> Estimate:
        """Sample from `start`, or from the graph of the required edges alone."""
        dag = starting_dag(start, self.knowledge(data), data.names)
        score, limits = self.native_score(data), self.limits(data)
        length = self.length(len(data.names))
        seed = int(rng.integers(2**63))
        logs = [
            _core.structure_chain(
                score, limits, dag.native, self.power, length.options(seed, number)
            )
            for number in range(self.chains)
        ]
        return self.result(logs, data, length)
