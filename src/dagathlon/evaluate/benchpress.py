"""The metric columns of Benchpress, under its names and with its values.

Where Benchpress counts in an unusual way (the diagonal among the negatives of ``FPR_pattern``, an
empty truth), the usual value stands beside it under a name of its own.
"""

from __future__ import annotations

from typing import TypeAlias

from dagathlon.evaluate.counts import on_shared_nodes, pattern_counts, skeleton_counts
from dagathlon.evaluate.distance import shd
from dagathlon.graphs import Graph, cpdag

Value: TypeAlias = float | int | str | None


def benchpress_metrics(estimate: Graph, truth: Graph) -> dict[str, Value]:
    """All columns for one estimate, in Benchpress's order, the corrected ones last."""
    learned, true = on_shared_nodes(estimate, truth)
    skeleton = skeleton_counts(learned, true)
    pattern = pattern_counts(learned, true)
    p = len(true)
    edges = skeleton.tp + skeleton.fn
    kind = graph_type(learned)
    negatives = p * (p - 1) / 2 - edges
    return {
        "TP_pattern": pattern.tp,
        "FP_pattern": pattern.fp,
        "FN_pattern": pattern.fn,
        "TPR_pattern": pattern.tp / edges if edges else 0.0,
        "FPR_pattern": _ratio(pattern.fp, (p * p - 2 * edges) / 2),
        "FPRn_pattern": pattern.fp / edges if edges else 1.0,
        "SHD_pattern": skeleton.fp + skeleton.fn + 2 * (pattern.fn - skeleton.fn),
        "SHD_cpdag": _shd_cpdag(learned, true) if kind in ("dag", "cpdag") else None,
        "FPR_skel": _ratio(skeleton.fp, edges),
        "FNR_skel": _ratio(skeleton.fn, edges),
        "TP_skel": skeleton.tp,
        "FN_skel": skeleton.fn,
        "FP_skel": skeleton.fp,
        "TN_skel": skeleton.tn,
        "n_nodes": p,
        "true_n_edges_skel": edges,
        "true_n_non_edges_skel": int(negatives),
        "graph_type": kind,
        "F1_skel": skeleton.f1,
        "F1_pattern": pattern.f1,
        "FPR_pattern_corrected": _ratio(pattern.fp, negatives),
        "SHD": shd(learned, true),
    }


def graph_type(graph: Graph) -> str:
    """Benchpress's word for a graph: cpdag, dag, ug, or ours for what it does not know."""
    if graph.is_cpdag:
        return "cpdag"
    if graph.is_dag:
        return "dag"
    if graph.is_undirected:
        return "ug"
    return graph.kind if graph.kind in ("mag", "pag") else "unknown"


def _shd_cpdag(learned: Graph, true: Graph) -> int:
    return shd(cpdag(learned), cpdag(true) if true.is_dag else true)


def _ratio(part: float, whole: float) -> float:
    if whole:
        return part / whole
    return float("inf") if part else float("nan")
