"""`compare`: every metric of an estimate against the truth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dagathlon.errors import GraphError
from dagathlon.evaluate.graphs.bayesys import bayesys_counts, columns_of
from dagathlon.evaluate.metric import MetricModule, Value, families, is_user_defined
from dagathlon.graphs import Graph, as_graph, as_undirected
from dagathlon.graphs.undirected import UndirectedForm
from dagathlon.learners.base import Estimate

_INPUTS = ("estimate", "truth")
COMPARED_AS = "compared_as"
OPEN_DIRECTIONS = "open_directions"
"""Column with the method by which graphs of directed edges were made undirected."""


def compare(
    estimate: Any,
    truth: Any,
    causal: bool | None = None,
    undirected: UndirectedForm | None = None,
    equivalent: bool = False,
) -> dict[str, Value]:
    """Compare a learned graph with the true one, matching nodes by name.

    Parameters
    ----------
    estimate, truth
        A `Graph`, an `Estimate`, a file, or an object of another graph library.
    causal
        Whether to compute SID and the AIDs; by default for graphs of up to 50 nodes.
    undirected
        The undirected form in which directed graphs are compared: their ``moral`` graphs or
        their graphs of unconditional ``dependence``; None compares graphs as they are. The choice
        stands in the result as ``compared_as``.
    equivalent
        Whether edge directions that the true equivalence class does not determine cost nothing in
        the metrics of Bayesys (rule 6 of Constantinou 2019), as ``open_directions`` then notes.

    Returns
    -------
    dict
        Metrics by name, those of your own modules last. Graphs over different nodes are compared
        over the shared ones, and ``n_nodes_left_out`` counts the others.
    """
    families = [*standard_families(), *user_families()]
    return compare_by(families, estimate, truth, causal, undirected, equivalent=equivalent)


def standard_families() -> list[type[MetricModule]]:
    """Return the built-in metrics of a graph against the truth."""
    return [family for family in families(_INPUTS) if not is_user_defined(family)]


def user_families() -> list[type[MetricModule]]:
    """Return the user-defined metrics of a graph against the truth."""
    return [family for family in families(_INPUTS) if is_user_defined(family)]


def compare_by(
    chosen: list[type[MetricModule]],
    estimate: Any,
    truth: Any,
    causal: bool | None,
    undirected: UndirectedForm | None = None,
    *,
    equivalent: bool = False,
) -> dict[str, Value]:
    """Compare two graphs by the chosen metrics; see `compare`."""
    given = {"estimate": _graph(estimate), "truth": _graph(truth)}
    shared = _shared(given["estimate"], given["truth"])
    metrics: dict[str, Value] = {}
    if undirected is not None:
        given = {name: as_undirected(graph, undirected) for name, graph in given.items()}
        metrics[COMPARED_AS] = undirected
    for family in chosen:
        limited = family.most_nodes is not None
        small = not limited or shared <= (family.most_nodes or 0)
        if (causal and limited) or (causal is None and small) or not limited:
            metrics |= family().compute(*(given[name] for name in family.needs))
    if equivalent:
        free = columns_of(bayesys_counts(given["estimate"], given["truth"], equivalent=True))
        metrics |= {OPEN_DIRECTIONS: "free"} | {k: v for k, v in free.items() if k in metrics}
    return metrics if undirected is None else metrics | _not_of_undirected(chosen, metrics)


def _not_of_undirected(
    chosen: list[type[MetricModule]], metrics: Mapping[str, Value]
) -> dict[str, Value]:
    """Blank the columns for DAGs and CPDAGs, as a moral graph may look like a CPDAG by chance."""
    measures = (measure for family in chosen for measure in family.measures)
    odd = [
        measure.name for measure in measures if measure.takes and "undirected" not in measure.takes
    ]
    return dict.fromkeys(name for name in odd if name in metrics)


def _shared(learned: Graph, true: Graph) -> int:
    shared = set(learned.names) & set(true.names)
    if not shared and (len(learned) or len(true)):
        raise GraphError(
            "the two graphs have no node in common: "
            f"{', '.join(learned.names[:3])}… and {', '.join(true.names[:3])}…"
        )
    return len(shared)


def _graph(given: Any) -> Graph:
    return given.graph if isinstance(given, Estimate) else as_graph(given)
