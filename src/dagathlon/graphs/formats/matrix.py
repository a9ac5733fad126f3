"""Square matrices in CSV files: "adjacency" (0 and 1, as Benchpress) and "marks" (0 to 3).

Both have the node names as header, one row per node and no row names, and both are read from row
to column. In "marks" a cell is the mark at the column's node (pcalg's convention for PAGs).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.errors import GraphError
from dagathlon.graphs.formats.builder import check_name
from dagathlon.graphs.formats.csvtext import Record, quoted, records
from dagathlon.graphs.formats.format import GraphFormat, on_nodes
from dagathlon.graphs.formats.source import TextSource, shown
from dagathlon.graphs.graph import Graph
from dagathlon.graphs.marks import Mark
from dagathlon.wording import counted

Cells = npt.NDArray[np.uint8]

# A file of more names than this would have a gigabyte of cells.
MAX_NODES = 20_000

# First line of a marks file in which no 2 or 3 says that it is one.
MARKS_LINE = "# marks"

_WORDS = {"false": 0, "true": 1}
_ADJACENCY, _MARKS = "0 and 1", "0 none, 1 circle, 2 arrow and 3 tail"


class _Table(NamedTuple):
    """A square CSV file: names, cells from 0 to 3, line of each row, and declared format."""

    source: TextSource
    names: list[str]
    cells: Cells
    lines: Sequence[int]
    says_marks: bool


def read_adjacency(source: TextSource, names: Iterable[str] | None = None) -> Graph:
    """Read a 0/1 matrix, from row to column; both directions mean undirected."""
    table = _read_table(source, _ADJACENCY)
    if table.says_marks:
        raise source.error("this is a matrix of marks, which has format 'marks'", 1)
    return on_nodes(_adjacency_graph(table), names, source)


def read_marks(source: TextSource, names: Iterable[str] | None = None) -> Graph:
    """Read a matrix of marks, from row to column."""
    return on_nodes(_marks_graph(_read_table(source, _MARKS)), names, source)


def read_matrix(source: TextSource, names: Iterable[str] | None = None) -> Graph:
    """Read a matrix of marks if it contains 2 or 3 or the file declares it, else a 0/1 matrix."""
    table = _read_table(source, f"{_ADJACENCY} (adjacency) or {_MARKS} (marks)")
    is_marks = table.says_marks or bool((table.cells > 1).any())
    graph = _marks_graph(table) if is_marks else _adjacency_graph(table)
    return on_nodes(graph, names, source)


def is_matrix(source: TextSource) -> bool:
    """Whether a text begins like a matrix: names, then as many numbers."""
    try:
        first = list(islice(records(source), 4))
    except GraphError:
        return False
    if _says_marks(source):
        del first[0]
    if len(first) < 2 or len(first[0].fields) != len(first[1].fields):
        return False
    # One name above one number is a matrix; a longer list of words is a list of nodes.
    if len(first[0].fields) == 1 and len(first) > 2:
        return False
    return all(cell(field) is not None for field in first[1].fields)


def write_adjacency(graph: Graph) -> str:
    """Write the 0/1 matrix of `Graph.adjacency`."""
    return _header(graph) + _rows(graph.adjacency)


def write_marks(graph: Graph) -> str:
    """Write the matrix of marks."""
    marks = graph.marks
    ambiguous = bool(marks.any()) and int(marks.max()) < Mark.ARROW
    return (MARKS_LINE + "\n" if ambiguous else "") + _header(graph) + _rows(marks)


def lost_by_adjacency(graph: Graph) -> str | None:
    """Return what a 0/1 matrix cannot represent of this graph; None if nothing."""
    for edge in graph.edges():
        if edge.connector not in ("->", "-"):
            return f"the marks of {edge} (format 'marks' keeps them)"
    return None


def _header(graph: Graph) -> str:
    if not len(graph):
        raise GraphError("a graph without nodes cannot be written as a matrix")
    return ",".join(map(quoted, graph.names)) + "\n"


def _rows(cells: Cells) -> str:
    p = len(cells)
    characters = np.full((p, 2 * p), ord(","), dtype=np.uint8)
    characters[:, ::2] = cells + ord("0")
    characters[:, -1] = ord("\n")
    return characters.tobytes().decode("ascii")


def _adjacency_graph(table: _Table) -> Graph:
    if (table.cells > 1).any():
        i, j = np.argwhere(table.cells > 1)[0].tolist()
        raise _bad_cell(table, i, j, f"{_ADJACENCY}; a matrix of marks has format 'marks'")
    _check_diagonal(table)
    return Graph.from_adjacency(table.names, table.cells)


def _marks_graph(table: _Table) -> Graph:
    _check_diagonal(table)
    one_sided = np.argwhere((table.cells == 0) & (table.cells.T != 0))
    if len(one_sided):
        i, j = one_sided[0].tolist()
        raise _bad_cell(table, i, j, f"1, 2 and 3, as row {table.names[j]!r} has an edge here")
    return Graph(table.names, table.cells)


def _check_diagonal(table: _Table) -> None:
    loops = np.flatnonzero(np.diagonal(table.cells))
    if len(loops):
        i = int(loops[0])
        raise _bad_cell(table, i, i, "0, as a node has no edge with itself")


def _bad_cell(table: _Table, i: int, j: int, allowed: str) -> GraphError:
    cell_text = shown(int(table.cells[i, j]))
    column = f"{j + 1} ({shown(table.names[j])})"
    return table.source.error(f"found {cell_text}, allowed are {allowed}", table.lines[i], column)


def _read_table(source: TextSource, allowed: str) -> _Table:
    says_marks = _says_marks(source)
    lines = records(source)
    if says_marks:
        next(lines)
    header = next(lines, None)
    if header is None:
        raise source.error("the header of node names is missing")
    names = _checked_header(source, header.fields, header.line)
    cells = _fast_cells(source.text[header.next_position :], len(names))
    if cells is not None:
        rows = range(header.next_line, header.next_line + len(names))
        return _Table(source, names, cells, rows, says_marks)
    return _Table(source, names, *_slow_cells(source, names, lines, allowed), says_marks)


def _says_marks(source: TextSource) -> bool:
    return source.text.startswith((MARKS_LINE + "\n", MARKS_LINE + "\r"))


def _checked_header(source: TextSource, names: list[str], line: int) -> list[str]:
    if len(names) > MAX_NODES:
        raise source.error(
            f"{len(names)} names, more than the {MAX_NODES:,} nodes of a matrix", line
        )
    if len(names) > 1 and not names[0]:
        raise source.error("the header starts with an empty name: leave row names out", line, 1)
    seen: dict[str, int] = {}
    for column, name in enumerate(names, 1):
        check_name(name, source, line, column)
        if name in seen:
            twice = f"node name {shown(name)} stands twice, first in column {seen[name]}"
            raise source.error(twice, line, column)
        seen[name] = column
    return names


def _fast_cells(body: str, p: int) -> Cells | None:
    """Return the cells of a body of single digits by array operations; None for other notations."""
    characters = body.encode().replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n"
    if len(characters) != 2 * p * p:
        return None
    square = np.frombuffer(characters, dtype=np.uint8).reshape(p, 2 * p)
    separators = square[:, 1::2]
    if (separators[:, :-1] != ord(",")).any() or (separators[:, -1] != ord("\n")).any():
        return None
    cells = square[:, ::2] - np.uint8(ord("0"))
    return np.ascontiguousarray(cells) if (cells <= Mark.TAIL).all() else None


def _slow_cells(
    source: TextSource, names: list[str], body: Iterator[Record], allowed: str
) -> tuple[Cells, list[int]]:
    """Parse the cells of any accepted body, with error messages that name the cell."""
    known: dict[str, int] = {}
    header = counted(len(names), "name")
    rows: list[bytes] = []
    lines: list[int] = []
    for record in body:
        if len(rows) == len(names):
            raise source.error(f"more rows than {header}", record.line)
        if len(record.fields) != len(names):
            counts = f"{counted(len(record.fields), 'cell')}, the header has {header}"
            raise source.error(f"found {counts}", record.line)
        try:
            rows.append(bytes([known[cell] for cell in record.fields]))
        except KeyError:
            rows.append(_row(source, record, names, known, allowed))
        lines.append(record.line)
    if len(rows) != len(names):
        raise source.error(f"found {counted(len(rows), 'row')}, the header has {header}")
    return np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(names), -1), lines


def _row(
    source: TextSource, record: Record, names: list[str], known: dict[str, int], allowed: str
) -> bytes:
    """Parse one row cell by cell, caching the notations in `known`."""
    for column, field in enumerate(record.fields):
        value = known.get(field, cell(field))
        if value is None:
            place = f"{column + 1} ({shown(names[column])})"
            hint = "" if len(names) > 1 else "; columns are separated by commas"
            message = f"found {shown(field)}, allowed are {allowed}{hint}"
            raise source.error(message, record.line, place)
        known[field] = value
    return bytes(known[field] for field in record.fields)


def cell(field: str) -> int | None:
    """Parse a cell such as ``1``, ``1.0``, ``1e0``, ``TRUE`` as 0 to 3; None if it is invalid."""
    text = field.strip().lower()
    if text in _WORDS:
        return _WORDS[text]
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number in (0, 1, 2, 3) else None


@dataclass(frozen=True, kw_only=True)
class Adjacency(GraphFormat):
    """CSV of 0 and 1 from row to column, as Benchpress has it."""

    name = "adjacency"
    suffixes = (".csv",)
    rank = 2
    content_decides = True

    def read(self, source: TextSource, names: Iterable[str] | None = None) -> Graph:
        """Read a file."""
        return read_adjacency(source, names)

    def write(self, graph: Graph) -> str | bytes:
        """Return the graph as the text of an adjacency matrix."""
        return write_adjacency(graph)

    def recognises(self, source: TextSource) -> bool:
        """Whether the content begins like this format."""
        return is_matrix(source)

    def loses(self, graph: Graph) -> str | None:
        """Return a message about the information that the format loses, if any."""
        return lost_by_adjacency(graph)

    def read_recognised(self, source: TextSource, names: Iterable[str] | None = None) -> Graph:
        """Read a matrix of 0 and 1, or of marks."""
        return read_matrix(source, names)


@dataclass(frozen=True, kw_only=True)
class Marks(GraphFormat):
    """CSV of end marks 0 to 3 from row to column."""

    name = "marks"
    suffixes = (".marks.csv",)
    rank = 0

    def read(self, source: TextSource, names: Iterable[str] | None = None) -> Graph:
        """Read a file."""
        return read_marks(source, names)

    def write(self, graph: Graph) -> str | bytes:
        """Write a graph."""
        return write_marks(graph)
