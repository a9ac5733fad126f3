"""Builder of graphs from the nodes and edges that a reader parses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dagathlon.errors import unknown
from dagathlon.graphs.formats.source import TextSource, shown
from dagathlon.graphs.graph import Graph, edge_arrays_of
from dagathlon.graphs.marks import CONNECTORS, Mark, connector

# A graph keeps six bits per pair of nodes: a short nonsense file must not ask for terabytes.
MAX_NODES = 50_000
# A file with a longer name is not a graph file.
_MAX_NAME = 1000

# How marks are spelled in formats and libraries whose edges carry attributes.
SOURCE_MARK, TARGET_MARK = "source_mark", "target_mark"
MARK_WORDS: Mapping[str, Mark] = {mark.name.lower(): mark for mark in Mark if mark}

_UNDIRECTED = (Mark.TAIL, Mark.TAIL)
_DIRECTED = {(Mark.TAIL, Mark.ARROW), (Mark.ARROW, Mark.TAIL)}


class GraphBuilder:
    """Nodes and edges of one graph, checked when added, so that errors name the line.

    Parameters
    ----------
    source
        Where the graph is read from, for messages.
    names
        The only nodes allowed, in order; by default nodes are added as they are met.
    both_ways
        Whether ``A → B`` beside ``B → A`` means the undirected edge ``A - B``, as in an adjacency
        matrix; otherwise it is an error.
    """

    def __init__(
        self, source: TextSource, names: Iterable[str] | None = None, *, both_ways: bool = False
    ) -> None:
        self._source = source
        self._both_ways = both_ways
        self._index: dict[str, int] = {}
        self._edges: dict[tuple[int, int], tuple[Mark, Mark]] = {}
        for name in names or ():
            self.declare(name)
        self.closed = names is not None

    def declare(self, name: str, line: int | None = None) -> None:
        """Add a node from a list of nodes; a repeated one is an error."""
        if name in self._index:
            raise self._source.error(f"node name {shown(name)} stands twice", line)
        self._add(name, line)

    def node(self, name: str, line: int | None = None) -> int:
        """Return the row number of a node; a new one is added unless the nodes are fixed."""
        position = self._index.get(name)
        if position is not None:
            return position
        if self.closed:
            raise self._source.error(unknown("node", name[:100], self._index), line)
        return self._add(name, line)

    def edge(
        self, left: str, marks: tuple[Mark, Mark], right: str, line: int | None = None
    ) -> None:
        """Add an edge with `marks` at its left and right node; repeating an edge is allowed."""
        i, j = self.node(left, line), self.node(right, line)
        if i == j:
            raise self._source.error(f"node {shown(left)} has an edge with itself", line)
        key, pair = ((i, j), marks) if i < j else ((j, i), marks[::-1])
        present = self._edges.setdefault(key, pair)
        if present == pair:
            return
        if self._both_ways and {present, pair} <= {*_DIRECTED, _UNDIRECTED}:
            self._edges[key] = _UNDIRECTED
            return
        written = f"{shown(left)} {connector(*marks)} {shown(right)}"
        raise self._source.error(f"edge {written}: these nodes are joined by another edge", line)

    def written_edge(self, left: str, text: str, right: str, line: int | None = None) -> None:
        """Add an edge written as ``->``, ``o-o`` …."""
        marks = CONNECTORS.get(text)
        if marks is None:
            raise self._source.error(unknown("edge", text[:20], CONNECTORS), line)
        self.edge(left, marks, right, line)

    def graph(self) -> Graph:
        """Return the graph of everything added."""
        return Graph.from_edge_arrays(self._index, edge_arrays_of(self._edges))

    def _add(self, name: str, line: int | None) -> int:
        check_name(name, self._source, line)
        if len(self._index) >= MAX_NODES:
            raise self._source.error(f"more than {MAX_NODES:,} nodes", line)
        return self._index.setdefault(name, len(self._index))


def check_name(name: str, source: TextSource, line: int | None, column: int | None = None) -> None:
    """Refuse a node name that is empty or excessively long."""
    if not name:
        raise source.error("a node name is empty", line, column)
    if len(name) > _MAX_NAME:
        fault = f"{shown(name)} has {len(name)} characters"
        raise source.error(f"node name {fault}, at most {_MAX_NAME} are allowed", line, column)


def mark_word(word: object, source: TextSource, line: int | None = None) -> Mark:
    """Parse a mark from an edge attribute such as ``"arrow"``."""
    try:
        return MARK_WORDS[str(word).strip().lower()]
    except KeyError:
        raise source.error(unknown("mark", str(word)[:20], MARK_WORDS), line) from None
