"""The dual PC algorithm: tests given a set of neighbours and given its complement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dagathlon import _core
from dagathlon.data.spec import DataKind
from dagathlon.graphs import Graph
from dagathlon.learners.assumptions import FAITHFUL, GAUSSIAN, NO_HIDDEN
from dagathlon.learners.base import Estimate, Learner, Output
from dagathlon.learners.constraint.test_counter import TestCounter
from dagathlon.learners.independence import independence_test, shared_tests
from dagathlon.modules import Count, Delegate, NonNegative, Probability, SharedCode

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset

# Version 2 visits edges in the same order as the authors' program.
_PROGRAM = SharedCode("search", "dual_pc_program", 2)


@dataclass(frozen=True, kw_only=True)
class DualPc(Learner):
    """Dual PC: PC that starts from both ends, marginal tests and tests given all neighbours.

    For every set of neighbours of a node it also tests given all its other neighbours, which
    costs little by the inverse of the correlation matrix. Where the rows are too few for such a
    large set, or columns are collinear, the second test is left out.

    Parameters
    ----------
    alpha
        Significance level of Fisher's z.
    max_order
        Largest number of variables to condition on, or to leave out of the complement; null is no
        limit.
    skeleton_only
        Whether to stop at the skeleton.
    pattern_only
        Whether to stop at the pattern: the skeleton with its colliders.
    complement_always
        Whether to do as the authors' program does: each edge is visited from both ends, the stored
        separating set is always the complement, also where the set itself separated, and with
        pattern_only the rules are applied all the same, and edges that two colliders claim in
        opposite directions become bidirected.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    assumes = (FAITHFUL, NO_HIDDEN, GAUSSIAN)
    name = "dual_pc"
    reentrant = True
    version = 2
    gives = "cpdag"
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous"})
    references = (
        "Giudice, Kuipers and Moffa 2022, The dual PC algorithm for structure learning, PGM",
    )

    alpha: Probability = 0.05
    max_order: Count | None = None
    skeleton_only: bool = False
    pattern_only: bool = False
    complement_always: bool = False
    timeout: NonNegative | None = None

    def output(self) -> Output:
        """Return "undirected" for a skeleton, "mixed" where conflicts are marked, else "cpdag"."""
        if self.skeleton_only:
            return "undirected"
        return "mixed" if self._marks_conflicts else self.gives

    @property
    def _marks_conflicts(self) -> bool:
        return self.complement_always and self.pattern_only

    def delegates(self) -> tuple[Delegate, ...]:
        """Return Fisher's z, and the search if it is that of the authors' program."""
        return (*shared_tests("zf"), *((_PROGRAM,) if self.complement_always else ()))

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a CPDAG."""
        test = independence_test(data, "zf")
        questions = TestCounter(test)
        graph, tests = _core.dual_pc(
            test.native,
            _core.DualPcOptions(self.alpha, self.max_order, as_program=self.complement_always),
            "with-conflicts" if self._marks_conflicts else "by-node",
            not self.skeleton_only,
            not self.skeleton_only and (self.complement_always or not self.pattern_only),
        )
        stats = {"max_order": max(len(tests) - 1, 0)}
        return questions.estimate(Graph._of(test.names, graph), stats)
