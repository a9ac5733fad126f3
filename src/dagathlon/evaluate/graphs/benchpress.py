"""Benchpress's metrics, under its column names and with its values.

Where Benchpress counts in an unusual way (the diagonal among the negatives of ``FPR_pattern``, an
empty truth), the usual value is given too, under a name of its own.
"""

from __future__ import annotations

from functools import partial

from dagathlon.evaluate.graphs.counts import on_shared_nodes, pattern_counts, skeleton_counts
from dagathlon.evaluate.graphs.distance import HAMMING, OF_HAMMING, shd
from dagathlon.evaluate.metric import Better, Measure, Value, metric_family
from dagathlon.graphs import Graph, cpdag


def _column(
    name: str,
    title: str,
    better: Better = "",
    short: str = "",
    *,
    headline: int | None = None,
    control: bool = False,
    takes: tuple[str, ...] = (),
    references: tuple[str, ...] = (),
    meaning: str = "",
) -> Measure:
    """Declare a column of Benchpress's joint table."""
    unit = "" if "/" in title or not better else "edges"
    described = partial(Measure, name, title, better, short, unit, takes, True, references)
    return described("benchpress", headline, control, meaning=meaning)


# Columns that we put at the end of that table.
_beside = partial(Measure, table="beside")
_OF_F1 = " (1 is perfect)"


@metric_family(
    "benchpress",
    _column("TP_pattern", "true positives (pattern)", "more", "TP (pattern)"),
    _column("FP_pattern", "false positives (pattern)", "less", "FP (pattern)"),
    _column("FN_pattern", "false negatives (pattern)", "less", "FN (pattern)"),
    _column(
        "TPR_pattern",
        "true positives / true edges (pattern)",
        "more",
        "TPR (pattern)",
        headline=70,
        control=True,
    ),
    _column(
        "FPR_pattern",
        "false positives / possible false positives (pattern)",
        "less",
        "FPR (pattern)",
    ),
    _column(
        "FPRn_pattern",
        "false positives / true edges (pattern)",
        "less",
        "FP/P (pattern)",
        headline=80,
        control=True,
    ),
    _column(
        "SHD_pattern",
        "structural Hamming distance (pattern)",
        "less",
        "SHD (pattern)",
        headline=20,
        control=True,
        references=HAMMING,
        meaning=OF_HAMMING,
    ),
    _column(
        "SHD_cpdag",
        "structural Hamming distance (CPDAG)",
        "less",
        "SHD (CPDAG)",
        headline=10,
        control=True,
        takes=("dag", "cpdag"),
        references=HAMMING,
        meaning=OF_HAMMING,
    ),
    _column("FPR_skel", "false positives / true edges (skeleton)", "less", "FP/P (skeleton)"),
    _column("FNR_skel", "missing edges / true edges (skeleton)", "less", "FN/P (skeleton)"),
    _column("TP_skel", "true positives (skeleton)", "more", "TP (skeleton)"),
    _column("FN_skel", "false negatives (skeleton)", "less", "FN (skeleton)"),
    _column("FP_skel", "false positives (skeleton)", "less", "FP (skeleton)"),
    _column("TN_skel", "true negatives (skeleton)", "more", "TN (skeleton)"),
    _column("n_nodes", "nodes"),
    _column("true_n_edges_skel", "true edges"),
    _column("true_n_non_edges_skel", "true non-edges"),
    _column("graph_type", "kind of the estimated graph"),
    _beside("F1_skel", "F1 (skeleton)", "more", headline=60, control=True, meaning=_OF_F1),
    _beside("F1_pattern", "F1 (pattern)", "more", headline=50, control=True, meaning=_OF_F1),
    _beside(
        "FPR_pattern_corrected",
        "false positives / true non-edges (pattern)",
        "less",
        "FPR (pattern, corrected)",
    ),
    _beside(
        "SHD",
        "structural Hamming distance",
        "less",
        "SHD",
        unit="edges",
        control=True,
        references=HAMMING,
        meaning=OF_HAMMING,
    ),
    Measure(
        "TPR_skel",
        "true positives / true edges (skeleton)",
        "more",
        "TPR (skeleton)",
        table="derived",
    ),
    order=10,
)
def benchpress_metrics(estimate: Graph, truth: Graph) -> dict[str, Value]:
    """Return Benchpress's metrics of an estimate in its order, then our corrected versions."""
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
    """Return Benchpress's word for the kind of a graph (cpdag, dag, ug), else our own."""
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
