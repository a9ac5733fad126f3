"""GraphML files, as networkx, igraph and others read and write them.

Marks stand in two data keys of an edge, ``source_mark`` and ``target_mark`` ("tail", "arrow" or
"circle"); without them an edge is directed or undirected, as the file says. A node is known by its
data key ``name`` if all nodes have one (igraph), else by its ``id`` (networkx).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from dagathlon.errors import GraphError
from dagathlon.graphs.formats.builder import (
    SOURCE_MARK,
    TARGET_MARK,
    GraphBuilder,
    mark_word,
)
from dagathlon.graphs.formats.format import GraphFormat
from dagathlon.graphs.formats.source import TextSource, shown
from dagathlon.graphs.graph import Edge, Graph
from dagathlon.graphs.marks import CONNECTORS, Mark

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_KEYS = "".join(
    f'  <key id="{name}" for="edge" attr.name="{name}" attr.type="string"/>\n'
    for name in (SOURCE_MARK, TARGET_MARK)
)


def read_graphml(source: TextSource, names: Iterable[str] | None = None) -> Graph:
    """Read a GraphML file with one graph; document type declarations are refused."""
    if not source.content.strip():
        raise source.error("the file is empty")
    return _Reader(source).read(names)


def write_graphml(graph: Graph) -> str:
    """Write nodes by name, and edges with marks unless their direction implies them."""
    edges = graph.edges()
    undirected = bool(edges) and all(edge.connector == "-" for edge in edges)
    default = "undirected" if undirected else "directed"
    nodes = [f"    <node id={_attribute(name)}/>\n" for name in graph.names]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<graphml xmlns="{_NAMESPACE}">\n{_KEYS}  <graph edgedefault="{default}">\n'
        + "".join(nodes)
        + "".join(_edge_element(edge, undirected) for edge in edges)
        + "  </graph>\n</graphml>\n"
    )


def _attribute(name: str) -> str:
    bad = _NOT_XML.search(name)
    if bad:
        raise GraphError(f"the node name {name!r} cannot be written in XML ({bad[0]!r})")
    return quoteattr(name, {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})


def _edge_element(edge: Edge, undirected: bool) -> str:
    start = f"    <edge source={_attribute(edge.left)} target={_attribute(edge.right)}"
    if undirected or edge.connector == "->":
        return start + "/>\n"
    marks = zip((SOURCE_MARK, TARGET_MARK), CONNECTORS[edge.connector], strict=True)
    data = "".join(f'<data key="{key}">{mark.name.lower()}</data>' for key, mark in marks)
    return f"{start}>{data}</edge>\n"


class _Element(NamedTuple):
    """A node or an edge element: its attributes, data values by name, and line."""

    attributes: dict[str, str]
    data: dict[str, str]
    line: int


class _Reader:
    """Collector of nodes and edges from the events of an XML parser."""

    def __init__(self, source: TextSource) -> None:
        self._source = source
        self._nodes: list[_Element] = []
        self._edges: list[_Element] = []
        self._keys: dict[str, str] = {}
        self._directed: bool | None = None
        self._open: _Element | None = None
        self._data_name: str | None = None
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        # Without a document type there are no entities to expand into gigabytes.
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype

    def read(self, names: Iterable[str] | None) -> Graph:
        try:
            self._parser.Parse(self._source.content, True)
        except expat.ExpatError as error:
            reason = expat.errors.messages[error.code]
            raise self._source.error(f"this is not XML ({reason})", error.lineno) from None
        except (LookupError, ValueError) as error:
            raise self._error(f"the text cannot be decoded ({error})") from None
        if self._directed is None:
            raise self._source.error("there is no <graph> in this file")
        return self._graph(names)

    def _error(self, message: str) -> GraphError:
        return self._source.error(message, self._parser.CurrentLineNumber)

    def _refuse_doctype(self, *_: object) -> None:
        raise self._error("a document type declaration (<!DOCTYPE …>) is not allowed")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        handlers: dict[str, Callable[[dict[str, str]], None]] = {
            "key": self._start_key,
            "graph": self._start_graph,
            "node": self._start_node,
            "edge": self._start_edge,
            "data": self._start_data,
        }
        name = tag.rpartition(" ")[2]
        if name == "hyperedge":
            raise self._error("an edge joins two nodes, found a <hyperedge>")
        if name in handlers:
            handlers[name](attributes)

    def _end(self, tag: str) -> None:
        name = tag.rpartition(" ")[2]
        if name in ("node", "edge"):
            self._open = None
        if name == "data":
            self._data_name = None

    def _characters(self, text: str) -> None:
        if self._open is not None and self._data_name is not None:
            before = self._open.data.get(self._data_name, "")
            self._open.data[self._data_name] = before + text

    def _start_key(self, attributes: dict[str, str]) -> None:
        key = self._needed("key", "id", attributes)
        self._keys[key] = attributes.get("attr.name", key)

    def _start_graph(self, attributes: dict[str, str]) -> None:
        if self._directed is not None:
            raise self._error("one graph per file, found a second <graph>")
        self._directed = self._direction(attributes.get("edgedefault", "directed"))

    def _start_node(self, attributes: dict[str, str]) -> None:
        self._needed("node", "id", attributes)
        self._open = _Element(attributes, {}, self._parser.CurrentLineNumber)
        self._nodes.append(self._open)

    def _start_edge(self, attributes: dict[str, str]) -> None:
        self._needed("edge", "source", attributes)
        self._needed("edge", "target", attributes)
        self._open = _Element(attributes, {}, self._parser.CurrentLineNumber)
        self._edges.append(self._open)

    def _start_data(self, attributes: dict[str, str]) -> None:
        key = self._needed("data", "key", attributes)
        self._data_name = self._keys.get(key, key)

    def _needed(self, tag: str, name: str, attributes: dict[str, str]) -> str:
        if name not in attributes:
            raise self._error(f"<{tag}> has no attribute '{name}'")
        return attributes[name]

    def _direction(self, word: str) -> bool:
        choices = {"directed": True, "true": True, "undirected": False, "false": False}
        if word not in choices:
            raise self._error(f"found {shown(word)}, allowed are directed and undirected")
        return choices[word]

    def _graph(self, names: Iterable[str] | None) -> Graph:
        builder = GraphBuilder(self._source, names, both_ways=True)
        by_name = all(node.data.get("name") for node in self._nodes)
        name_of: dict[str, str] = {}
        for node in self._nodes:
            key = node.attributes["id"]
            if key in name_of:
                raise self._source.error(f"node id {shown(key)} stands twice", node.line)
            name_of[key] = node.data["name"] if by_name else key
        self._add_nodes(builder, name_of, fixed=names is not None)
        for edge in self._edges:
            self._add_edge(builder, edge, name_of)
        return builder.graph()

    def _add_nodes(self, builder: GraphBuilder, name_of: dict[str, str], *, fixed: bool) -> None:
        add = builder.node if fixed else builder.declare
        for node in self._nodes:
            add(name_of[node.attributes["id"]], node.line)
        builder.closed = True

    def _add_edge(self, builder: GraphBuilder, edge: _Element, name_of: dict[str, str]) -> None:
        ends = [edge.attributes["source"], edge.attributes["target"]]
        left, right = (name_of.get(end, end) for end in ends)
        directed = self._directed
        if "directed" in edge.attributes:
            directed = self._direction(edge.attributes["directed"])
        at_left, at_right = Mark.TAIL, Mark.ARROW if directed else Mark.TAIL
        if SOURCE_MARK in edge.data:
            at_left = mark_word(edge.data[SOURCE_MARK], self._source, edge.line)
        if TARGET_MARK in edge.data:
            at_right = mark_word(edge.data[TARGET_MARK], self._source, edge.line)
        builder.edge(left, (at_left, at_right), right, edge.line)


@dataclass(frozen=True, kw_only=True)
class GraphMl(GraphFormat):
    """GraphML."""

    name = "graphml"
    suffixes = (".graphml", ".xml")
    rank = 3

    def read(self, source: TextSource, names: Iterable[str] | None = None) -> Graph:
        """Read a file."""
        return read_graphml(source, names)

    def write(self, graph: Graph) -> str | bytes:
        """Write a graph."""
        return write_graphml(graph)

    def recognises(self, source: TextSource) -> bool:
        """Whether the content begins like this format."""
        return source.content.lstrip().startswith((b"<", b"\xef\xbb\xbf<"))
