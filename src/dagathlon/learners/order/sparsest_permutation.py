"""Greedy sparsest permutation: a search over orders by independence tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dagathlon import _core
from dagathlon.data.spec import DataKind
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.learners.constraint.constraint_based import ConstraintBased
from dagathlon.learners.constraint.test_counter import TestCounter
from dagathlon.learners.independence import DEFAULT_TESTS, IndependenceTest
from dagathlon.modules import Count, Natural, Probability

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset

_NO_LIMIT = 2**62


@dataclass(frozen=True, kw_only=True)
class Gsp(ConstraintBased):
    """Greedy sparsest permutation (GSP): reverses covered arcs of an order's DAG.

    In the DAG of an order an earlier variable is a parent of a later one unless they are
    independent given all others before the later one. A depth-first search reverses covered
    arcs to reach DAGs with fewer arcs.

    Parameters
    ----------
    alpha
        Significance level: variables count as independent when the p-value is at least this.
    test
        Name of the test; null is cor for continuous and wilks-dg for discrete and mixed data, as
        the cells of a table given all variables before a pair are empty.
    starts
        Number of starting orders; the sparsest result is returned.
    draws
        Number of orders drawn for each start; those of the sparsest DAGs are used.
    depth
        Largest number of consecutive arc reversals that leave the number of arcs unchanged; null is
        no limit.
    by_degree
        Whether starting orders put variables of low degree last, in the graph of pairs that are
        dependent given all other variables; otherwise they are random.
    take_sparsest
        Whether each step takes the sparsest DAG within the depth rather than the first sparser one.
    max_steps
        Largest number of steps to a sparser DAG in each start; null is no limit.
    max_order
        Must be null: the tests condition on all earlier variables.
    constraints
        Must be null: the search cannot guarantee constraints.
    """

    name = "gsp"
    gives = "dag"
    anytime = True
    version = 2
    default_tests: ClassVar[Mapping[DataKind, str]] = {**DEFAULT_TESTS, "discrete": "wilks-dg"}
    references = ("Solus, Wang and Uhler 2021, Biometrika 108",)

    alpha: Probability = 0.001
    starts: Natural = 5
    draws: Natural = 2
    depth: Count | None = 4
    by_degree: bool = True
    take_sparsest: bool = True
    max_steps: Count | None = None

    def problem(self) -> str:
        """Return a message if options are set that the search cannot honour; empty otherwise."""
        if self.constraints is not None:
            return "gsp cannot honour edge constraints; use grasp or boss"
        if self.max_order is not None:
            return "gsp conditions on all variables before a pair; max_order has to be null"
        return super().problem()

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a DAG."""
        return self.learn_with(self.make_test(data, rng), rng)

    def learn_with(self, test: IndependenceTest, rng: np.random.Generator) -> Estimate:
        """Learn from any test, such as the oracle `separation_test` of a true graph."""
        questions = TestCounter(test)
        how = _core.SparsestPermutation(
            alpha=self.alpha,
            depth=_NO_LIMIT if self.depth is None else self.depth,
            max_steps=_NO_LIMIT if self.max_steps is None else self.max_steps,
            starts=self.starts,
            draws=self.draws,
            by_degree=self.by_degree,
            take_sparsest=self.take_sparsest,
            seed=int(rng.integers(2**63)),
        )
        dag, steps = _core.sparsest_permutation(test.native, how)
        return questions.estimate(Graph.from_native(test.names, dag), {"steps": steps})
