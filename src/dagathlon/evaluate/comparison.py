"""`compare`: every metric of an estimate against the truth."""

from __future__ import annotations

from typing import Any

from dagathlon.errors import GraphError
from dagathlon.evaluate.bayesys import bayesys_metrics
from dagathlon.evaluate.benchpress import Value, benchpress_metrics
from dagathlon.graphs import Graph, as_graph
from dagathlon.learners.base import Estimate


def compare(estimate: Any, truth: Any) -> dict[str, Value]:
    """Compare a learned graph with the true one, node by name.

    Parameters
    ----------
    estimate, truth
        A `Graph`, an `Estimate`, a file, or an object of another graph library.

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
    return metrics | {"n_nodes_left_out": left_out}


def _graph(found: Any) -> Graph:
    return found.graph if isinstance(found, Estimate) else as_graph(found)
