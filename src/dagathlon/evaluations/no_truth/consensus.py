"""Agreement of learned graphs on edges, and learning on bootstrap samples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.frame import grouped
from dagathlon.graphs import Graph, Mark, cpdag
from dagathlon.report.results import Results
from dagathlon.report.tables.places import Place, place_of
from dagathlon.simulate.resampling import BootstrapSample
from dagathlon.study.plan.plan import Run

Direction: TypeAlias = Literal["forward", "backward", "undecided", "contradicting"]
"""The direction that more than half of the votes that join the pair give; contradicting when both
are given and the lesser has a quarter or more of the votes for any, else undecided."""
Verdict: TypeAlias = Literal["agreed", "one voter", "undecided", "contradicting"]
"""A direction is agreed when two algorithms or more give it; of one it is that one's word."""

_DISSENT = 0.25
_ROUNDING = 1e-9


class Claim(NamedTuple):
    """Shares of the graphs of one algorithm that join a pair, and that direct it.

    Parameters
    ----------
    joined
        Share that joins the pair.
    forward, backward
        Share that has left → right, and left ← right.
    """

    joined: float
    forward: float
    backward: float


class EdgeAgreement(NamedTuple):
    """Answers of the algorithms about one pair of variables.

    Parameters
    ----------
    left, right
        The two variables.
    support
        Share of the votes that join them: every algorithm has one vote, which its graphs share.
    forward, backward
        Share of the votes that has left → right, and left ← right.
    claims
        What the graphs under each id say.
    voters
        How many algorithms join them, give left → right, and give left ← right, each in some graph.
    """

    left: str
    right: str
    support: float
    forward: float
    backward: float
    claims: Mapping[str, Claim]
    voters: tuple[int, int, int] = (0, 0, 0)

    @property
    def verdict(self) -> Verdict:
        """Return the agreement on the direction in a word; see `Verdict`."""
        result = self.direction
        if result in ("undecided", "contradicting"):
            return result
        return "agreed" if self.voters[1 if result == "forward" else 2] > 1 else "one voter"

    @property
    def by(self) -> dict[str, float]:
        """Return the share of graphs under each id that join the pair."""
        return {name: claim.joined for name, claim in self.claims.items()}

    @property
    def direction(self) -> Direction:
        """Return the direction agreed on; see `Direction`."""
        most, least = max(self.forward, self.backward), min(self.forward, self.backward)
        if least and least >= _DISSENT * (most + least) - _ROUNDING:
            return "contradicting"
        if most <= self.support / 2 + _ROUNDING:
            return "undecided"
        return "forward" if self.forward > self.backward else "backward"


def as_class(graph: Graph) -> Graph:
    """Return the CPDAG of a DAG, other graphs unchanged."""
    return cpdag(graph) if graph.is_dag else graph


def edge_agreement(
    graphs: Mapping[str, Sequence[Graph]], algorithms: Mapping[str, str] | None = None
) -> list[EdgeAgreement]:
    """Return the agreement on all pairs that some graph joins, those with most support first.

    Parameters
    ----------
    graphs
        The graphs under each id, all over the same nodes.
    algorithms
        The algorithm of each id. Every algorithm has one vote, and all its graphs share it, so that
        ten settings of one do not outvote another; by default each id is an algorithm of its own.
    """
    names = [name for name, members in graphs.items() if members]
    if not names:
        return []
    nodes = graphs[names[0]][0].names
    shares = {name: _shares(graphs[name], nodes) for name in names}
    votes = _votes({name: len(graphs[name]) for name in names}, algorithms or {})
    total = np.sum([votes[name] * shares[name] for name in names], axis=0)
    behind = algorithms or {}
    result = [
        EdgeAgreement(
            nodes[i],
            nodes[j],
            float(total[0, i, j]),
            float(total[1, i, j]),
            float(total[1, j, i]),
            {name: Claim(*_cells(share, i, j)) for name, share in shares.items()},
            _voters({name: Claim(*_cells(of, i, j)) for name, of in shares.items()}, behind),
        )
        for i, j in np.argwhere(np.triu(total[0]))
    ]
    return sorted(result, key=lambda edge: -round(edge.support, 9))


def _voters(claims: Mapping[str, Claim], algorithms: Mapping[str, str]) -> tuple[int, int, int]:
    """Return how many algorithms join a pair, and give it each direction."""
    joined, forward, backward = (
        len({algorithms.get(name, name) for name, members in claims.items() if members[k]})
        for k in range(3)
    )
    return joined, forward, backward


