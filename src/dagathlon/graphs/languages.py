"""Comparison languages: what counts as the same edge when graphs of all kinds are compared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias, get_args

import numpy as np

from dagathlon import _core
from dagathlon.errors import GraphError, unknown
from dagathlon.graphs.ancestral import pag
from dagathlon.graphs.equivalence import cpdag
from dagathlon.graphs.graph import Graph, MarkMatrix
from dagathlon.graphs.marks import Mark

Language: TypeAlias = Literal["classes", "marks", "arrowheads", "skeletons"]
"""Name of a comparison language; see `marks_in`."""

LANGUAGES: tuple[Language, ...] = get_args(Language)


def check_language(by: str) -> None:
    """Refuse an unknown comparison language."""
    if by not in LANGUAGES:
        raise GraphError(unknown("way to compare edges", by, LANGUAGES))


def common_language(
    graphs: Iterable[Graph], outputs: Iterable[str | None] | None = None
) -> Language:
    """Return the language in which graphs of these kinds can be compared.

    Parameters
    ----------
    graphs
        The graphs.
    outputs
        What the learner of each graph returns (``dag``, ``cpdag``, ``pag``, ``undirected``, …), or
        None where it is not known. Marks alone are ambiguous: undirected edges are a CPDAG
        from one learner and an undirected graph from another. Without it undirected edges are an
        undirected graph where they cannot be a CPDAG, that is, where they are not chordal.

    Returns
    -------
    str
        ``skeletons`` with an undirected graph among them, ``classes`` for classes of DAGs alone,
        ``marks`` for ancestral graphs alone, ``arrowheads`` for both. Graphs without an edge fit
        any.
    """
    compared = list(graphs)
    known = [None] * len(compared) if outputs is None else list(outputs)
    families = {_family(graph, output) for graph, output in zip(compared, known, strict=True)} - {
        ""
    }
    if "undirected" in families:
        return "skeletons"
    if len(families) == 2:
        return "arrowheads"
    return "marks" if families == {"ancestral"} else "classes"


def marks_in(graph: Graph, by: Language) -> MarkMatrix:
    """Return a graph's marks converted to a language (see `PartialGraph.of`), in a new matrix."""
    check_language(by)
    # Not `Graph.marks`, which stays with the graph: thousands of large graphs may come this way.
    if by == "skeletons":
        return np.where(graph.native.marks() != Mark.NONE, np.uint8(Mark.TAIL), np.uint8(Mark.NONE))
    if graph.is_dag:
        return cpdag(graph).native.marks()
    if by == "classes":
        if has_circles(graph):
            raise GraphError(
                "a graph with circles is no class of DAGs: compare by marks, arrowheads or "
                "skeletons"
            )
        return graph.native.marks()
    marks = (pag(graph) if _is_latent_mag(graph) else graph).native.marks()
    if by == "arrowheads":
        marks[marks == Mark.CIRCLE] = Mark.TAIL
    return marks


def has_circles(graph: Graph) -> bool:
    """Whether any end of an edge has a circle, as in PAGs."""
    return not _core.is_pdag(graph.native) and bool((graph.native.marks() == Mark.CIRCLE).any())


def _is_latent_mag(graph: Graph) -> bool:
    """Whether the graph is a MAG with a bidirected edge, which implies a latent cause."""
    if _core.is_pdag(graph.native):
        return False
    arrows = graph.native.marks() == Mark.ARROW
    return bool((arrows & arrows.T).any()) and graph.is_mag


_FAMILIES = {
    "undirected": "undirected",
    "pag": "ancestral",
    "mag": "ancestral",
    "dag": "class",
    "cpdag": "class",
}


def _family(graph: Graph, output: str | None) -> str:
    """Return ``undirected``, ``ancestral`` or ``class``; empty if there is no edge to decide it."""
    if output != "undirected" and has_circles(graph):
        return "ancestral"
    if output in _FAMILIES:
        return _FAMILIES[output]
    if not graph.n_edges:
        return ""
    if _is_latent_mag(graph):
        return "ancestral"
    return "undirected" if graph.is_undirected and not graph.is_chordal else "class"
