"""K2: greedy addition of parents along a known order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dagathlon import _core
from dagathlon.errors import DataError, unknown
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.learners.score.score_kinds import DefaultScores
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset
    from dagathlon.learners.background import ArcMatrix


@dataclass(frozen=True, kw_only=True)
class K2(ScoreBased):
    """K2: parents of each variable among those before it, added greedily while the score rises.

    Parameters
    ----------
    order
        Names of the variables in causal order, separated by commas; null is the order of the
        columns.
    """

    name = "k2"
    gives = "dag"
    assumes = (*ScoreBased.assumes, "a known order of the variables")
    references = (
        "Cooper and Herskovits 1992, A Bayesian method for the induction of probabilistic networks "
        "from data, Machine Learning 9",
    )
    default_scores: ClassVar[DefaultScores] = {
        "discrete": "k2",
        "continuous": "bic-g",
        "mixed": "bic-dg",
    }

    order: str | None = None

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Add parents to one variable after another."""
        score = self.native_score(data)
        forbidden, required = self.arc_matrices(data)
        places = self._places(data.names)
        total = 0.0
        arcs = required.copy()
        for k, child in enumerate(places):
            beat()
            allowed = np.zeros(len(places), dtype=bool)
            allowed[places[:k]] = True
            _refuse_against_order(data.names, required[:, child] & ~allowed, child)
            allowed &= ~forbidden[:, child]
            total += self._add_parents(score, child, allowed, arcs)
        graph = Graph.from_adjacency(data.names, arcs)
        return Estimate(graph, {"score": total}, notes=self.notes(data))

    def _add_parents(
        self, score: _core.Score, child: int, allowed: ArcMatrix, arcs: ArcMatrix
    ) -> float:
        """Add parents while the score rises; return the score of the family."""
        most = len(allowed) if self.max_parents is None else self.max_parents
        parents = np.flatnonzero(arcs[:, child]).tolist()
        best = score.local(child, parents)
        while len(parents) < most:
            free = [node for node in np.flatnonzero(allowed).tolist() if node not in parents]
            gains = score.additions(child, parents)
            new = max(free, key=gains.__getitem__, default=None)
            if new is None or not gains[new] > best:
                break
            parents.append(new)
            best = score.local(child, parents)
        arcs[parents, child] = True
        return best

    def _places(self, names: tuple[str, ...]) -> list[int]:
        if self.order is None:
            return list(range(len(names)))
        listed = [name.strip() for name in self.order.split(",")]
        for name in listed:
            if name not in names:
                raise DataError(unknown("variable", name, names, "order"))
        if sorted(listed) != sorted(names):
            raise DataError("order: every variable stands in it once")
        return [names.index(name) for name in listed]


def _refuse_against_order(names: tuple[str, ...], against: ArcMatrix, child: int) -> None:
    if against.any():
        parent = names[int(np.flatnonzero(against)[0])]
        raise DataError(
            f"the edge {parent} -> {names[child]} is required, but {parent} comes after "
            f"{names[child]} in the order"
        )
