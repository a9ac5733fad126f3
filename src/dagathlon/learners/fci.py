"""FCI: causal graphs with latent variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dagathlon import _core
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.learners.constraint_based import ConstraintBased
from dagathlon.learners.independence import IndependenceTest

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class Fci(ConstraintBased):
    """Fast causal inference: the PAG of a causal graph some of whose variables are not observed.

    Parameters
    ----------
    stable
        Whether the first pass does not depend on the order of the variables.
    possible_d_sep
        Whether edges are tested a second time, given variables that may separate without being
        neighbours; without it the result may have too many edges.
    selection
        Whether selection effects are possible: rules 5 to 7, which find tails at both ends.
    """

    name = "fci"
    gives = "pag"
    references = (
        "Spirtes, Glymour and Scheines 2000, Causation, Prediction, and Search",
        "Zhang 2008, On the completeness of orientation rules, Artificial Intelligence 172",
    )

    stable: bool = True
    possible_d_sep: bool = True
    selection: bool = True

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a PAG."""
        return self.learn_with(self.make_test(data, rng))

    def learn_with(self, test: IndependenceTest) -> Estimate:
        """Learn from any test, such as `separation_test` of a true graph."""
        forbidden, required = self.knowledge(test.names)
        graph, tests = _core.fci(
            test.native,
            self.alpha,
            self.max_order,
            self.stable,
            self.possible_d_sep,
            self.selection,
            forbidden,
            required,
        )
        return Estimate(Graph._of(test.names, graph), {"ntests": tests})
