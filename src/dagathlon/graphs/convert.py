"""Conversion of graphs to and from other libraries, which are imported on demand."""

# ruff: noqa: PLC0415 - an import at the top would make every optional library a hard one

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from dagathlon.errors import GraphError, unknown
from dagathlon.graphs.formats import read_graph
from dagathlon.graphs.formats.builder import SOURCE_MARK, TARGET_MARK, GraphBuilder, mark_word
from dagathlon.graphs.formats.matrix import lost_by_adjacency
from dagathlon.graphs.formats.source import TextSource
from dagathlon.graphs.graph import Edge, Graph
from dagathlon.graphs.marks import CONNECTORS, Mark
from dagathlon.wording import counted

if TYPE_CHECKING:
    import igraph
    import networkx as nx
    import pandas as pd
    from causallearn.graph.GeneralGraph import GeneralGraph

_MATRICES = ("adjacency", "marks")
_FORMAT_ATTRIBUTE = "graph_format"
# causal-learn's numbers of its endpoints, and pgmpy's characters for them.
_CAUSAL_LEARN = {0: Mark.NONE, 2: Mark.CIRCLE, 1: Mark.ARROW, -1: Mark.TAIL}
_PGMPY = {"o": Mark.CIRCLE, ">": Mark.ARROW, "-": Mark.TAIL}
_PGMPY_TYPES = {"directed": CONNECTORS["->"], "bidirected": CONNECTORS["<->"]}


def as_graph(obj: Any) -> Graph:
    """Convert any supported object (another library's graph, matrix, file) to a `Graph`.

    Parameters
    ----------
    obj
        A `Graph`; the path of a graph file; a graph of networkx, igraph, causal-learn or pgmpy;
        or a pandas DataFrame with an adjacency or mark matrix.
    """
    if isinstance(obj, Graph):
        return obj
    if isinstance(obj, str | os.PathLike):
        return read_graph(obj)
    for cls in type(obj).__mro__:
        converter = _CONVERTERS.get(cls.__module__.partition(".")[0])
        if converter is not None:
            return converter(obj)
    type_name = f"{type(obj).__module__}.{type(obj).__qualname__}"
    hint = "; an array has no names: use Graph.from_adjacency" if hasattr(obj, "dtype") else ""
    raise GraphError(
        f"cannot make a graph of {type_name}; known are Graph, paths of graph files, and objects "
        f"of {', '.join(_CONVERTERS)}{hint}"
    )


def to_networkx(graph: Graph) -> nx.Graph:
    """Convert to networkx.

    A graph of directed edges becomes a plain ``DiGraph`` and one of undirected edges a plain
    ``Graph``. Any other becomes a ``DiGraph`` with one arc per edge, whose attributes
    ``source_mark`` and ``target_mark`` are ``"tail"``, ``"arrow"`` or ``"circle"``.
    """
    import networkx as nx

    edges = graph.edges()
    result = nx.Graph() if _all_written(edges, "-") else nx.DiGraph()
    result.add_nodes_from(graph.names)
    for edge, attributes in zip(edges, _mark_attributes(edges), strict=True):
        result.add_edge(edge.left, edge.right, **attributes)
    return result


def from_networkx(graph: nx.Graph) -> Graph:
    """Convert from networkx; arcs in both directions without marks mean undirected."""
    source = TextSource("networkx graph")
    arcs = ((str(u), str(v), data) for u, v, data in graph.edges(data=True))
    return _from_arcs(source, map(str, graph.nodes), arcs, directed=graph.is_directed())


def to_igraph(graph: Graph) -> igraph.Graph:
    """Convert to igraph, with vertex attribute ``name`` and marks as in `to_networkx`."""
    import igraph

    edges = graph.edges()
    index = graph.index
    result = igraph.Graph(
        n=len(graph),
        edges=[(index[edge.left], index[edge.right]) for edge in edges],
        directed=not _all_written(edges, "-"),
    )
    result.vs["name"] = list(graph.names)
    attributes = _mark_attributes(edges)
    for key in (SOURCE_MARK, TARGET_MARK) if any(attributes) else ():
        result.es[key] = [marks[key] for marks in attributes]
    return result


