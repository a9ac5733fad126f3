"""Distances between the intervention effects implied by two graphs, through `gadjid`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import GraphError, unknown
from dagathlon.evaluate.graphs.counts import on_shared_nodes
from dagathlon.evaluate.metric import Measure, Value, metric_family
from dagathlon.graphs import Graph, Mark

Adjustment: TypeAlias = Literal["parent", "ancestor", "oset"]
Coded: TypeAlias = npt.NDArray[np.int8]
_ADJUSTMENTS: tuple[Adjustment, ...] = ("parent", "ancestor", "oset")
_DIRECTION = "from row to column"
SID_REFERENCE = (
    "Peters and Bühlmann 2015, Structural intervention distance for evaluating causal graphs, "
    "Neural Computation 27",
)
AID_REFERENCE = (
    "Henckel, Würtzen and Weichwald 2024, Adjustment identification distance: a gadjid for causal "
    "structure learning, UAI",
)
# Up to so many nodes the causal distances take about as long as all other metrics together.
CAUSAL_NODES = 50


def _distance(name: str, words: str, short: str, headline: int | None = None) -> Measure:
    title = f"{words} adjustment identification distance"
    kinds = ("dag", "cpdag")
    return Measure(
        name,
        title,
        "less",
        short,
        "pairs",
        kinds,
        references=AID_REFERENCE,
        headline=headline,
        show=headline is not None,
    )


def sid(estimate: Graph, truth: Graph) -> int:
    """Return the structural intervention distance between two DAGs.

    The number of ordered pairs for which adjusting for the parents in the estimate does not
    give the effect of the first on the second in the truth.

    References
    ----------
    Peters and Bühlmann 2015, Structural intervention distance for evaluating causal graphs, Neural
    Computation 27.
    """
    for graph in (estimate, truth):
        if not graph.is_dag:
            raise GraphError(f"SID compares two DAGs; this is a {graph.kind} graph")
    return aid(estimate, truth, "parent")


def aid(estimate: Graph, truth: Graph, adjustment: Adjustment) -> int:
    """Return the adjustment identification distance between two DAGs or CPDAGs.

    The number of ordered pairs for which the estimate's claim about the effect (that there is
    none, that it cannot be identified, or the set to adjust for) is wrong in the truth. Nodes
    that only one of the graphs has are left out.

    Parameters
    ----------
    estimate, truth
        A DAG or CPDAG each.
    adjustment
        The set to adjust for: parents, ancestors, or the optimal set.

    References
    ----------
    Henckel, Würtzen and Weichwald 2024, Adjustment identification distance: a gadjid for causal
    structure learning, UAI.
    """
    if adjustment not in _ADJUSTMENTS:
        raise GraphError(unknown("adjustment", adjustment, _ADJUSTMENTS))
    learned, true = on_shared_nodes(estimate, truth)
    for graph in (learned, true):
        if not _is_accepted(graph):
            raise GraphError(f"AID compares DAGs and CPDAGs; this is a {graph.kind} graph")
    return count_mistakes(coded(true), [coded(learned)], adjustment)[0]


def count_mistakes(truth: Coded, learned: Iterable[Coded], adjustment: Adjustment) -> list[int]:
    """Return the distances of several graphs to the truth, all coded for gadjid; see `coded`."""
    if len(truth) < 2:  # gadjid refuses graphs without a pair of nodes
        return [0 for _ in learned]
    import gadjid  # noqa: PLC0415 - only where these distances are wanted

    measure = getattr(gadjid, f"{adjustment}_aid")
    return [int(measure(truth, estimate, edge_direction=_DIRECTION)[1]) for estimate in learned]


@metric_family(
    "causal",
    Measure(
        "SID",
        "structural intervention distance",
        "less",
        "SID",
        "pairs",
        ("dag",),
        references=SID_REFERENCE,
        show=True,
    ),
    _distance("parent_AID", "parent", "parent-AID"),
    _distance("ancestor_AID", "ancestor", "ancestor-AID", headline=30),
    _distance("oset_AID", "optimal", "oset-AID"),
    order=50,
    most_nodes=CAUSAL_NODES,
)
def causal_metrics(estimate: Graph, truth: Graph) -> dict[str, Value]:
    """Return SID (two DAGs) and the three AIDs (DAGs and CPDAGs); None for other graphs."""
    learned, true = on_shared_nodes(estimate, truth)
    if not _is_accepted(learned) or not _is_accepted(true):
        return dict.fromkeys(("SID", *(f"{name}_AID" for name in _ADJUSTMENTS)))
    graphs = coded(true), [coded(learned)]
    distances = {name: count_mistakes(*graphs, name)[0] for name in _ADJUSTMENTS}
    both_dags = learned.is_dag and true.is_dag
    return {
        "SID": distances["parent"] if both_dags else None,
        **{f"{name}_AID": value for name, value in distances.items()},
    }


def _is_accepted(graph: Graph) -> bool:
    return graph.is_dag or graph.is_cpdag


def coded(graph: Graph) -> Coded:
    """Return gadjid's matrix: 1 for an arc from row to column, 2 for an undirected edge."""
    pairs, marks = graph.edge_arrays()
    undirected = marks[:, 0] == marks[:, 1]
    sources, targets = np.where(marks[:, 0] == Mark.ARROW, pairs.T[::-1], pairs.T)
    result = np.zeros((len(graph), len(graph)), dtype=np.int8)
    result[sources, targets] = np.where(undirected, 2, 1)
    return result
