"""Learners by Markov blankets: grow-shrink and incremental association."""

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

_BNLEARN = "Scutari 2010, Learning Bayesian networks with the bnlearn R package, JSS 35(3)"


@dataclass(frozen=True, kw_only=True)
class BlanketLearner(ConstraintBased):
    """Base class of learners that first find the Markov blanket of each variable.

    Blankets are made symmetric by intersection. Two variables of each other's blanket are
    neighbours unless some set inside the smaller of the two blankets separates them. An
    unshielded triple is a collider when its ends depend on each other given the middle and any
    set inside the smaller of their blankets; the most significant colliders are directed first,
    and those that contradict them or would close a cycle are left out. Finally Meek's rules are
    applied.

    Parameters
    ----------
    undirected
        Whether to stop at the skeleton.
    """

    gives = "cpdag"
    splits = True
    search: ClassVar[str]

    undirected: bool = False

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a CPDAG."""
        test = self.make_test(data, rng)
        questions = TestCounter(test)
        discrete = all(variable.is_discrete for variable in data.variables)
        levels = list(data.arities) if discrete else []
        options = _core.LocalOptions(
            self.alpha, self.order_limit, self.knowledge(test.names), self.undirected
        )
        graph, tests = _core.learn_by_blankets(test.native, self.search, options, levels, len(data))
        return questions.estimate(Graph._of(test.names, graph), {"ntests": tests})


@dataclass(frozen=True, kw_only=True)
class Gs(BlanketLearner):
    """Grow-shrink: adds the first variable that depends on the target."""

    name = "gs"
    version = 2
    search = "grow-shrink"
    references = (_BNLEARN, "Margaritis 2003, Learning Bayesian network model structure from data")


@dataclass(frozen=True, kw_only=True)
class Iamb(BlanketLearner):
    """Incremental association (IAMB): adds the variable of lowest p-value, finally shrinks."""

    name = "iamb"
    search = "incremental"
    references = (_BNLEARN, "Tsamardinos, Aliferis and Statnikov 2003, FLAIRS")


@dataclass(frozen=True, kw_only=True)
class FastIamb(BlanketLearner):
    """Incremental association that adds several variables at a time (fast-IAMB).

    In discrete data it adds as many as leave five rows per cell of the blanket's table.
    """

    name = "fast_iamb"
    search = "fast"
    references = (_BNLEARN, "Yaramakala and Margaritis 2005, ICDM")


@dataclass(frozen=True, kw_only=True)
class InterIamb(BlanketLearner):
    """Incremental association that shrinks after every addition (inter-IAMB)."""

    name = "inter_iamb"
    search = "interleaved"
    references = (_BNLEARN, "Yaramakala and Margaritis 2005, ICDM")


@dataclass(frozen=True, kw_only=True)
class IambFdr(BlanketLearner):
    """Incremental association with control of the false discovery rate (IAMB-FDR).

    The p-values are adjusted by the method of Benjamini and Yekutieli, for any dependence among
    them.
    """

    name = "iamb_fdr"
    search = "false-discovery"
    references = (_BNLEARN, "Peña 2008, Learning Gaussian graphical models of gene networks")
