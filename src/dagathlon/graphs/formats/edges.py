"""Written edges, one per line: ``A -> B``; an isolated node is a line with its name.

Names that hold spaces, quotes or arrows stand in double quotes with JSON's escapes. The text that
Tetrad and causal-learn write (``1. A --> B`` under "Graph Nodes:" and "Graph Edges:") is read too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from dagathlon.graphs.formats.builder import GraphBuilder
from dagathlon.graphs.formats.format import GraphFormat
from dagathlon.graphs.formats.source import TextSource, shown, split_lines
from dagathlon.graphs.graph import Graph
from dagathlon.graphs.marks import CONNECTORS

_TOKEN = re.compile(r'\s*+(?:("(?:[^"\\]|\\.)*+")|([^\s"]++))')
_NUMBERED = re.compile(r"\s*\d+\.\s")
_PLAIN_NAME = re.compile(r"(?!\d+\.$)[^\s\"#;,<>\ufeff]+")
_GLUED = re.compile(r"->|<-|--|[,;]")
_SECTION = re.compile(r"\s*(Graph Nodes|Graph Edges):\s*(.*)", re.IGNORECASE)
_LATER_SECTION = re.compile(
    r"\s*(Graph (\w+ )?Attributes|Ambiguous triples|(Dotted )?underline)", re.IGNORECASE
)


def is_tetrad(text: str) -> bool:
    """Whether a text has the headers of a graph written by Tetrad."""
    return any(_SECTION.match(line) for line in split_lines(text[:10_000]))


def has_edge(line: str) -> bool:
    """Whether a line looks like a written edge."""
    words = line.split()
    return any(word in CONNECTORS for word in words[1:-1])


def read_edges(source: TextSource, names: Iterable[str] | None = None) -> Graph:
    """Read written edges, one per line, or the text of a graph written by Tetrad."""
    builder = GraphBuilder(source, names)
    if is_tetrad(source.text):
        return _read_tetrad(source, builder)
    for line, text in enumerate(split_lines(source.text), 1):
        if text.strip() and not text.lstrip().startswith("#"):
            _add_line(builder, source, text, line)
    return builder.graph()


def write_edges(graph: Graph) -> str:
    """Write isolated nodes and edges, one per line."""
    isolated = np.setdiff1d(np.arange(len(graph)), graph.edge_arrays().pairs)
    lines = [_written(graph.names[i]) for i in isolated]
    lines += [f"{_written(e.left)} {e.connector} {_written(e.right)}" for e in graph.edges()]
    return "\n".join([*lines, ""]) if lines else "# no nodes\n"


def _written(name: str) -> str:
    plain = _PLAIN_NAME.fullmatch(name) and not _GLUED.search(name) and name not in CONNECTORS
    return name if plain else json.dumps(name, ensure_ascii=False)


def _add_line(builder: GraphBuilder, source: TextSource, text: str, line: int) -> None:
    tokens = list(_tokens(source, text, line))
    if _NUMBERED.match(text):
        # Text after an edge (Tetrad's strength, bootstrap shares) is ignored.
        tokens = tokens[1:4]
    if len(tokens) == 3:
        builder.written_edge(tokens[0], tokens[1], tokens[2], line)
    elif len(tokens) == 1:
        _refuse_glued(source, text.strip(), line)
        builder.node(tokens[0], line)
    else:
        shown_line = shown(text.strip())
        raise source.error(
            f"a line is 'A -> B' or one node name in quotes, found {shown_line}", line
        )


def _refuse_glued(source: TextSource, text: str, line: int) -> None:
    glued = None if text.startswith('"') else _GLUED.search(text)
    if glued:
        hint = "an arrow has spaces around it, and a name with such signs is quoted"
        raise source.error(f"found {glued[0]!r} in {shown(text)}: {hint}", line)


def _tokens(source: TextSource, text: str, line: int) -> Iterator[str]:
    position, text = 0, text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            rest = shown(text[position:].strip())
            raise source.error(f"the quote is never closed in {rest}", line)
        yield _unquoted(source, match[1], line) if match[1] else match[2]
        position = match.end()


def _unquoted(source: TextSource, text: str, line: int) -> str:
    try:
        name = str(json.loads(text, strict=False))
        name.encode()
    except ValueError:
        raise source.error(f"{shown(text)} is not a JSON string", line) from None
    return name


def _read_tetrad(source: TextSource, builder: GraphBuilder) -> Graph:
    section = ""
    for line, text in enumerate(split_lines(source.text), 1):
        header = _SECTION.match(text)
        if header:
            builder.closed = builder.closed or section == "graph nodes"
            section = header[1].lower()
        elif section == "graph edges" and _LATER_SECTION.match(text):
            break
        content = header[2] if header else text
        if section == "graph nodes":
            _add_tetrad_nodes(builder, content, line)
        elif section and content.strip():  # Tetrad's reports have other lines before the graph
            _add_tetrad_edge(builder, source, content, line)
    return builder.graph()


def _add_tetrad_nodes(builder: GraphBuilder, text: str, line: int) -> None:
    for word in re.split(r"[;,\s]+", text):
        # Tetrad puts latent variables in parentheses.
        name = word[1:-1] if word.startswith("(") and word.endswith(")") else word
        if name:
            builder.node(name, line) if builder.closed else builder.declare(name, line)


def _add_tetrad_edge(builder: GraphBuilder, source: TextSource, text: str, line: int) -> None:
    tokens = text.split()
    if len(tokens) < 4 or not _NUMBERED.match(text):
        raise source.error(f"an edge is written '1. A --> B', found {shown(text.strip())}", line)
    builder.written_edge(tokens[1], tokens[2], tokens[3], line)


@dataclass(frozen=True, kw_only=True)
class WrittenEdges(GraphFormat):
    """Text with an edge such as ``A -> B`` per line, also as Tetrad writes it."""

    name = "edges"
    suffixes = (".txt", ".edges")
    content_decides = True
    rank = 7

    def read(self, source: TextSource, names: Iterable[str] | None = None) -> Graph:
        """Read a file."""
        return read_edges(source, names)

    def write(self, graph: Graph) -> str | bytes:
        """Write a graph."""
        return write_edges(graph)

    def recognises(self, source: TextSource) -> bool:
        """Whether the content begins like this format."""
        lines = split_lines(source.text[:100_000])
        return is_tetrad(source.text) or any(map(has_edge, lines))
