"""`compare`: every metric of an estimate against the truth."""

from __future__ import annotations

from typing import Any

from dagathlon.errors import GraphError
from dagathlon.evaluate.bayesys import bayesys_metrics
from dagathlon.evaluate.benchpress import Value, benchpress_metrics
from dagathlon.evaluate.causal import causal_metrics
from dagathlon.evaluate.counts import on_shared_nodes
from dagathlon.evaluate.distance import half_shd, shd
from dagathlon.evaluate.edges import edge_metrics
from dagathlon.graphs import Graph, as_graph
from dagathlon.learners.base import Estimate

# Up to so many nodes the causal distances take about as long as all other metrics together.
CAUSAL_NODES = 50


def compare(estimate: Any, truth: Any, causal: bool | None = None) -> dict[str, Value]:
    """Compare a learned graph with the true one, node by name.

    Parameters
    ----------
    estimate, truth
        A `Graph`, an `Estimate`, a file, or an object of another graph library.
    causal
        Whether to compute SID and the AIDs; by default for graphs of up to 50 nodes.

    Returns
    -------
    dict
        Metrics by name. Graphs over different nodes are compared over the shared ones, and
        ``n_nodes_left_out`` counts the others.
    """
    learned, true = _graph(estimate), _graph(truth)
    shared = set(learned.names) & set(true.names)
    if not shared and (len(learned) or len(true)):
        raise GraphError(
            "the two graphs have no node in common: "
            f"{', '.join(learned.names[:3])}… and {', '.join(true.names[:3])}…"
        )
    left_out = len(set(learned.names) ^ set(true.names))
    metrics = benchpress_metrics(learned, true) | bayesys_metrics(learned, true)
    metrics |= {"n_nodes_left_out": left_out, **_distances(learned, true)}
    metrics |= edge_metrics(learned, true)
    if causal or (causal is None and len(shared) <= CAUSAL_NODES):
        metrics |= causal_metrics(learned, true)
    return metrics


def _distances(estimate: Graph, truth: Graph) -> dict[str, Value]:
    """The variants of the structural Hamming distance that Benchpress does not have."""
    learned, true = on_shared_nodes(estimate, truth)
    both_dags = learned.is_dag and true.is_dag
    return {
        "SHD_dag": shd(learned, true) if both_dags else None,
        "SHD_skel": shd(learned, true, "skeleton"),
        "SHD_half": half_shd(learned, true),
    }


def _graph(found: Any) -> Graph:
    return found.graph if isinstance(found, Estimate) else as_graph(found)
