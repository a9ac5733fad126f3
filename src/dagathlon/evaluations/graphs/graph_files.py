"""Files about one estimated graph: picture, matrix, difference, comparison, CSV."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping

from dagathlon.evaluate.graphs.counts import on_shared_nodes
from dagathlon.graphs import Graph
from dagathlon.graphs.drawing.overview import MOST_DRAWN
from dagathlon.graphs.formats.files import format_of, write_graph
from dagathlon.report.charts.blocks import adjacency_blocks, difference_blocks
from dagathlon.report.charts.matrix import adjacency_plot, difference_plot
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.figures.graph_panels import comparison, drawing


def features(
    graph: Graph | None, truth: Graph | None, places: Mapping[str, str]
) -> Iterator[tuple[str, bytes | Drawing]]:
    """Yield the requested files of a graph with their names.

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
    for feature, name in places.items():
        if graph is None:
            yield name, b""
        elif feature in _COMPARISONS:
            if truth is not None:
                yield name, _COMPARISONS[feature](graph, truth)
        else:
            yield name, _ALONE[feature](graph)


def graph_picture(graph: Graph) -> Drawing:
    """Return the drawing of a graph with a caption."""
    return drawing(graph)


def adjacency_picture(graph: Graph) -> Drawing:
    """Draw the adjacency matrix."""
    if len(graph) > MOST_DRAWN:
        return adjacency_blocks(graph)
    return adjacency_plot(graph.names, graph.adjacency)


def _csv(graph: Graph) -> bytes:
    file = io.BytesIO()
    write_graph(graph, file, format_of("graph.csv", len(graph)), lossy=True)
    return file.getvalue()


def _difference(graph: Graph, truth: Graph) -> Drawing:
    learned, true = on_shared_nodes(graph, truth)
    if len(true) > MOST_DRAWN:
        return difference_blocks(learned, true)
    return difference_plot(true.names, learned.adjacency, true.adjacency)


_ALONE: Mapping[str, Callable[[Graph], bytes | Drawing]]
_COMPARISONS: Mapping[str, Callable[[Graph, Graph], Drawing]]
_ALONE = {"graphs": graph_picture, "adjmats": adjacency_picture, "csvs": _csv}
_COMPARISONS = {"diffplots": _difference, "graphvizcompare": comparison}
