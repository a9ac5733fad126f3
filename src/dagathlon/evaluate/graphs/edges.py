"""Precision and recall of adjacencies, arrowheads and v-structures."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dagathlon.evaluate.graphs.counts import (
    Counts,
    on_joined_pairs,
    on_shared_nodes,
    skeleton_counts,
)
from dagathlon.evaluate.metric import Measure, Value, metric_family
from dagathlon.graphs import Graph, Mark

# F_β with recall half as important and twice as important as precision.
_BETAS = {"F05": 0.5, "F1": 1.0, "F2": 2.0}


def arrowhead_counts(estimate: Graph, truth: Graph) -> Counts:
    """Count true and false arrowheads of the estimate. The graphs have the same nodes.

    An arrowhead on an edge that the truth does not have is a false one. Undirected ends are no
    arrowheads: a CPDAG loses recall against a DAG, never precision.
    """
    both = on_joined_pairs(estimate, truth)
    learned, true = (np.concatenate(ends) == Mark.ARROW for ends in both)
    tp = int(np.count_nonzero(learned & true))
    fp, fn = int(np.count_nonzero(learned)) - tp, int(np.count_nonzero(true)) - tp
    p = len(truth)
    return Counts(tp, fp, fn, p * (p - 1) - tp - fp - fn)


def v_structure_counts(estimate: Graph, truth: Graph) -> Counts:
    """Count v-structures (i *→ k ←* j, i and j not adjacent). The graphs have the same nodes."""
    p = len(truth)
    tp = estimate.native.shared_v_structures(truth.native)
    n_learned, n_true = (g.native.shared_v_structures(g.native) for g in (estimate, truth))
    triples = p * (p - 1) * (p - 2) // 2
    return Counts(tp, n_learned - tp, n_true - tp, triples - n_learned - n_true + tp)


_SAID = {"adjacency": "adjacencies", "arrowhead": "arrowheads", "v_structure": "v-structures"}
_MEASURED = {
    "precision": "precision",
    "recall": "recall",
    "F05": "F½, precision counting twice as much as recall,",
    "F1": "F1",
    "F2": "F2, recall counting twice as much as precision,",
}


def _columns() -> Iterator[Measure]:
    for name, plural in _SAID.items():
        for measured, words in _MEASURED.items():
            short = "" if measured in ("precision", "recall", "F1") else f"{words[:2]} ({plural})"
            show = measured == "F1" and name != "adjacency"
            yield Measure(f"{name}_{measured}", f"{words} ({plural})", "more", short, show=show)


@metric_family("edges", *_columns(), order=40)
def edge_metrics(estimate: Graph, truth: Graph) -> dict[str, Value]:
    """Return precision, recall, F½, F1 and F2 of adjacencies, arrowheads and v-structures."""
    learned, true = on_shared_nodes(estimate, truth)
    counted = {
        "adjacency": skeleton_counts(learned, true),
        "arrowhead": arrowhead_counts(learned, true),
        "v_structure": v_structure_counts(learned, true),
    }
    metrics: dict[str, Value] = {}
    for name, counts in counted.items():
        metrics[f"{name}_precision"] = counts.precision
        metrics[f"{name}_recall"] = counts.recall
        for which, beta in _BETAS.items():
            metrics[f"{name}_{which}"] = counts.f_beta(beta)
    return metrics
