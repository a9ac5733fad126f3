"""The graph types that graph_estimation knows, and which graphs have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from dagathlon.graphs import Graph, cpdag, pattern, skeleton
from dagathlon.graphs.undirected import undirected_form

ORIGINAL = "original"


def _original(graph: Graph) -> Graph:
    return graph


def _cpdag(graph: Graph) -> Graph | None:
    return cpdag(graph) if graph.is_dag else graph if graph.is_cpdag else None


def _pattern(graph: Graph) -> Graph | None:
    has_one = graph.is_undirected or graph.is_dag or graph.is_cpdag
    return pattern(graph) if has_one else None


_CONVERSIONS: Mapping[str, Callable[[Graph], Graph | None]] = {
    ORIGINAL: _original,
    "cpdag": _cpdag,
    "pattern": _pattern,
    "skeleton": skeleton,
    "moral": partial(undirected_form, form="moral"),
    "dependence": partial(undirected_form, form="dependence"),
}


def converted(graph: Graph, to: str) -> Graph | None:
    """The graph as another type, None when it has no such form (a CPDAG of a cyclic graph)."""
    return _CONVERSIONS[to](graph)
