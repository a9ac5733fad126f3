"""Metrics, rankings and validation of learned graphs."""

from dagathlon.evaluate.comparison import compare
from dagathlon.evaluate.distance import shd
from dagathlon.evaluate.sortability import order_alignment, r2_sortability, varsortability
from dagathlon.evaluate.truth import free_parameters, graph_statistics, samples_per_parameter

__all__ = [
    "compare",
    "free_parameters",
    "graph_statistics",
    "order_alignment",
    "r2_sortability",
    "samples_per_parameter",
    "shd",
    "varsortability",
]
