"""Columns in words: what a metric measures and which way is better."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    "F1": Words("F1", "more"),
    "BSF": Words("balanced scoring function", "more", "BSF"),
    "DDM": Words("DAG dissimilarity metric", "more", "DDM"),
    "precision": Words("precision", "more"),
    "recall": Words("recall", "more"),
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


def short_title(metric: str) -> str:
    """Title of a column of a table."""
    found = words(metric)
    return (found.short or found.title) + _ARROW[found.better]


def headlines(columns: Iterable[str]) -> list[str]:
    """The columns that a verdict is about, the most telling first."""
    present = set(columns)
    return [metric for metric in HEADLINES if metric in present]
