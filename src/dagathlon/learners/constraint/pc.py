"""The PC algorithm: a skeleton by tests of independence, then colliders, then Meek's rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from dagathlon import _core
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Output
from dagathlon.learners.constraint.constraint_based import ConstraintBased, Neighbours, sequence_of
from dagathlon.learners.constraint.test_counter import TestCounter
from dagathlon.learners.independence import IndependenceTest

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset

_PC = "Spirtes, Glymour and Scheines 2000, Causation, Prediction, and Search"
_STABLE = "Colombo and Maathuis 2014, Order-independent constraint-based causal structure, JMLR 15"


Conflicts: TypeAlias = Literal[
    "last", "first", "confirmed", "existing", "mark", "bidirected", "lowest-p", "highest-p"
]
_WITH_CONFLICTS = ("mark", "bidirected")


@dataclass(frozen=True, kw_only=True)
class Pc(ConstraintBased):
    """The PC algorithm.

    Parameters
    ----------
    stable
        Whether the skeleton does not depend on the order of the variables (PC-stable); otherwise a
        removed edge affects all later tests.
    neighbours
        The order in which neighbours are tried as a separating set: that of their columns
        (by-column) or of their names (by-name). The first set that separates is kept.
    colliders
        How the middle of an unshielded triple is judged. By the set that separated its ends
        (separating-set). By all sets of their neighbours that separate them: a collider is in
        none (conservative) or in less than half (majority: a set of common neighbours counts once
        for each end), and what remains open stays undirected. By the set of neighbours with the
        highest p-value (highest-p).
    conflicts
        When colliders contradict each other: the last one in the order of the variables wins
        (last; Tetrad's overwrite), and arrows that are part of no collider any more may be taken
        back after that (confirmed, what Tetrad 7.6.3 makes of it); one that contradicts an earlier
        one in the order of its ends, or would close a cycle, is left out (existing, Tetrad
        7.6.10's way); an edge keeps the direction of the collider whose ends were separated first
        (first, gCastle's way); the edge becomes bidirected, and so does one that Meek's rules
        contradict each other about (mark, pcalg's way) or none more (bidirected, Tetrad 7.6.3's);
        the one whose ends were separated with the lowest (lowest-p) or highest p-value (highest-p)
        is directed first, and those that contradict it or would close a cycle are left out.
    open_triples
        How Meek's rules treat triples that `colliders` leaves undecided: not at all (unused), or as
        non-colliders (non-colliders, as Tetrad does).
    contradiction
        Treatment of colliders that no DAG has: leave the graph as it is (keep), give the CPDAG of a
        random DAG with that skeleton (random), or first try other orders of the colliders (retry).
    one_sided
        Whether only sets of neighbours of the first node of a pair are tried, as in gCastle;
        otherwise those of both nodes.
    possible_causes_only
        Whether tests condition only on variables that the background knowledge allows as causes of
        one of the two: with tiers, never on the future of both (tiered PC).
    skeleton_only
        Whether to stop at the skeleton.
    """

    name = "pc"
    version = 3
    gives = "cpdag"
    splits = True
    references: ClassVar[tuple[str, ...]] = (_PC, _STABLE)

    stable: bool = True
    neighbours: Neighbours = "by-column"
    colliders: Literal["separating-set", "conservative", "majority", "highest-p"] = "separating-set"
    conflicts: Conflicts = "lowest-p"
    open_triples: Literal["unused", "non-colliders"] = "unused"
    contradiction: Literal["keep", "random", "retry"] = "keep"
    one_sided: bool = False
    possible_causes_only: bool = False
    skeleton_only: bool = False

    def output(self) -> Output:
        """Return "mixed" where conflicts are marked with two arrowheads; otherwise "cpdag"."""
        if self.skeleton_only:
            return "undirected"
        return "mixed" if self.conflicts in _WITH_CONFLICTS else self.gives

    def problem(self) -> str:
        """Return a message if options contradict each other; empty otherwise."""
        decided = self.contradiction != "keep"
        if decided and (
            self.conflicts in _WITH_CONFLICTS or self.colliders in ("conservative", "majority")
        ):
            return (
                f"contradiction {self.contradiction!r} goes with neither conflicts "
                "'mark' and 'bidirected' nor "
                "colliders 'conservative' or 'majority'; set it to 'keep'"
            )
        if self.one_sided and self.skeleton_only:
            return "one_sided goes with a directed graph; set skeleton_only to false"
        return super().problem()

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a CPDAG."""
        return self.learn_with(self.make_test(data, rng), rng)

    def learn_with(
        self,
        test: IndependenceTest,
        rng: np.random.Generator,
        correction: _core.IndependenceTest | None = None,
    ) -> Estimate:
        """Learn from any test, such as the oracle `separation_test` of a true graph.

        With a `correction`, edges of the skeleton whose ends have a common neighbour are
        tested again with it, and it answers all later tests.
        """
        questions = TestCounter(test, correction)
        ambiguous = 0
        if self.skeleton_only:
            graph, tests = _core.pc_skeleton(test.native, self._skeleton_options(test))
        else:
            graph, tests, ambiguous = _core.pc(test.native, self._options(test, rng), correction)
        stats = {"max_order": max(len(tests) - 1, 0), "ambiguous_triples": ambiguous}
        return questions.estimate(Graph._of(test.names, graph), stats)

    def _skeleton_options(self, test: IndependenceTest) -> _core.SkeletonOptions:
        return _core.SkeletonOptions(
            self.alpha,
            self.order_limit,
            self.stable,
            self.knowledge(test.names),
            possible_causes_only=self.possible_causes_only,
            one_sided=self.one_sided,
            sequence=sequence_of(test.names, self.neighbours),
        )

    def _options(self, test: IndependenceTest, rng: np.random.Generator) -> _core.PcOptions:
        return _core.PcOptions(
            self._skeleton_options(test),
            self.knowledge(test.names),
            self.colliders,
            _ORDERS[self.conflicts],
            self.contradiction,
            int(rng.integers(2**63)) if self.contradiction != "keep" else 0,
            open_as_noncolliders=self.open_triples == "non-colliders",
        )


_ORDERS = {
    "last": "by-node",
    "first": "by-separation",
    "confirmed": "then-confirmed",
    "existing": "existing",
    "bidirected": "bidirected",
    "mark": "with-conflicts",
    "lowest-p": "by-p-value",
    "highest-p": "by-high-p-value",
}
