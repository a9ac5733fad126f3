"""A learned graph as a drawing: what its class leaves open, and what bootstrap samples repeat."""

from __future__ import annotations

from collections.abc import Iterator

from dagathlon.evaluations.no_truth.bootstrap import Copies
from dagathlon.graphs import Graph, cpdag
from dagathlon.graphs.drawing.svg import EdgeStyle, to_svg
from dagathlon.graphs.graph import Edge
from dagathlon.graphs.measurement import MeasurementModel
from dagathlon.report.charts.legend import Key, Keyed

MOST_NODES = 200
_FIXED = "#2b7fc9"
_PLAIN, _THIN, _THICK = 1.6, 1.0, 6.0


def model_drawing(model: MeasurementModel) -> Keyed:
    """A measurement model: latent variables are ellipses."""
    return Keyed(to_svg(model.graph, latents=model.latents), [])


def learned_drawing(graph: Graph, copies: Copies | None) -> Keyed:
    """A graph with its key.

    Parameters
    ----------
    graph
        What was learned.
    copies
        What was learned on bootstrap samples, if that is known: it gives edges their width.
    """
    shared = _class_of(graph)
    styles, colours = {}, set[str]()
    for edge in graph.edges():
        fixed = shared is not None and edge.left in shared.parents(edge.right)
        colour = _FIXED if fixed else "currentColor"
        colours.add(colour)
        words = "\n".join(_words(edge, fixed if shared is not None else None, copies))
        share = None if copies is None else float(copies.joined[_at(edge, copies)])
        styles[edge.left, edge.right] = EdgeStyle(colour, _width(share), 1.0, False, words)
    keys = [Key("direction shared by the class", _FIXED, 3.0)] if _FIXED in colours else []
    if shared is not None and "currentColor" in colours:
        keys.append(Key("reversible", "currentColor", 3.0))
    if copies is not None and styles:
        for words, share in (("in half", 0.5), ("in all", 1.0)):
            keys.append(Key(f"{words} bootstrap samples", "currentColor", _width(share)))
    return Keyed(to_svg(graph, styles=styles), keys)


def _class_of(graph: Graph) -> Graph | None:
    """The graph that has the directions which all DAGs of the class share, if it is a class."""
    if graph.is_dag:
        return cpdag(graph)
    return graph if graph.is_cpdag and not graph.is_undirected else None


def _width(share: float | None) -> float:
    return _PLAIN if share is None else _THIN + (_THICK - _THIN) * share


def _at(edge: Edge, copies: Copies) -> tuple[int, int]:
    return copies.names.index(edge.left), copies.names.index(edge.right)


def _words(edge: Edge, fixed: bool | None, copies: Copies | None) -> Iterator[str]:
    yield str(edge)
    if fixed is not None:
        yield "direction shared by the class" if fixed else "reversible: the class leaves it open"
    if copies is not None:
        i, j = _at(edge, copies)
        yield f"bootstrap: joined in {copies.joined[i, j]:.0%} of {len(copies.sizes)} samples"
        yield f"{edge.left} → {edge.right} in {copies.directed[i, j]:.0%}"
        yield f"{edge.left} ← {edge.right} in {copies.directed[j, i]:.0%}"
