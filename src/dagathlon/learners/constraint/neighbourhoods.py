"""Learners of parents and children: MMPC, SI-HITON-PC, HPC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dagathlon import _core
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.learners.constraint.constraint_based import ConstraintBased
from dagathlon.learners.constraint.test_counter import TestCounter

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class NeighbourLearner(ConstraintBased):
    """Base class of learners of the parents and children of each variable.

    Two variables are adjacent when each is in the other's set.

    Parameters
    ----------
    undirected
        Whether to stop at the skeleton; otherwise colliders are directed by tests given neighbours
        and their neighbours, then Meek's rules are applied.
    """

    gives = "cpdag"
    splits = True
    search: ClassVar[str]

    undirected: bool = True

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a skeleton or a CPDAG."""
        test = self.make_test(data, rng)
        questions = TestCounter(test)
        options = _core.LocalOptions(
            self.alpha, self.order_limit, self.knowledge(test.names), self.undirected
        )
        graph, tests = _core.learn_by_neighbours(test.native, self.search, options)
        return questions.estimate(Graph._of(test.names, graph), {"ntests": tests})


@dataclass(frozen=True, kw_only=True)
class Mmpc(NeighbourLearner):
    """Max-min parents and children: adds the variable whose weakest association is strongest."""

    name = "mmpc"
    search = "max-min"
    references = ("Tsamardinos, Brown and Aliferis 2006, Machine Learning 65",)


@dataclass(frozen=True, kw_only=True)
class SiHitonPc(NeighbourLearner):
    """Semi-interleaved HITON: tries variables in the order of their association."""

    name = "si_hiton_pc"
    search = "hiton"
    references = ("Aliferis et al. 2010, JMLR 11",)


@dataclass(frozen=True, kw_only=True)
class Hpc(NeighbourLearner):
    """Hybrid parents and children: incremental association inside a superset of candidates."""

    name = "hpc"
    search = "hybrid"
    references = ("Gasse, Aussem and Elghazel 2014, Expert Systems with Applications 41",)
