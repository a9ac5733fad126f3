"""SaiyanH: a hybrid search whose graph is connected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dagathlon import _core
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.learners.hybrid.saiyanh_directions import Directions, by_score, by_triples, settle
from dagathlon.learners.hybrid.spanning_graph import (
    Pairs,
    Weights,
    joining_pairs,
    spanning_graph,
    without_weak,
)
from dagathlon.learners.score.score_based import ScoreBased, result_stats
from dagathlon.modules import Count, NonNegative, Probability

if TYPE_CHECKING:
    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class Saiyanh(ScoreBased):
    """SaiyanH: a graph of strong associations, directed, then a search that stays connected.

    Parameters
    ----------
    threshold
        Associations (mean and maximum discrepancy of marginal distributions, 0 to 1) below this are
        no dependence: such pairs are joined only if needed to connect the graph.
    independence
        Relative decrease of an association given a third variable that counts as conditional
        independence; likewise the relative increase that counts as a collider.
    escapes
        Number of steps from a local maximum to unvisited DAGs, even of lower score, after which the
        search ends; null is the number of ordered pairs of variables, as in the paper.
    """

    name = "saiyanh"
    version = 2
    former_names = ("saiyanh-style",)
    takes = frozenset({"discrete"})
    gives = "dag"
    anytime = True
    extends_default = False
    implementation = "dagathlon (after the published descriptions; agrees with Bayesys 1.4)"
    references = (
        "Constantinou 2020, Learning Bayesian networks that enable full propagation of evidence, "
        "IEEE Access 8",
        "Constantinou, Guo and Kitson 2023, The impact of prior knowledge on causal structure "
        "learning, Knowledge and Information Systems 65",
    )

    threshold: Probability = 0.05
    independence: NonNegative = 0.5
    escapes: Count | None = None

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Find associations, direct them, and search from there."""
        native = _core.Discrepancies(data.codes, list(data.arities))
        forbidden, required = self.arc_matrices(data)
        association = _with_knowledge(native.pairs(), forbidden, required)
        edges = without_weak(spanning_graph(association), association, self.threshold)
        score = self.native_score(data)
        directions = Directions(edges | required | required.T, forbidden, self._most_parents(data))
        self._direct(directions, association, required, native, score)
        self._join(directions, association, score)
        start = Graph.from_adjacency(data.names, directions.arcs)
        weak = (association < self.threshold) & ~(directions.arcs | directions.arcs.T)
        limits = _core.SearchLimits(forbidden | weak, required, self._most_parents(data))
        p = len(data.names)
        escapes = p * (p - 1) if self.escapes is None else self.escapes
        result = _core.connected_search(score, limits, start.native, escapes)
        return Estimate(Graph.from_native(data.names, result.dag), result_stats(result))

    def _most_parents(self, data: Dataset) -> int:
        return len(data.names) if self.max_parents is None else self.max_parents

    def _direct(
        self,
        found: Directions,
        association: Weights,
        required: Pairs,
        native: _core.Discrepancies,
        score: _core.Score,
    ) -> None:
        for a, b in np.argwhere(required).tolist():
            found.direct(a, b)
        by_triples(found, association, native, self.threshold, self.independence)
        settle(found, association, score)

    def _join(self, found: Directions, association: Weights, score: _core.Score) -> None:
        """Connect components that constraints have separated, by the strongest associations."""
        for a, b in joining_pairs(found.arcs | found.arcs.T, association):
            found.open(a, b)
            by_score(found, [(a, b)], score, ties=True)


def _with_knowledge(association: Weights, forbidden: Pairs, required: Pairs) -> Weights:
    """Return the associations with required pairs strongest and forbidden pairs weakest."""
    result = np.where(required | required.T, 1.0, association)
    result[forbidden & forbidden.T] = 0.0
    return result