def from_igraph(graph: igraph.Graph) -> Graph:
    """Convert from igraph; without a vertex attribute ``name`` nodes are named by their number."""
    named = "name" in graph.vs.attributes()
    names = [str(name) for name in (graph.vs["name"] if named else range(graph.vcount()))]
    arcs = ((names[e.source], names[e.target], e.attributes()) for e in graph.es)
    return _from_arcs(TextSource("igraph graph"), names, arcs, directed=graph.is_directed())


def to_pandas(graph: Graph, format: str = "adjacency") -> pd.DataFrame:
    """Convert to a DataFrame, from row to column, with the node names as index and columns.

    Parameters
    ----------
    graph
        The graph.
    format
        ``"adjacency"`` for 0 and 1 (an error if that loses marks) or ``"marks"`` for 0 to 3.
    """
    import pandas as pd

    lost = lost_by_adjacency(graph) if _checked_format(format) == "adjacency" else None
    if lost:
        raise GraphError(f"a DataFrame of format 'adjacency' would lose {lost}")
    cells = graph.adjacency if format == "adjacency" else graph.marks
    names = list(graph.names)
    frame = pd.DataFrame(cells.copy(), index=names, columns=names)
    frame.attrs[_FORMAT_ATTRIBUTE] = format
    return frame


def from_pandas(frame: pd.DataFrame, format: str | None = None) -> Graph:
    """Convert a square DataFrame, from row to column.

    Parameters
    ----------
    frame
        Node names as columns, and as index in any order or not at all (a default index).
    format
        ``"adjacency"`` or ``"marks"``; by default what `to_pandas` noted in ``frame.attrs``, else
        marks if a 2 or 3 occurs.
    """
    names = [str(name) for name in frame.columns]
    rows = [str(name) for name in frame.index]
    cells = _numeric(frame)
    if cells.shape != (len(names), len(names)):
        shape = f"{counted(len(rows), 'row')} and {counted(len(names), 'column')}"
        raise GraphError(f"DataFrame: {shape}, not a square")
    if rows != names and rows != [str(i) for i in range(len(names))]:
        cells = cells[_row_order(rows, names)]
    chosen = _checked_format(format or frame.attrs.get(_FORMAT_ATTRIBUTE) or _guessed(cells))
    return Graph.from_adjacency(names, cells) if chosen == "adjacency" else Graph(names, cells)


def to_causal_learn(graph: Graph) -> GeneralGraph:
    """Convert to causal-learn's ``GeneralGraph``."""
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphNode import GraphNode

    result = GeneralGraph([GraphNode(name) for name in graph.names])
    number = {mark: value for value, mark in _CAUSAL_LEARN.items()}
    lookup = np.array([number[mark] for mark in Mark])
    # Its cell [i, j] is the endpoint at i: the transpose of ours.
    result.graph = lookup[graph.marks.T]
    result.reconstitute_dpath(result.get_graph_edges())
    return result


def from_causal_learn(graph: Any) -> Graph:
    """Convert from causal-learn: a ``GeneralGraph``, or the ``CausalGraph`` that PC returns."""
    general = getattr(graph, "G", graph)
    endpoints = np.asarray(general.graph)
    strange = ~np.isin(endpoints, list(_CAUSAL_LEARN))
    if strange.any():
        unknown_mark = endpoints[strange][0]
        raise GraphError(
            f"causal-learn graph: endpoint {unknown_mark} means two edges between two nodes"
        )
    marks = np.zeros(endpoints.shape, dtype=np.uint8)
    for number, mark in _CAUSAL_LEARN.items():
        marks[(endpoints == number).T] = mark
    return Graph([node.get_name() for node in general.get_nodes()], marks)


