"""Files about one estimated graph: picture, matrix, difference, comparison, CSV."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dagathlon.evaluate.counts import on_shared_nodes
from dagathlon.graphs import Graph
from dagathlon.graphs.formats.matrix import write_adjacency
from dagathlon.report.charts.matrix import adjacency_plot, difference_plot
from dagathlon.report.drawings import comparison, drawing
from dagathlon.report.files import write_bytes
from dagathlon.report.render import save, save_drawing


def write_features(graph: Graph | None, truth: Graph | None, places: Mapping[str, Path]) -> None:
    """Write what is asked for.

    Parameters
    ----------
    graph
        The graph; None where it has no form of the wanted type, for which the files are empty as
        Benchpress leaves them.
    truth
        The true graph in the same form, if there is one.
    places
        File of each feature: graphs, adjmats, csvs, and the comparisons diffplots and
        graphvizcompare, which are left out without a truth.
    """
    for feature, path in places.items():
        if graph is None:
            write_bytes(path, b"")
        elif feature in _COMPARISONS:
            if truth is not None:
                _COMPARISONS[feature](graph, truth, path)
        else:
            _ALONE[feature](graph, path)


def write_graph_picture(graph: Graph, path: Path) -> None:
    """A drawing under a caption."""
    save_drawing(drawing(graph), path)


def write_adjacency_plot(graph: Graph, path: Path) -> None:
    """The adjacency matrix as a picture."""
    save(adjacency_plot(graph.names, graph.adjacency), path)


def _write_csv(graph: Graph, path: Path) -> None:
    write_bytes(path, write_adjacency(graph).encode())


def _write_difference(graph: Graph, truth: Graph, path: Path) -> None:
    learned, true = on_shared_nodes(graph, truth)
    save(difference_plot(true.names, learned.adjacency, true.adjacency), path)


def _write_comparison(graph: Graph, truth: Graph, path: Path) -> None:
    save_drawing(comparison(graph, truth), path)


_ALONE = {
    "graphs": write_graph_picture,
    "adjmats": write_adjacency_plot,
    "csvs": _write_csv,
}
_COMPARISONS = {"diffplots": _write_difference, "graphvizcompare": _write_comparison}
