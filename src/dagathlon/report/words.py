"""Columns in words: what a metric measures and which way is better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

Better: TypeAlias = Literal["more", "less", ""]
_ARROW: Mapping[Better, str] = {"more": " ↑", "less": " ↓", "": ""}


class Words(NamedTuple):
    """What a column is called on axes, whether more of it is better, its name in tables."""

    title: str
    better: Better = ""
    short: str = ""


METRICS: Mapping[str, Words] = {
    "F1_pattern": Words("F1 (pattern)", "more"),
    "F1_skel": Words("F1 (skeleton)", "more"),
    "SHD_cpdag": Words("structural Hamming distance (CPDAG)", "less", "SHD (CPDAG)"),
    "SHD_pattern": Words("structural Hamming distance (pattern)", "less", "SHD (pattern)"),
    "SHD": Words("structural Hamming distance", "less", "SHD"),
    "SHD_skel": Words("structural Hamming distance (skeleton)", "less", "SHD (skeleton)"),
    "SID": Words("structural intervention distance", "less", "SID"),
    "SHD_dag": Words("structural Hamming distance (DAG)", "less", "SHD (DAG)"),
    "SHD_half": Words("structural Hamming distance (½ for a wrong mark)", "less", "SHD (½)"),
    "parent_AID": Words("parent adjustment identification distance", "less", "parent-AID"),
    "ancestor_AID": Words("ancestor adjustment identification distance", "less", "ancestor-AID"),
    "oset_AID": Words("optimal adjustment identification distance", "less", "oset-AID"),
    "bsf": Words("balanced scoring function", "more", "BSF"),
    "ddm": Words("DAG dissimilarity metric", "more", "DDM"),
    "bayesys_precision": Words("precision (Bayesys)", "more"),
    "bayesys_recall": Words("recall (Bayesys)", "more"),
    "bayesys_f1": Words("F1 (Bayesys)", "more"),
    "bayesys_shd": Words("structural Hamming distance (Bayesys)", "less", "SHD (Bayesys)"),
    "adjacency_precision": Words("precision (adjacencies)", "more"),
    "adjacency_recall": Words("recall (adjacencies)", "more"),
    "adjacency_F1": Words("F1 (adjacencies)", "more"),
    "arrowhead_precision": Words("precision (arrowheads)", "more"),
    "arrowhead_recall": Words("recall (arrowheads)", "more"),
    "arrowhead_F1": Words("F1 (arrowheads)", "more"),
    "v_structure_precision": Words("precision (v-structures)", "more"),
    "v_structure_recall": Words("recall (v-structures)", "more"),
    "v_structure_F1": Words("F1 (v-structures)", "more"),
    "held_out_log_likelihood": Words(
        "log-likelihood of held-out data, per row", "more", "held-out log-likelihood"
    ),
    "cross_entropy": Words("cross-entropy to the true model", "less", "cross-entropy"),
    "varsortability": Words("varsortability"),
    "r2_sortability": Words("R²-sortability"),
    "density": Words("share of pairs that are joined", "", "density"),
    "TPR_pattern": Words("true positives / true edges (pattern)", "more", "TPR (pattern)"),
    "TPR_skel": Words("true positives / true edges (skeleton)", "more", "TPR (skeleton)"),
    "FPRn_pattern": Words("false positives / true edges (pattern)", "less", "FP/P (pattern)"),
    "FPR_pattern": Words(
        "false positives / possible false positives (pattern)", "less", "FPR (pattern)"
    ),
    "FPR_pattern_corrected": Words(
        "false positives / true non-edges (pattern)", "less", "FPR (pattern, corrected)"
    ),
    "FPR_skel": Words("false positives / true edges (skeleton)", "less", "FP/P (skeleton)"),
    "FNR_skel": Words("missing edges / true edges (skeleton)", "less", "FN/P (skeleton)"),
    "TP_pattern": Words("true positives (pattern)", "more", "TP (pattern)"),
    "FP_pattern": Words("false positives (pattern)", "less", "FP (pattern)"),
    "FN_pattern": Words("false negatives (pattern)", "less", "FN (pattern)"),
    "TP_skel": Words("true positives (skeleton)", "more", "TP (skeleton)"),
    "FP_skel": Words("false positives (skeleton)", "less", "FP (skeleton)"),
    "FN_skel": Words("false negatives (skeleton)", "less", "FN (skeleton)"),
    "TN_skel": Words("true negatives (skeleton)", "more", "TN (skeleton)"),
    "n_nodes": Words("nodes"),
    "true_n_edges_skel": Words("true edges"),
    "true_n_non_edges_skel": Words("true non-edges"),
    "n_nodes_left_out": Words("nodes left out"),
    "n_edges": Words("edges of the estimate", "", "edges"),
    "ntests": Words("independence tests", "less", "tests"),
    "time": Words("seconds", "less", "time (s)"),
    "cpu": Words("CPU seconds", "less", "CPU (s)"),
    "memory": Words("memory in bytes", "less", "memory (bytes)"),
}

# What a verdict is about, of the columns that a table has.
HEADLINES = (
    "SHD_cpdag",
    "SHD_pattern",
    "ancestor_AID",
    "bsf",
    "F1_pattern",
    "F1_skel",
    "TPR_pattern",
    "FPRn_pattern",
    "held_out_log_likelihood",
    "time",
    "memory",
)


def words(metric: str) -> Words:
    """The words for a column; a column that is not known stands for itself."""
    return METRICS.get(metric, Words(metric.replace("_", " ")))


def title(metric: str) -> str:
    """Axis title: the words, and an arrow to where it is better."""
    found = words(metric)
    return found.title + _ARROW[found.better]


def short_title(metric: str) -> str:
    """Title of a column of a table."""
    found = words(metric)
    return (found.short or found.title) + _ARROW[found.better]
