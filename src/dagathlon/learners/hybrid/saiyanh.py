"""A hybrid search in the style of SaiyanH: no variable is left without a path to the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.graphs import Graph
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners.attempt import attempt_inside
from dagathlon.learners.base import Estimate
from dagathlon.learners.score.hill_climbing import GreedyDagSearch, HillClimbing, Tabu
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.modules import Delegate
from dagathlon.pulse import beat, until_deadline

if TYPE_CHECKING:
    from dagathlon.data import Dataset

Matrix: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class SaiyanhStyle(ScoreBased):
    """A connected DAG: strong associations, then the best directions inside them, then tabu search.

    As published: the discrepancy between marginal and conditional distributions, the extended
    maximum spanning graph, a tabu search by BIC, and that the result has no separate parts. The
    published rules for directions (classes of triples, effects of interventions) depend on
    settings that the description leaves open; hill climbing inside the spanning graph stands for
    them. So this is no re-implementation of SaiyanH, only of its style.
    """

    name = "saiyanh-style"
    takes = frozenset({"discrete"})
    gives = "dag"
    anytime = True
    implementation = "dagathlon (after the published description of SaiyanH, not all of it)"
    references = (
        "Constantinou 2020, Learning Bayesian networks that enable full propagation of evidence, "
        "IEEE Access 8",
    )

    def delegates(self) -> tuple[Delegate, ...]:
        """The score and both searches."""
        searches = (self._search(learner, Knowledge()) for learner in (HillClimbing, Tabu))
        return (*super().delegates(), *searches)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Associations, directions, tabu search, connection."""
        association = discrepancies(data)
        spanning = spanning_graph(association)
        given = self.knowledge(data)
        outside = {
            (data.names[i], data.names[j])
            for i, j in np.argwhere(~spanning).tolist()
            if i != j and (data.names[i], data.names[j]) not in given.required
        }
        inside = Knowledge(given.forbidden | outside, given.required)
        first = attempt_inside(self._search(HillClimbing, inside), data, rng).graph
        with until_deadline():
            first = self._connected(first, association, given, data)
        found = attempt_inside(self._search(Tabu, given), data, rng, start=first)
        graph = found.graph
        with until_deadline():
            graph = self._connected(graph, association, given, data)
        score = self.native_score(data).terms(graph.native)
        stats = {"score": float(sum(score)), "steps": found.stats["steps"]}
        return Estimate(graph, stats, notes=found.notes)

    def _search(self, learner: type[GreedyDagSearch], knowledge: Knowledge) -> GreedyDagSearch:
        parameters: dict[str, Any] = self.inner() | {"constraints": knowledge}
        return learner(**parameters)

    def _connected(
        self, graph: Graph, association: Matrix, knowledge: Knowledge, data: Dataset
    ) -> Graph:
        """Join separate parts by their strongest associations, in the direction of higher score.

        Separate parts cannot make a cycle, so one arc between two of them is always possible,
        unless both directions are forbidden.
        """
        score = self.native_score(data)
        for i, j in _strongest_first(association):
            a, b = data.names[i], data.names[j]
            if b in _part(graph, a):
                continue
            arcs = [arc for arc in ((a, b), (b, a)) if arc not in knowledge.forbidden]
            joined = [_with_arc(graph, arc) for arc in arcs]
            graph = max(joined, key=lambda g: sum(score.terms(g.native)), default=graph)
        return graph


def discrepancies(data: Dataset) -> Matrix:
    """How far one variable moves the distribution of another.

    The mean of the mean and the maximum of |P(b | a) - P(b)| over the states, and of both
    directions.
    """
    p = len(data.names)
    result = np.zeros((p, p))
    for i in range(p):
        beat(i, p)
        for j in range(i + 1, p):
            table = _table(data, i, j)
            result[i, j] = result[j, i] = (_moved(table) + _moved(table.T)) / 2
    return result


def _table(data: Dataset, i: int, j: int) -> Matrix:
    a, b = data.arities[i], data.arities[j]
    cells = data.codes[:, i].astype(np.int64) * b + data.codes[:, j]
    return np.bincount(cells, minlength=a * b).reshape(a, b).astype(np.float64)


def _moved(table: Matrix) -> float:
    """For rows a and columns b: states a that never occur say nothing."""
    seen = table[table.sum(axis=1) > 0]
    if not len(seen):
        return 0.0
    conditional = seen / seen.sum(axis=1, keepdims=True)
    distance = np.abs(conditional - table.sum(axis=0) / table.sum())
    return float(distance.mean() + distance.max()) / 2


def spanning_graph(association: Matrix) -> npt.NDArray[np.bool_]:
    """The extended maximum spanning graph: all pairs but those that a third variable explains.

    From the weakest pair on, an edge goes when its ends have a common neighbour that is more
    strongly associated with both of them. Paths remain, so the graph is connected.
    """
    p = len(association)
    joined = ~np.eye(p, dtype=bool)
    for i, j in reversed(_strongest_first(association)):
        stronger = (association[i] > association[i, j]) & (association[j] > association[i, j])
        if np.any(stronger & joined[i] & joined[j]):
            joined[i, j] = joined[j, i] = False
    return joined


def _strongest_first(association: Matrix) -> list[tuple[int, int]]:
    rows, columns = np.triu_indices(len(association), 1)
    order = np.argsort(-association[rows, columns], kind="stable")
    return list(zip(rows[order].tolist(), columns[order].tolist(), strict=True))


def _part(graph: Graph, name: str) -> set[str]:
    """The nodes that paths of any direction lead to."""
    found, waiting = {name}, [name]
    while waiting:
        new = set(graph.adjacencies(waiting.pop())) - found
        found |= new
        waiting.extend(new)
    return found


def _with_arc(graph: Graph, arc: tuple[str, str]) -> Graph:
    return Graph.from_edges([*_arcs(graph), arc], names=graph.names)


def _arcs(graph: Graph) -> Iterator[tuple[str, str]]:
    for edge in graph.edges():
        yield edge.left, edge.right
