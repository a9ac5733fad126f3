"""Effects that all learners agree on, and which of them a graph gets wrong.

A DAG or CPDAG says of each ordered pair that there is no effect, that the effect cannot be
identified, or that it is found by adjusting for the parents; whether that is right in another graph
is what the parent adjustment identification distance counts. Here the pairs themselves are wanted,
for there is no true graph but the graphs of several learners.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.evaluations.intersection_validation.types import Bools, Learned, runs_of
from dagathlon.graphs import Graph, Mark, cpdag, extension

EFFECT_NODES = 100
"""With more nodes effects are not compared: the time grows with the cube of their number."""

_Floats: TypeAlias = npt.NDArray[np.float32]


class Claims(NamedTuple):
    """Causal effects implied by an equivalence class, for each ordered pair of nodes.

    Parameters
    ----------
    parents
        From row to column: whether the column is a parent of the row. Its effect on a parent is
        none; on others it is found by adjusting for the parents, where it is identified.
    unidentified
        Whether the effect cannot be identified.
    reached
        Whether there may be an effect: a possibly directed path.
    arcs
        The arcs of one DAG of the class, from row to column.
    """

    parents: Bools
    unidentified: Bools
    reached: Bools
    arcs: Bools

    @classmethod
    def of(cls, graph: Graph) -> Claims:
        """Return the claims of a DAG or CPDAG, as those of its class."""
        result = cpdag(graph)
        directed = _arcs(result)
        lines = (result.marks == Mark.TAIL) & (result.marks.T == Mark.TAIL)
        steps = directed | lines
        # An effect is unidentified where a path that may be directed starts with an open edge.
        return cls(
            directed.T, _closure(lines, steps), _closure(steps, steps), _arcs(extension(result))
        )

    def wrong_in(self, other: Claims) -> Bools:
        """Return the mask of ordered pairs whose claimed effect is wrong under another class."""
        by_adjustment = other.unidentified | _invalid(other.arcs, self.parents)
        without_arcs = np.where(self.unidentified, ~other.unidentified, by_adjustment)
        result: Bools = np.where(self.parents, other.reached, without_arcs)
        np.fill_diagonal(result, False)
        return result


def _arcs(graph: Graph) -> Bools:
    result: Bools = (graph.marks == Mark.ARROW) & (graph.marks.T == Mark.TAIL)
    return result


def _closure(start: Bools, steps: Bools) -> Bools:
    """Return the nodes reachable from each row's start nodes without passing the row's own node."""
    away = ~np.eye(len(start), dtype=np.bool_)
    result = start & away
    new = result
    while new.any():
        new = _after(new, steps) & away & ~result
        result = result | new
    return result


def _after(at: Bools, steps: Bools) -> Bools:
    """Return the nodes reached by one more step."""
    reached: _Floats = at.astype(np.float32) @ steps.astype(np.float32)
    result: Bools = reached > 0
    return result


def _invalid(arcs: Bools, sets: Bools) -> Bools:
    """Return the pairs of a DAG for which the row's set is no valid adjustment set.

    It is not when a directed path meets the set, or when another walk is open given the set: one
    that leaves against an arc, or that turns at a node of the set. The walk may go from a directed
    path to a descendant in the set and back, which stands for sets with forbidden nodes. For a
    class one of its DAGs decides where the effect is identified (Perković et al. 2018, Complete
    graphical characterization and construction of adjustment sets in Markov equivalence classes of
    ancestral graphs, Journal of Machine Learning Research 18).
    """
    away = ~np.eye(len(arcs), dtype=np.bool_)
    met = _closure(arcs, arcs) & sets
    blocked = _closure(_after(met, arcs), arcs)
    # Nodes that are reached against an arc, and along one.
    up: Bools = arcs.T | _after(_open_descendants(arcs, sets) & sets, arcs.T) & away
    down = np.zeros_like(up)
    before = -1
    while before != (before := int(up.sum()) + int(down.sum())):
        through = up & ~sets
        down = down | (_after(through | (down & ~sets), arcs) & away)
        up = up | (_after(through | (down & sets), arcs.T) & away)
    return blocked | up | down


def _open_descendants(arcs: Bools, sets: Bools) -> Bools:
    """Return the nodes reached by directed paths that avoid the row's set."""
    away = ~np.eye(len(arcs), dtype=np.bool_)
    result = arcs & away
    new = result
    while new.any():
        new = _after(new & ~sets, arcs) & away & ~result
        result = result | new
    return result


class AgreedEffects(NamedTuple):
    """Ordered pairs whose causal effect is the same for all learners on all rows.

    Parameters
    ----------
    names
        The nodes.
    agreed
        From row to column: whether what each learner says is right in the graph of every other.
    claims
        What the learners say; equal graphs once.
    """

    names: tuple[str, ...]
    agreed: Bools
    claims: tuple[Claims, ...]

    @property
    def n(self) -> int:
        """Return the number of these ordered pairs."""
        return int(np.count_nonzero(self.agreed))

    def wrong(self, graph: Graph) -> int | None:
        """Count the agreed effects that a graph gets wrong according to at least one learner.

        None for a graph that is neither a DAG nor a CPDAG.
        """
        if not _speaks_of_effects(graph):
            return None
        claims = Claims.of(graph.subgraph(self.names))
        wrong = np.zeros_like(self.agreed)
        for reference in self.claims:
            wrong |= claims.wrong_in(reference)
        return int(np.count_nonzero(wrong & self.agreed))


def agreed_effects(graphs: Iterable[Graph], most_nodes: int = EFFECT_NODES) -> AgreedEffects | None:
    """Return the effects that all graphs agree on; None where they are not defined.

    With one graph, or equal ones, these are all ordered pairs, and the wrong ones are the parent
    adjustment identification distance.

    Parameters
    ----------
    graphs
        Graphs over the same nodes. One that is neither a DAG nor a CPDAG says nothing of effects,
        and then nothing is agreed on.
    most_nodes
        More nodes than this would take too long.
    """
    result = list(graphs)
    names = result[0].names
    if len(names) > most_nodes or not all(map(_speaks_of_effects, result)):
        return None
    classes = dict.fromkeys(cpdag(graph).subgraph(names) for graph in result)
    claims = tuple(map(Claims.of, classes))
    agreed = ~np.eye(len(names), dtype=np.bool_)
    for item, other in permutations(claims, 2):
        agreed &= ~item.wrong_in(other)
    return AgreedEffects(names, agreed, claims)


def _speaks_of_effects(graph: Graph) -> bool:
    return graph.is_dag or graph.is_cpdag


def effect_distances(
    effects: AgreedEffects, learned: Learned
) -> Mapping[int, list[list[int | None]]]:
    """Count wrong effects by size, learner and subsample; None without a graph or claim."""
    return {
        size: [
            [None if graph is None else effects.wrong(graph) for graph in some]
            for some in runs_of(learned.estimates, learned.learners, size)
        ]
        for size in learned.sizes
    }