def _votes(sizes: Mapping[str, int], algorithms: Mapping[str, str]) -> dict[str, float]:
    """Return the share of the votes that each id has."""
    groups: dict[str, int] = {}
    for name, size in sizes.items():
        algorithm = algorithms.get(name, name)
        groups[algorithm] = groups.get(algorithm, 0) + size
    return {
        name: size / groups[algorithms.get(name, name)] / len(groups)
        for name, size in sizes.items()
    }


def _cells(share: npt.NDArray[np.float64], i: int, j: int) -> tuple[float, float, float]:
    return float(share[0, i, j]), float(share[1, i, j]), float(share[1, j, i])


def _shares(graphs: Sequence[Graph], nodes: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return the shares of graphs that join two nodes, and that direct them from row to column."""
    marks = np.stack([graph.subgraph(nodes).marks for graph in graphs])
    directed = (marks == Mark.ARROW) & (marks.transpose(0, 2, 1) == Mark.TAIL)
    return np.stack([(marks != 0).mean(axis=0), directed.mean(axis=0)])


def skeleton_overlap(graphs: Mapping[str, Sequence[Graph]]) -> list[dict[str, str | float]]:
    """Return the Jaccard index of the skeletons of every two algorithms.

    Parameters
    ----------
    graphs
        The graphs of each algorithm, all over the same nodes. An algorithm with several graphs
        stands for the shares of its graphs that have each edge.

    Returns
    -------
    list of dict
        `left`, `right` and `overlap`, from 0 to 1, for all ordered pairs.
    """
    names = [name for name, members in graphs.items() if members]
    if not names:
        return []
    nodes = graphs[names[0]][0].names
    shares = {name: _shares(graphs[name], nodes)[0] for name in names}
    result: list[dict[str, str | float]] = []
    for left in names:
        for right in names:
            both = float(np.minimum(shares[left], shares[right]).sum())
            either = float(np.maximum(shares[left], shares[right]).sum())
            overlap = both / either if either else 1.0
            result.append({"left": left, "right": right, "overlap": overlap})
    return result


Shares: TypeAlias = npt.NDArray[np.float64]
_LABEL = re.compile(rf"{BootstrapSample.name}=all,\d+")


class Copies(NamedTuple):
    """Graphs of one setting on the bootstrap samples of one data set.

    Parameters
    ----------
    names
        The nodes.
    joined, directed
        Share of the graphs that join two nodes, and that direct them from row to column; reversible
        edges of a DAG have no direction.
    sizes
        Number of edges of each graph.
    failed
        On how many samples nothing was learned.
    """

    names: tuple[str, ...]
    joined: Shares
    directed: Shares
    sizes: Sequence[int]
    failed: int


def bootstrapped(results: Results, ids: Iterable[str]) -> dict[Place, Copies]:
    """Return the available graphs on bootstrap samples, by setting and data set."""
    labels = {case.transform for case in results.plan.cases}
    runs: list[Run] = []
    for label in sorted(filter(_LABEL.fullmatch, labels)):
        runs += results.further_runs(ids, label)
    asked = Counter(place_of(results, run) for run in runs)
    graphs = grouped(
        (place_of(results, run), as_class(graph)) for run, graph in results.estimates(runs)
    )
    return {
        place: _copies(members, asked[place] - len(members))
        for place, members in graphs.items()
        if len({graph.names for graph in members}) == 1
    }


def _copies(graphs: Sequence[Graph], failed: int) -> Copies:
    marks = np.stack([graph.marks for graph in graphs])
    directed = (marks == Mark.ARROW) & (marks.transpose(0, 2, 1) == Mark.TAIL)
    sizes = [graph.n_edges for graph in graphs]
    joined: Shares = (marks != 0).mean(axis=0)
    return Copies(graphs[0].names, joined, directed.mean(axis=0), sizes, failed)


def pair_probabilities(
    copies: Mapping[Place, Copies], algorithms: Mapping[str, str]
) -> dict[frozenset[str], float]:
    """Return shares of bootstrap samples on which two nodes are joined; one vote per algorithm."""
    names = next((members.names for members in copies.values() if members.names), ())
    groups = grouped(
        (algorithms.get(place.id, place.id), members.joined)
        for place, members in copies.items()
        if members.names == names
    )
    if not groups:
        return {}
    mean = np.mean([np.mean(members, axis=0) for members in groups.values()], axis=0)
    return {
        frozenset((names[i], names[j])): float(mean[i, j])
        for i in range(len(names))
        for j in range(i + 1, len(names))
    }