def to_pgmpy(graph: Graph) -> nx.Graph:
    """Convert to pgmpy: ``DAG``, ``PDAG`` with undirected edges, or ``AncestralBase`` with marks.

    A directed cycle, which pgmpy does not allow, is a `GraphError`.
    """
    from pgmpy.base import DAG, PDAG, AncestralBase

    edges = graph.edges()
    pairs = {
        text: [(e.left, e.right) for e in edges if e.connector == text] for text in ("->", "-")
    }
    characters = {mark: character for character, mark in _PGMPY.items()}
    try:
        if _all_written(edges, "->") or not edges:
            result = DAG(pairs["->"])
        elif len(pairs["->"]) + len(pairs["-"]) == len(edges):
            result = PDAG(directed_ebunch=pairs["->"], undirected_ebunch=pairs["-"])
        else:
            marked = ((e, *CONNECTORS[e.connector]) for e in edges)
            result = AncestralBase(
                [
                    (e.left, e.right, characters[left], characters[right])
                    for e, left, right in marked
                ]
            )
    except ValueError as error:
        raise GraphError(f"pgmpy does not take this graph: {error}") from None
    result.add_nodes_from(graph.names)
    return result


def from_pgmpy(graph: Any) -> Graph:
    """Convert the structure of any graph or model of pgmpy (``DAG``, ``PDAG``, ``MAG``, …)."""
    data = [attributes for *_, attributes in graph.edges(data=True)]
    if not any("marks" in attributes or "type" in attributes for attributes in data):
        return from_networkx(graph)
    builder = GraphBuilder(TextSource("pgmpy graph"), map(str, graph.nodes))
    for u, v, attributes in graph.edges(data=True):
        if "marks" in attributes:
            marks = _PGMPY[attributes["marks"][u]], _PGMPY[attributes["marks"][v]]
        else:
            marks = _PGMPY_TYPES[attributes["type"]]
        builder.edge(str(u), marks, str(v))
    return builder.graph()


_CONVERTERS: Mapping[str, Callable[[Any], Graph]] = {
    "networkx": from_networkx,
    "igraph": from_igraph,
    "pandas": from_pandas,
    "causallearn": from_causal_learn,
    "pgmpy": from_pgmpy,
}


def _all_written(edges: list[Edge], text: str) -> bool:
    return bool(edges) and all(edge.connector == text for edge in edges)


def _mark_attributes(edges: list[Edge]) -> list[dict[str, str]]:
    """Return edge attributes with the marks; empty where the type of graph implies them."""
    if _all_written(edges, "->") or _all_written(edges, "-"):
        return [{} for _ in edges]
    words = [[mark.name.lower() for mark in CONNECTORS[edge.connector]] for edge in edges]
    return [{SOURCE_MARK: left, TARGET_MARK: right} for left, right in words]


def _from_arcs(
    source: TextSource,
    names: Iterable[str],
    arcs: Iterable[tuple[str, str, Mapping[str, Any]]],
    *,
    directed: bool,
) -> Graph:
    builder = GraphBuilder(source, names, both_ways=True)
    default = CONNECTORS["->" if directed else "-"]
    for left, right, attributes in arcs:
        marks = [attributes.get(key) for key in (SOURCE_MARK, TARGET_MARK)]
        at_left, at_right = (
            usual if mark is None else mark_word(mark, source)
            for mark, usual in zip(marks, default, strict=True)
        )
        builder.edge(left, (at_left, at_right), right)
    return builder.graph()


def _checked_format(name: str) -> str:
    if name not in _MATRICES:
        raise GraphError(unknown("matrix format", name, _MATRICES))
    return name


def _guessed(cells: np.ndarray[Any, Any]) -> str:
    return "marks" if np.isin(cells, (Mark.ARROW, Mark.TAIL)).any() else "adjacency"


def _numeric(frame: pd.DataFrame) -> np.ndarray[Any, Any]:
    try:
        cells = np.asarray(frame.to_numpy(dtype=float))
    except (TypeError, ValueError) as error:
        raise GraphError(f"DataFrame: cells are numbers from 0 to 3 ({error})") from None
    whole = np.isin(cells, list(Mark))
    if not whole.all():
        raise GraphError(f"DataFrame: found {cells[~whole][0]}, allowed are 0, 1, 2 and 3")
    return cells.astype(np.uint8)


def _row_order(rows: list[str], names: list[str]) -> list[int]:
    position = {row: i for i, row in enumerate(rows)}
    for name in names:
        if name not in position:
            raise GraphError(unknown("row", name, rows, "DataFrame, a column without a row"))
    return [position[name] for name in names]
