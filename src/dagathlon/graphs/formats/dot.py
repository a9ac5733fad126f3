"""Graphviz files, restricted to nodes, edges and their end marks.

Marks are read from ``dir``, ``arrowhead`` and ``arrowtail``: ``normal`` is an arrow, ``odot`` a
circle, ``none`` a tail. Nodes are identified by their identifiers; labels and styles are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from dagathlon.errors import GraphError, unknown
from dagathlon.graphs.formats.builder import GraphBuilder
from dagathlon.graphs.formats.dot_tokens import Token, after_comments, tokens, unescaped
from dagathlon.graphs.formats.format import GraphFormat
from dagathlon.graphs.formats.source import TextSource, shown
from dagathlon.graphs.graph import Edge, Graph
from dagathlon.graphs.marks import CONNECTORS, Mark

_SHAPES: Mapping[str, Mark] = {
    "normal": Mark.ARROW,
    "odot": Mark.CIRCLE,
    "none": Mark.TAIL,
    "vee": Mark.ARROW,
    "open": Mark.ARROW,
    "empty": Mark.ARROW,
    "onormal": Mark.ARROW,
    "dot": Mark.CIRCLE,
    "tee": Mark.TAIL,
}
_SHAPE_OF = {Mark.ARROW: "normal", Mark.CIRCLE: "odot", Mark.TAIL: "none"}
# dir -> whether the shapes at the tail and at the head are drawn.
_DIRECTIONS = {
    "forward": (False, True),
    "back": (True, False),
    "both": (True, True),
    "none": (False, False),
}
_START = re.compile(r"(strict\s+)?(di)?graph\b[^,{\n]*(?:\n\s*)?\{", re.IGNORECASE)
_MAX_DEPTH = 50
_MAX_JOINED = 1_000_000

Attributes = dict[str, str]


def read_dot(source: TextSource, names: Iterable[str] | None = None) -> Graph:
    """Read a Graphviz ``graph`` or ``digraph``."""
    return _Parser(source, GraphBuilder(source, names)).read()


def write_dot(graph: Graph, looks: Mapping[frozenset[str], Mapping[str, str]] | None = None) -> str:
    """Write a ``digraph``, or a ``graph`` if all edges are undirected.

    Parameters
    ----------
    graph
        The graph.
    looks
        Further attributes of edges, such as their colour, by the two names.
    """
    edges = graph.edges()
    undirected = bool(edges) and all(edge.connector == "-" for edge in edges)
    lines = [f"  {_quoted(name)};" for name in graph.names]
    for edge in edges:
        style = (looks or {}).get(frozenset((edge.left, edge.right)), {})
        lines.append(f"  {_statement(edge, undirected, style)};")
    return "\n".join([f"{'graph' if undirected else 'digraph'} {{", *lines, "}", ""])


def _quoted(name: str) -> str:
    written = name.replace('"', '\\"')
    closes = re.search(r"(?<!\\)(?:\\\\)*\\\Z", written) is not None
    if closes or unescaped(written) != name:
        raise GraphError(f"the node name {name!r} cannot be written in a Graphviz file (backslash)")
    return f'"{written}"'


def _statement(edge: Edge, undirected: bool, looks: Mapping[str, str]) -> str:
    ends = f"{_quoted(edge.left)} {'--' if undirected else '->'} {_quoted(edge.right)}"
    attributes: Attributes = {}
    if not undirected and edge.connector == "-":
        attributes = {"dir": "none"}
    elif not undirected and edge.connector != "->":
        tail, head = CONNECTORS[edge.connector]
        attributes = {"dir": "both", "arrowtail": _SHAPE_OF[tail], "arrowhead": _SHAPE_OF[head]}
    written = [f"{key}={value}" for key, value in attributes.items()]
    written += [f'{key}="{value}"' for key, value in looks.items()]
    return f"{ends} [{', '.join(written)}]" if written else ends


class _Parser:
    """Parser that passes the nodes and edges of a file to a builder."""

    def __init__(self, source: TextSource, builder: GraphBuilder) -> None:
        self._source = source
        self._builder = builder
        self._tokens = tokens(source)
        self._at = 0
        self._directed = True
        self._joined = 0

    def read(self) -> Graph:
        if self._token.keyword == "strict":
            self._advance()
        if self._token.keyword not in ("graph", "digraph"):
            raise self._unexpected("'graph' or 'digraph'")
        self._directed = self._advance().keyword == "digraph"
        if self._token.kind == "id":
            self._advance()
        self._block({}, depth=1)
        if self._token.kind != "end":
            raise self._unexpected("one graph per file")
        return self._builder.graph()

    @property
    def _token(self) -> Token:
        return self._tokens[self._at]

    def _advance(self) -> Token:
        token = self._token
        self._at += token.kind != "end"
        return token

    def _take(self, kind: str) -> bool:
        is_next = self._token.kind == kind
        self._at += is_next
        return is_next

    def _expect(self, kind: str, wanted: str) -> Token:
        if self._token.kind != kind:
            raise self._unexpected(wanted)
        return self._advance()

    def _unexpected(self, wanted: str) -> GraphError:
        token = self._token
        shown_token = token.text if token.kind == "end" else shown(token.text)
        return self._source.error(f"expected {wanted}, found {shown_token}", self._line(token))

    def _line(self, token: Token) -> int:
        return self._source.line_of(token.position)

    def _block(self, defaults: Attributes, depth: int) -> list[str]:
        """Parse ``{ … }`` and return the nodes it names; edge defaults hold inside it."""
        if depth > _MAX_DEPTH:
            raise self._unexpected(f"at most {_MAX_DEPTH} nested braces")
        self._expect("{", "'{'")
        inside: dict[str, None] = {}
        edge_defaults = dict(defaults)
        while not self._take("}"):
            if not self._take(";"):
                inside.update(dict.fromkeys(self._one_statement(edge_defaults, depth)))
        return list(inside)

    def _one_statement(self, defaults: Attributes, depth: int) -> list[str]:
        keyword = self._token.keyword
        if keyword in ("graph", "node", "edge"):
            self._advance()
            attributes = self._attributes()
            if keyword == "edge":
                defaults.update(attributes)
            return []
        if self._token.kind == "id" and self._tokens[self._at + 1].kind == "=":
            self._at += 2
            self._value()
            return []
        return self._edges(defaults, depth)

    def _edges(self, defaults: Attributes, depth: int) -> list[str]:
        """Parse ``a``, ``a -> b -> c`` or ``a -> {b c}`` with its attributes."""
        first = self._token
        chain = [self._end(defaults, depth)]
        while self._token.kind == "op":
            operator = "->" if self._directed else "--"
            if self._token.text != operator:
                raise self._unexpected(f"{operator!r} in this kind of graph")
            self._advance()
            chain.append(self._end(defaults, depth))
        attributes = self._attributes()
        if len(chain) > 1:
            self._join(chain, {**defaults, **attributes}, first)
        return [name for names in chain for name in names]

    def _end(self, defaults: Attributes, depth: int) -> list[str]:
        if self._token.keyword == "subgraph":
            self._advance()
            if self._token.kind == "id":
                self._advance()
            if self._token.kind != "{":
                raise self._unexpected("'{'")
        if self._token.kind == "{":
            return self._block(defaults, depth + 1)
        token = self._token
        name = self._identifier("a node or '}'")
        while self._take(":"):
            self._expect("id", "a port")
        self._builder.node(name, self._line(token))
        return [name]

    def _join(self, chain: list[list[str]], attributes: Attributes, first: Token) -> None:
        line = self._line(first)
        marks = self._marks(attributes, line)
        for tails, heads in pairwise(chain):
            self._joined += len(tails) * len(heads)
            if self._joined > _MAX_JOINED:
                raise self._source.error(f"more than {_MAX_JOINED} edges", line)
            for tail in tails:
                for head in heads:
                    self._builder.edge(tail, marks, head, line)

    def _marks(self, attributes: Attributes, line: int | None) -> tuple[Mark, Mark]:
        direction = attributes.get("dir", "forward" if self._directed else "none").lower()
        if direction not in _DIRECTIONS:
            raise self._source.error(unknown("dir", direction[:20], _DIRECTIONS), line)
        shapes = (attributes.get("arrowtail", "normal"), attributes.get("arrowhead", "normal"))
        for shape in shapes:
            if shape.lower() not in _SHAPES:
                raise self._source.error(unknown("arrow shape", shape[:20], _SHAPES), line)
        at_tail, at_head = _DIRECTIONS[direction]
        return (
            _SHAPES[shapes[0].lower()] if at_tail else Mark.TAIL,
            _SHAPES[shapes[1].lower()] if at_head else Mark.TAIL,
        )

    def _attributes(self) -> Attributes:
        """Parse any number of ``[name=value, …]``."""
        attributes: Attributes = {}
        while self._take("["):
            while not self._take("]"):
                name = self._identifier("an attribute or ']'")
                attributes[name.lower()] = self._value() if self._take("=") else "true"
                self._at += self._token.kind in (",", ";")
        return attributes

    def _identifier(self, wanted: str) -> str:
        """Parse an identifier; quoted parts may be joined by ``+``."""
        text = self._expect("id", wanted).text
        while self._take("+"):
            text += self._expect("id", "a quoted text").text
        return text

    def _value(self) -> str:
        return self._advance().text if self._token.kind == "html" else self._identifier("a value")


@dataclass(frozen=True, kw_only=True)
class Dot(GraphFormat):
    """Graphviz's language."""

    name = "dot"
    suffixes = (".dot", ".gv")
    rank = 4

    def read(self, source: TextSource, names: Iterable[str] | None = None) -> Graph:
        """Read a file."""
        return read_dot(source, names)

    def write(self, graph: Graph) -> str | bytes:
        """Write a graph."""
        return write_dot(graph)

    def recognises(self, source: TextSource) -> bool:
        """Whether the content begins like this format."""
        return bool(_START.match(source.text, after_comments(source.text)))
