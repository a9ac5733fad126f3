"""FCI, FCI+ and RFCI: causal graphs with latent variables."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from dagathlon import _core
from dagathlon._core import MarkedGraph
from dagathlon.graphs import Graph
from dagathlon.learners.assumptions import FAITHFUL
from dagathlon.learners.base import Estimate
from dagathlon.learners.constraint.constraint_based import ConstraintBased, Neighbours, sequence_of
from dagathlon.learners.constraint.test_counter import TestCounter
from dagathlon.learners.independence import IndependenceTest
from dagathlon.modules import Delegate, SharedCode

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset

Colliders: TypeAlias = Literal["separating-set", "conservative", "majority", "highest-p"]
SecondPass: TypeAlias = Literal["subsets", "adaptive", "ancestors", "none"]
_CPS = "Spirtes, Glymour and Scheines 2000, Causation, Prediction, and Search"
_RULES = "Zhang 2008, On the completeness of orientation rules, Artificial Intelligence 172"

TESTS_OF_RFCI = SharedCode("algorithm", "rfci", 2)
"""RFCI as a delegate: learners with its tests but other orientation rules declare its version."""


@dataclass(frozen=True, kw_only=True)
class LatentSearch(ConstraintBased):
    """Base class of learners of a PAG by tests of conditional independence.

    Parameters
    ----------
    stable
        Whether the first pass does not depend on the order of the variables.
    neighbours
        The order in which neighbours are tried as a separating set: that of their columns
        (by-column) or of their names (by-name, as Tetrad 6 does). The first set that separates is
        kept, and decides which triples are colliders.
    rules
        The rules that direct edges: all of Zhang's (complete), or the first four of them (original,
        those of Spirtes et al.).
    selection
        Whether selection bias is possible: rules 5 to 7, which find tails at both ends.
    """

    assumes = (FAITHFUL,)
    gives = "pag"
    splits = True

    stable: bool = True
    neighbours: Neighbours = "by-column"
    rules: Literal["complete", "original"] = "complete"
    selection: bool = True

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a PAG."""
        return self.learn_with(self.make_test(data, rng))

    def learn_with(self, test: IndependenceTest) -> Estimate:
        """Learn from any test, such as the oracle `separation_test` of a true graph."""
        questions = TestCounter(test)
        graph, _, ambiguous = self._search(test.native, self.options(test.names))
        return questions.estimate(Graph._of(test.names, graph), {"ambiguous_triples": ambiguous})

    def options(
        self,
        names: tuple[str, ...],
        colliders: Colliders = "separating-set",
        paths: bool = False,
        ask_again: bool = False,
    ) -> _core.PagOptions:
        """Return the options of the native searches for a PAG.

        Parameters
        ----------
        names
            The variables.
        colliders
            How the middle of an unshielded triple is judged.
        paths
            Whether tests judge discriminating paths before the separating set of their ends does.
        ask_again
            Whether tests that arise from both ends of an edge are made twice, for tests with random
            answers.
        """
        known = self.knowledge(names)
        skeleton = _core.SkeletonOptions(
            self.alpha,
            self.order_limit,
            self.stable,
            known,
            ask_again=ask_again,
            sequence=sequence_of(names, self.neighbours),
        )
        complete = self.rules == "complete"
        return _core.PagOptions(skeleton, known, colliders, self.selection, complete, paths)

    @abstractmethod
    def _search(
        self, test: _core.IndependenceTest, options: _core.PagOptions
    ) -> tuple[MarkedGraph, int, int]:
        """Run the native search; return the PAG, the number of tests and of ambiguous triples."""


@dataclass(frozen=True, kw_only=True)
class Fci(LatentSearch):
    """Fast causal inference (FCI): the PAG of a causal graph with latent variables.

    With a `max_order` it is the anytime FCI: fewer edges are found absent, and what is directed
    stays right.

    Parameters
    ----------
    second_pass
        How edges are tested a second time, given variables that may separate without being
        neighbours of an end: those that paths of possible colliders reach. All sets of them
        (subsets), which is exact given true separations, and grows exponentially; all sets no
        larger than the largest that separated before (adaptive); all sets of those that are
        reached through possible ancestors of the two variables (ancestors), for more than about
        twenty variables; not at all (none), so that too many edges may stay.
    colliders
        How the middle of an unshielded triple is judged. By the set that separated its ends
        (separating-set). By all sets of their neighbours that separate them: a collider is in
        none (conservative) or in less than half (majority), and what remains open is used by no
        rule. By the set of neighbours with the highest p-value (highest-p).
    paths
        How the last inner node of a discriminating path is judged (rule 4): by the set that
        separated the ends (separating-set), or by tests of the ends given all inner nodes, and all
        but this one, and by that set only if neither separates (tests, as Tetrad 6 does).
    """

    name = "fci"
    version = 4
    references = (
        _CPS,
        _RULES,
        "Colombo and Maathuis 2014, Order-independent constraint-based causal structure, JMLR 15",
    )

    second_pass: SecondPass = "subsets"
    colliders: Colliders = "separating-set"
    paths: Literal["separating-set", "tests"] = "separating-set"

    def options(
        self,
        names: tuple[str, ...],
        colliders: Colliders = "separating-set",
        paths: bool = False,
        ask_again: bool = False,
    ) -> _core.PagOptions:
        """Return the native options, with the rules for colliders and discriminating paths."""
        return super().options(names, self.colliders, self.paths == "tests", ask_again)

    def _search(
        self, test: _core.IndependenceTest, options: _core.PagOptions
    ) -> tuple[MarkedGraph, int, int]:
        return _core.fci(test, options, self.second_pass)


@dataclass(frozen=True, kw_only=True)
class FciPlus(LatentSearch):
    """FCI+: FCI with a second pass whose number of tests is polynomial in the variables.

    Instead of all sets of variables that collider paths reach, it tries those that the
    separations so far imply, beginning with few neighbours of the two variables. With the true
    separations its result is that of FCI as long as the two have at most eleven neighbours
    together; for more, larger sets of neighbours are left out.
    """

    name = "fci_plus"
    version = 2
    references = (
        "Claassen, Mooij and Heskes 2013, Learning sparse causal models is not NP-hard, UAI",
        _RULES,
    )

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the test, and FCI's version without its second pass."""
        return (*super().delegates(), Fci(test=self.test))

    def _search(
        self, test: _core.IndependenceTest, options: _core.PagOptions
    ) -> tuple[MarkedGraph, int, int]:
        return _core.fci(test, options, "hierarchy")


@dataclass(frozen=True, kw_only=True)
class Rfci(LatentSearch):
    """Really fast causal inference (RFCI): a graph with latent variables, without a second pass.

    A collider or a discriminating path is used only when tests confirm its edges. The ancestral
    relations in the result are right, but it may have more edges than that of `fci`, and fewer
    marks.

    Parameters
    ----------
    checks
        Which colliders and paths are confirmed: those that pcalg tests (pcalg), which directs
        triples that the removal of an edge made unshielded without a test, and of a discriminating
        path tests the edges between its first two and its last three nodes only; or all of them,
        as in the paper (all).
    """

    name = "rfci"
    version = 4
    references = (
        "Colombo, Maathuis, Kalisch and Richardson 2012, Learning high-dimensional directed "
        "acyclic graphs with latent and selection variables, Annals of Statistics 40",
        _RULES,
    )

    checks: Literal["pcalg", "all"] = "pcalg"

    def _search(
        self, test: _core.IndependenceTest, options: _core.PagOptions
    ) -> tuple[MarkedGraph, int, int]:
        return _core.rfci(test, options, self.checks)
