"""Columns in words: what a metric measures and which way is better."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, TypeAlias

Better: TypeAlias = Literal["more", "less", ""]
_ARROW: Mapping[Better, str] = {"more": " ↑", "less": " ↓", "": ""}


class Words(NamedTuple):
    """What a column is called on axes and in tables, and whether more or less of it is better."""

    title: str
    better: Better = ""


METRICS: Mapping[str, Words] = {
    "F1_pattern": Words("F1 (pattern)", "more"),
    "F1_skel": Words("F1 (skeleton)", "more"),
    "SHD_cpdag": Words("structural Hamming distance (CPDAG)", "less"),
    "SHD_pattern": Words("structural Hamming distance (pattern)", "less"),
    "SHD": Words("structural Hamming distance", "less"),
    "SHD_skel": Words("structural Hamming distance (skeleton)", "less"),
    "SID": Words("structural intervention distance", "less"),
    "F1": Words("F1", "more"),
    "BSF": Words("balanced scoring function", "more"),
    "DDM": Words("DAG dissimilarity metric", "more"),
    "precision": Words("precision", "more"),
    "recall": Words("recall", "more"),
    "TPR_pattern": Words("true positives / true edges (pattern)", "more"),
    "TPR_skel": Words("true positives / true edges (skeleton)", "more"),
    "FPRn_pattern": Words("false positives / true edges (pattern)", "less"),
    "FPR_pattern": Words("false positives / possible false positives (pattern)", "less"),
    "FPR_pattern_corrected": Words("false positives / true non-edges (pattern)", "less"),
    "FPR_skel": Words("false positives / true edges (skeleton)", "less"),
    "FNR_skel": Words("missing edges / true edges (skeleton)", "less"),
    "TP_pattern": Words("true positives (pattern)", "more"),
    "FP_pattern": Words("false positives (pattern)", "less"),
    "FN_pattern": Words("false negatives (pattern)", "less"),
    "TP_skel": Words("true positives (skeleton)", "more"),
    "FP_skel": Words("false positives (skeleton)", "less"),
    "FN_skel": Words("false negatives (skeleton)", "less"),
    "TN_skel": Words("true negatives (skeleton)", "more"),
    "n_nodes": Words("nodes"),
    "true_n_edges_skel": Words("true edges"),
    "true_n_non_edges_skel": Words("true non-edges"),
    "n_nodes_left_out": Words("nodes left out"),
    "n_edges": Words("edges of the estimate"),
    "ntests": Words("independence tests", "less"),
    "time": Words("seconds", "less"),
    "cpu": Words("CPU seconds", "less"),
    "memory": Words("memory in bytes", "less"),
}

# What a verdict is about, of the columns that a table has.
HEADLINES = (
    "SHD_cpdag",
    "SHD_pattern",
    "SID",
    "BSF",
    "F1_pattern",
    "F1_skel",
    "TPR_pattern",
    "FPRn_pattern",
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


def headlines(columns: Iterable[str]) -> list[str]:
    """The columns that a verdict is about, the most telling first."""
    present = set(columns)
    return [metric for metric in HEADLINES if metric in present]
