"""Chow-Liu trees: the forest of highest score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.errors import DataError, unknown
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Output
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class ChowLiu(ScoreBased):
    """Chow-Liu tree or forest: a maximum-weight spanning forest of the score gains of edges.

    Without a penalty (score loglik or loglik-g) an edge gains its mutual information, and the
    result is the tree of highest likelihood. With one, edges of negative gain are left out. For
    scores that differ between equivalent DAGs, such as k2, the weight of an edge is the gain of
    its better direction, and another tree may have a higher score.

    Parameters
    ----------
    root
        Variable at which the tree is rooted; null leaves its edges undirected, since the data do
        not identify directions.
    """

    name = "chow_liu"
    gives = "cpdag"
    assumes = (*ScoreBased.assumes, "at most one path between two variables")
    references = (
        "Chow and Liu 1968, Approximating discrete probability distributions with dependence "
        "trees, IEEE Transactions on Information Theory 14",
        "Edwards, de Abreu and Labouriau 2010, Selecting high-dimensional mixed graphical models "
        "using minimal AIC or BIC forests, BMC Bioinformatics 11",
    )

    root: str | None = None

    def output(self) -> Output:
        """Return "dag" for a rooted tree, otherwise the class of its undirected forest."""
        return "cpdag" if self.root is None else "dag"

    def problem(self) -> str:
        """Return a message if a number of parents other than 1 is set; empty otherwise."""
        if self.max_parents is not None:
            return "max_parents has no meaning for chow_liu: a node of a tree has one parent"
        if self.constraints is not None:
            return "chow_liu takes no constraints; hc[max_parents=1] does, and gives forests too"
        return super().problem()

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Find the best forest by Kruskal's algorithm."""
        if self.root is not None and self.root not in data.names:
            raise DataError(unknown("variable", self.root, data.names, "root"))
        score = self.native_score(data)
        edges = _forest(_gains(score, len(data.names)))
        graph = _directed(edges, data.names, data.names.index(self.root) if self.root else 0)
        stats = {"score": float(sum(score.terms(graph.native)))}
        if self.root is None:
            written = [(data.names[a], "-", data.names[b]) for a, b in edges]
            graph = Graph.from_edges(written, data.names)
        return Estimate(graph, stats, notes=self.notes(data))


def _gains(score: _core.Score, p: int) -> npt.NDArray[np.float64]:
    """Return the score gain of each pair as an edge, in its better direction."""
    alone = np.array([score.local(child, []) for child in range(p)])
    into = np.full((p, p), -np.inf)
    for child in range(p):
        beat()
        into[:, child] = np.asarray(score.additions(child, [])) - alone[child]
    np.fill_diagonal(into, -np.inf)
    return np.asarray(np.fmax(into, into.T), dtype=np.float64)


def _forest(gains: npt.NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return the edges of a maximum spanning forest of positive gains; first pair on ties."""
    rows, columns = np.triu_indices(len(gains), 1)
    order = np.argsort(-gains[rows, columns], kind="stable")
    part = np.arange(len(gains))
    edges = []
    for a, b in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        if not gains[a, b] > 0:
            break
        if part[a] != part[b]:
            part[part == part[b]] = part[a]
            edges.append((a, b))
    return edges


def _directed(edges: list[tuple[int, int]], names: tuple[str, ...], root: int) -> Graph:
    """Direct a forest's edges away from the root; other trees are rooted at their first column."""
    arcs = []
    seen: set[int] = set()
    for start in (root, *range(len(names))):
        waiting = [] if start in seen else [start]
        seen.add(start)
        while waiting:
            node = waiting.pop()
            joined = {a + b - node for a, b in edges if node in (a, b)} - seen
            arcs += [(names[node], names[other]) for other in sorted(joined)]
            seen |= joined
            waiting += sorted(joined)
    return Graph.from_edges(arcs, names=names)
