"""Structural Hamming distances between an estimated and a true graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from dagathlon import _core
from dagathlon.errors import GraphError, listing, unknown
from dagathlon.evaluate.graphs.counts import on_shared_nodes
from dagathlon.evaluate.metric import Better, Measure, Value, metric_family
from dagathlon.graphs import Graph, cpdag, pattern, skeleton
from dagathlon.graphs.checks import require_dag

HAMMING = (
    "Tsamardinos, Brown and Aliferis 2006, The max-min hill-climbing Bayesian network structure "
    "learning algorithm, Machine Learning 65",
)
OF_HAMMING = ", which counts the edges to add, to remove or to turn (0 is perfect)"
Variant: TypeAlias = Literal["marks", "dag", "cpdag", "pattern", "skeleton"]


def _only_dag(graph: Graph) -> Graph:
    require_dag(graph, "the distance between DAGs")
    return graph


_FORMS: Mapping[str, Callable[[Graph], Graph]] = {
    "marks": lambda graph: graph,
    "dag": _only_dag,
    "cpdag": cpdag,
    "pattern": pattern,
    "skeleton": skeleton,
}


def shd(estimate: Graph, truth: Graph, variant: Variant = "marks") -> int:
    """Return the structural Hamming distance: the number of node pairs whose edge differs.

    A pair counts once, whether an edge is missing, extra or has other marks. Nodes are matched
    by name.

    Parameters
    ----------
    estimate, truth
        Graphs over the same nodes.
    variant
        The form compared: the graphs as they are (``marks``, every kind of graph), the same with a
        check that both are DAGs (``dag``), their CPDAGs, their patterns (v-structures), or their
        skeletons.
    """
    if variant not in _FORMS:
        raise GraphError(unknown("variant of the distance", variant, _FORMS))
    form = _FORMS[variant]
    other = form(_reordered(truth, estimate))
    return _core.differing_pairs(form(estimate).native, other.native)


def half_shd(estimate: Graph, truth: Graph) -> float:
    """Return the structural Hamming distance in which an edge with other marks counts one half."""
    return (shd(estimate, truth) + shd(estimate, truth, "skeleton")) / 2


def _reordered(truth: Graph, estimate: Graph) -> Graph:
    """Return the truth with its nodes in the order of the estimate."""
    if estimate.names == truth.names:
        return truth
    if set(estimate.names) != set(truth.names):
        only_estimate = [name for name in estimate.names if name not in truth]
        only_truth = [name for name in truth.names if name not in estimate]
        raise GraphError(
            "the estimate and the truth are not graphs of the same nodes: only in the estimate: "
            f"{listing(only_estimate)}; only in the truth: {listing(only_truth)}"
        )
    return truth.subgraph(estimate.names)


def _hamming(
    name: str, title: str, short: str, takes: tuple[str, ...] = (), better: Better = "less"
) -> Measure:
    return Measure(
        name, title, better, short, "edges", takes, references=HAMMING, meaning=OF_HAMMING
    )


@metric_family(
    "distances",
    _hamming("SHD_dag", "structural Hamming distance (DAG)", "SHD (DAG)", ("dag",)),
    _hamming("SHD_skel", "structural Hamming distance (skeleton)", "SHD (skeleton)"),
    _hamming("SHD_half", "structural Hamming distance (½ for a wrong mark)", "SHD (½)"),
    order=30,
)
def hamming_distances(estimate: Graph, truth: Graph) -> dict[str, Value]:
    """Return the variants of the structural Hamming distance that Benchpress does not have."""
    learned, true = on_shared_nodes(estimate, truth)
    both_dags = learned.is_dag and true.is_dag
    return {
        "SHD_dag": shd(learned, true) if both_dags else None,
        "SHD_skel": shd(learned, true, "skeleton"),
        "SHD_half": half_shd(learned, true),
    }


@metric_family(
    "shared_nodes",
    Measure("n_nodes_left_out", "nodes left out", unit="nodes", table="beside"),
    order=25,
)
def nodes_left_out(estimate: Graph, truth: Graph) -> dict[str, Value]:
    """Return the number of nodes that only one graph has, which all comparisons leave out."""
    return {"n_nodes_left_out": len(set(estimate.names) ^ set(truth.names))}
