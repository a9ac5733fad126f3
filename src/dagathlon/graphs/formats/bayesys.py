"""Bayesys's edge lists: ``ID,Variable 1,Dependency,Variable 2``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dagathlon.graphs.formats.builder import GraphBuilder
from dagathlon.graphs.formats.csvtext import first_fields, quoted, records
from dagathlon.graphs.formats.format import GraphFormat
from dagathlon.graphs.formats.source import TextSource, shown
from dagathlon.graphs.graph import Graph

HEADER = "ID,Variable 1,Dependency,Variable 2"
_COLUMNS = HEADER.lower().split(",")


def is_header(fields: list[str]) -> bool:
    """Whether these fields are the header of a Bayesys file."""
    return [field.strip().lower() for field in fields] == _COLUMNS


def read_bayesys(source: TextSource, names: Iterable[str] | None = None) -> Graph:
    """Read an edge list; `names` are the nodes, as the file cannot list isolated ones."""
    rows = records(source)
    header = next(rows, None)
    if header is None or not is_header(header.fields):
        first_line = shown(",".join(header.fields)) if header else "nothing"
        raise source.error(f"the header of a Bayesys file is {HEADER!r}, found {first_line}", 1)
    builder = GraphBuilder(source, names)
    for row in rows:
        if len(row.fields) != len(_COLUMNS):
            raise source.error(f"found {len(row.fields)} cells, the header has 4", row.line)
        _, left, text, right = row.fields
        builder.written_edge(left, text, right, row.line)
    return builder.graph()


def write_bayesys(graph: Graph) -> str:
    """Write all edges, numbered from 1."""
    rows = [
        f"{number},{quoted(edge.left)},{edge.connector},{quoted(edge.right)}"
        for number, edge in enumerate(graph.edges(), 1)
    ]
    return "\n".join([HEADER, *rows, ""])


def lost_by_bayesys(graph: Graph) -> str | None:
    """Return a message about isolated nodes, which an edge list cannot hold; None without any."""
    isolated = np.flatnonzero(~graph.marks.any(axis=1))
    if not len(isolated):
        return None
    return f"isolated nodes such as {shown(graph.names[isolated[0]])} (format 'edges' keeps them)"


@dataclass(frozen=True, kw_only=True)
class Bayesys(GraphFormat):
    """Numbered list of edges as CSV, as Bayesys has it."""

    name = "bayesys"
    suffixes = ()
    rank = 5

    def read(self, source: TextSource, names: Iterable[str] | None = None) -> Graph:
        """Read a file."""
        return read_bayesys(source, names)

    def write(self, graph: Graph) -> str | bytes:
        """Write a graph."""
        return write_bayesys(graph)

    def recognises(self, source: TextSource) -> bool:
        """Whether the content begins like this format."""
        return is_header(first_fields(source))

    def loses(self, graph: Graph) -> str | None:
        """Return a message about the information that the format loses, if any."""
        return lost_by_bayesys(graph)
