"""The dual PC algorithm: a set of neighbours and the set of all others are tested together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dagathlon import _core
from dagathlon.data.facts import DataKind
from dagathlon.graphs import Graph
from dagathlon.learners.assumptions import FAITHFUL, GAUSSIAN, NO_HIDDEN
from dagathlon.learners.base import Estimate, Learner, Output
from dagathlon.learners.constraint.open_questions import Questions
from dagathlon.learners.independence import independence_test, shared_tests
from dagathlon.modules import Count, Delegate, NonNegative, Probability

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class DualPc(Learner):
    """PC that starts from both ends: marginal tests and tests given all neighbours.

    For every set of neighbours of a node it also tests the set of all its other neighbours, which
    costs little through the inverse of the correlation matrix. Where the rows are fewer than such a
    large set needs, or columns are collinear, the second test is left out.

    Parameters
    ----------
    alpha
        Significance level of Fisher's z.
    max_order
        Largest number of variables to condition on, or to leave out; null is no limit.
    skeleton_only
        Whether to stop at the skeleton.
    pattern_only
        Whether to stop at the pattern: the skeleton with its colliders.
    complement_always
        Whether the complement of a set is stored as separating set even where the set itself
        separated, and the search goes on after a complement did, until a set does; of those that
        separated, the one with the weakest correlation counts. So the authors' program seems to do.
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
        """A skeleton has no directions that data could tell."""
        return "undirected" if self.skeleton_only else self.gives

    def delegates(self) -> tuple[Delegate, ...]:
        """Fisher's z."""
        return shared_tests("zf")

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a CPDAG."""
        test = independence_test(data, "zf")
        questions = Questions(test)
        graph, tests = _core.dual_pc(
            test.native,
            self.alpha,
            self.max_order,
            self.complement_always,
            not self.skeleton_only,
            not (self.skeleton_only or self.pattern_only),
        )
        stats = {"max_order": max(len(tests) - 1, 0)}
        return questions.estimate(Graph._of(test.names, graph), stats)
